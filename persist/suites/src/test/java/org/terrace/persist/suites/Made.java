// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.suites;

import static org.terrace.persist.suites.Suites.made;

import java.util.Collection;
import java.util.Map;
import org.terrace.persist.types.PersistentDeque;
import org.terrace.persist.types.PersistentHashMap;
import org.terrace.persist.types.PersistentHashSet;
import org.terrace.persist.types.PersistentList;
import org.terrace.persist.types.PersistentSkipListMap;
import org.terrace.persist.types.PersistentSkipListSet;
import org.terrace.persist.types.PersistentTreeMap;
import org.terrace.persist.types.PersistentTreeSet;

/** Replacements for constructors of {@code java.util} in adapted tests. Capacities are ignored. */
public final class Made {
    private Made() {
    }

    private static <E, C extends Collection<E>> C filled(C collection, Collection<? extends E> elements) {
        collection.addAll(elements);
        return collection;
    }

    private static <K, V, M extends Map<K, V>> M filled(M map, Map<? extends K, ? extends V> mappings) {
        map.putAll(mappings);
        return map;
    }

    public static <E> PersistentList<E> list() {
        return made(heap -> new PersistentList<>(heap));
    }

    public static <E> PersistentList<E> list(int capacity) {
        return list();
    }

    public static <E> PersistentList<E> list(Collection<? extends E> elements) {
        return filled(list(), elements);
    }

    public static <E> PersistentDeque<E> deque() {
        return made(heap -> new PersistentDeque<>(heap));
    }

    public static <E> PersistentDeque<E> deque(int capacity) {
        return deque();
    }

    public static <E> PersistentDeque<E> deque(Collection<? extends E> elements) {
        return filled(deque(), elements);
    }

    public static <E> PersistentHashSet<E> hashSet() {
        return made(heap -> new PersistentHashSet<>(heap));
    }

    public static <E> PersistentHashSet<E> hashSet(int capacity) {
        return hashSet();
    }

    public static <E> PersistentHashSet<E> hashSet(Collection<? extends E> elements) {
        return filled(hashSet(), elements);
    }

    public static <E> PersistentTreeSet<E> treeSet() {
        return made(heap -> new PersistentTreeSet<>(heap));
    }

    public static <E> PersistentTreeSet<E> treeSet(Collection<? extends E> elements) {
        return filled(treeSet(), elements);
    }

    public static <E> PersistentSkipListSet<E> skipListSet() {
        return made(heap -> new PersistentSkipListSet<>(heap));
    }

    public static <E> PersistentSkipListSet<E> skipListSet(Collection<? extends E> elements) {
        return filled(skipListSet(), elements);
    }

    public static <K, V> PersistentHashMap<K, V> hashMap() {
        return made(heap -> new PersistentHashMap<>(heap));
    }

    public static <K, V> PersistentHashMap<K, V> hashMap(int capacity) {
        return hashMap();
    }

    public static <K, V> PersistentHashMap<K, V> hashMap(int capacity, float load) {
        return hashMap();
    }

    public static <K, V> PersistentHashMap<K, V> hashMap(Map<? extends K, ? extends V> mappings) {
        return filled(hashMap(), mappings);
    }

    public static <K, V> PersistentTreeMap<K, V> treeMap() {
        return made(heap -> new PersistentTreeMap<>(heap));
    }

    public static <K, V> PersistentTreeMap<K, V> treeMap(Map<? extends K, ? extends V> mappings) {
        return filled(treeMap(), mappings);
    }

    public static <K, V> PersistentSkipListMap<K, V> skipListMap() {
        return made(heap -> new PersistentSkipListMap<>(heap));
    }

    public static <K, V> PersistentSkipListMap<K, V> skipListMap(Map<? extends K, ? extends V> mappings) {
        return filled(skipListMap(), mappings);
    }
}
