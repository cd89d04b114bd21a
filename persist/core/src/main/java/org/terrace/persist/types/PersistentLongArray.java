// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Objects;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;

/** An array of {@code long} with a fixed length. */
public final class PersistentLongArray extends FixedArray {
    static final PersistentClass<PersistentLongArray> CLASS =
            PersistentClass.bytes(PersistentLongArray.class, PersistentLongArray::new);
    private static final int ELEMENTS = 8;

    /** Creates an array of zeros. */
    public PersistentLongArray(Heap heap, int length) {
        super(CLASS, heap, length, ELEMENTS, Long.BYTES);
    }

    /** Creates a copy of these elements. */
    public PersistentLongArray(Heap heap, long[] elements) {
        this(heap, elements.length);
        for (int i = 0; i < elements.length; i++) {
            setLong(at(i), elements[i]);
        }
    }

    private PersistentLongArray(Heap heap, long offset) {
        super(heap, offset);
    }

    private static long at(int index) {
        return ELEMENTS + (long) index * Long.BYTES;
    }

    @Override
    public int length() {
        return storedLength(ELEMENTS, Long.BYTES);
    }

    public long get(int index) {
        return getLong(at(Objects.checkIndex(index, knownLength())));
    }

    public void set(int index, long value) {
        setLong(at(Objects.checkIndex(index, knownLength())), value);
    }

    public long[] toArray() {
        long[] elements = new long[length()];
        for (int i = 0; i < elements.length; i++) {
            elements[i] = getLong(at(i));
        }
        return elements;
    }
}
