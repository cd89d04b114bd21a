// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.giraph;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.giraph.bsp.BspService;
import org.apache.giraph.graph.Vertex;
import org.apache.giraph.partition.Partition;
import org.apache.giraph.utils.Trimmable;
import org.terrace.SecondHeap;

/** The edges of a worker's partitions that may move to H2, of one job. The worker's main thread uses it. */
@SuppressWarnings("rawtypes")
final class TaggedEdges {

    /** Of edges; that of messages is the superstep that reads them. */
    static final long LABEL = BspService.INPUT_SUPERSTEP;

    private final Map<Integer, Partition> known = new HashMap<>();
    /** The edges of each partition, as long as they have not moved: a tag does not keep them. */
    private final Map<Integer, Object[]> waiting = new HashMap<>();

    /** Tags the edges of a partition that are complete, unless it was done. */
    void tag(Partition<?, ?, ?> partition) {
        if (known.put(partition.getId(), partition) == partition) {
            return;
        }
        Object[] edges = new Object[Math.toIntExact(partition.getVertexCount())];
        int count = 0;
        for (Vertex<?, ?, ?> vertex : partition) {
            if (vertex instanceof Trimmable) {
                ((Trimmable) vertex).trim(); // else the first superstep does it, and what has moved is garbage
            }
            edges[count++] = vertex.getEdges();
        }
        SecondHeap.tagRoot(edges, LABEL);
        waiting.put(partition.getId(), edges);
    }

    /** Forgets all partitions but these. */
    void keep(Collection<Integer> ids) {
        known.keySet().retainAll(ids);
        waiting.keySet().retainAll(ids);
    }

    void forgetMoved() {
        waiting.values().removeIf(edges -> SecondHeap.state(edges) == SecondHeap.State.IN_H2);
    }
}
