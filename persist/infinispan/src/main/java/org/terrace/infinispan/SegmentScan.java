// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.terrace.persist.Heap;
import org.terrace.persist.types.Bytes;
import org.terrace.persist.types.PersistentArray;
import org.terrace.persist.types.PersistentHashMap;

/**
 * Goes through the entries of one segment, page by page, while others change it: an entry that is there all the time is given
 * once. It ends early if the segment is cleared or removed.
 */
final class SegmentScan {
    private static final int PAGE_ENTRIES = 128;
    private static final int PAGE_BYTES = 1 << 18;

    private final Heap heap;
    private final PersistentArray<Segment> segments;
    private final int number;
    private final Segment segment;
    private final PersistentHashMap<Bytes, StoredValue>.Scan scan;
    private long pageBytes;

    /** Call it in a {@link Heap#read}. */
    SegmentScan(Heap heap, PersistentArray<Segment> segments, int number) {
        this.heap = heap;
        this.segments = segments;
        this.number = number;
        this.segment = segments.get(number);
        this.scan = segment == null ? null : segment.scan();
    }

    private boolean isGone() {
        return segment == null || !segment.equals(segments.get(number));
    }

    /** Entries, with the expired ones. */
    int size() {
        return heap.read(() -> isGone() ? 0 : segment.size());
    }

    boolean hasMortal() {
        return heap.read(() -> !isGone() && segment.mortal() > 0);
    }

    /** The next entries that are not expired; null at the end. */
    List<KeyedEntry> page(boolean withEntries, long now) {
        List<KeyedEntry> page = new ArrayList<>();
        return next(page, e -> {
            StoredValue value = e.getValue();
            if (!value.isExpired(now)) {
                StoredEntry entry = withEntries ? value.load() : null;
                page.add(new KeyedEntry(e.getKey(), entry));
                pageBytes += entry == null ? 0 : entry.size();
            }
        });
    }

    /** The next keys of expired entries; null at the end. */
    List<Bytes> expired(long now) {
        List<Bytes> page = new ArrayList<>();
        return next(page, e -> {
            StoredValue value = e.getValue();
            if (value.isExpired(now)) {
                page.add(e.getKey());
                pageBytes += value.size();
            }
        });
    }

    /** Entries from here on that are not expired. */
    long count(long now) {
        long[] count = {0};
        List<Object> none = new ArrayList<>();
        while (next(none, e -> count[0] += e.getValue().isExpired(now) ? 0 : 1) != null) {
            // The function counts.
        }
        return count[0];
    }

    /** In one read, which other changes wait for, so it is short. */
    private <T> T next(T page, Consumer<java.util.Map.Entry<Bytes, StoredValue>> function) {
        pageBytes = 0;
        return heap.read(() -> {
            if (isGone()) {
                return null;
            }
            int[] seen = {0};
            boolean more = true;
            while (more && seen[0] < PAGE_ENTRIES && pageBytes < PAGE_BYTES) {
                more = scan.next(1, e -> {
                    seen[0]++;
                    function.accept(e);
                });
            }
            return more || seen[0] > 0 ? page : null;
        });
    }
}
