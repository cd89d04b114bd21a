// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;

/** An array of numbers. Its length never changes, so a proxy reads it from the heap once. */
abstract class FixedArray extends PersistentObject {
    private static final int LENGTH = 0;
    private static final int UNKNOWN = -1;

    private int known = UNKNOWN;

    /** @param start offset of the elements */
    FixedArray(PersistentClass<?> type, Heap heap, int length, int start, int bytes) {
        super(type, heap, start + (long) References.checkLength(length) * bytes);
        setInt(LENGTH, length);
    }

    FixedArray(Heap heap, long offset) {
        super(heap, offset);
    }

    public abstract int length();

    /** @throws org.terrace.persist.CorruptHeapException if the array has no space for that many elements */
    final int storedLength(int start, int bytes) {
        return (int) checkLength(getInt(LENGTH), start, bytes);
    }

    /** The length for accesses to elements, which themselves detect whether the array was freed. */
    final int knownLength() {
        int length = known;
        if (length == UNKNOWN) {
            length = length();
            known = length;
        }
        return length;
    }
}
