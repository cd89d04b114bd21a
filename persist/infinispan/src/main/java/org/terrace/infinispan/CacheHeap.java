// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.infinispan.commons.util.IntSet;
import org.infinispan.commons.util.IntSets;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.types.Bytes;
import org.terrace.persist.types.PersistentArray;

/**
 * The entries of one cache in a persistent heap. Each change is a failure-atomic block that excludes others while it changes
 * memory, but not while it waits for the device. Therefore changes of several threads share a sync. Thread-safe. All methods may
 * block.
 *
 * <p>A removed segment accepts no entries until it is added again. After an opening, all segments accept entries.
 */
final class CacheHeap implements AutoCloseable {
    private static final String ROOT = "infinispan";
    private static final int CHUNK = 256;

    private final Heap heap;
    private final PersistentArray<Segment> segments;
    /** Numbers of removed segments. Guarded by the isolation of the heap's blocks and reads. */
    private final BitSet removed = new BitSet();
    /** Number of removed segments whose space is not free yet. */
    private final AtomicInteger detached = new AtomicInteger();

    private CacheHeap(Heap heap, PersistentArray<Segment> segments) {
        this.heap = heap;
        this.segments = segments;
    }

    /**
     * Opens or creates the heap of a cache.
     *
     * @param segments number of segments, or 1 if the cache is not segmented
     * @throws HeapException if the file cannot be opened, or contains another cache or number of segments
     */
    static CacheHeap open(Path file, HeapOptions options, String cache, int segments) {
        // Another application may have its own copy of this store, and this thread its class loader.
        Heap heap = Heap.open(file, options.classes(CacheRoot.class, Segment.class, StoredValue.class));
        try {
            CacheRoot root = heap.root(ROOT, CacheRoot.class, () -> new CacheRoot(heap, cache, segments));
            if (!root.cache().equals(cache)) {
                throw new HeapException(file + " holds the entries of cache " + root.cache() + ", not of " + cache
                        + ": give one of them another path");
            }
            PersistentArray<Segment> table = root.segments();
            if (table.size() != segments) {
                throw new HeapException(file + " has " + table.size() + " segments, and cache " + cache + " is configured for "
                        + segments + ": configure the number that the file has, or remove the file");
            }
            return new CacheHeap(heap, table);
        } catch (RuntimeException e) {
            heap.close();
            throw e;
        }
    }

    Path path() {
        return heap.path();
    }

    boolean isWritable() {
        return heap.isWritable();
    }

    /** The entry of a key, or null if there is none or it is expired. */
    StoredEntry get(int segment, Bytes key, long now) {
        return heap.read(() -> {
            StoredValue value = find(segment, key);
            return value == null || value.isExpired(now) ? null : value.load();
        });
    }

    boolean contains(int segment, Bytes key, long now) {
        return heap.read(() -> {
            StoredValue value = find(segment, key);
            return value != null && !value.isExpired(now);
        });
    }

    private StoredValue find(int segment, Bytes key) {
        Segment found = segments.get(segment);
        return found == null ? null : found.get(key);
    }

    /** Makes a change and returns when it is durable. The result is whether there was an entry. */
    boolean change(Change change) {
        return heap.atomic(() -> make(change));
    }

    /**
     * Makes all changes in one block.
     *
     * @throws HeapException if they exceed half of the log. None is made
     */
    void changeAtOnce(List<Change> changes) {
        if (!changes.isEmpty()) {
            heap.atomic(() -> changes.forEach(this::make));
        }
    }

    /** Makes the changes in this order, in blocks of at most a quarter of the log each. */
    void changeInTurn(List<Change> changes) {
        int from = 0;
        long bytes = 0;
        for (int i = 0; i < changes.size(); i++) {
            long more = changes.get(i).logBytes();
            if (i > from && bytes + more > heap.logSize() / 4) {
                changeAtOnce(changes.subList(from, i));
                from = i;
                bytes = 0;
            }
            bytes += more;
        }
        changeAtOnce(changes.subList(from, changes.size()));
    }

    private boolean make(Change change) {
        if (removed.get(change.segment())) {
            return false;
        }
        Segment segment = segments.get(change.segment());
        if (change.entry() == null) {
            return segment != null && segment.remove(change.key());
        }
        if (segment == null) {
            segment = new Segment(heap);
            segments.set(change.segment(), segment);
        }
        segment.put(change.key(), change.entry());
        return true;
    }

    /** Number of entries in these segments that are not expired. */
    long size(IntSet of, long now) {
        long size = 0;
        for (int number : of.toIntArray()) {
            SegmentScan scan = scan(number);
            size += scan.hasMortal() ? scan.count(now) : scan.size();
        }
        return size;
    }

    /** Number of entries in these segments, including expired ones. Takes constant time for each segment. */
    long sizeWithExpired(IntSet of) {
        long size = 0;
        for (int number : of.toIntArray()) {
            size += scan(number).size();
        }
        return size;
    }

    /** Segments that have entries with an expiry. */
    IntSet mortalSegments() {
        return heap.read(() -> {
            IntSet mortal = IntSets.mutableEmptySet(segments.size());
            for (int i = 0; i < segments.size(); i++) {
                Segment segment = segments.get(i);
                if (segment != null && segment.mortal() > 0) {
                    mortal.set(i);
                }
            }
            return mortal;
        });
    }

    /** A scan of the segment in its current state. */
    SegmentScan scan(int segment) {
        return heap.read(() -> new SegmentScan(heap, segments, segment));
    }

    /** Removes the expired entries among these keys in one block, and returns them. */
    List<KeyedEntry> removeExpired(int segment, List<Bytes> keys, long now) {
        return heap.atomic(() -> {
            List<KeyedEntry> gone = new ArrayList<>();
            Segment found = segments.get(segment);
            for (Bytes key : found == null ? List.<Bytes>of() : keys) {
                StoredValue value = found.get(key);
                if (value != null && value.isExpired(now)) {
                    gone.add(new KeyedEntry(key, value.load()));
                    found.remove(key);
                }
            }
            return gone;
        });
    }

    /** Removes all entries in one block. Then it frees their space, while all other operations wait. */
    void clear() {
        heap.atomic(() -> {
            for (int i = 0; i < segments.size(); i++) {
                segments.set(i, null);
            }
        });
        heap.collect();
    }

    void addSegments(IntSet added) {
        heap.atomic(() -> added.forEach((IntConsumer) removed::clear));
    }

    /**
     * Removes the entries of these segments in one block. Then it frees their space step by step, concurrently with other changes.
     * If a crash interrupts that, the next opening frees the rest. If a close does, {@link #close} frees the rest.
     */
    void removeSegments(IntSet gone) {
        detach(gone).forEach(this::discard);
    }

    /** Durably removes the segments from the table. The caller must pass each to {@link #discard}. */
    List<Segment> detach(IntSet gone) {
        return heap.atomic((Supplier<List<Segment>>) () -> {
            List<Segment> found = new ArrayList<>();
            for (int number : gone.toIntArray()) {
                removed.set(number);
                Segment segment = number < segments.size() ? segments.set(number, null) : null;
                if (segment != null) {
                    found.add(segment);
                }
            }
            detached.addAndGet(found.size());
            return found;
        });
    }

    void discard(Segment segment) {
        try {
            List<Bytes> keys = new ArrayList<>();
            var scan = segment.scan();
            boolean more;
            do {
                keys.clear();
                more = scan.next(CHUNK, entry -> keys.add(entry.getKey()));
                heap.atomic(() -> keys.forEach(segment::remove));
            } while (more);
            heap.free(segment);
        } catch (HeapException e) {
            // A collection by clear or close may already have freed the whole segment.
            if (e instanceof CorruptHeapException || !segment.isFreed()) {
                throw e;
            }
        }
        detached.decrementAndGet();
    }

    /** Closes durably, at every level. */
    @Override
    public void close() {
        try {
            if (detached.get() > 0 && heap.isWritable()) {
                heap.collect();
            }
        } finally {
            heap.close();
        }
    }
}
