package org.terrace.persist.types;

import org.terrace.persist.Heap;
import org.terrace.persist.PersistentObject;

/**
 * An array of references that grows without moving any: segments of 16, 16, 32, 64 ... elements, in a directory. So the
 * record of an insertion stays small, however large the collection.
 */
final class ReferenceVector {
    private static final int FIRST_SHIFT = 4;
    private static final int SEGMENTS = 28;

    private final Heap heap;
    private final References directory;

    ReferenceVector(References directory) {
        this.heap = directory.heap();
        this.directory = directory;
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

    PersistentObject get(long index) {
        int number = segmentOf(index);
        return ((References) directory.get(number)).get(index - firstOf(number));
    }

    /** Makes the segment if there is none yet. */
    void set(long index, PersistentObject value) {
        int number = segmentOf(index);
        References segment = (References) directory.get(number);
        if (segment == null) {
            segment = new References(heap, number == 0 ? 1 << FIRST_SHIFT : (int) firstOf(number));
            directory.set(number, segment);
        }
        segment.set(index - firstOf(number), value);
    }

    /** Frees the segments that lie wholly behind this number of elements. */
    void trim(long elements) {
        for (int i = SEGMENTS - 1; i >= 0 && firstOf(i) >= elements; i--) {
            PersistentObject segment = directory.get(i);
            if (segment != null) {
                directory.set(i, null);
                heap.free(segment);
            }
        }
    }
}
