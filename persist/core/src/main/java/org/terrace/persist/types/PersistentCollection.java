// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Collection;
import java.util.Iterator;
import java.util.Spliterator;
import java.util.function.Predicate;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;

/**
 * A collection in the heap. Each method is a failure-atomic block, or a {@link Heap#read} if it changes nothing, so threads may
 * share a collection. An iteration consists of many reads and is fail-fast.
 *
 * <p>Elements are persistent objects, null where the type allows it, or immutable values: strings, wrappers of primitives, enums,
 * {@code Instant}, {@code UUID}, {@code BigInteger}, {@code BigDecimal}, {@link Bytes}. Immutable values are copied in and out.
 */
public abstract class PersistentCollection<E> extends Container implements Collection<E> {

    PersistentCollection(PersistentClass<?> type, Heap heap) {
        super(type, heap);
    }

    PersistentCollection(Heap heap, long offset) {
        super(heap, offset);
    }

    @Override
    abstract Collection<E> view();

    @Override
    public int size() {
        return view().size();
    }

    @Override
    public boolean isEmpty() {
        return view().isEmpty();
    }

    @Override
    public boolean contains(Object o) {
        return reading(() -> view().contains(o));
    }

    @Override
    public boolean containsAll(Collection<?> c) {
        return reading(() -> view().containsAll(c));
    }

    @Override
    public Iterator<E> iterator() {
        return view().iterator();
    }

    @Override
    public Spliterator<E> spliterator() {
        return view().spliterator();
    }

    @Override
    public Object[] toArray() {
        return reading(() -> view().toArray());
    }

    @Override
    public <T> T[] toArray(T[] a) {
        return reading(() -> view().toArray(a));
    }

    @Override
    public boolean add(E e) {
        return changing(() -> view().add(e));
    }

    @Override
    public boolean remove(Object o) {
        return changing(() -> view().remove(o));
    }

    @Override
    public boolean addAll(Collection<? extends E> c) {
        return changing(() -> view().addAll(c));
    }

    @Override
    public boolean removeAll(Collection<?> c) {
        return changing(() -> view().removeAll(c));
    }

    @Override
    public boolean removeIf(Predicate<? super E> filter) {
        return changing(() -> view().removeIf(filter));
    }

    @Override
    public boolean retainAll(Collection<?> c) {
        return changing(() -> view().retainAll(c));
    }

    @Override
    public void clear() {
        heap().atomic(() -> view().clear());
    }
}
