// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.AbstractList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.ListIterator;
import java.util.Objects;
import java.util.RandomAccess;
import java.util.function.UnaryOperator;
import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;

/**
 * An extensible array. Appending and access by index take constant time; insertion before the end moves what follows. Holds nulls.
 */
public final class PersistentList<E> extends PersistentCollection<E> implements List<E>, RandomAccess {
    @SuppressWarnings("rawtypes")
    static final PersistentClass<PersistentList> CLASS = PersistentClass.of(PersistentList.class, PersistentList::new)
            .field("size", FieldType.INT).field("elements", FieldType.REFERENCE).build();
    private static final int SIZE = CLASS.offset("size");
    private static final int ELEMENTS = CLASS.offset("elements");

    private final View view = new View();

    /** An empty list in the current heap. Call it in a failure-atomic block. */
    public PersistentList() {
        this(Heap.current());
    }

    /** An empty list. Call it in a failure-atomic block. */
    public PersistentList(Heap heap) {
        super(CLASS, heap);
        setReference(ELEMENTS, ReferenceVector.create(heap));
    }

    private PersistentList(Heap heap, long offset) {
        super(heap, offset);
    }

    private long element(long index) {
        return ReferenceVector.get(raw(), getLong(ELEMENTS), index);
    }

    private void element(long index, long reference) {
        ReferenceVector.set(raw(), getLong(ELEMENTS), index, reference);
    }

    @Override
    void freeStructure() {
        ReferenceVector.trim(raw(), getLong(ELEMENTS), 0);
        heap().free(getReference(ELEMENTS));
    }

    private int storedSize() {
        return raw().checkedSize(this, getInt(SIZE));
    }

    private void storeSize(int size) {
        setInt(SIZE, size);
    }

    @SuppressWarnings("unchecked")
    private E cast(Object value) {
        return (E) value;
    }

    @Override
    Collection<E> view() {
        return view;
    }

    private final class View extends AbstractList<E> implements RandomAccess {
        @Override
        public int size() {
            return storedSize();
        }

        @Override
        public E get(int index) {
            return reading(() -> {
                Objects.checkIndex(index, storedSize());
                return cast(Boxed.load(raw(), element(index)));
            });
        }

        @Override
        public E set(int index, E value) {
            return changing(() -> {
                Objects.checkIndex(index, storedSize());
                changed(index);
                long old = element(index);
                E result = cast(Boxed.loadToDrop(raw(), old));
                element(index, Boxed.replace(raw(), old, value));
                return result;
            });
        }

        @Override
        public void add(int index, E value) {
            heap().atomic(() -> {
                int size = storedSize();
                if (index < 0 || index > size) {
                    throw new IndexOutOfBoundsException("index " + index + " of a list of " + size);
                }
                if (index < size) {
                    changedAll();
                }
                for (int i = size; i > index; i--) {
                    element(i, element(i - 1));
                }
                element(index, Boxed.store(raw(), value));
                storeSize(size + 1);
            });
            modCount++;
        }

        @Override
        public E remove(int index) {
            E removed = changing(() -> {
                int size = storedSize();
                Objects.checkIndex(index, size);
                if (index == size - 1) {
                    changed(index);
                } else {
                    changedAll();
                }
                long old = element(index);
                E result = cast(Boxed.loadToDrop(raw(), old));
                for (int i = index + 1; i < size; i++) {
                    element(i - 1, element(i));
                }
                element(size - 1, 0);
                storeSize(size - 1);
                Boxed.free(raw(), old);
                return result;
            });
            modCount++;
            return removed;
        }

        @Override
        protected void removeRange(int from, int to) {
            if (from == to) {
                return;
            }
            heap().atomic(() -> {
                int size = storedSize();
                changedAll();
                for (int i = from; i < to; i++) {
                    Boxed.free(raw(), element(i));
                }
                for (int i = to; i < size; i++) {
                    element(i - to + from, element(i));
                }
                for (int i = size - to + from; i < size; i++) {
                    element(i, 0);
                }
                ReferenceVector.trim(raw(), getLong(ELEMENTS), size - to + from);
                storeSize(size - to + from);
            });
            modCount++;
        }
    }

    @Override
    public E get(int index) {
        return cached(index, () -> view.get(index));
    }

    /**
     * Chooses what gets by index keep in the Java heap, for all proxies of the list, until the heap is closed or the list is
     * freed. They are then answered from there, outside of blocks, with the same Java object each time; iterations are not. When
     * a commit has changed an element, or moved any, the next get reads it from the persistent heap again.
     *
     * @throws IllegalStateException inside a failure-atomic block or {@link Heap#read}
     * @throws org.terrace.persist.FreedObjectException if all are to be loaded, and one was freed; nothing is changed then
     */
    public void caching(Caching caching) {
        cache(caching);
    }

    @Override
    void loadAll(ValueCache into) {
        for (int i = 0; i < storedSize(); i++) {
            into.put(i, view.get(i), into.epoch(i));
        }
    }

    @Override
    public E set(int index, E value) {
        return view.set(index, value);
    }

    @Override
    public void add(int index, E value) {
        view.add(index, value);
    }

    @Override
    public E remove(int index) {
        return view.remove(index);
    }

    @Override
    public boolean addAll(int index, Collection<? extends E> c) {
        return changing(() -> view.addAll(index, c));
    }

    @Override
    public int indexOf(Object o) {
        return reading(() -> view.indexOf(o));
    }

    @Override
    public int lastIndexOf(Object o) {
        return reading(() -> view.lastIndexOf(o));
    }

    @Override
    public ListIterator<E> listIterator() {
        return view.listIterator();
    }

    @Override
    public ListIterator<E> listIterator(int index) {
        return view.listIterator(index);
    }

    @Override
    public List<E> subList(int from, int to) {
        return view.subList(from, to);
    }

    @Override
    public void replaceAll(UnaryOperator<E> operator) {
        heap().atomic(() -> view.replaceAll(operator));
    }

    @Override
    public void sort(Comparator<? super E> order) {
        heap().atomic(() -> view.sort(order));
    }
}
