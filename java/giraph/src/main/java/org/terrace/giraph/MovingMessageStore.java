// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.giraph;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.concurrent.ConcurrentMap;
import org.apache.giraph.bsp.CentralizedServiceWorker;
import org.apache.giraph.comm.messages.MessageStore;
import org.apache.giraph.types.ops.collections.Basic2ObjectMap;
import org.apache.giraph.utils.VertexIdMessages;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableComparable;
import org.terrace.SecondHeap;

/**
 * A message store of Giraph's whose messages may move to H2 when the superstep that reads them begins.
 *
 * <p>Giraph removes the messages of each vertex that was computed, and then those of the partition, in place. In H2 each of
 * these is a write to a page. Here vertices that were computed are left alone, and a partition that was computed is dropped
 * as a whole, so that H2 has only to be read.
 */
@SuppressWarnings("rawtypes")
final class MovingMessageStore<I extends WritableComparable, M extends Writable> implements MessageStore<I, M> {

    private final MessageStore<I, M> store;
    private final CentralizedServiceWorker<I, ?, ?> worker;
    /** The store's own: from partition to a map from vertex to messages. */
    private final Map<Integer, Object> partitions;
    /** In the place of a partition that was dropped; null if the store can do without. */
    private Object nothing;
    /** The vertex whose messages a thread asked for last. */
    private final ThreadLocal<I> computed = new ThreadLocal<>();
    private long superstep;

    MovingMessageStore(MessageStore<I, M> store, CentralizedServiceWorker<I, ?, ?> worker) {
        this.store = store;
        this.worker = worker;
        this.partitions = partitionsOf(store);
        Boundary.receives(store);
    }

    /** All of Giraph's stores have a field of this name, none gives access to it. */
    @SuppressWarnings("unchecked")
    private static Map<Integer, Object> partitionsOf(MessageStore<?, ?> store) {
        for (Class<?> type = store.getClass(); type != null; type = type.getSuperclass()) {
            try {
                Field map = type.getDeclaredField("map");
                map.setAccessible(true);
                return (Map<Integer, Object>) map.get(store);
            } catch (NoSuchFieldException e) {
                // It may be in the class above.
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
        throw new IllegalStateException("Terrace: " + store.getClass().getName() + " has no field 'map'. Is this Giraph 1.3? "
                + "Leave out " + TerracePlugin.class.getName() + " otherwise");
    }

    // -- When messages may move -----------------------------------------------------------------------------------------

    /** From now on nothing is added. */
    @Override
    public void finalizeStore() {
        store.finalizeStore();
        superstep = worker.getSuperstep();
        Boundary.computes(store);
        SecondHeap.move(superstep);
        partitions.keySet().forEach(this::tag);
    }

    /** Of a checkpoint; those are read after the store was finalized. */
    @Override
    public void readFieldsForPartition(DataInput in, int partitionId) throws IOException {
        store.readFieldsForPartition(in, partitionId);
        tag(partitionId);
    }

    private void tag(int partitionId) {
        if (Boundary.isOf(worker) && store.hasMessagesForPartition(partitionId)) {
            SecondHeap.tagRoot(partitions.get(partitionId), superstep);
        }
    }

    // -- When they are dropped ------------------------------------------------------------------------------------------

    @Override
    public Iterable<M> getVertexMessages(I vertexId) {
        computed.set(vertexId);
        return store.getVertexMessages(vertexId);
    }

    /** That a vertex was computed is no reason to write; that it was removed before is. */
    @Override
    public void clearVertexMessages(I vertexId) {
        if (computed.get() != vertexId) {
            store.clearVertexMessages(vertexId);
        }
    }

    @Override
    public void clearPartition(int partitionId) {
        if (partitions instanceof ConcurrentMap) {
            store.clearPartition(partitionId); // only removes it from the map
        } else {
            // These maps are read by other threads meanwhile, which is no harm as long as the keys stay.
            partitions.computeIfPresent(partitionId, (id, messages) -> emptyLike(messages));
        }
    }

    private synchronized Object emptyLike(Object messages) {
        if (nothing == null) {
            nothing = newLike(messages);
        }
        return nothing;
    }

    private static Object newLike(Object map) {
        if (map instanceof Basic2ObjectMap) {
            return ((Basic2ObjectMap<?, ?>) map).getKeyTypeOps().create2ObjectOpenHashMap(1, null);
        }
        try {
            return map.getClass().getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Terrace: cannot make a map like Giraph's, " + map.getClass().getName(), e);
        }
    }

    @Override
    public void clearAll() {
        store.clearAll();
        SecondHeap.hold(superstep);
    }

    // -- The rest is the store's ----------------------------------------------------------------------------------------

    @Override
    public boolean isPointerListEncoding() {
        return store.isPointerListEncoding();
    }

    @Override
    public boolean hasMessagesForVertex(I vertexId) {
        return store.hasMessagesForVertex(vertexId);
    }

    @Override
    public boolean hasMessagesForPartition(int partitionId) {
        return store.hasMessagesForPartition(partitionId);
    }

    @Override
    public void addPartitionMessages(int partitionId, VertexIdMessages<I, M> messages) {
        store.addPartitionMessages(partitionId, messages);
    }

    @Override
    public void addMessage(I vertexId, M message) throws IOException {
        store.addMessage(vertexId, message);
    }

    @Override
    public Iterable<I> getPartitionDestinationVertices(int partitionId) {
        return store.getPartitionDestinationVertices(partitionId);
    }

    @Override
    public void writePartition(DataOutput out, int partitionId) throws IOException {
        store.writePartition(out, partitionId);
    }
}
