// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.AbstractSet;
import java.util.Collection;
import java.util.function.Predicate;
import org.terrace.persist.Heap;

/** Like {@link ViewCollection}, for a set. Its {@code contains} and {@code remove} search for the element. */
abstract class ViewSet<E> extends AbstractSet<E> {

    abstract Heap heap();

    @Override
    public abstract boolean contains(Object o);

    @Override
    public abstract boolean remove(Object o);

    @Override
    public boolean addAll(Collection<? extends E> c) {
        return heap().atomic(() -> super.addAll(c));
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
}
