// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.LongSupplier;
import org.terrace.persist.Heap;

/** A range of a sorted map in ascending or descending order. It implements the whole map and all views of it. */
final class SortedView<K, V> extends ViewMap<K, V> implements NavigableMap<K, V> {
    private final PersistentSortedMap<K, V> map;
    private final Range range;
    private final boolean descending;

    SortedView(PersistentSortedMap<K, V> map, Range range, boolean descending) {
        this.map = map;
        this.range = range;
        this.descending = descending;
    }

    @Override
    Heap heap() {
        return map.heap();
    }

    @Override
    int modifications() {
        return map.modifications();
    }

    @SuppressWarnings("unchecked")
    private static <T> T cast(Object value) {
        return (T) value;
    }

    private K keyOf(long entry) {
        return cast(SortedEntry.key(map.raw(), entry));
    }

    private V valueOf(long entry) {
        return cast(SortedEntry.value(map.raw(), entry));
    }

    /** Returns the entry, or 0 if it comes after the end of the range in this direction. It must not come before the beginning. */
    private long unlessOutside(long entry, boolean down) {
        Object end = range.bound(!down);
        if (entry == 0 || end == null) {
            return entry;
        }
        int order = map.compare(end, entry);
        return (order == 0 ? range.isInclusive(!down) : order < 0 == down) ? entry : 0;
    }

    /** A walk over all entries of the map that starts at the first entry of the range. */
    private Walk walk(boolean down) {
        return map.walk(range.bound(down), range.isInclusive(down), down);
    }

    private long first(boolean down) {
        return unlessOutside(map.nearest(range.bound(down), range.isInclusive(down), down), down);
    }

    private long nearest(Object key, boolean orEqual, boolean down) {
        if (down ? range.isAbove(key) : range.isBelow(key)) {
            return first(down);
        }
        return unlessOutside(map.nearest(Objects.requireNonNull(key), orEqual, down), down);
    }

    /** Searches for an entry that will be changed, and fails if the search itself has changed the map. */
    private long toChange(LongSupplier search) {
        int before = map.modifications();
        long entry = search.getAsLong();
        map.checkModifications(before);
        return entry;
    }

    /** The first entry in this view's direction. */
    private long front() {
        return first(descending);
    }

    private long back() {
        return first(!descending);
    }

    private long after(Object key, boolean orEqual) {
        return nearest(key, orEqual, descending);
    }

    private long before(Object key, boolean orEqual) {
        return nearest(key, orEqual, !descending);
    }

    /** The entry of a key in the range, or 0. */
    private long find(Object key) {
        return range.contains(key) ? map.search(key) : 0;
    }

    /** A copy of an entry that was removed from the map. The entry is freed. */
    Entry<K, V> removed(long entry) {
        Entry<K, V> copy = new SimpleImmutableEntry<>(keyOf(entry), valueToDrop(entry));
        map.destroy(entry);
        return copy;
    }

    private V valueToDrop(long entry) {
        return cast(SortedEntry.valueToDrop(map.raw(), entry));
    }

    private Entry<K, V> snapshot(LongSupplier find) {
        return map.reading(() -> {
            long entry = find.getAsLong();
            return entry == 0 ? null : new SimpleImmutableEntry<>(keyOf(entry), valueOf(entry));
        });
    }

    private static <K> K keyOf(Entry<K, ?> entry) {
        return entry == null ? null : entry.getKey();
    }

    private static <K> K keyOrThrow(Entry<K, ?> entry) {
        if (entry == null) {
            throw new NoSuchElementException();
        }
        return entry.getKey();
    }

    @Override
    public int size() {
        if (range.low() == null && range.high() == null) {
            return map.storedSize();
        }
        return map.reading(() -> {
            int size = 0;
            for (Walk walk = walk(false); unlessOutside(walk.entry(), false) != 0; walk.step()) {
                size++;
            }
            return size;
        });
    }

    @Override
    public boolean isEmpty() {
        return map.reading(() -> front() == 0);
    }

    @Override
    public V get(Object key) {
        return map.reading(() -> {
            long entry = find(key);
            return entry == 0 ? null : valueOf(entry);
        });
    }

    @Override
    public boolean containsKey(Object key) {
        return map.reading(() -> find(key) != 0);
    }

    @Override
    public V put(K key, V value) {
        if (!range.contains(key)) {
            throw new IllegalArgumentException(key + " is out of the range of this view");
        }
        return map.changing(() -> {
            long entry = toChange(() -> map.search(key));
            if (entry != 0) {
                map.changed(key);
                return SortedView.<V>cast(SortedEntry.replaceValue(map.raw(), entry, value));
            }
            map.insertKey(key, value);
            return null;
        });
    }

    @Override
    public V remove(Object key) {
        return map.changing(() -> {
            long entry = toChange(() -> find(key));
            if (entry == 0) {
                return null;
            }
            V old = cast(SortedEntry.valueToDrop(map.raw(), entry));
            map.deleteKey(key);
            return old;
        });
    }

    @Override
    public void clear() {
        map.heap().atomic(() -> {
            if (range.low() == null && range.high() == null) {
                map.changedAll();
                map.deleteAll();
                return;
            }
            for (long e = toChange(this::front); e != 0; e = toChange(this::front)) {
                map.deleteKey(keyOf(e));
            }
        });
    }

    @Override
    public Set<Entry<K, V>> entrySet() {
        return new Entries();
    }

    @Override
    public NavigableSet<K> keySet() {
        return navigableKeySet();
    }

    @Override
    public Collection<V> values() {
        return new MapValues<>(this, Spliterator.ORDERED);
    }

    @Override
    public Comparator<? super K> comparator() {
        return descending ? cast(Collections.reverseOrder()) : null;
    }

    @Override
    public K firstKey() {
        return keyOrThrow(firstEntry());
    }

    @Override
    public K lastKey() {
        return keyOrThrow(lastEntry());
    }

    @Override
    public Entry<K, V> firstEntry() {
        return snapshot(this::front);
    }

    @Override
    public Entry<K, V> lastEntry() {
        return snapshot(this::back);
    }

    @Override
    public Entry<K, V> lowerEntry(K key) {
        return snapshot(() -> before(key, false));
    }

    @Override
    public Entry<K, V> floorEntry(K key) {
        return snapshot(() -> before(key, true));
    }

    @Override
    public Entry<K, V> ceilingEntry(K key) {
        return snapshot(() -> after(key, true));
    }

    @Override
    public Entry<K, V> higherEntry(K key) {
        return snapshot(() -> after(key, false));
    }

    @Override
    public K lowerKey(K key) {
        return keyOf(lowerEntry(key));
    }

    @Override
    public K floorKey(K key) {
        return keyOf(floorEntry(key));
    }

    @Override
    public K ceilingKey(K key) {
        return keyOf(ceilingEntry(key));
    }

    @Override
    public K higherKey(K key) {
        return keyOf(higherEntry(key));
    }

    @Override
    public Entry<K, V> pollFirstEntry() {
        return poll(this::front);
    }

    @Override
    public Entry<K, V> pollLastEntry() {
        return poll(this::back);
    }

    private Entry<K, V> poll(LongSupplier end) {
        return map.changing(() -> {
            long entry = toChange(end);
            if (entry == 0) {
                return null;
            }
            Entry<K, V> copy = new SimpleImmutableEntry<>(keyOf(entry),
                    SortedView.<V>cast(SortedEntry.valueToDrop(map.raw(), entry)));
            map.deleteKey(copy.getKey(), entry);
            return copy;
        });
    }

    @Override
    public SortedView<K, V> descendingMap() {
        return new SortedView<>(map, range, !descending);
    }

    @Override
    public SortedKeys<K> navigableKeySet() {
        return new SortedKeys<>(this, false);
    }

    @Override
    public NavigableSet<K> descendingKeySet() {
        return descendingMap().navigableKeySet();
    }

    @Override
    public SortedView<K, V> subMap(K from, boolean fromInclusive, K to, boolean toInclusive) {
        Objects.requireNonNull(from);
        Objects.requireNonNull(to);
        return part(from, fromInclusive, to, toInclusive);
    }

    @Override
    public SortedView<K, V> headMap(K to, boolean inclusive) {
        return part(null, false, Objects.requireNonNull(to), inclusive);
    }

    @Override
    public SortedView<K, V> tailMap(K from, boolean inclusive) {
        return part(Objects.requireNonNull(from), inclusive, null, false);
    }

    private SortedView<K, V> part(K from, boolean fromInclusive, K to, boolean toInclusive) {
        Range part = descending ? range.part(to, toInclusive, from, fromInclusive)
                : range.part(from, fromInclusive, to, toInclusive);
        return new SortedView<>(map, part, descending);
    }

    @Override
    public SortedMap<K, V> subMap(K from, K to) {
        return subMap(from, true, to, false);
    }

    @Override
    public SortedMap<K, V> headMap(K to) {
        return headMap(to, false);
    }

    @Override
    public SortedMap<K, V> tailMap(K from) {
        return tailMap(from, true);
    }

    /** The order of keys, applied to entries. A spliterator without a comparator would claim that entries have a natural order. */
    private Comparator<? super Entry<K, V>> entryOrder() {
        return (a, b) -> descending ? Boxed.compare(b.getKey(), a.getKey()) : Boxed.compare(a.getKey(), b.getKey());
    }

    private final class Entries extends ViewSet<Entry<K, V>> {
        @Override
        Heap heap() {
            return map.heap();
        }

        @Override
        public Spliterator<Entry<K, V>> spliterator() {
            int ordered = Spliterator.ORDERED | Spliterator.DISTINCT | Spliterator.SORTED;
            return new SortedSpliterator<>(Spliterators.spliterator(this, ordered), entryOrder());
        }

        @Override
        public int size() {
            return SortedView.this.size();
        }

        @Override
        public boolean isEmpty() {
            return SortedView.this.isEmpty();
        }

        @Override
        public boolean contains(Object o) {
            return o instanceof Map.Entry<?, ?> e && e.getKey() != null && map.reading(() -> {
                long entry = find(e.getKey());
                return entry != 0 && Objects.equals(valueOf(entry), e.getValue());
            });
        }

        @Override
        public boolean remove(Object o) {
            return map.changing(() -> {
                boolean present = contains(o);
                if (present) {
                    map.deleteKey(((Map.Entry<?, ?>) o).getKey());
                }
                return present;
            });
        }

        @Override
        public void clear() {
            SortedView.this.clear();
        }

        @Override
        public Iterator<Entry<K, V>> iterator() {
            return new EntryIterator();
        }
    }

    /**
     * Continues along its walk while the modification count shows that the walk is valid. A rollback also resets the count, so
     * later changes may produce the same number. Therefore the iterator searches for its next entry after a rollback, and also
     * after a removal.
     */
    private final class EntryIterator implements Iterator<Entry<K, V>> {
        private int expected;
        private long rollbacks;
        private Walk walk;
        private long next;
        private K last;
        private long lastEntry;
        private boolean removable;

        EntryIterator() {
            map.reading(() -> {
                expected = map.modifications();
                search();
                next = unlessOutside(walk.entry(), descending);
                return null;
            });
        }

        private void search() {
            long now = map.raw().rollbacks();
            if (last != null && !map.canCompare(last)) {
                // The key cannot be compared, so the walk starts again and skips entries up to the next one.
                for (walk = map.walk(null, true, descending); walk.entry() != 0 && walk.entry() != next;) {
                    walk.step();
                }
            } else {
                walk = last == null ? walk(descending) : map.walk(last, false, descending);
            }
            rollbacks = now;
        }

        private void checkUnchanged() {
            if (map.modifications() != expected) {
                throw new ConcurrentModificationException();
            }
        }

        @Override
        public boolean hasNext() {
            return next != 0;
        }

        @Override
        public Entry<K, V> next() {
            if (next == 0) {
                throw new NoSuchElementException();
            }
            return map.reading(() -> {
                checkUnchanged();
                if (walk == null || rollbacks != map.raw().rollbacks()) {
                    search();
                }
                if (walk.entry() != next) {
                    throw new ConcurrentModificationException();
                }
                long met = next;
                K key = keyOf(next);
                Entry<K, V> entry = new WriteThroughEntry<>(SortedView.this, key, valueOf(next));
                walk.step();
                next = unlessOutside(walk.entry(), descending);
                last = key;
                lastEntry = met;
                removable = true;
                return entry;
            });
        }

        @Override
        public void remove() {
            if (!removable) {
                throw new IllegalStateException();
            }
            map.heap().atomic(() -> {
                checkUnchanged();
                map.deleteKey(last, lastEntry);
            });
            expected = map.modifications();
            walk = null;
            removable = false;
        }
    }
}
