// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.giraph;

import com.yammer.metrics.core.Gauge;
import java.util.HashSet;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.apache.giraph.comm.messages.PartitionSplitInfo;
import org.apache.giraph.conf.DefaultImmutableClassesGiraphConfigurable;
import org.apache.giraph.metrics.GiraphMetrics;
import org.apache.giraph.metrics.GiraphMetricsRegistry;
import org.apache.giraph.partition.Partition;
import org.apache.giraph.worker.WorkerObserver;
import org.apache.log4j.Logger;
import org.terrace.SecondHeap;
import org.terrace.SecondHeapManagement;
import org.terrace.SecondHeapStatistics;

/**
 * Worker observer that lets the edges of a worker's partitions move to H2. These are the edges that the worker loads, and edges
 * that it receives later, in an exchange with another worker or from a checkpoint. {@link TerracePlugin} installs it.
 */
@SuppressWarnings({"rawtypes", "unchecked"})
public final class EdgeMover extends DefaultImmutableClassesGiraphConfigurable implements WorkerObserver {

    private static final Logger LOG = Logger.getLogger(TerracePlugin.class);

    private PartitionSplitInfo<?> worker;

    @Override
    public void preLoad() {
        worker = Boundary.worker();
        SecondHeapManagement.register();
        SecondHeap.move(MovingEdgeStore.LABEL);
        SecondHeap.move(TaggedEdges.LABEL);
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
        TaggedEdges edges = Boundary.edges();
        Set<Integer> now = new HashSet<>();
        worker.startIteration();
        for (Partition partition = worker.getNextPartition(); partition != null; partition = worker.getNextPartition()) {
            now.add(partition.getId());
            edges.tag(partition);
            worker.putPartition(partition);
        }
        edges.keep(now);
    }

    @Override
    public void postSuperstep(long superstep) {
        Boundary.edges().forgetMoved();
    }

    @Override
    public void postApplication() {
        LOG.info("Terrace: at the end " + SecondHeap.statistics());
    }

    @Override
    public void postSave() {
        SecondHeap.hold(TaggedEdges.LABEL);
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
