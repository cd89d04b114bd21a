// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace;

import java.util.AbstractCollection;
import java.util.AbstractMap;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The map of {@link HotWindow#asMap}. It changes the map under the window first, and then makes the window forget the key. The atomic
 * operations are those of the map, because the default methods of {@link ConcurrentMap} would compare copies with their originals.
 */
final class HotWindowMap<K, V> extends AbstractMap<K, V> implements ConcurrentMap<K, V> {

    private final HotWindow<K, V> window;
    private final Map<K, V> map;

    HotWindowMap(HotWindow<K, V> window, Map<K, V> map) {
        this.window = window;
        this.map = map;
    }

    /** A call of the map may fail after it has changed something. */
    private <R> R change(Object key, Function<Map<K, V>, R> change) {
        try {
            return change.apply(map);
        } finally {
            window.forgetKey(key);
        }
    }

    private void changeAll(Runnable change) {
        try {
            change.run();
        } finally {
            window.forgetAll();
        }
    }

    @Override
    public V get(Object key) {
        return window.find(key);
    }

    @Override
    public boolean containsKey(Object key) {
        return map.containsKey(key);
    }

    @Override
    public boolean containsValue(Object value) {
        return map.containsValue(value);
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
    public V getOrDefault(Object key, V other) {
        V value = get(key);
        return value != null ? value : other;
    }

    @Override
    public void forEach(BiConsumer<? super K, ? super V> action) {
        map.forEach(action);
    }

    @Override
    public V put(K key, V value) {
        return change(key, map -> map.put(key, value));
    }

    @Override
    public V putIfAbsent(K key, V value) {
        V current = get(key);
        return current != null ? current : change(key, map -> map.putIfAbsent(key, value));
    }

    @Override
    public V remove(Object key) {
        return change(key, map -> map.remove(key));
    }

    @Override
    public boolean remove(Object key, Object value) {
        return change(key, map -> map.remove(key, value));
    }

    @Override
    public V replace(K key, V value) {
        return change(key, map -> map.replace(key, value));
    }

    @Override
    public boolean replace(K key, V expected, V value) {
        return change(key, map -> map.replace(key, expected, value));
    }

    @Override
    public void replaceAll(BiFunction<? super K, ? super V, ? extends V> function) {
        changeAll(() -> map.replaceAll(function));
    }

    @Override
    public V computeIfAbsent(K key, Function<? super K, ? extends V> function) {
        Objects.requireNonNull(function);
        V value = get(key);
        return value != null ? value : change(key, map -> map.computeIfAbsent(key, function));
    }

    @Override
    public V computeIfPresent(K key, BiFunction<? super K, ? super V, ? extends V> function) {
        return change(key, map -> map.computeIfPresent(key, function));
    }

    @Override
    public V compute(K key, BiFunction<? super K, ? super V, ? extends V> function) {
        return change(key, map -> map.compute(key, function));
    }

    @Override
    public V merge(K key, V value, BiFunction<? super V, ? super V, ? extends V> function) {
        return change(key, map -> map.merge(key, value, function));
    }

    @Override
    public void clear() {
        changeAll(map::clear);
    }

    /** Removes entries in the map's own way, which may test the value again. */
    private boolean removeAllIf(BooleanSupplier removal) {
        boolean[] removed = new boolean[1];
        changeAll(() -> removed[0] = removal.getAsBoolean());
        return removed[0];
    }

    @Override
    public Set<K> keySet() {
        return new SetView<>(map.keySet(), Entry::getKey) {
            @Override
            public boolean remove(Object key) {
                return change(key, map -> map.keySet().remove(key));
            }
        };
    }

    @Override
    public Collection<V> values() {
        return new View<>(map.values(), Entry::getValue);
    }

    @Override
    public Set<Entry<K, V>> entrySet() {
        return new SetView<>(map.entrySet(), Written::new) {
            @Override
            public boolean remove(Object entry) {
                return entry instanceof Entry
                        && HotWindowMap.this.remove(((Entry<?, ?>) entry).getKey(), ((Entry<?, ?>) entry).getValue());
            }
        };
    }

    /** A collection of the map. */
    private class View<T> extends AbstractCollection<T> {

        private final Collection<T> elements;
        private final Function<Entry<K, V>, T> element;

        View(Collection<T> elements, Function<Entry<K, V>, T> element) {
            this.elements = elements;
            this.element = element;
        }

        @Override
        public Iterator<T> iterator() {
            return new Removing<>(element);
        }

        /** Without a size, which other threads may change. */
        @Override
        public Spliterator<T> spliterator() {
            return Spliterators.spliteratorUnknownSize(iterator(), Spliterator.CONCURRENT);
        }

        @Override
        public int size() {
            return elements.size();
        }

        @Override
        public boolean contains(Object object) {
            return elements.contains(object);
        }

        @Override
        public boolean removeIf(Predicate<? super T> filter) {
            return removeAllIf(() -> elements.removeIf(filter));
        }

        @Override
        public boolean removeAll(Collection<?> removed) {
            return removeAllIf(() -> elements.removeAll(removed));
        }

        @Override
        public void clear() {
            HotWindowMap.this.clear();
        }
    }

    /** Unlike the sets of {@link AbstractMap}, this set finds an element to remove by its hash. */
    private abstract class SetView<T> extends View<T> implements Set<T> {

        SetView(Set<T> elements, Function<Entry<K, V>, T> element) {
            super(elements, element);
        }

        @Override
        public Spliterator<T> spliterator() {
            return Spliterators.spliteratorUnknownSize(iterator(), Spliterator.CONCURRENT | Spliterator.DISTINCT);
        }

        @Override
        public abstract boolean remove(Object object);

        @Override
        public boolean equals(Object other) {
            return super.elements.equals(other);
        }

        @Override
        public int hashCode() {
            return super.elements.hashCode();
        }
    }

    /** Iterates over the entries of the map. The window does not serve these reads, and they make no value hot. */
    private final class Removing<T> implements Iterator<T> {

        private final Iterator<Entry<K, V>> entries = map.entrySet().iterator();
        private final Function<Entry<K, V>, T> element;
        private Object last;

        Removing(Function<Entry<K, V>, T> element) {
            this.element = element;
        }

        @Override
        public boolean hasNext() {
            return entries.hasNext();
        }

        @Override
        public T next() {
            Entry<K, V> entry = entries.next();
            last = entry.getKey();
            return element.apply(entry);
        }

        @Override
        public void remove() {
            try {
                entries.remove();
            } finally {
                if (last != null) {
                    window.forgetKey(last);
                }
            }
        }
    }

    /** An entry of the map. If its value is set, the window forgets the key. */
    private final class Written extends SimpleEntry<K, V> {

        private static final long serialVersionUID = 1;

        private final transient Entry<K, V> entry;

        Written(Entry<K, V> entry) {
            super(entry);
            this.entry = entry;
        }

        @Override
        public V setValue(V value) {
            change(getKey(), map -> entry.setValue(value));
            return super.setValue(value);
        }
    }
}
