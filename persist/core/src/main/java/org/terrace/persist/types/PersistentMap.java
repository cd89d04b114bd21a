// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;

/**
 * A map in the heap. Each method is a failure-atomic block, or a {@link Heap#read} if it changes nothing. Functions passed to
 * {@code compute} and similar methods run inside the block. Keys and values are as in {@link PersistentCollection}. Keys that are
 * persistent objects must have {@code equals} and {@code hashCode} methods with the same results after a restart, like the methods
 * of {@link PersistentObject}.
 */
public abstract class PersistentMap<K, V> extends Container implements Map<K, V> {

    PersistentMap(PersistentClass<?> type, Heap heap) {
        super(type, heap);
    }

    PersistentMap(Heap heap, long offset) {
        super(heap, offset);
    }

    /** Starts a definition with the fields that every map has. */
    static <T extends PersistentObject> PersistentClass.Builder<T> fields(Class<T> type,
            PersistentClass.Resurrector<T> resurrector) {
        return PersistentClass.of(type, resurrector).field("size", FieldType.INT).field("modifications", FieldType.INT);
    }

    private static final int SIZE = 0;
    private static final int MODIFICATIONS = 4;

    final int storedSize() {
        return raw().checkedSize(this, getInt(SIZE));
    }

    /** Changes the size, which invalidates iterators. */
    final void changeSize(int by) {
        setInt(SIZE, getInt(SIZE) + by);
        setInt(MODIFICATIONS, getInt(MODIFICATIONS) + 1);
    }

    final int modifications() {
        return getInt(MODIFICATIONS);
    }

    /** A view in which each get is a read. */
    @Override
    abstract ViewMap<K, V> view();

    @Override
    public int size() {
        return storedSize();
    }

    @Override
    public boolean isEmpty() {
        return storedSize() == 0;
    }

    @Override
    public V get(Object key) {
        return cached(key, () -> view().get(key));
    }

    /**
     * Selects the values that gets cache in the Java heap, for all proxies of the map, until the heap is closed or the map is
     * freed. Gets by keys that are {@code Long}, {@code Integer} or {@code String} then use the cache, outside of blocks, and
     * return the same Java object each time. Other methods, iterations and views do not use it. After a commit that has changed a
     * mapping, the next get reads it from the persistent heap again. The cache never holds more than the map, but has no other
     * limit.
     *
     * @throws IllegalStateException inside a failure-atomic block or {@link Heap#read}
     * @throws org.terrace.persist.FreedObjectException if all values are to be loaded and one was freed. Nothing is changed then
     */
    public void caching(Caching caching) {
        cache(caching);
    }

    @Override
    final void loadAll(ValueCache into) {
        view().forEach((key, value) -> {
            if (ValueCache.isKey(key)) {
                into.put(key, value, into.epoch(key));
            }
        });
    }

    @Override
    public boolean containsKey(Object key) {
        return view().containsKey(key);
    }

    @Override
    public boolean containsValue(Object value) {
        return reading(() -> view().containsValue(value));
    }

    @Override
    public V put(K key, V value) {
        return changing(() -> view().put(key, value));
    }

    @Override
    public V remove(Object key) {
        return changing(() -> view().remove(key));
    }

    @Override
    public void putAll(Map<? extends K, ? extends V> m) {
        heap().atomic(() -> view().putAll(m));
    }

    @Override
    public void clear() {
        heap().atomic(() -> view().clear());
    }

    @Override
    public Set<K> keySet() {
        return view().keySet();
    }

    @Override
    public Collection<V> values() {
        return view().values();
    }

    @Override
    public Set<Entry<K, V>> entrySet() {
        return view().entrySet();
    }

    @Override
    public V getOrDefault(Object key, V absent) {
        return reading(() -> view().getOrDefault(key, absent));
    }

    @Override
    public void replaceAll(BiFunction<? super K, ? super V, ? extends V> function) {
        heap().atomic(() -> view().replaceAll(function));
    }

    @Override
    public V putIfAbsent(K key, V value) {
        return changing(() -> view().putIfAbsent(key, value));
    }

    @Override
    public boolean remove(Object key, Object value) {
        return changing(() -> view().remove(key, value));
    }

    @Override
    public boolean replace(K key, V old, V value) {
        return changing(() -> view().replace(key, old, value));
    }

    @Override
    public V replace(K key, V value) {
        return changing(() -> view().replace(key, value));
    }

    @Override
    public V computeIfAbsent(K key, Function<? super K, ? extends V> function) {
        return changing(() -> view().computeIfAbsent(key, function));
    }

    @Override
    public V computeIfPresent(K key, BiFunction<? super K, ? super V, ? extends V> function) {
        return changing(() -> view().computeIfPresent(key, function));
    }

    @Override
    public V compute(K key, BiFunction<? super K, ? super V, ? extends V> function) {
        return changing(() -> view().compute(key, function));
    }

    @Override
    public V merge(K key, V value, BiFunction<? super V, ? super V, ? extends V> function) {
        return changing(() -> view().merge(key, value, function));
    }
}
