package org.terrace.persist.types;

import java.util.AbstractMap;
import java.util.AbstractSet;
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
import java.util.function.Supplier;

/** A range of a sorted map, forwards or backwards: the map itself, and each view that it gives out. */
final class SortedView<K, V> extends AbstractMap<K, V> implements NavigableMap<K, V> {
    private final PersistentSortedMap<K, V> map;
    private final Range range;
    private final boolean descending;

    SortedView(PersistentSortedMap<K, V> map, Range range, boolean descending) {
        this.map = map;
        this.range = range;
        this.descending = descending;
    }

    @SuppressWarnings("unchecked")
    private static <T> T cast(Object value) {
        return (T) value;
    }

    private MapEntry lowest() {
        MapEntry entry = range.low() == null ? map.first() : map.above(range.low(), range.lowInclusive());
        return entry == null || range.isAbove(entry.key()) ? null : entry;
    }

    private MapEntry highest() {
        MapEntry entry = range.high() == null ? map.last() : map.below(range.high(), range.highInclusive());
        return entry == null || range.isBelow(entry.key()) ? null : entry;
    }

    private MapEntry above(Object key, boolean orEqual) {
        if (range.isBelow(key)) {
            return lowest();
        }
        MapEntry entry = map.above(Objects.requireNonNull(key), orEqual);
        return entry == null || range.isAbove(entry.key()) ? null : entry;
    }

    private MapEntry below(Object key, boolean orEqual) {
        if (range.isAbove(key)) {
            return highest();
        }
        MapEntry entry = map.below(Objects.requireNonNull(key), orEqual);
        return entry == null || range.isBelow(entry.key()) ? null : entry;
    }

    /** The first entry in this view's direction. */
    private MapEntry front() {
        return descending ? highest() : lowest();
    }

    private MapEntry back() {
        return descending ? lowest() : highest();
    }

    private MapEntry after(Object key, boolean orEqual) {
        return descending ? below(key, orEqual) : above(key, orEqual);
    }

    private MapEntry before(Object key, boolean orEqual) {
        return descending ? above(key, orEqual) : below(key, orEqual);
    }

    private Entry<K, V> snapshot(Supplier<MapEntry> find) {
        return map.reading(() -> {
            MapEntry entry = find.get();
            return entry == null ? null : new SimpleImmutableEntry<>(SortedView.<K>cast(entry.key()),
                    SortedView.<V>cast(entry.value()));
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
            for (MapEntry e = lowest(); e != null; e = above(e.key(), false)) {
                size++;
            }
            return size;
        });
    }

    @Override
    public boolean isEmpty() {
        return map.reading(() -> lowest() == null);
    }

    @Override
    public V get(Object key) {
        return map.reading(() -> {
            MapEntry entry = range.contains(key) ? map.find(key) : null;
            return entry == null ? null : SortedView.<V>cast(entry.value());
        });
    }

    @Override
    public boolean containsKey(Object key) {
        return map.reading(() -> range.contains(key) && map.find(key) != null);
    }

    @Override
    public V put(K key, V value) {
        if (!range.contains(key)) {
            throw new IllegalArgumentException(key + " is out of the range of this view");
        }
        return map.changing(() -> {
            MapEntry entry = map.find(key);
            map.changed(key);
            if (entry != null) {
                return SortedView.<V>cast(entry.replaceValue(value));
            }
            map.insert(key, value);
            return null;
        });
    }

    @Override
    public V remove(Object key) {
        return map.changing(() -> {
            MapEntry entry = range.contains(key) ? map.find(key) : null;
            if (entry == null) {
                return null;
            }
            V old = cast(entry.valueToDrop());
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
            for (MapEntry e = lowest(); e != null; e = lowest()) {
                map.deleteKey(e.key());
            }
        });
    }

    @Override
    public Set<Entry<K, V>> entrySet() {
        return new Entries();
    }

    @Override
    public Set<K> keySet() {
        return navigableKeySet();
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

    private Entry<K, V> poll(Supplier<MapEntry> end) {
        return map.changing(() -> {
            MapEntry entry = end.get();
            if (entry == null) {
                return null;
            }
            Entry<K, V> copy = new SimpleImmutableEntry<>(SortedView.<K>cast(entry.key()),
                    SortedView.<V>cast(entry.valueToDrop()));
            map.deleteKey(copy.getKey());
            return copy;
        });
    }

    @Override
    public NavigableMap<K, V> descendingMap() {
        return new SortedView<>(map, range, !descending);
    }

    @Override
    public NavigableSet<K> navigableKeySet() {
        return new SortedKeys<>(this, false);
    }

    @Override
    public NavigableSet<K> descendingKeySet() {
        return descendingMap().navigableKeySet();
    }

    @Override
    public NavigableMap<K, V> subMap(K from, boolean fromInclusive, K to, boolean toInclusive) {
        Objects.requireNonNull(from);
        Objects.requireNonNull(to);
        return part(from, fromInclusive, to, toInclusive);
    }

    @Override
    public NavigableMap<K, V> headMap(K to, boolean inclusive) {
        return part(null, false, Objects.requireNonNull(to), inclusive);
    }

    @Override
    public NavigableMap<K, V> tailMap(K from, boolean inclusive) {
        return part(Objects.requireNonNull(from), inclusive, null, false);
    }

    private NavigableMap<K, V> part(K from, boolean fromInclusive, K to, boolean toInclusive) {
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

    private final class Entries extends AbstractSet<Entry<K, V>> {
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
                MapEntry entry = range.contains(e.getKey()) ? map.find(e.getKey()) : null;
                return entry != null && Objects.equals(entry.value(), e.getValue());
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

    private final class EntryIterator implements Iterator<Entry<K, V>> {
        private int expected = map.modifications();
        private MapEntry next = map.reading(SortedView.this::front);
        private K last;
        private boolean removable;

        private void checkUnchanged() {
            if (map.modifications() != expected) {
                throw new ConcurrentModificationException();
            }
        }

        @Override
        public boolean hasNext() {
            return next != null;
        }

        @Override
        public Entry<K, V> next() {
            if (next == null) {
                throw new NoSuchElementException();
            }
            return map.reading(() -> {
                checkUnchanged();
                last = cast(next.key());
                Entry<K, V> entry = new WriteThroughEntry<>(SortedView.this, last, SortedView.<V>cast(next.value()));
                next = after(last, false);
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
                map.deleteKey(last);
            });
            expected = map.modifications();
            removable = false;
        }
    }
}
