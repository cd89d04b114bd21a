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
 * A scan of one segment, page by page, during changes by other threads. An entry that is present all the time is returned once. The
 * scan ends early if the segment is cleared or removed.
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

    /** Must be called in a {@link Heap#read}. */
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

    /** Number of entries, including expired ones. */
    int size() {
        return heap.read(() -> isGone() ? 0 : segment.size());
    }

    boolean hasMortal() {
        return heap.read(() -> !isGone() && segment.mortal() > 0);
    }

    /** The next entries that are not expired, or null at the end. */
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

    /** The next keys of expired entries, or null at the end. */
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

    /** Number of remaining entries that are not expired. */
    long count(long now) {
        long[] count = {0};
        List<Object> none = new ArrayList<>();
        while (next(none, e -> count[0] += e.getValue().isExpired(now) ? 0 : 1) != null) {
            // The function counts.
        }
        return count[0];
    }

    /** Runs in one read, which must be short because other changes wait for it. */
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
