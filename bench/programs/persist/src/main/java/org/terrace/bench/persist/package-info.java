// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

/** The persistent heap beside java.util, other stores, and C. */
package org.terrace.bench.persist;
