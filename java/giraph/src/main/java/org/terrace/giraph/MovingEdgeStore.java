// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.giraph;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.giraph.bsp.CentralizedServiceWorker;
import org.apache.giraph.conf.ImmutableClassesGiraphConfiguration;
import org.apache.giraph.edge.EdgeStore;
import org.apache.giraph.partition.Partition;
import org.apache.giraph.utils.ByteArrayVertexIdEdges;
import org.apache.giraph.utils.ExtendedDataOutput;
import org.apache.giraph.utils.ProgressableUtils;
import org.apache.giraph.utils.VertexIdEdges;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.util.Progressable;
import org.terrace.SecondHeap;

/**
 * An edge store that passes the input to a store of Giraph's late, so that the input may be larger than the heap.
 *
 * <p>Edges arrive in blocks. Giraph adds the edges of a block to the arrays of their vertices at once. All arrays then grow until
 * the input is complete, and none of them can move to H2 earlier. This class keeps the blocks unchanged instead, so they can move.
 * When the input is complete, it builds the arrays of a few partitions at a time. These arrays may move before the next ones are
 * built.
 */
@SuppressWarnings("rawtypes")
final class MovingEdgeStore<I extends WritableComparable, V extends Writable, E extends Writable>
        implements EdgeStore<I, V, E> {

    /** The label of blocks. None are left when the input is complete. */
    static final long LABEL = TaggedEdges.LABEL - 1;

    private final EdgeStore<I, V, E> store;
    private final CentralizedServiceWorker<I, V, E> worker;
    private final ImmutableClassesGiraphConfiguration<I, V, E> conf;
    private final int threads;
    private final Progressable progressable;
    private final ConcurrentMap<Integer, Blocks<I, E>> arrived = new ConcurrentHashMap<>();

    /** The blocks that have arrived for one partition. */
    private static final class Blocks<I extends WritableComparable, E extends Writable> {

        /** Number of blocks that share a tag. A block has at most about 100 KB if a worker has few partitions. */
        private static final int TOGETHER = 16;

        private final Queue<VertexIdEdges<I, E>[]> complete = new ArrayDeque<>();
        private VertexIdEdges<I, E>[] last;
        private int used = TOGETHER;

        @SuppressWarnings("unchecked")
        synchronized void add(VertexIdEdges<I, E> block) {
            if (used == TOGETHER) {
                last = new VertexIdEdges[TOGETHER];
                complete.add(last);
                used = 0;
            }
            last[used++] = block;
            if (used == TOGETHER) {
                SecondHeap.tagRoot(last, LABEL); // nothing is written to it from now on
            }
        }

        /** Passes all blocks to a store, and drops each reference once it is passed. */
        synchronized void into(EdgeStore<I, ?, E> store, int partition) {
            last = null;
            for (VertexIdEdges<I, E>[] some = complete.poll(); some != null; some = complete.poll()) {
                for (VertexIdEdges<I, E> block : some) {
                    if (block != null) {
                        store.addPartitionEdges(partition, block);
                    }
                }
            }
            used = TOGETHER;
        }
    }

    MovingEdgeStore(EdgeStore<I, V, E> store, CentralizedServiceWorker<I, V, E> worker,
            ImmutableClassesGiraphConfiguration<I, V, E> conf, Progressable progressable) {
        this.store = store;
        this.worker = worker;
        this.conf = conf;
        this.threads = conf.getNumInputSplitsThreads();
        this.progressable = progressable;
    }

    @Override
    public void addPartitionEdges(int partitionId, VertexIdEdges<I, E> edges) {
        arrived.computeIfAbsent(partitionId, id -> new Blocks<>()).add(trimmed(edges));
    }

    /**
     * Returns a block without unused space. Giraph allocates the array of a block before it knows its content. If partitions
     * differ in size, half of the array is unused. Giraph drops blocks at once, but this class keeps them.
     */
    private VertexIdEdges<I, E> trimmed(VertexIdEdges<I, E> edges) {
        if (!(edges instanceof ByteArrayVertexIdEdges)
                || ((ByteArrayVertexIdEdges<I, E>) edges).getByteArray().length <= edges.getSize() + edges.getSize() / 8) {
            return edges;
        }
        ByteArrayVertexIdEdges<I, E> copy = new ByteArrayVertexIdEdges<>();
        copy.setConf(conf);
        ExtendedDataOutput bytes = conf.createExtendedDataOutput(edges.getSerializedSize());
        try {
            edges.write(bytes);
            copy.readFields(conf.createExtendedDataInput(bytes.getByteArray(), 0, bytes.getPos()));
        } catch (IOException e) {
            throw new UncheckedIOException(e); // cannot happen, because the streams are in memory
        }
        return copy;
    }

    /** Passes a few partitions at a time. Giraph's store iterates over all partitions each time, but finds edges for these only. */
    @Override
    public void moveEdgesToVertices() {
        Queue<Integer> left = new ArrayDeque<>(arrived.keySet());
        while (!left.isEmpty()) {
            List<Integer> few = new ArrayList<>();
            while (few.size() < threads && !left.isEmpty()) {
                few.add(left.poll());
            }
            ProgressableUtils.getResultsWithNCallables(index -> () -> {
                give(few.get(index));
                return null;
            }, few.size(), "terrace-edges-%d", progressable);
            store.moveEdgesToVertices();
            tag(new HashSet<>(few));
        }
        SecondHeap.hold(LABEL);
    }

    private void give(int partitionId) {
        Blocks<I, E> blocks = arrived.remove(partitionId);
        if (blocks != null) {
            blocks.into(store, partitionId);
        }
    }

    private void tag(Set<Integer> ids) {
        worker.startIteration();
        for (Partition<I, V, E> partition = worker.getNextPartition(); partition != null; partition = worker.getNextPartition()) {
            if (ids.contains(partition.getId())) {
                Boundary.edges().tag(partition);
            }
            worker.putPartition(partition);
        }
    }

    // -- For Giraph's out-of-core graph only, which the plugin rejects ------------------------------------------------------

    @Override
    public boolean hasEdgesForPartition(int partitionId) {
        return arrived.containsKey(partitionId) || store.hasEdgesForPartition(partitionId);
    }

    @Override
    public void writePartitionEdgeStore(int partitionId, DataOutput output) throws IOException {
        give(partitionId);
        store.writePartitionEdgeStore(partitionId, output);
    }

    @Override
    public void readPartitionEdgeStore(int partitionId, DataInput input) throws IOException {
        store.readPartitionEdgeStore(partitionId, input);
    }
}
