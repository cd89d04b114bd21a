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
import org.terrace.persist.PersistentObject;

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

    /** An empty list. Call it in a failure-atomic block. */
    public PersistentList(Heap heap) {
        super(CLASS, heap);
        setReference(ELEMENTS, ReferenceVector.create(heap));
    }

    private PersistentList(Heap heap, long offset) {
        super(heap, offset);
    }

    private ReferenceVector elements() {
        return new ReferenceVector((References) getReference(ELEMENTS));
    }

    @Override
    void freeStructure() {
        elements().trim(0);
        heap().free(getReference(ELEMENTS));
    }

    private int storedSize() {
        return getInt(SIZE);
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
                return cast(Boxed.load(elements().get(index)));
            });
        }

        @Override
        public E set(int index, E value) {
            return changing(() -> {
                Objects.checkIndex(index, storedSize());
                ReferenceVector elements = elements();
                PersistentObject old = elements.get(index);
                E result = cast(Boxed.load(old));
                elements.set(index, Boxed.store(heap(), value));
                Boxed.free(old);
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
                ReferenceVector elements = elements();
                for (int i = size; i > index; i--) {
                    elements.set(i, elements.get(i - 1));
                }
                elements.set(index, Boxed.store(heap(), value));
                storeSize(size + 1);
            });
            modCount++;
        }

        @Override
        public E remove(int index) {
            E removed = changing(() -> {
                int size = storedSize();
                Objects.checkIndex(index, size);
                ReferenceVector elements = elements();
                PersistentObject old = elements.get(index);
                E result = cast(Boxed.load(old));
                for (int i = index + 1; i < size; i++) {
                    elements.set(i - 1, elements.get(i));
                }
                elements.set(size - 1, null);
                storeSize(size - 1);
                Boxed.free(old);
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
                ReferenceVector elements = elements();
                for (int i = from; i < to; i++) {
                    Boxed.free(elements.get(i));
                }
                for (int i = to; i < size; i++) {
                    elements.set(i - to + from, elements.get(i));
                }
                for (int i = size - to + from; i < size; i++) {
                    elements.set(i, null);
                }
                elements.trim(size - to + from);
                storeSize(size - to + from);
            });
            modCount++;
        }
    }

    @Override
    public E get(int index) {
        return view.get(index);
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
