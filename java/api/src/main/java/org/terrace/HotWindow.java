// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;

/**
 * A bounded set of the values that a program reads most from a map, which the second heap keeps together in fast memory.
 *
 * <p>The hot values of a cache lie between cold ones, so no choice of regions makes most accesses fast. This class gathers them, as
 * QuickCached does in Panthera (TOCS '22, section 3.2: a ring of the values that were read last). The window serves reads of hot keys
 * itself. It does not touch the map for them, so the nodes, keys and values of the map may be in slow memory:
 *
 * <pre>{@code
 * SecondHeap.tagRoot(map, 1);
 * SecondHeap.place(1, SecondHeap.Tier.SLOW);
 * SecondHeap.move(1);
 * HotWindow<String, byte[]> window = HotWindow.over(map, 64 << 20, value -> value.length, byte[]::clone);
 * byte[] value = window.get(key);
 * window.put(key, replacement);
 * }</pre>
 *
 * <p>{@link #asMap} has the same effect for code that has a map.
 *
 * <p>A value becomes hot when the program has requested its key several times within a while. If the value is in H2, the window
 * copies it. A value in H1 is in fast memory already. The window is a ring of parts, each as large as a region
 * and a root of a fast label. A full part is scheduled and moves to H2 in a later transfer. When the ring is full, the window
 * drops the oldest part. The values of that part that were read most go on to the newest part.
 *
 * <h2>Contracts</h2>
 * <ul>
 * <li>{@link #get} returns a value that the map had at some time during the call, or a copy of it. This requires that all changes of
 *     the map use this object or {@link #asMap}, or that {@link #forget} follows them. When such a call has returned, no later call
 *     returns the old value.</li>
 * <li>The window keeps the key of a request that makes a value hot, so a key must not change afterwards.</li>
 * <li>A change of the map must be visible when its call returns. Maps with transactions or asynchronous changes are not supported.</li>
 * <li>Values must be immutable, because a write to one copy does not change the other.</li>
 * <li>The values in the window have at most the given size, as the program measures them. Each value also needs about 100 bytes of H1,
 *     and its key stays in H1.</li>
 * <li>The map does not see reads of hot keys. A cache that evicts by recency may therefore evict them. Its removal listener must call
 *     {@link #forget}, after the removal.</li>
 * <li>All methods may be called by any thread at any time. Reads of hot keys take no lock.</li>
 * </ul>
 *
 * <p>Without H2, the window stays empty, and all calls use the map. With H2 but without tiers ({@link SecondHeap#hasTiers}), it has the
 * hot values next to each other.
 *
 * @param <K> the type of the keys, with {@code equals} and {@code hashCode} as the map uses them
 * @param <V> the type of the values
 */
public final class HotWindow<K, V> {

    /** Number of parts if there is no region size to follow. */
    private static final int PARTS = 8;
    private static final int MOST_PARTS = 64;
    /** A part has room for a value if a fraction of it is free. Larger values are not gathered. */
    private static final int PART_OF_PART = 4;
    /** Bytes of an array's header and of the reference to a value in its part. */
    private static final int BESIDE_VALUE = 24;
    /** Reads of a value that are counted before a part is dropped. */
    private static final int MOST_READS = 255;
    /** A value with fewer reads since its part was filled is dropped with the part. */
    private static final int READS_TO_STAY = 2;
    /** Labels of parts. They are chosen so that a program does not use them by chance. */
    private static final AtomicLong LABELS = new AtomicLong(0x486f_7457_696e_0000L);

    private final Map<K, V> map;
    private final ToIntFunction<? super V> sizer;
    private final UnaryOperator<V> copier;
    private final Predicate<Object> isInH2;
    private final long partBytes;
    private final int parts;
    private final ConcurrentHashMap<K, Slot<V>> hot = new ConcurrentHashMap<>();
    private final Requests requests;

    // The lock of this object protects the ring.
    private final ArrayDeque<Part<K, V>> ring = new ArrayDeque<>();
    private Part<K, V> newest = new Part<>();
    private long gathered;

    /** A value in the window. A slot stays in H1, so that its counter does not make pages of H2 dirty. */
    private static final class Slot<V> {

        final V value;
        final int bytes;
        /** The value was in the map when this slot could already be found and forgotten. */
        volatile boolean valid;
        /** Reads, at most {@link #MOST_READS}. Not exact, because threads do not wait for each other. */
        int reads;

        Slot(V value, int bytes, boolean valid) {
            this.value = value;
            this.bytes = bytes;
            this.valid = valid;
        }
    }

    private static final class Member<K, V> {

        final K key;
        final Slot<V> slot;
        /** The reads when the part is dropped. The counter of the slot may change while members are sorted. */
        int reads;

        Member(K key, Slot<V> slot) {
            this.key = key;
            this.slot = slot;
        }
    }

    private static final class Part<K, V> {

        List<Member<K, V>> members = new ArrayList<>();
        long bytes;
        /** The values, and the label, of a full part. */
        Object[] root;
        long label;
    }

    /** Makes a window with another criterion for a value to be in H2, for tests. */
    HotWindow(Map<K, V> map, long bytes, ToIntFunction<? super V> sizer, UnaryOperator<V> copier, Predicate<Object> isInH2) {
        this.map = Objects.requireNonNull(map, "map");
        this.sizer = Objects.requireNonNull(sizer, "sizer");
        this.copier = Objects.requireNonNull(copier, "copier");
        this.isInH2 = isInH2;
        if (bytes <= 0) {
            throw new IllegalArgumentException("bytes: " + bytes + ", must be positive");
        }
        // A part that is a little larger than its regions would take one more.
        long region = regionBytes() / 32 * 31;
        long most = region * ((bytes - 1) / MOST_PARTS / Math.max(1, region) + 1);
        parts = region > 0 && bytes >= 2 * region ? (int) ((bytes - 1) / most + 1) : PARTS;
        partBytes = Math.max(1, bytes / parts);
        requests = new Requests(bytes);
    }

    /**
     * Makes an empty window over a map.
     *
     * @param map    the map, which returns the instances that were put. It must be thread-safe if several threads use the window
     * @param bytes  the size of the window in bytes, at most {@code -XX:H2FastSize} as a rule
     * @param sizer  returns the size of a value in bytes, without the header of its largest object
     * @param copier returns a copy that shares no objects with the value, or only small ones
     * @param <K>    the type of the keys
     * @param <V>    the type of the values
     * @return the window
     * @throws IllegalArgumentException if {@code bytes} is not positive
     * @throws NullPointerException     if an argument is null
     */
    public static <K, V> HotWindow<K, V> over(Map<K, V> map, long bytes, ToIntFunction<? super V> sizer, UnaryOperator<V> copier) {
        return new HotWindow<>(map, bytes, sizer, copier, value -> SecondHeap.state(value) == SecondHeap.State.IN_H2);
    }

    /**
     * Returns the value of a key, from the window or from the map.
     *
     * @param key the key
     * @return the value, or null if the map has none
     * @throws NullPointerException if the key is null
     */
    public V get(K key) {
        return find(key);
    }

    V find(Object key) {
        Slot<V> slot = hot.get(key);
        if (slot != null && slot.valid) {
            if (slot.reads < MOST_READS) {
                slot.reads++;
            }
            return slot.value;
        }
        V value = map.get(key);
        if (value != null && slot == null && requests.isHot(key.hashCode())) {
            // The map has a value for it, so its type is that of the keys.
            @SuppressWarnings("unchecked") K hotKey = (K) key;
            gather(hotKey, value);
        }
        return value;
    }

    /**
     * Puts a value into the map, and removes the key from the window. The new value is in H1, which is fast.
     *
     * @param key   the key
     * @param value the new value
     * @return the old value, from the map, or null if there was none
     * @throws NullPointerException if the key is null, or the value is null and the map does not permit that
     */
    public V put(K key, V value) {
        try {
            return map.put(key, value);
        } finally {
            forgetKey(key);
        }
    }

    /**
     * Removes a key from the map and from the window.
     *
     * @param key the key
     * @return the old value, from the map, or null if there was none
     * @throws NullPointerException if the key is null
     */
    public V remove(K key) {
        try {
            return map.remove(key);
        } finally {
            forgetKey(key);
        }
    }

    /**
     * Removes a key from the window only. Must be called after each change of the key's value that did not use this object, for
     * example by an atomic operation of the map or an eviction.
     *
     * @param key the key
     * @throws NullPointerException if the key is null
     */
    public void forget(K key) {
        forgetKey(key);
    }

    void forgetKey(Object key) {
        hot.remove(key);
    }

    /** Removes all keys from the window only. Must be called after a change of many keys that did not use this object. */
    public void forgetAll() {
        hot.clear();
    }

    /**
     * Returns the map together with the window. A program that has its map in a field of an interface type can store this object there,
     * and keep its other code:
     *
     * <pre>{@code
     * ConcurrentMap<String, byte[]> map = HotWindow.over(new ConcurrentHashMap<String, byte[]>(), bytes, sizer, copier).asMap();
     * }</pre>
     *
     * <p>{@code get}, {@code getOrDefault}, {@code putIfAbsent} and {@code computeIfAbsent} read hot keys from the window. All other
     * methods use the map, and all changes make the window forget the key, or all keys if they may change all. Operations are as
     * atomic as those of the map. Methods that compare values use {@code equals}, and a value that {@code get} returned may be a
     * copy. Iterators are those of the map.
     *
     * @return a view of the map
     */
    public ConcurrentMap<K, V> asMap() {
        return new HotWindowMap<>(this, map);
    }

    /**
     * Returns the number of values in the window. The result is approximate while other threads change the window.
     *
     * @return the number of hot keys
     */
    public int size() {
        return hot.size();
    }

    /**
     * Returns the size of the values in the window, including replaced values in parts that are still there.
     *
     * @return bytes, at most the size of the window
     */
    public synchronized long bytes() {
        return newest.bytes + ring.stream().mapToLong(part -> part.bytes).sum();
    }

    /**
     * Returns how many values entered a part, because they became hot or went on to a newer part.
     *
     * @return a count since the window was made
     */
    public synchronized long gathered() {
        return gathered;
    }

    private static long regionBytes() {
        SecondHeapStatistics h2 = SecondHeap.statistics();
        return SecondHeap.hasTiers() && h2.getRegionsTotal() > 0 ? h2.getCapacityBytes() / h2.getRegionsTotal() : 0;
    }

    /**
     * Adds a value that was read from the map. Readers ignore the slot until the map has been read again. The second read sees a change
     * that was made before. The {@link #forget} after a later change finds the slot.
     */
    private void gather(K key, V value) {
        if (!isInH2.test(value)) {
            return;
        }
        int bytes = Math.addExact(sizer.applyAsInt(value), BESIDE_VALUE);
        if (bytes > partBytes / PART_OF_PART) {
            return;
        }
        Slot<V> slot = new Slot<>(copier.apply(value), bytes, false);
        if (hot.putIfAbsent(key, slot) != null) {
            return;
        }
        try {
            slot.valid = map.get(key) == value;
        } finally {
            if (!slot.valid) {
                hot.remove(key, slot);
            }
        }
        if (slot.valid) {
            add(key, slot);
        }
    }

    private void add(K key, Slot<V> slot) {
        synchronized (this) {
            if (newest.bytes + slot.bytes > partBytes && !compact()) {
                seal();
            }
            append(key, slot);
        }
    }

    private void append(K key, Slot<V> slot) {
        newest.members.add(new Member<>(key, slot));
        newest.bytes += slot.bytes;
        gathered++;
    }

    private boolean isCurrent(Member<K, V> member) {
        return hot.get(member.key) == member.slot;
    }

    /** Removes replaced values from the newest part. Returns whether it has room again. */
    private boolean compact() {
        newest.members.removeIf(member -> !isCurrent(member));
        newest.bytes = newest.members.stream().mapToLong(member -> member.slot.bytes).sum();
        return newest.bytes <= partBytes - partBytes / PART_OF_PART;
    }

    /** Makes the newest part due, begins another, and drops the oldest if there are too many. */
    private void seal() {
        Part<K, V> full = newest;
        full.root = full.members.stream().map(member -> member.slot.value).toArray();
        full.label = LABELS.getAndIncrement();
        SecondHeap.place(full.label, SecondHeap.Tier.FAST);
        SecondHeap.tagRoot(full.root, full.label);
        SecondHeap.move(full.label);
        ring.addLast(full);
        newest = new Part<>();
        if (ring.size() >= parts) {
            drop(ring.removeFirst());
        }
        requests.adapt(full.members.size());
    }

    /** Moves values of a part on, in the order of their reads, until the newest part is filled to three quarters. Forgets the others. */
    private void drop(Part<K, V> oldest) {
        SecondHeap.hold(oldest.label);
        SecondHeap.untag(oldest.root);
        SecondHeap.place(oldest.label, SecondHeap.Tier.AUTO);
        oldest.members.forEach(member -> member.reads = member.slot.reads);
        oldest.members.sort(Comparator.comparingInt((Member<K, V> member) -> member.reads).reversed());
        for (Member<K, V> member : oldest.members) {
            Slot<V> slot = member.slot;
            if (member.reads < READS_TO_STAY || newest.bytes + slot.bytes > partBytes - partBytes / PART_OF_PART) {
                hot.remove(member.key, slot);
            } else {
                goOn(member);
            }
        }
    }

    /** Copies a value to the newest part, unless it is still in H1. */
    private void goOn(Member<K, V> member) {
        Slot<V> old = member.slot;
        Slot<V> slot = new Slot<>(isInH2.test(old.value) ? copier.apply(old.value) : old.value, old.bytes, true);
        // If the old slot is still there, the value is current. A later change finds the new slot.
        if (hot.replace(member.key, old, slot)) {
            append(member.key, slot);
        }
    }

    /**
     * Counters of requests for keys that are not in the window. A key has one of four cells while it has a count. A request
     * for a key without a cell takes a free one, or else subtracts one from all four counts (Misra and Gries, 1982), so only
     * frequent keys keep cells. Threads do not wait for each other and may lose counts.
     */
    private static final class Requests {

        private static final int COUNT_BITS = 8;
        private static final int COUNT_MASK = (1 << COUNT_BITS) - 1;
        private static final int LEAST = 2;
        private static final int MOST = 16;
        private static final int WAYS = 4;
        private static final int SMALLEST = 1 << 10;
        private static final int LARGEST = 1 << 22;
        private static final int BYTES_PER_CELL = 256;

        private final int[] cells;
        private volatile int needed = LEAST;
        private int misses;
        private int missesBefore;

        Requests(long bytes) {
            long wanted = Math.max(SMALLEST, Math.min(LARGEST, bytes / BYTES_PER_CELL));
            cells = new int[Integer.highestOneBit((int) wanted)];
        }

        /** Counts a request. Returns whether the key is requested often. */
        boolean isHot(int hash) {
            misses++;
            int mixed = hash * 0x9e37_79b9;
            mixed ^= mixed >>> 16;
            int tag = (mixed * 0x85eb_ca6b) & ~COUNT_MASK;
            int first = mixed & cells.length - WAYS;
            int least = first;
            for (int at = first; at < first + WAYS; at++) {
                int count = cells[at] & COUNT_MASK;
                if (count > 0 && (cells[at] & ~COUNT_MASK) == tag) {
                    boolean isHot = count + 1 >= needed;
                    cells[at] = tag | (isHot ? 1 : count + 1);
                    return isHot;
                }
                if (count < (cells[least] & COUNT_MASK)) {
                    least = at;
                }
            }
            if ((cells[least] & COUNT_MASK) == 0) {
                cells[least] = tag | 1;
                return false;
            }
            for (int at = first; at < first + WAYS; at++) {
                if ((cells[at] & COUNT_MASK) > 0) {
                    cells[at]--;
                }
            }
            return false;
        }

        /** Requires more requests if a part was filled quickly, so that values that are hot for a moment do not displace others. */
        void adapt(int members) {
            int since = misses - missesBefore;
            missesBefore = misses;
            if (since < members * 16L) {
                needed = Math.min(MOST, needed + 1);
            } else if (since > members * 128L) {
                needed = Math.max(LEAST, needed / 2);
            }
        }
    }
}
