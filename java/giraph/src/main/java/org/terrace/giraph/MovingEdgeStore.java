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
 * An edge store of Giraph's that is given the input late, so that the input may be larger than the heap.
 *
 * <p>Edges arrive in blocks, and Giraph adds those of a block to the array of each of its vertices at once: until the end all
 * arrays grow, and none could move to H2. Here blocks are kept as they are, and may move, since nothing changes them. When the
 * input is complete, a few partitions at a time get their edges from them. Those may move before the next ones are made.
 */
@SuppressWarnings("rawtypes")
final class MovingEdgeStore<I extends WritableComparable, V extends Writable, E extends Writable>
        implements EdgeStore<I, V, E> {

    /** Of blocks, which are gone when the input is complete. */
    static final long LABEL = TaggedEdges.LABEL - 1;

    private final EdgeStore<I, V, E> store;
    private final CentralizedServiceWorker<I, V, E> worker;
    private final ImmutableClassesGiraphConfiguration<I, V, E> conf;
    private final int threads;
    private final Progressable progressable;
    private final ConcurrentMap<Integer, Blocks<I, E>> arrived = new ConcurrentHashMap<>();

    /** What has arrived for one partition. */
    private static final class Blocks<I extends WritableComparable, E extends Writable> {

        /** Blocks with one tag. They have some 100 KB at most, where a worker has few partitions. */
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

        /** Hands all to a store, and keeps none of them longer than that. */
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
     * Giraph makes the array of a block before it knows what will be in it: where partitions differ in size, half of it is empty.
     * Giraph drops the block at once; here it is kept.
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
            throw new UncheckedIOException(e); // there is no device
        }
        return copy;
    }

    /** Giraph's own store goes through all partitions for each few of them, and finds edges only for those. */
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

    // -- Giraph's out-of-core graph only, which the plugin refuses ----------------------------------------------------------

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
