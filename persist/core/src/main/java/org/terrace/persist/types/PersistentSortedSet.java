// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.SortedSet;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;

/** A set on a sorted map. Elements are {@link Comparable} and not null. */
public abstract class PersistentSortedSet<E> extends PersistentCollection<E> implements NavigableSet<E> {
    static final int MAP = 0;

    private SortedKeys<E> view;

    PersistentSortedSet(PersistentClass<?> type, Heap heap, PersistentSortedMap<E, Object> map) {
        super(type, heap);
        setReference(MAP, map);
        view = new SortedKeys<>(map.view(), true);
    }

    @SuppressWarnings("unchecked")
    PersistentSortedSet(Heap heap, long offset) {
        super(heap, offset);
        view = new SortedKeys<>(((PersistentSortedMap<E, Object>) getPart(MAP, PersistentSortedMap.class)).view(), true);
    }

    @Override
    void freeStructure() {
        heap().free(getReference(MAP));
    }

    @Override
    Collection<E> view() {
        return view;
    }

    /**
     * Like {@link PersistentSortedMap#resort}.
     *
     * @return elements that were removed because equal ones were present
     */
    @SuppressWarnings("unchecked")
    public List<E> resort() {
        return ((PersistentSortedMap<E, Object>) getPart(MAP, PersistentSortedMap.class)).resort().stream().map(Map.Entry::getKey)
                .toList();
    }

    @Override
    public Comparator<? super E> comparator() {
        return null;
    }

    @Override
    public E first() {
        return view.first();
    }

    @Override
    public E last() {
        return view.last();
    }

    @Override
    public E lower(E e) {
        return view.lower(e);
    }

    @Override
    public E floor(E e) {
        return view.floor(e);
    }

    @Override
    public E ceiling(E e) {
        return view.ceiling(e);
    }

    @Override
    public E higher(E e) {
        return view.higher(e);
    }

    @Override
    public E pollFirst() {
        return view.pollFirst();
    }

    @Override
    public E pollLast() {
        return view.pollLast();
    }

    @Override
    public NavigableSet<E> descendingSet() {
        return view.descendingSet();
    }

    @Override
    public Iterator<E> descendingIterator() {
        return view.descendingIterator();
    }

    @Override
    public NavigableSet<E> subSet(E from, boolean fromInclusive, E to, boolean toInclusive) {
        return view.subSet(from, fromInclusive, to, toInclusive);
    }

    @Override
    public NavigableSet<E> headSet(E to, boolean inclusive) {
        return view.headSet(to, inclusive);
    }

    @Override
    public NavigableSet<E> tailSet(E from, boolean inclusive) {
        return view.tailSet(from, inclusive);
    }

    @Override
    public SortedSet<E> subSet(E from, E to) {
        return view.subSet(from, to);
    }

    @Override
    public SortedSet<E> headSet(E to) {
        return view.headSet(to);
    }

    @Override
    public SortedSet<E> tailSet(E from) {
        return view.tailSet(from);
    }
}
