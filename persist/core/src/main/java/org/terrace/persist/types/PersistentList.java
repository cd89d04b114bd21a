// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.ListIterator;
import java.util.Objects;
import java.util.RandomAccess;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;

/**
 * An extensible array. Appending and access by index take constant time. Insertion before the end moves the elements that follow.
 * Nulls are allowed.
 */
public final class PersistentList<E> extends PersistentCollection<E> implements List<E>, RandomAccess {
    @SuppressWarnings("rawtypes")
    static final PersistentClass<PersistentList> CLASS = PersistentClass.of(PersistentList.class, PersistentList::new)
            .field("size", FieldType.INT).field("elements", FieldType.REFERENCE).build();
    private static final int SIZE = CLASS.offset("size");
    private static final int ELEMENTS = CLASS.offset("elements");

    /** Shared by all proxies of the list, because it counts the modifications. */
    private View view;

    /** Creates an empty list in the current heap. Must be called in a failure-atomic block. */
    public PersistentList() {
        this(Heap.current());
    }

    /** Creates an empty list. Must be called in a failure-atomic block. */
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
    View view() {
        View known = view;
        if (known == null) {
            known = raw().shared(this, View::new);
            view = known;
        }
        return known;
    }

    static void checkRange(int from, int to, int size) {
        if (from < 0 || to > size) {
            throw new IndexOutOfBoundsException("a part from " + from + " to " + to + " of a list of " + size);
        } else if (from > to) {
            throw new IllegalArgumentException("a part from " + from + " to " + to);
        }
    }

    final class View extends ViewList<E> {
        @Override
        Heap heap() {
            return PersistentList.this.heap();
        }

        int modifications() {
            return modCount;
        }

        @Override
        void checkUnchanged() {
            // This is the whole list, not a part that could become invalid.
        }

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

        private void checkPlace(int index) {
            if (index < 0 || index > storedSize()) {
                throw new IndexOutOfBoundsException("index " + index + " of a list of " + storedSize());
            }
        }

        /** Opens a gap for elements. The gap still contains the previous references. */
        private void open(int index, int count) {
            int size = storedSize();
            if (count > Integer.MAX_VALUE - size) {
                throw new OutOfMemoryError("a list of " + size + " elements cannot take " + count + " more");
            }
            if (index < size) {
                changedAll();
            }
            for (int i = size - 1; i >= index; i--) {
                element(i + count, element(i));
            }
            storeSize(size + count);
            modCount++;
        }

        @Override
        public void add(int index, E value) {
            heap().atomic(() -> {
                checkPlace(index);
                long added = Boxed.store(raw(), value);
                open(index, 1);
                element(index, added);
            });
        }

        @Override
        public boolean addAll(int index, Collection<? extends E> c) {
            return changing(() -> {
                checkPlace(index);
                long[] added = Arrays.stream(c.toArray()).mapToLong(value -> Boxed.store(raw(), value)).toArray();
                open(index, added.length);
                for (int i = 0; i < added.length; i++) {
                    element(index + i, added[i]);
                }
                return added.length > 0;
            });
        }

        @Override
        public E remove(int index) {
            return changing(() -> {
                int size = storedSize();
                Objects.checkIndex(index, size);
                if (index == size - 1) {
                    changed(index);
                } else {
                    changedAll();
                }
                long old = element(index);
                E result = cast(Boxed.loadToDrop(raw(), old));
                close(index, index + 1, size);
                Boxed.free(raw(), old);
                return result;
            });
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
                close(from, to, size);
                ReferenceVector.trim(raw(), getLong(ELEMENTS), size - to + from);
            });
        }

        /** Moves the elements behind a range to the start of the range. The elements of the range were freed or moved before. */
        private void close(int from, int to, int size) {
            for (int i = to; i < size; i++) {
                element(i - to + from, element(i));
            }
            for (int i = size - to + from; i < size; i++) {
                element(i, 0);
            }
            storeSize(size - to + from);
            modCount++;
        }

        @Override
        boolean removeIf(int from, int to, Predicate<? super E> filter) {
            return changing(() -> {
                int size = storedSize();
                int before = modCount;
                BitSet doomed = new BitSet();
                for (int i = from; i < to; i++) {
                    doomed.set(i, filter.test(cast(Boxed.load(raw(), element(i)))));
                }
                if (modCount != before) {
                    throw new ConcurrentModificationException("a predicate changes the list");
                }
                if (doomed.isEmpty()) {
                    return false;
                }
                changedAll();
                int kept = doomed.nextSetBit(from);
                for (int i = kept; i < to; i++) {
                    long reference = element(i);
                    if (doomed.get(i)) {
                        Boxed.free(raw(), reference);
                    } else {
                        element(kept++, reference);
                    }
                }
                close(kept, to, size);
                ReferenceVector.trim(raw(), getLong(ELEMENTS), storedSize());
                return true;
            });
        }

        @Override
        public List<E> subList(int from, int to) {
            return reading(() -> {
                checkRange(from, to, storedSize());
                return new PartOfList<>(this, null, from, to);
            });
        }
    }

    @Override
    public E get(int index) {
        return cached(index, () -> view().get(index));
    }

    /**
     * Selects the values that gets by index cache in the Java heap, for all proxies of the list, until the heap is closed or the
     * list is freed. Outside of blocks, gets then return the same Java object each time. Iterations do not use the cache. After a
     * commit that has changed or moved an element, the next get reads it from the persistent heap again.
     *
     * @throws IllegalStateException inside a failure-atomic block or {@link Heap#read}
     * @throws org.terrace.persist.FreedObjectException if all values are to be loaded and one was freed. Nothing is changed then
     */
    public void caching(Caching caching) {
        cache(caching);
    }

    @Override
    void loadAll(ValueCache into) {
        for (int i = 0; i < storedSize(); i++) {
            into.put(i, view().get(i), into.epoch(i));
        }
    }

    @Override
    public E set(int index, E value) {
        return view().set(index, value);
    }

    @Override
    public void add(int index, E value) {
        view().add(index, value);
    }

    @Override
    public E remove(int index) {
        return view().remove(index);
    }

    @Override
    public boolean addAll(int index, Collection<? extends E> c) {
        return changing(() -> view().addAll(index, c));
    }

    @Override
    public int indexOf(Object o) {
        return reading(() -> view().indexOf(o));
    }

    @Override
    public int lastIndexOf(Object o) {
        return reading(() -> view().lastIndexOf(o));
    }

    @Override
    public ListIterator<E> listIterator() {
        return view().listIterator();
    }

    @Override
    public ListIterator<E> listIterator(int index) {
        return view().listIterator(index);
    }

    @Override
    public List<E> subList(int from, int to) {
        return view().subList(from, to);
    }

    @Override
    public void replaceAll(UnaryOperator<E> operator) {
        heap().atomic(() -> view().replaceAll(operator));
    }

    @Override
    public void sort(Comparator<? super E> order) {
        heap().atomic(() -> view().sort(order));
    }
}
