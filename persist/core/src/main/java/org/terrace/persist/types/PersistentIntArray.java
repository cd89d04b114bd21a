// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Objects;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;

/** An array of {@code int} with a fixed length. */
public final class PersistentIntArray extends FixedArray {
    static final PersistentClass<PersistentIntArray> CLASS =
            PersistentClass.bytes(PersistentIntArray.class, PersistentIntArray::new);
    private static final int ELEMENTS = 8;

    /** Creates an array of zeros. */
    public PersistentIntArray(Heap heap, int length) {
        super(CLASS, heap, length, ELEMENTS, Integer.BYTES);
    }

    /** Creates a copy of these elements. */
    public PersistentIntArray(Heap heap, int[] elements) {
        this(heap, elements.length);
        for (int i = 0; i < elements.length; i++) {
            setInt(at(i), elements[i]);
        }
    }

    private PersistentIntArray(Heap heap, long offset) {
        super(heap, offset);
    }

    private static long at(int index) {
        return ELEMENTS + (long) index * Integer.BYTES;
    }

    @Override
    public int length() {
        return storedLength(ELEMENTS, Integer.BYTES);
    }

    public int get(int index) {
        return getInt(at(Objects.checkIndex(index, knownLength())));
    }

    public void set(int index, int value) {
        setInt(at(Objects.checkIndex(index, knownLength())), value);
    }

    public int[] toArray() {
        int[] elements = new int[length()];
        for (int i = 0; i < elements.length; i++) {
            elements[i] = getInt(at(i));
        }
        return elements;
    }
}
