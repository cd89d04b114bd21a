// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Objects;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;

/** An array of {@code double}. Its length is fixed. */
public final class PersistentDoubleArray extends PersistentObject {
    static final PersistentClass<PersistentDoubleArray> CLASS =
            PersistentClass.bytes(PersistentDoubleArray.class, PersistentDoubleArray::new);
    private static final int LENGTH = 0;
    private static final int ELEMENTS = 8;

    /** Zeros. */
    public PersistentDoubleArray(Heap heap, int length) {
        super(CLASS, heap, ELEMENTS + (long) References.checkLength(length) * Double.BYTES);
        setInt(LENGTH, length);
    }

    /** A copy of these elements. */
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

    public int length() {
        return (int) checkLength(getInt(LENGTH), ELEMENTS, Double.BYTES);
    }

    public double get(int index) {
        return getDouble(at(Objects.checkIndex(index, length())));
    }

    public void set(int index, double value) {
        setDouble(at(Objects.checkIndex(index, length())), value);
    }

    public double[] toArray() {
        double[] elements = new double[length()];
        for (int i = 0; i < elements.length; i++) {
            elements[i] = getDouble(at(i));
        }
        return elements;
    }
}
