// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.AbstractCollection;
import java.util.Collection;
import java.util.function.Predicate;
import org.terrace.persist.Heap;

/**
 * A collection in the heap or a view of one. A method that changes several elements is one block, and a method that reads all of
 * them is one read.
 */
abstract class ViewCollection<E> extends AbstractCollection<E> {

    abstract Heap heap();

    @Override
    public boolean addAll(Collection<? extends E> c) {
        return heap().atomic(() -> super.addAll(c));
    }

    @Override
    public boolean remove(Object o) {
        return heap().atomic(() -> super.remove(o));
    }

    @Override
    public boolean removeAll(Collection<?> c) {
        return heap().atomic(() -> super.removeAll(c));
    }

    @Override
    public boolean retainAll(Collection<?> c) {
        return heap().atomic(() -> super.retainAll(c));
    }

    @Override
    public boolean removeIf(Predicate<? super E> filter) {
        return heap().atomic(() -> super.removeIf(filter));
    }

    @Override
    public void clear() {
        heap().atomic(super::clear);
    }

    @Override
    public boolean contains(Object o) {
        return heap().read(() -> super.contains(o));
    }

    @Override
    public boolean containsAll(Collection<?> c) {
        return heap().read(() -> super.containsAll(c));
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
    public String toString() {
        return heap().read(super::toString);
    }
}
