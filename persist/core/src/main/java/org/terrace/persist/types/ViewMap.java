// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.AbstractMap;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.terrace.persist.Heap;

/** A map in the heap or a view of one. Like in {@link ViewCollection}, a method is one block or one read. The same holds for its views. */
abstract class ViewMap<K, V> extends AbstractMap<K, V> {

    abstract Heap heap();

    /** A counter that changes with the number of mappings. */
    abstract int modifications();

    @Override
    public abstract boolean containsKey(Object key);

    @Override
    public abstract V remove(Object key);

    @Override
    public Set<K> keySet() {
        return new MapKeys<>(this);
    }

    @Override
    public Collection<V> values() {
        return new MapValues<>(this, 0);
    }

    @Override
    public boolean containsValue(Object value) {
        return heap().read(() -> super.containsValue(value));
    }

    @Override
    public V getOrDefault(Object key, V absent) {
        return heap().read(() -> super.getOrDefault(key, absent));
    }

    @Override
    public void putAll(Map<? extends K, ? extends V> m) {
        heap().atomic(() -> super.putAll(m));
    }

    @Override
    public void replaceAll(BiFunction<? super K, ? super V, ? extends V> function) {
        heap().atomic(() -> super.replaceAll(unchanging(function)));
    }

    @Override
    public V putIfAbsent(K key, V value) {
        return heap().atomic(() -> super.putIfAbsent(key, value));
    }

    @Override
    public boolean remove(Object key, Object value) {
        return heap().atomic(() -> super.remove(key, value));
    }

    @Override
    public boolean replace(K key, V old, V value) {
        return heap().atomic(() -> super.replace(key, old, value));
    }

    @Override
    public V replace(K key, V value) {
        return heap().atomic(() -> super.replace(key, value));
    }

    @Override
    public V computeIfAbsent(K key, Function<? super K, ? extends V> function) {
        Objects.requireNonNull(function);
        BiFunction<K, V, V> checked = unchanging((absent, none) -> function.apply(absent));
        return heap().atomic(() -> super.computeIfAbsent(key, absent -> checked.apply(absent, null)));
    }

    @Override
    public V computeIfPresent(K key, BiFunction<? super K, ? super V, ? extends V> function) {
        return heap().atomic(() -> super.computeIfPresent(key, unchanging(function)));
    }

    @Override
    public V compute(K key, BiFunction<? super K, ? super V, ? extends V> function) {
        return heap().atomic(() -> super.compute(key, unchanging(function)));
    }

    @Override
    public V merge(K key, V value, BiFunction<? super V, ? super V, ? extends V> function) {
        return heap().atomic(() -> super.merge(key, value, unchanging(function)));
    }

    /**
     * Wraps a function of the program. The block fails if the function adds or removes mappings, because entries that were found
     * before may have moved.
     */
    private <A, B> BiFunction<A, B, V> unchanging(BiFunction<? super A, ? super B, ? extends V> function) {
        Objects.requireNonNull(function);
        return (first, second) -> {
            int before = modifications();
            V value = function.apply(first, second);
            if (modifications() != before) {
                throw new ConcurrentModificationException("a function that computes a value changes the map");
            }
            return value;
        };
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
