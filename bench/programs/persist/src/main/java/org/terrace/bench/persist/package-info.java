/** The persistent heap beside java.util, other stores, and C. */
package org.terrace.bench.persist;
