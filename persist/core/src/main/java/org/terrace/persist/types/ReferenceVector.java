// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import org.terrace.persist.Heap;
import org.terrace.persist.RawObjects;

/**
 * An array of references that grows without moving elements. It consists of segments of 16, 16, 32, 64 ... elements and a
 * directory. Therefore the log record of an insertion stays small, even in a large collection. The directory is a
 * {@link References}.
 */
final class ReferenceVector {
    private static final int FIRST_SHIFT = 4;
    private static final int SEGMENTS = 28;

    private ReferenceVector() {
    }

    /** Creates a directory without segments. */
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

    /** Like {@link #get}, for {@link UnlockedGet}. */
    static long peek(RawObjects raw, long directory, long index) {
        int number = segmentOf(index);
        return References.peek(raw, References.peek(raw, directory, number), index - firstOf(number));
    }

    /** Stores a reference, and creates the segment if it does not exist yet. */
    static void set(RawObjects raw, long directory, long index, long reference) {
        int number = segmentOf(index);
        long segment = References.get(raw, directory, number);
        if (segment == 0) {
            segment = References.make(raw, number == 0 ? 1 << FIRST_SHIFT : (int) firstOf(number));
            References.set(raw, directory, number, segment);
        }
        References.set(raw, segment, index - firstOf(number), reference);
    }

    /** Frees the segments that lie completely behind this number of elements. Must be called in a failure-atomic block. */
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
