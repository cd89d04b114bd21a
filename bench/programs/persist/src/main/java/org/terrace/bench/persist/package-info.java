// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

/** Programs that compare the persistent heap with java.util, other stores, and C. */
package org.terrace.bench.persist;
