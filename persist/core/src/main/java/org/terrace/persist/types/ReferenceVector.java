// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import org.terrace.persist.Heap;
import org.terrace.persist.RawObjects;

/**
 * An array of references that grows without moving any: segments of 16, 16, 32, 64 ... elements, in a directory. So the
 * record of an insertion stays small, however large the collection. The directory is a {@link References}.
 */
final class ReferenceVector {
    private static final int FIRST_SHIFT = 4;
    private static final int SEGMENTS = 28;

    private ReferenceVector() {
    }

    /** A directory without segments. */
    static References create(Heap heap) {
        return new References(heap, SEGMENTS);
    }

    private static int segmentOf(long index) {
        return index < 1 << FIRST_SHIFT ? 0 : 64 - FIRST_SHIFT - Long.numberOfLeadingZeros(index);
    }

    private static long firstOf(int segment) {
        return segment == 0 ? 0 : 1L << FIRST_SHIFT + segment - 1;
    }

    static long get(RawObjects raw, long directory, long index) {
        int number = segmentOf(index);
        return References.get(raw, References.get(raw, directory, number), index - firstOf(number));
    }

    /** As {@link #get}, for {@link UnlockedGet}. */
    static long peek(RawObjects raw, long directory, long index) {
        int number = segmentOf(index);
        return References.peek(raw, References.peek(raw, directory, number), index - firstOf(number));
    }

    /** Makes the segment if there is none yet. */
    static void set(RawObjects raw, long directory, long index, long reference) {
        int number = segmentOf(index);
        long segment = References.get(raw, directory, number);
        if (segment == 0) {
            segment = References.make(raw, number == 0 ? 1 << FIRST_SHIFT : (int) firstOf(number));
            References.set(raw, directory, number, segment);
        }
        References.set(raw, segment, index - firstOf(number), reference);
    }

    /** Frees the segments that lie wholly behind this number of elements. Only in a failure-atomic block. */
    static void trim(RawObjects raw, long directory, long elements) {
        for (int i = SEGMENTS - 1; i >= 0 && firstOf(i) >= elements; i--) {
            long segment = References.get(raw, directory, i);
            if (segment != 0) {
                References.set(raw, directory, i, 0);
                raw.header(segment, References.CLASS);
                raw.free(segment);
            }
        }
    }
}
