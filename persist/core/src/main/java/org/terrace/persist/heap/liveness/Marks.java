// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap.liveness;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** A mark bitmap with one bit for each 16 bytes of the heap. Segments are created when a bit in them is set. Thread-safe. */
public final class Marks {
    /** The minimum distance between two objects is 16 bytes. */
    private static final int GRANULE_SHIFT = 4;
    private static final int SEGMENT_SHIFT = 16;

    private final AtomicReferenceArray<AtomicLongArray> segments;

    /** @param size size of the heap file */
    public Marks(long size) {
        segments = new AtomicReferenceArray<>((int) (size >>> GRANULE_SHIFT + SEGMENT_SHIFT) + 1);
    }

    /** Marks the object at this offset. Returns false if it was marked before. */
    public boolean set(long offset) {
        long granule = offset >>> GRANULE_SHIFT;
        AtomicLongArray segment = segment((int) (granule >>> SEGMENT_SHIFT));
        int index = (int) (granule & (1 << SEGMENT_SHIFT) - 1);
        long bit = 1L << index;
        if ((segment.get(index >>> 6) & bit) != 0) {
            return false;
        }
        return (segment.getAndUpdate(index >>> 6, word -> word | bit) & bit) == 0;
    }

    private AtomicLongArray segment(int number) {
        AtomicLongArray segment = segments.get(number);
        if (segment == null) {
            segments.compareAndSet(number, null, new AtomicLongArray(1 << SEGMENT_SHIFT - 6));
            segment = segments.get(number);
        }
        return segment;
    }

    public boolean isSet(long offset) {
        long granule = offset >>> GRANULE_SHIFT;
        AtomicLongArray segment = segments.get((int) (granule >>> SEGMENT_SHIFT));
        int index = (int) (granule & (1 << SEGMENT_SHIFT) - 1);
        return segment != null && (segment.get(index >>> 6) & 1L << index) != 0;
    }
}
