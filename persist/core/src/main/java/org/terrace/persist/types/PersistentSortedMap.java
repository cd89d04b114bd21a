// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.SortedMap;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.heap.LongStack;

/**
 * A map with {@link Comparable} keys in their natural order. Null keys are not allowed. Subclasses implement the data structure
 * with searches for neighbours of a key, insertion and removal. The views of {@link NavigableMap} use these operations. Like
 * {@link PersistentHashMap}, the maps follow references and check each entry that they visit.
 */
public abstract class PersistentSortedMap<K, V> extends PersistentMap<K, V> implements NavigableMap<K, V> {
    private boolean resorting;
    private final SortedView<K, V> view = new SortedView<>(this, Range.all(), false);

    PersistentSortedMap(PersistentClass<?> type, Heap heap) {
        super(type, heap);
    }

    PersistentSortedMap(Heap heap, long offset) {
        super(heap, offset);
    }

    /** The entry of a key, or 0. */
    abstract long find(Object key);

    /**
     * The first entry after a key in one direction, or equal to it. 0 if there is none.
     *
     * @param from the key, or null for the first entry of all
     * @param down whether the direction is from greater keys to lesser ones
     */
    abstract long nearest(Object from, boolean orEqual, boolean down);

    /** A walk that begins at {@link #nearest}. */
    abstract Walk walk(Object from, boolean orEqual, boolean down);

    /** Adds a key that is not present. */
    abstract void insert(Object key, Object value);

    /** Removes a key with its entry. Returns false if it is not present. */
    abstract boolean delete(Object key);

    abstract void deleteAll();

    /** Removes an entry by a linear search, for keys that cannot be searched. */
    abstract void deleteEntry(long entry);

    /** Frees an entry that is no longer in the map. */
    abstract void destroy(long entry);

    /** Makes these entries the contents of the map, in this order. The caller frees the others and sets the size. */
    abstract void relink(long[] entries);

    /** The entry of a key, or 0. Also for keys that cannot be compared. */
    final long search(Object key) {
        return Opaque.isOne(key) ? searchAll(key) : find(key);
    }

    private long searchAll(Object key) {
        Walk walk = walk(null, true, false);
        while (walk.entry() != 0 && !key.equals(keyUnlessFreed(walk.entry()))) {
            walk.step();
        }
        return walk.entry();
    }

    final Object keyUnlessFreed(long entry) {
        return SortedEntry.keyUnlessFreed(raw(), entry);
    }

    /**
     * All entries, sorted by their keys.
     *
     * @throws org.terrace.persist.HeapException if a key cannot be compared because this program does not know its class
     */
    final long[] entriesInOrder() {
        long[] entries = new long[storedSize()];
        Object[] keys = new Object[entries.length];
        Walk walk = walk(null, true, false);
        for (int i = 0; i < entries.length; i++, walk.step()) {
            entries[i] = walk.entry();
            keys[i] = Boxed.load(raw(), SortedEntry.keyReference(raw(), entries[i]));
            KeyOrder.checkComparable(this, keys[i]);
        }
        return Arrays.stream(KeyOrder.order(keys)).mapToLong(i -> entries[i]).toArray();
    }

    /**
     * Sorts the keys by the current {@code compareTo}, for a program whose {@code compareTo} differs from that of the previous
     * program. When a heap is opened, it does this itself if the constants of enumerations in keys, or their order, have changed.
     * It cannot detect other changes. {@link Heap#checkCollections} reports the maps that need it.
     *
     * @return mappings that were removed because their keys were present more than once. Such duplicates arise when programs insert
     *     keys into a map that is out of order. The mapping that a search found is kept
     */
    public List<Entry<K, V>> resort() {
        return changing(() -> {
            long[] entries = entriesInOrder();
            LongStack kept = new LongStack();
            List<Entry<K, V>> removed = new ArrayList<>();
            LongStack doomed = new LongStack();
            for (int from = 0, to; from < entries.length; from = to) {
                to = from + 1;
                while (to < entries.length && KeyOrder.areEqual(this, entries[from], entries[to])) {
                    to++;
                }
                int chosen = to == from + 1 ? from : found(entries, from, to);
                kept.push(entries[chosen]);
                for (int i = from; i < to; i++) {
                    if (i != chosen) {
                        doomed.push(entries[i]);
                    }
                }
            }
            long[] all = new long[kept.size()];
            Arrays.setAll(all, kept::get);
            relink(all);
            for (int i = 0; i < doomed.size(); i++) {
                removed.add(view.removed(doomed.get(i)));
            }
            changedAll();
            changeSize(all.length - entries.length);
            return removed;
        });
    }

    /** Of entries with equal keys, the one that a search finds in the map's current order, or the first. */
    private int found(long[] entries, int from, int to) {
        resorting = true;
        try {
            long entry = search(SortedEntry.key(raw(), entries[from]));
            int found = from;
            for (int i = from; i < to; i++) {
                found = entries[i] == entry ? i : found;
            }
            return found;
        } finally {
            resorting = false;
        }
    }

    /**
     * Fails the block if the map does not have the expected number of modifications. Comparisons may call code of the program that
     * changes the map.
     */
    final void checkModifications(int expected) {
        if (modifications() != expected) {
            throw new ConcurrentModificationException("a comparison of keys changes the map");
        }
    }

    /** Adds a key that was not found. */
    final void insertKey(Object key, Object value) {
        int before = modifications();
        changed(key);
        insert(key, value);
        checkModifications(before + 1);
    }

    /** Removes an entry that was found. Searches for its key, or visits all entries if keys cannot be compared. */
    final void deleteKey(Object key, long entry) {
        if (!canCompare(key)) {
            changed(key);
            deleteEntry(entry);
            return;
        }
        deleteKey(key);
    }

    /** Whether the map can be searched for a key. */
    final boolean canCompare(Object key) {
        return !Opaque.isOne(key) && !raw().isOrderDoubtful();
    }

    /** Removes a key that was found. */
    final void deleteKey(Object key) {
        int before = modifications();
        changed(key);
        long opaque = Opaque.isOne(key) ? searchAll(key) : 0;
        if (opaque != 0) {
            deleteEntry(opaque);
        } else if (!delete(key)) {
            throw new ConcurrentModificationException("the key " + key + " is not where the order of keys says");
        }
        checkModifications(before + 1);
    }

    /** Compares a key with the key of an entry. */
    final int compare(Object key, long entry) {
        checkOrder();
        int order = SortedEntry.compare(raw(), key, entry);
        // The comparison may have loaded an enumeration that was unknown when the heap was opened.
        checkOrder();
        return order;
    }

    private void checkOrder() {
        if (!resorting) {
            raw().checkOrder(this);
        }
    }

    @Override
    SortedView<K, V> view() {
        return view;
    }

    @Override
    public Comparator<? super K> comparator() {
        return null;
    }

    @Override
    public K firstKey() {
        return reading(view::firstKey);
    }

    @Override
    public K lastKey() {
        return reading(view::lastKey);
    }

    @Override
    public Entry<K, V> lowerEntry(K key) {
        return view.lowerEntry(key);
    }

    @Override
    public K lowerKey(K key) {
        return view.lowerKey(key);
    }

    @Override
    public Entry<K, V> floorEntry(K key) {
        return view.floorEntry(key);
    }

    @Override
    public K floorKey(K key) {
        return view.floorKey(key);
    }

    @Override
    public Entry<K, V> ceilingEntry(K key) {
        return view.ceilingEntry(key);
    }

    @Override
    public K ceilingKey(K key) {
        return view.ceilingKey(key);
    }

    @Override
    public Entry<K, V> higherEntry(K key) {
        return view.higherEntry(key);
    }

    @Override
    public K higherKey(K key) {
        return view.higherKey(key);
    }

    @Override
    public Entry<K, V> firstEntry() {
        return view.firstEntry();
    }

    @Override
    public Entry<K, V> lastEntry() {
        return view.lastEntry();
    }

    @Override
    public Entry<K, V> pollFirstEntry() {
        return view.pollFirstEntry();
    }

    @Override
    public Entry<K, V> pollLastEntry() {
        return view.pollLastEntry();
    }

    @Override
    public NavigableMap<K, V> descendingMap() {
        return view.descendingMap();
    }

    @Override
    public NavigableSet<K> navigableKeySet() {
        return view.navigableKeySet();
    }

    @Override
    public NavigableSet<K> keySet() {
        return view.navigableKeySet();
    }

    @Override
    public NavigableSet<K> descendingKeySet() {
        return view.descendingKeySet();
    }

    @Override
    public NavigableMap<K, V> subMap(K from, boolean fromInclusive, K to, boolean toInclusive) {
        return view.subMap(from, fromInclusive, to, toInclusive);
    }

    @Override
    public NavigableMap<K, V> headMap(K to, boolean inclusive) {
        return view.headMap(to, inclusive);
    }

    @Override
    public NavigableMap<K, V> tailMap(K from, boolean inclusive) {
        return view.tailMap(from, inclusive);
    }

    @Override
    public SortedMap<K, V> subMap(K from, K to) {
        return view.subMap(from, to);
    }

    @Override
    public SortedMap<K, V> headMap(K to) {
        return view.headMap(to);
    }

    @Override
    public SortedMap<K, V> tailMap(K from) {
        return view.tailMap(from);
    }
}
