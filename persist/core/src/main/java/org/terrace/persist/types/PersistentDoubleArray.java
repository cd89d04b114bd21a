// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Objects;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;

/** An array of {@code double} with a fixed length. */
public final class PersistentDoubleArray extends FixedArray {
    static final PersistentClass<PersistentDoubleArray> CLASS =
            PersistentClass.bytes(PersistentDoubleArray.class, PersistentDoubleArray::new);
    private static final int ELEMENTS = 8;

    /** Creates an array of zeros. */
    public PersistentDoubleArray(Heap heap, int length) {
        super(CLASS, heap, length, ELEMENTS, Double.BYTES);
    }

    /** Creates a copy of these elements. */
    public PersistentDoubleArray(Heap heap, double[] elements) {
        this(heap, elements.length);
        for (int i = 0; i < elements.length; i++) {
            setDouble(at(i), elements[i]);
        }
    }

    private PersistentDoubleArray(Heap heap, long offset) {
        super(heap, offset);
    }

    private static long at(int index) {
        return ELEMENTS + (long) index * Double.BYTES;
    }

    @Override
    public int length() {
        return storedLength(ELEMENTS, Double.BYTES);
    }

    public double get(int index) {
        return getDouble(at(Objects.checkIndex(index, knownLength())));
    }

    public void set(int index, double value) {
        setDouble(at(Objects.checkIndex(index, knownLength())), value);
    }

    public double[] toArray() {
        double[] elements = new double[length()];
        for (int i = 0; i < elements.length; i++) {
            elements[i] = getDouble(at(i));
        }
        return elements;
    }
}
