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

/** The tagged edges of one job's partitions in a worker, which may move to H2. Only the worker's main thread uses it. */
@SuppressWarnings("rawtypes")
final class TaggedEdges {

    /** The label of edges. The label of messages is the superstep that reads them. */
    static final long LABEL = BspService.INPUT_SUPERSTEP;

    private final Map<Integer, Partition> known = new HashMap<>();
    /** The edges of each partition that have not moved yet. This map keeps the tagged arrays alive, because tags do not. */
    private final Map<Integer, Object[]> waiting = new HashMap<>();

    /** Tags the complete edges of a partition, unless they are tagged already. */
    void tag(Partition<?, ?, ?> partition) {
        if (known.put(partition.getId(), partition) == partition) {
            return;
        }
        Object[] edges = new Object[Math.toIntExact(partition.getVertexCount())];
        int count = 0;
        for (Vertex<?, ?, ?> vertex : partition) {
            if (vertex instanceof Trimmable) {
                ((Trimmable) vertex).trim(); // otherwise the first superstep does, and the moved copy becomes garbage
            }
            edges[count++] = vertex.getEdges();
        }
        SecondHeap.tagRoot(edges, LABEL);
        waiting.put(partition.getId(), edges);
    }

    /** Forgets all other partitions. */
    void keep(Collection<Integer> ids) {
        known.keySet().retainAll(ids);
        waiting.keySet().retainAll(ids);
    }

    void forgetMoved() {
        waiting.values().removeIf(edges -> SecondHeap.state(edges) == SecondHeap.State.IN_H2);
    }
}
