// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

/**
 * The Giraph programs of the TeraHeap paper (section 6): PageRank, connected components, breadth-first search, shortest
 * paths and label propagation. They run on R-MAT graphs that are generated during loading.
 */
package org.terrace.bench.giraph;
