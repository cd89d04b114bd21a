// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

/**
 * Giraph programs as the TeraHeap paper measures them (section 6): PageRank, connected components, breadth-first search,
 * shortest paths and label propagation, on R-MAT graphs that are generated while they are loaded.
 */
package org.terrace.bench.giraph;
