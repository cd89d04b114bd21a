// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.ListIterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.RandomAccess;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.terrace.persist.Heap;
import org.terrace.persist.RawObjects;
import org.terrace.persist.fa.Transaction;

/**
 * Like {@link ViewCollection}, for a list or a part of one. Modifications are counted inside of blocks, and the count is also valid
 * outside. A rollback does not reset the count. Instead it invalidates the counts that iterators and parts have noted in the block.
 */
abstract class ViewList<E> extends AbstractList<E> implements RandomAccess {

    abstract Heap heap();

    /** @throws ConcurrentModificationException if this is a part of a list that was changed by other means */
    abstract void checkUnchanged();

    /** Removes the elements of a range that match a predicate. The predicate is evaluated for all of them before the first removal. */
    abstract boolean removeIf(int from, int to, Predicate<? super E> filter);

    @Override
    public abstract E get(int index);

    @Override
    public boolean addAll(Collection<? extends E> c) {
        return heap().atomic(() -> addAll(size(), c));
    }

    @Override
    public abstract boolean addAll(int index, Collection<? extends E> c);

    @Override
    public boolean remove(Object o) {
        return heap().atomic(() -> {
            int index = indexOf(o);
            if (index >= 0) {
                remove(index);
            }
            return index >= 0;
        });
    }

    @Override
    public boolean removeAll(Collection<?> c) {
        Objects.requireNonNull(c);
        return removeIf(c::contains);
    }

    @Override
    public boolean retainAll(Collection<?> c) {
        Objects.requireNonNull(c);
        return removeIf(element -> !c.contains(element));
    }

    @Override
    public boolean removeIf(Predicate<? super E> filter) {
        Objects.requireNonNull(filter);
        return heap().atomic(() -> removeIf(0, size(), filter));
    }

    @Override
    public void replaceAll(UnaryOperator<E> operator) {
        heap().atomic(() -> super.replaceAll(operator));
    }

    @Override
    @SuppressWarnings("unchecked")
    public void sort(Comparator<? super E> order) {
        heap().atomic(() -> {
            ListIterator<E> places = listIterator();
            E[] sorted = (E[]) toArray();
            Arrays.sort(sorted, order);
            for (E element : sorted) {
                places.next();
                places.set(element);
            }
        });
    }

    @Override
    public void clear() {
        heap().atomic(() -> removeRange(0, size()));
    }

    @Override
    public boolean contains(Object o) {
        return indexOf(o) >= 0;
    }

    @Override
    public boolean containsAll(Collection<?> c) {
        return heap().read(() -> super.containsAll(c));
    }

    @Override
    public int indexOf(Object o) {
        return heap().read(() -> super.indexOf(o));
    }

    @Override
    public int lastIndexOf(Object o) {
        return heap().read(() -> super.lastIndexOf(o));
    }

    @Override
    public Object[] toArray() {
        return heap().read(super::toArray);
    }

    @Override
    public <T> T[] toArray(T[] a) {
        return heap().read(() -> super.toArray(a));
    }

    @Override
    public boolean equals(Object other) {
        return other == this || heap().read(() -> super.equals(other));
    }

    @Override
    public int hashCode() {
        return heap().read(super::hashCode);
    }

    @Override
    public String toString() {
        return heap().read(super::toString);
    }

    @Override
    public Iterator<E> iterator() {
        return listIterator(0);
    }

    @Override
    public ListIterator<E> listIterator() {
        return listIterator(0);
    }

    @Override
    public ListIterator<E> listIterator(int index) {
        return heap().read(() -> {
            checkUnchanged();
            if (index < 0 || index > size()) {
                throw new IndexOutOfBoundsException("index " + index + " of a list of " + size());
            }
            return new Cursor(index);
        });
    }

    private final class Cursor implements ListIterator<E> {
        private Transaction.Outcome learntIn;
        private int expected;
        private int next;
        private int last = -1;

        Cursor(int index) {
            next = index;
            learn();
        }

        private void learn() {
            expected = modCount;
            learntIn = RawObjects.of(heap()).outcome();
        }

        private void check() {
            if (modCount != expected || learntIn != null && learntIn.isRolledBack()) {
                throw new ConcurrentModificationException();
            }
            checkUnchanged();
        }

        @Override
        public boolean hasNext() {
            return next != size();
        }

        @Override
        public boolean hasPrevious() {
            return next != 0;
        }

        @Override
        public int nextIndex() {
            return next;
        }

        @Override
        public int previousIndex() {
            return next - 1;
        }

        private E elementAt(int index) {
            return heap().read(() -> {
                check();
                if (index < 0 || index >= size()) {
                    throw new NoSuchElementException();
                }
                return get(index);
            });
        }

        @Override
        public E next() {
            E element = elementAt(next);
            last = next++;
            return element;
        }

        @Override
        public E previous() {
            E element = elementAt(next - 1);
            last = --next;
            return element;
        }

        private void change(Runnable change) {
            heap().atomic(() -> {
                check();
                change.run();
                learn();
            });
        }

        private int checkedLast() {
            if (last < 0) {
                throw new IllegalStateException();
            }
            return last;
        }

        @Override
        public void remove() {
            int removed = checkedLast();
            change(() -> ViewList.this.remove(removed));
            next -= removed < next ? 1 : 0;
            last = -1;
        }

        @Override
        public void set(E element) {
            int replaced = checkedLast();
            change(() -> ViewList.this.set(replaced, element));
        }

        @Override
        public void add(E element) {
            change(() -> ViewList.this.add(next, element));
            next++;
            last = -1;
        }
    }
}
