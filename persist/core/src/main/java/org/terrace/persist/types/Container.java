// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.function.Supplier;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.RawObjects;

/** The common superclass of maps and collections. It runs methods as blocks, and frees the parts of a container with it. */
abstract class Container extends PersistentObject {
    private ValueCache cache;

    Container(PersistentClass<?> type, Heap heap) {
        super(type, heap);
    }

    Container(Heap heap, long offset) {
        super(heap, offset);
    }

    @Override
    protected final boolean hasParts() {
        return true;
    }

    @Override
    protected final void freeParts() {
        clear();
        freeStructure();
        ValueCache known = cache();
        if (known != null) {
            raw().whenCommitted(() -> raw().detach(this, known));
        }
    }

    public abstract void clear();

    /** Frees the objects that an empty container still owns. */
    abstract void freeStructure();

    /** The same map or collection with the algorithms of {@code java.util}. */
    abstract Object view();

    final RawObjects raw() {
        return RawObjects.of(heap());
    }

    /**
     * Selects the values that gets cache in the Java heap, for all proxies of the collection, until the heap is closed. Gets by
     * index and by keys that are {@code Long}, {@code Integer} or {@code String} then use the cache, outside of blocks, and return
     * the same Java object each time. Iterations and other methods do not use it. After a commit that changes the value of a key,
     * the next get reads it again.
     *
     * @throws IllegalStateException inside a failure-atomic block or {@link Heap#read}
     * @throws org.terrace.persist.FreedObjectException if all values are to be loaded and one was freed. Nothing is changed then
     */
    final void cache(Caching caching) {
        raw().attach(this, () -> {
            ValueCache present = cache();
            boolean changes = (present == null) != (caching == Caching.NONE);
            ValueCache wanted = !changes ? present : caching == Caching.NONE ? null : new ValueCache(RawObjects.identity(this));
            if (caching == Caching.EAGER) {
                loadAll(wanted);
            }
            if (changes && present != null) {
                present.drop();
            }
            return wanted;
        });
    }

    /** Adds all values to the cache. */
    void loadAll(ValueCache into) {
        throw new UnsupportedOperationException(getClass().getName() + " has no gets that are cached");
    }

    /** The cache, or null if there is none. */
    final ValueCache cache() {
        ValueCache known = cache;
        if (known != null && !known.isDropped()) {
            return known;
        }
        ValueCache found = raw().attachment(this) instanceof ValueCache c && c.identity() == RawObjects.identity(this) ? c : null;
        cache = found;
        return found;
    }

    /** The value of a key from the cache. If it is not cached, it is read from the heap and added. */
    final <T> T cached(Object key, Supplier<T> get) {
        ValueCache known = cache();
        if (known == null || !ValueCache.isKey(key) || raw().isInBlock()) {
            return get.get();
        }
        raw().peek(this);
        Object value = known.get(key);
        if (value != ValueCache.UNKNOWN) {
            @SuppressWarnings("unchecked")
            T result = (T) value;
            return result;
        }
        long epoch = known.epoch(key);
        T read = get.get();
        known.put(key, read, epoch);
        return read;
    }

    /** Notes that the block has changed the value of a key. */
    final void changed(Object key) {
        ValueCache known = cache();
        if (known != null) {
            known.changed(raw(), key);
        }
    }

    final void changedAll() {
        ValueCache known = cache();
        if (known != null) {
            known.changedAll(raw());
        }
    }

    final <T> T reading(Supplier<T> function) {
        return heap().read(function);
    }

    final <T> T changing(Supplier<T> block) {
        return heap().atomic(block);
    }

    @Override
    public boolean equals(Object other) {
        return other == this || reading(() -> view().equals(other));
    }

    @Override
    public int hashCode() {
        return reading(() -> view().hashCode());
    }

    @Override
    public String toString() {
        return reading(() -> view().toString());
    }
}
