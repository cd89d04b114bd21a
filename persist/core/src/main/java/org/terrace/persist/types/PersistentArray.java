// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.AbstractList;
import java.util.Collection;
import java.util.Objects;
import java.util.RandomAccess;
import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;

/**
 * An array of objects with a fixed length, accessed as a list whose elements can be set. It holds nulls and the values that
 * {@link PersistentCollection} allows.
 */
public final class PersistentArray<E> extends PersistentCollection<E> {
    @SuppressWarnings("rawtypes")
    static final PersistentClass<PersistentArray> CLASS = PersistentClass.of(PersistentArray.class, PersistentArray::new)
            .field("elements", FieldType.REFERENCE).build();
    private static final int ELEMENTS = CLASS.offset("elements");

    private final View view = new View();

    /** Creates an array of nulls. Must be called in a failure-atomic block. */
    public PersistentArray(Heap heap, int length) {
        super(CLASS, heap);
        setReference(ELEMENTS, new References(heap, length));
    }

    private PersistentArray(Heap heap, long offset) {
        super(heap, offset);
    }

    private References elements() {
        return getPart(ELEMENTS, References.class);
    }

    public E get(int index) {
        return view.get(index);
    }

    public E set(int index, E value) {
        return view.set(index, value);
    }

    /** Sets all elements to null, because an array does not shrink. */
    @Override
    public void clear() {
        heap().atomic(() -> {
            References elements = elements();
            for (long i = 0; i < elements.length(); i++) {
                Boxed.free(elements.getUnlessFreed(i));
                elements.set(i, null);
            }
        });
    }

    @Override
    Collection<E> view() {
        return view;
    }

    @Override
    void freeStructure() {
        heap().free(elements());
    }

    private final class View extends AbstractList<E> implements RandomAccess {
        @Override
        public int size() {
            return (int) elements().length();
        }

        @Override
        @SuppressWarnings("unchecked")
        public E get(int index) {
            return reading(() -> (E) Boxed.load(elements().get(Objects.checkIndex(index, size()))));
        }

        @Override
        @SuppressWarnings("unchecked")
        public E set(int index, E value) {
            return changing(() -> {
                long elements = getLong(ELEMENTS);
                long old = References.get(raw(), elements, Objects.checkIndex(index, size()));
                E result = (E) Boxed.loadToDrop(raw(), old);
                References.set(raw(), elements, index, Boxed.replace(raw(), old, value));
                return result;
            });
        }
    }
}
