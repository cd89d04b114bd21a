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
 * A message store whose messages may move to H2 when the superstep that reads them begins. It wraps a store of Giraph's.
 *
 * <p>Giraph removes the messages of each computed vertex, and then the messages of the computed partition, in place. In H2 each
 * removal writes to a page. This class does nothing after a vertex, and drops a computed partition as a whole. H2 is then only
 * read.
 */
@SuppressWarnings("rawtypes")
final class MovingMessageStore<I extends WritableComparable, M extends Writable> implements MessageStore<I, M> {

    private final MessageStore<I, M> store;
    private final CentralizedServiceWorker<I, ?, ?> worker;
    /** The map inside the store, from partition to a map from vertex to messages. */
    private final Map<Integer, Object> partitions;
    /** An empty map that replaces dropped partitions. Null until it is needed. */
    private Object nothing;
    /** The vertex for which a thread last requested the messages. */
    private final ThreadLocal<I> computed = new ThreadLocal<>();
    private long superstep;

    MovingMessageStore(MessageStore<I, M> store, CentralizedServiceWorker<I, ?, ?> worker) {
        this.store = store;
        this.worker = worker;
        this.partitions = partitionsOf(store);
        Boundary.receives(store);
    }

    /** Returns the field {@code map} of a store by reflection. All of Giraph's stores have it, and none has an accessor. */
    @SuppressWarnings("unchecked")
    private static Map<Integer, Object> partitionsOf(MessageStore<?, ?> store) {
        for (Class<?> type = store.getClass(); type != null; type = type.getSuperclass()) {
            try {
                Field map = type.getDeclaredField("map");
                map.setAccessible(true);
                return (Map<Integer, Object>) map.get(store);
            } catch (NoSuchFieldException e) {
                // A superclass may have the field.
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
        throw new IllegalStateException("Terrace: " + store.getClass().getName() + " has no field 'map'. The plugin needs Giraph 1.3. "
                + "With another version, remove " + TerracePlugin.class.getName() + " from the job");
    }

    // -- When messages may move -----------------------------------------------------------------------------------------

    /** Ends the phase in which messages are added. They may move from now on. */
    @Override
    public void finalizeStore() {
        store.finalizeStore();
        superstep = worker.getSuperstep();
        Boundary.computes(store);
        SecondHeap.move(superstep);
        partitions.keySet().forEach(this::tag);
    }

    /** Reads messages from a checkpoint, which happens after the store was finalized. */
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

    // -- When messages are dropped --------------------------------------------------------------------------------------

    @Override
    public Iterable<M> getVertexMessages(I vertexId) {
        computed.set(vertexId);
        return store.getVertexMessages(vertexId);
    }

    /** Removes messages only if the vertex was removed. A vertex that was merely computed needs no write. */
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
            // Other threads read these maps concurrently. This is safe because the set of keys does not change.
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
            throw new IllegalStateException("Terrace: cannot create a map of Giraph's class " + map.getClass().getName(), e);
        }
    }

    @Override
    public void clearAll() {
        store.clearAll();
        SecondHeap.hold(superstep);
    }

    // -- Methods that only delegate -------------------------------------------------------------------------------------

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
