// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.giraph;

import com.yammer.metrics.core.Gauge;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.apache.giraph.bsp.BspService;
import org.apache.giraph.comm.messages.PartitionSplitInfo;
import org.apache.giraph.conf.DefaultImmutableClassesGiraphConfigurable;
import org.apache.giraph.graph.Vertex;
import org.apache.giraph.metrics.GiraphMetrics;
import org.apache.giraph.metrics.GiraphMetricsRegistry;
import org.apache.giraph.partition.Partition;
import org.apache.giraph.utils.Trimmable;
import org.apache.giraph.worker.WorkerObserver;
import org.apache.log4j.Logger;
import org.terrace.SecondHeap;
import org.terrace.SecondHeapManagement;
import org.terrace.SecondHeapStatistics;

/**
 * Lets the edges of a worker's partitions move to H2: those that it loads, and those that it gets later, by an exchange with
 * another worker or from a checkpoint. {@link TerracePlugin} sets it.
 */
@SuppressWarnings({"rawtypes", "unchecked"})
public final class EdgeMover extends DefaultImmutableClassesGiraphConfigurable implements WorkerObserver {

    /** Of edges; that of messages is the superstep that reads them. */
    static final long LABEL = BspService.INPUT_SUPERSTEP;

    private static final Logger LOG = Logger.getLogger(TerracePlugin.class);

    private PartitionSplitInfo<?> worker;
    private Map<Integer, Partition> known = new HashMap<>();
    /** The edges of each partition, as long as they have not moved: a tag does not keep them. */
    private final Map<Integer, Object[]> waiting = new HashMap<>();

    @Override
    public void preLoad() {
        worker = Boundary.worker();
        SecondHeapManagement.register();
        SecondHeap.move(LABEL);
    }

    @Override
    public void preApplication() {
        GiraphMetricsRegistry metrics = GiraphMetrics.get().perJobOptional();
        metrics.getGauge("h2-used-bytes", gauge(SecondHeapStatistics::getUsedBytes));
        metrics.getGauge("h2-moved-bytes", gauge(SecondHeapStatistics::getMovedBytes));
        metrics.getGauge("h2-transfers", gauge(SecondHeapStatistics::getTransfers));
    }

    @Override
    public void preSuperstep(long superstep) {
        Map<Integer, Partition> now = new HashMap<>();
        worker.startIteration();
        for (Partition partition = worker.getNextPartition(); partition != null; partition = worker.getNextPartition()) {
            now.put(partition.getId(), partition);
            if (known.get(partition.getId()) != partition) {
                tag(partition);
            }
            worker.putPartition(partition);
        }
        known = now;
        waiting.keySet().retainAll(now.keySet());
    }

    private void tag(Partition<?, ?, ?> partition) {
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

    @Override
    public void postSuperstep(long superstep) {
        waiting.values().removeIf(edges -> SecondHeap.state(edges) == SecondHeap.State.IN_H2);
    }

    @Override
    public void postApplication() {
        LOG.info("Terrace: at the end " + SecondHeap.statistics());
    }

    @Override
    public void postSave() {
        waiting.clear();
        known.clear();
        SecondHeap.hold(LABEL);
        Boundary.end();
    }

    private static Gauge<Long> gauge(ToLongFunction<SecondHeapStatistics> value) {
        return new Gauge<>() {
            @Override
            public Long value() {
                return value.applyAsLong(SecondHeap.statistics());
            }
        };
    }
}
