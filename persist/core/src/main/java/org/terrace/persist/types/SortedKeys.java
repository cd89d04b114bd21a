// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Comparator;
import java.util.Iterator;
import java.util.NavigableSet;
import java.util.SortedSet;
import org.terrace.persist.Heap;

/** The keys of a sorted view. It also implements a set on a map with null values, to which elements can be added. */
final class SortedKeys<K> extends ViewSet<K> implements NavigableSet<K> {
    private final SortedView<K, ?> map;
    private final boolean growing;

    SortedKeys(SortedView<K, ?> map, boolean growing) {
        this.map = map;
        this.growing = growing;
    }

    private static <K> K keyOf(java.util.Map.Entry<K, ?> entry) {
        return entry == null ? null : entry.getKey();
    }

    @Override
    Heap heap() {
        return map.heap();
    }

    @Override
    public int size() {
        return map.size();
    }

    @Override
    public boolean isEmpty() {
        return map.isEmpty();
    }

    @Override
    public boolean contains(Object o) {
        return map.containsKey(o);
    }

    @Override
    public boolean remove(Object o) {
        return MapKeys.removeKey(map, o);
    }

    @Override
    public boolean add(K key) {
        if (!growing) {
            throw new UnsupportedOperationException("the keys of a map do not grow by themselves");
        }
        return heap().atomic(() -> {
            boolean absent = !map.containsKey(key);
            if (absent) {
                map.put(key, null);
            }
            return absent;
        });
    }

    @Override
    public void clear() {
        map.clear();
    }

    @Override
    public Iterator<K> iterator() {
        return MapKeys.of(map.entrySet().iterator());
    }

    @Override
    public Comparator<? super K> comparator() {
        return map.comparator();
    }

    @Override
    public K first() {
        return map.firstKey();
    }

    @Override
    public K last() {
        return map.lastKey();
    }

    @Override
    public K lower(K key) {
        return map.lowerKey(key);
    }

    @Override
    public K floor(K key) {
        return map.floorKey(key);
    }

    @Override
    public K ceiling(K key) {
        return map.ceilingKey(key);
    }

    @Override
    public K higher(K key) {
        return map.higherKey(key);
    }

    @Override
    public K pollFirst() {
        return keyOf(map.pollFirstEntry());
    }

    @Override
    public K pollLast() {
        return keyOf(map.pollLastEntry());
    }

    @Override
    public NavigableSet<K> descendingSet() {
        return new SortedKeys<>(map.descendingMap(), growing);
    }

    @Override
    public Iterator<K> descendingIterator() {
        return descendingSet().iterator();
    }

    @Override
    public NavigableSet<K> subSet(K from, boolean fromInclusive, K to, boolean toInclusive) {
        return new SortedKeys<>(map.subMap(from, fromInclusive, to, toInclusive), growing);
    }

    @Override
    public NavigableSet<K> headSet(K to, boolean inclusive) {
        return new SortedKeys<>(map.headMap(to, inclusive), growing);
    }

    @Override
    public NavigableSet<K> tailSet(K from, boolean inclusive) {
        return new SortedKeys<>(map.tailMap(from, inclusive), growing);
    }

    @Override
    public SortedSet<K> subSet(K from, K to) {
        return subSet(from, true, to, false);
    }

    @Override
    public SortedSet<K> headSet(K to) {
        return headSet(to, false);
    }

    @Override
    public SortedSet<K> tailSet(K from) {
        return tailSet(from, true);
    }
}
