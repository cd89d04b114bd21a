// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.storage.memory.DeserializedMemoryEntry;
import org.apache.spark.storage.memory.MemoryEntry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.terrace.SecondHeap.Tier;

/**
 * The memory store's map of blocks. It also tracks which cached partitions are in H2 or scheduled for it.
 *
 * <p>A partition that is cached as objects arrives by {@link #put} and is <em>due</em>. Its array is tagged with the
 * id of its RDD, and the store's accounting still counts it. Once the VM has moved the array, {@link #takeMoved}
 * makes the block <em>moved</em>. The accounting no longer counts it, because the caller of {@code takeMoved}
 * releases its charge. This map still returns it to readers, but hides it from eviction. All other blocks
 * (serialized ones, broadcasts) are stored unchanged.
 *
 * <p>{@link #uncharge} takes blocks out of the accounting while they are still due, because they will soon be moved.
 * They are hidden from eviction as well.
 *
 * <pre>
 *              put                takeMoved
 *   (absent) ------&gt; due --------------------&gt; moved
 *      ^              |  remove: Spark releases   |
 *      |              |  the size, we the tag     | remove: nothing left to release
 *      +--------------+---------------------------+
 * </pre>
 *
 * <p>With a plan, partitions of an RDD whose tier is not known yet remain ordinary blocks until the driver answers. Partitions of
 * RDDs that belong on the heap remain ordinary blocks permanently, as far as all of them fit into a part of Spark's memory.
 *
 * <p>Spark guards the map by the map's monitor. If it also needs the memory manager's monitor, it acquires that one first. This
 * class does the same. All state is guarded by {@code this}, except the totals, which may be read at any time. A block becomes
 * moved only under both monitors, so that this cannot happen between its removal from the map and from the accounting.
 *
 * <p>The store uses the two views for different purposes. {@link #entrySet} is for the choice of victims for eviction, and
 * {@link #values} is for closing the stored values when the store is cleared. Both exclude moved blocks, because iterating over
 * them would read their data from the device.
 */
@SuppressWarnings("serial") // serializable only by inheritance, and never leaves its memory store
final class CachedBlocks extends LinkedHashMap<BlockId, MemoryEntry<?>> {

    private static final Logger LOG = LoggerFactory.getLogger(CachedBlocks.class);

    private final transient Heap heap;
    private final transient Runnable whenDue;
    private final transient ReadAhead readAhead;
    private final transient TierQuestions questions; // null without a plan
    private final transient AccessCounts counts; // null without a profile
    private final transient long mostHeapBytes;

    private final transient Map<BlockId, DeserializedMemoryEntry<?>> due = new LinkedHashMap<>();
    private final transient Set<BlockId> uncharged = new HashSet<>(); // a subset of the keys of due
    private final transient Map<BlockId, DeserializedMemoryEntry<?>> moved = new HashMap<>();
    private final transient Map<Integer, Integer> blocksOfRdd = new HashMap<>();
    private final transient Map<Integer, Planned> planned = new HashMap<>(); // with a plan: RDDs that have blocks here

    private transient long heapBytes; // of blocks that stay on the heap permanently

    // Written under the monitor only.
    private volatile int dueBlocks;
    private volatile long dueBytes;
    private volatile int movedBlocks;
    private volatile long movedBytes;
    private volatile long arrivedBytes;
    private volatile long takenBytes;
    private volatile long removedFromH2;

    /** An RDD whose tier the driver was asked for. */
    private static final class Planned {
        Tier tier; // null until the driver answers
        long reads;
        long lastRead = System.nanoTime();
        boolean cold; // fast, but not read for long
        boolean overflows; // belongs on the heap, but some of its blocks do not fit there
        /** Its blocks that stay on the heap, permanently or until the tier is known. */
        final Map<RDDBlockId, DeserializedMemoryEntry<?>> onHeap = new LinkedHashMap<>();
    }

    /**
     * @param slots     number of tasks that run at a time
     * @param whenDue   called after a block has become due, with this map's monitor held, so it must not block
     * @param questions asks the driver for the tiers of RDDs; null without a plan
     * @param counts    counts reads of partitions; null without a profile
     * @param mostHeapBytes limit for blocks of RDDs that belong on the heap; further ones move to H2
     */
    CachedBlocks(Heap heap, int slots, Runnable whenDue, TierQuestions questions, AccessCounts counts, long mostHeapBytes) {
        super(32, 0.75f, true); // access order, as in the map it replaces, because Spark evicts the least recently used block
        this.heap = heap;
        this.whenDue = whenDue;
        this.questions = questions;
        this.counts = counts;
        this.mostHeapBytes = mostHeapBytes;
        this.readAhead = new ReadAhead(heap::prefetch, heap::dismiss, slots);
    }

    // -- Called by Spark ----------------------------------------------------------------------------------------------

    @Override
    public MemoryEntry<?> put(BlockId id, MemoryEntry<?> entry) {
        synchronized (this) {
            forget(id);
            MemoryEntry<?> before = super.put(id, entry);
            if (isCounted(id, before)) {
                counts.removed((RDDBlockId) id, before.size());
            }
            if (isCounted(id, entry)) {
                counts.cached((RDDBlockId) id, entry.size());
            }
            if (id instanceof RDDBlockId && entry instanceof DeserializedMemoryEntry) {
                DeserializedMemoryEntry<?> partition = (DeserializedMemoryEntry<?>) entry;
                if (canMove(partition.value())) {
                    arrived((RDDBlockId) id, partition);
                }
            }
            return before;
        }
    }

    /** {@inheritDoc} A task that asks for a block in H2 is about to read it. */
    @Override
    public MemoryEntry<?> get(Object id) {
        synchronized (this) {
            if (moved.containsKey(id)) {
                readAhead.reading((RDDBlockId) id);
                read(((RDDBlockId) id).rddId());
            }
            MemoryEntry<?> entry = super.get(id);
            if (isCounted(id, entry) && AccessCounts.isRead()) {
                counts.read((RDDBlockId) id, entry.size());
            }
            return entry;
        }
    }

    private boolean isCounted(Object id, MemoryEntry<?> entry) {
        return counts != null && id instanceof RDDBlockId && entry instanceof DeserializedMemoryEntry;
    }

    /**
     * {@inheritDoc}
     *
     * <p>The store closes the closeable values of the returned entry and releases its size. A block for H2 has no such
     * values, and its size may have been released before. In this case the method returns an empty entry instead.
     */
    @Override
    public MemoryEntry<?> remove(Object id) {
        synchronized (this) {
            MemoryEntry<?> entry = super.remove(id);
            if (isCounted(id, entry)) {
                counts.removed((RDDBlockId) id, entry.size());
            }
            if (entry != null && !isCharged(id)) {
                entry = new DeserializedMemoryEntry<>(new Object[0], 0, entry.memoryMode(), entry.classTag());
            }
            forget(id);
            return entry;
        }
    }

    @Override
    public void clear() {
        synchronized (this) {
            due.values().forEach(partition -> heap.untag(partition.value()));
            blocksOfRdd.keySet().forEach(heap::hold);
            planned.keySet().forEach(rddId -> heap.place(rddId, Tier.AUTO));
            planned.clear();
            heapBytes = 0;
            due.clear();
            uncharged.clear();
            moved.clear();
            readAhead.clear();
            blocksOfRdd.clear();
            dueBlocks = 0;
            dueBytes = 0;
            movedBlocks = 0;
            movedBytes = 0;
            super.clear();
        }
    }

    @Override
    public Set<Map.Entry<BlockId, MemoryEntry<?>>> entrySet() {
        synchronized (this) {
            return moved.isEmpty() && uncharged.isEmpty() ? super.entrySet() : charged().entrySet();
        }
    }

    @Override
    public Collection<MemoryEntry<?>> values() {
        synchronized (this) {
            return moved.isEmpty() && uncharged.isEmpty() ? super.values() : charged().values();
        }
    }

    private LinkedHashMap<BlockId, MemoryEntry<?>> charged() {
        LinkedHashMap<BlockId, MemoryEntry<?>> rest = new LinkedHashMap<>();
        super.entrySet().forEach(e -> {
            if (isCharged(e.getKey())) {
                rest.put(e.getKey(), e.getValue());
            }
        });
        return rest;
    }

    private boolean isCharged(Object id) {
        return !moved.containsKey(id) && !uncharged.contains(id);
    }

    // -- Called by the plugin -----------------------------------------------------------------------------------------

    /**
     * Changes due blocks to moved if the VM has moved their arrays. The caller holds the memory manager's monitor and
     * must release the returned number of bytes before it leaves the monitor.
     *
     * @return bytes of storage memory that these blocks were charged with
     */
    synchronized long takeMoved() {
        long charged = 0;
        long taken = 0;
        for (Iterator<Map.Entry<BlockId, DeserializedMemoryEntry<?>>> i = due.entrySet().iterator(); i.hasNext();) {
            Map.Entry<BlockId, DeserializedMemoryEntry<?>> block = i.next();
            DeserializedMemoryEntry<?> partition = block.getValue();
            if (heap.isInH2(partition.value())) {
                i.remove();
                moved.put(block.getKey(), partition);
                readAhead.add((RDDBlockId) block.getKey(), partition.value());
                charged += uncharged.remove(block.getKey()) ? 0 : partition.size();
                taken += partition.size();
            }
        }
        dueBlocks = due.size();
        dueBytes -= taken;
        movedBlocks = moved.size();
        movedBytes += taken;
        takenBytes += taken;
        return charged;
    }

    /**
     * Takes all due blocks out of the accounting. The caller holds the memory manager's monitor and must release the
     * returned number of bytes before it leaves the monitor.
     *
     * @return bytes of storage memory that these blocks were charged with
     */
    synchronized long uncharge() {
        long charged = 0;
        for (Map.Entry<BlockId, DeserializedMemoryEntry<?>> block : due.entrySet()) {
            charged += uncharged.add(block.getKey()) ? block.getValue().size() : 0;
        }
        return charged;
    }

    /**
     * Takes due blocks back into the accounting, as many as fit. The caller holds the memory manager's monitor and must
     * acquire the returned number of bytes before it leaves the monitor.
     *
     * @param atMost bytes of storage memory that are free
     * @return bytes that these blocks are charged with
     */
    synchronized long charge(long atMost) {
        long charged = 0;
        for (Iterator<BlockId> i = uncharged.iterator(); i.hasNext();) {
            long size = due.get(i.next()).size();
            if (charged + size <= atMost) {
                charged += size;
                i.remove();
            }
        }
        return charged;
    }

    /** Size of the due blocks that are not in the accounting. */
    synchronized long unchargedBytes() {
        return uncharged.stream().mapToLong(id -> due.get(id).size()).sum();
    }

    private void read(int rddId) {
        Planned rdd = planned.get(rddId);
        if (rdd != null) {
            rdd.reads++;
            rdd.lastRead = System.nanoTime();
            if (rdd.cold) {
                rdd.cold = false;
                heap.place(rddId, rdd.tier);
            }
        }
    }

    /**
     * Makes fast RDDs slow if no task has read them for long. They are fast again at the next read. Panthera (section 4.2) does
     * the same. It counts the calls of each RDD between major collections, and moves RDDs without calls.
     */
    synchronized void cool() {
        long now = System.nanoTime();
        planned.forEach((rddId, rdd) -> {
            if (rdd.tier == Tier.FAST && !rdd.cold && now - rdd.lastRead > questions.coldNanos()) {
                LOG.info("Terrace: RDD {} was read {} times, but not recently, so it moves to slow memory until it is read again", rddId,
                        rdd.reads);
                rdd.cold = true;
                heap.place(rddId, Tier.SLOW);
            }
        });
    }

    /** Number of blocks that wait for the VM to move them. */
    int dueBlocks() {
        return dueBlocks;
    }

    /** Size of these blocks in bytes, as Spark estimates it. */
    long dueBytes() {
        return dueBytes;
    }

    /** Number of blocks in H2 that the store no longer counts. */
    int movedBlocks() {
        return movedBlocks;
    }

    /** Size of these blocks in bytes, as Spark estimates it. */
    long movedBytes() {
        return movedBytes;
    }

    /** Bytes of all blocks that ever became due. */
    long arrivedBytes() {
        return arrivedBytes;
    }

    /** Bytes of all blocks that were ever in H2, as Spark estimates them. */
    long takenBytes() {
        return takenBytes;
    }

    /** Number of moved blocks that were removed, each of which may have freed space in H2. */
    long removedFromH2() {
        return removedFromH2;
    }

    /**
     * Whether an array of cached values can move to H2. Spark closes the closeable values of a block when it removes
     * it, so a block with such values stays on the heap. An empty array is not worth a transfer, and may be shared.
     */
    static boolean canMove(Object values) {
        if (!(values instanceof Object[])) {
            return java.lang.reflect.Array.getLength(values) > 0;
        }
        for (Object value : (Object[]) values) {
            if (value instanceof AutoCloseable) {
                return false;
            }
        }
        return ((Object[]) values).length > 0;
    }

    private void arrived(RDDBlockId id, DeserializedMemoryEntry<?> partition) {
        if (questions == null) {
            makeDue(id, partition);
            return;
        }
        Planned rdd = planned.get(id.rddId());
        if (rdd == null) {
            rdd = new Planned();
            planned.put(id.rddId(), rdd);
            questions.ask(id.rddId(), this::placed);
        }
        if (rdd.tier == null) {
            rdd.onHeap.put(id, partition);
        } else if (rdd.tier == Tier.HEAP) {
            holdOrMove(rdd, id, partition);
        } else {
            makeDue(id, partition);
        }
    }

    /**
     * Keeps a block of an RDD that belongs on the heap there, or moves it to H2 if there are too many. A plan knows that these RDDs die
     * soon, but not how large they are. Without a limit, they could fill Spark's memory, and Spark would evict them.
     */
    private void holdOrMove(Planned rdd, RDDBlockId id, DeserializedMemoryEntry<?> partition) {
        if (heapBytes + partition.size() <= mostHeapBytes) {
            heapBytes += partition.size();
            rdd.onHeap.put(id, partition);
            return;
        }
        if (!rdd.overflows) {
            LOG.info("Terrace: RDDs that belong on the heap take {} bytes there, so further partitions of RDD {} move to H2", heapBytes,
                    id.rddId());
            rdd.overflows = true;
            heap.place(id.rddId(), Tier.AUTO);
        }
        makeDue(id, partition);
    }

    /** Receives the driver's answer for an RDD. A later answer may be another one, if an RDD is then computed from it. */
    private synchronized void placed(int rddId, Tier tier) {
        Planned rdd = planned.get(rddId);
        if (rdd == null || rdd.tier == tier) {
            return; // its blocks were removed, or removed and cached again
        }
        rdd.tier = tier;
        rdd.cold = false;
        heap.place(rddId, tier);
        Map<RDDBlockId, DeserializedMemoryEntry<?>> waiting = new LinkedHashMap<>(rdd.onHeap);
        rdd.onHeap.clear();
        waiting.forEach((id, partition) -> {
            if (tier == Tier.HEAP) {
                holdOrMove(rdd, id, partition);
            } else {
                makeDue(id, partition);
            }
        });
    }

    private void makeDue(RDDBlockId id, DeserializedMemoryEntry<?> partition) {
        if (blocksOfRdd.merge(id.rddId(), 1, Integer::sum) == 1) {
            heap.move(id.rddId());
        }
        heap.tagRoot(partition.value(), id.rddId());
        due.put(id, partition);
        dueBlocks = due.size();
        dueBytes += partition.size();
        arrivedBytes += partition.size();
        whenDue.run();
    }

    private void forget(Object id) {
        DeserializedMemoryEntry<?> partition = due.remove(id);
        if (partition != null) {
            heap.untag(partition.value());
            uncharged.remove(id);
            dueBlocks = due.size();
            dueBytes -= partition.size();
        } else {
            partition = moved.remove(id);
            if (partition == null) {
                forgetOnHeap(id);
                return;
            }
            readAhead.remove((RDDBlockId) id);
            movedBlocks = moved.size();
            movedBytes -= partition.size();
            removedFromH2++;
        }
        int rddId = ((RDDBlockId) id).rddId();
        if (blocksOfRdd.merge(rddId, -1, (a, b) -> a + b == 0 ? null : a + b) == null) {
            heap.hold(rddId);
            forgetPlan(rddId);
        }
    }

    private void forgetOnHeap(Object id) {
        if (id instanceof RDDBlockId) {
            int rddId = ((RDDBlockId) id).rddId();
            Planned rdd = planned.get(rddId);
            DeserializedMemoryEntry<?> partition = rdd == null ? null : rdd.onHeap.remove(id);
            if (partition != null) {
                heapBytes -= rdd.tier == Tier.HEAP ? partition.size() : 0;
                forgetPlan(rddId);
            }
        }
    }

    /** Forgets the tier of an RDD if it has no blocks left. */
    private void forgetPlan(int rddId) {
        Planned rdd = planned.get(rddId);
        if (rdd != null && rdd.onHeap.isEmpty() && !blocksOfRdd.containsKey(rddId)) {
            planned.remove(rddId);
            heap.place(rddId, Tier.AUTO);
        }
    }
}
