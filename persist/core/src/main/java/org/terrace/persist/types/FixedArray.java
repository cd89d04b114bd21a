// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;

/** An array of numbers, whose length never changes: a proxy asks the heap for it once. */
abstract class FixedArray extends PersistentObject {
    private static final int LENGTH = 0;
    private static final int UNKNOWN = -1;

    private int known = UNKNOWN;

    /** @param start of the elements */
    FixedArray(PersistentClass<?> type, Heap heap, int length, int start, int bytes) {
        super(type, heap, start + (long) References.checkLength(length) * bytes);
        setInt(LENGTH, length);
    }

    FixedArray(Heap heap, long offset) {
        super(heap, offset);
    }

    public abstract int length();

    /** @throws org.terrace.persist.CorruptHeapException if the array has no room for so many elements */
    final int storedLength(int start, int bytes) {
        return (int) checkLength(getInt(LENGTH), start, bytes);
    }

    /** For accesses to elements, which find out whether the array was freed. */
    final int knownLength() {
        int length = known;
        if (length == UNKNOWN) {
            length = length();
            known = length;
        }
        return length;
    }
}
