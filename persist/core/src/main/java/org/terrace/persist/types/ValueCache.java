// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.RawObjects;

/**
 * The cached Java values of a map or list in the heap, by key or index. It contains only committed values. Blocks do not use it.
 * When a block that has changed a key commits, the cached value becomes stale, before others can acquire the block's lock or read
 * without it. Therefore a rollback needs no action.
 *
 * <p>A value is valid while the epoch of its key's stripe equals the epoch from before the value was read from the heap. If a
 * commit overtakes a reader, the reader stores a value that is already stale. Thread-safe.
 */
final class ValueCache implements RawObjects.Attachment {
    /** Marker for the absence of a value. */
    static final Object UNKNOWN = new Object();
    private static final int STRIPES = 1 << 10;

    private final long identity;
    private final AtomicLongArray epochs = new AtomicLongArray(STRIPES);
    private final ConcurrentHashMap<Object, Known> values = new ConcurrentHashMap<>();
    private volatile boolean dropped;

    /** Compared by identity, because a value's own {@code equals} could wait for the heap's lock. */
    private static final class Known {
        private final Object value;
        private final long epoch;

        Known(Object value, long epoch) {
            this.value = value;
            this.epoch = epoch;
        }
    }

    /** @param identity identity of the collection, see {@link RawObjects#identity} */
    ValueCache(long identity) {
        this.identity = identity;
    }

    long identity() {
        return identity;
    }

    /** Whether a key can be cached. For such keys {@code equals} agrees with the order of sorted maps, and they are immutable. */
    static boolean isKey(Object key) {
        return key instanceof Long || key instanceof Integer || key instanceof String;
    }

    private static int stripe(Object key) {
        int hash = key.hashCode();
        return (hash ^ hash >>> 16) & STRIPES - 1;
    }

    /** The value, or {@link #UNKNOWN} if it must be read from the heap. */
    Object get(Object key) {
        Known known = values.get(key);
        boolean good = known != null && known.epoch == epochs.get(stripe(key)) && !dropped
                && !(known.value instanceof PersistentObject object && object.isFreed());
        return good ? known.value : UNKNOWN;
    }

    /** The current epoch of a key. Call it before reading a value for {@link #put}. */
    long epoch(Object key) {
        return epochs.get(stripe(key));
    }

    /** Adds a value. Null is not cached, because an unlimited number of absent keys have that value. */
    void put(Object key, Object value, long epoch) {
        if (value != null && !dropped) {
            Known known = new Known(value, epoch);
            values.put(key, known);
            // A commit meanwhile has already removed the key. Without this removal the stale value might stay forever.
            if (epochs.get(stripe(key)) != epoch) {
                values.remove(key, known);
            }
        }
    }

    /** Number of keys, including those with stale values. */
    int size() {
        return values.size();
    }

    /** Notes that the thread's block has changed the value of a key. */
    void changed(RawObjects raw, Object key) {
        if (isKey(key)) {
            raw.whenCommitted(() -> {
                epochs.incrementAndGet(stripe(key));
                values.remove(key);
            });
        }
    }

    /** Notes that the thread's block has changed many values. */
    void changedAll(RawObjects raw) {
        raw.whenCommitted(this::forgetAll);
    }

    /** Forgets all values, because an {@code Optional} or a record may contain a freed object. */
    @Override
    public void collected() {
        forgetAll();
    }

    private void forgetAll() {
        for (int i = 0; i < STRIPES; i++) {
            epochs.incrementAndGet(i);
        }
        values.clear();
    }

    boolean isDropped() {
        return dropped;
    }

    /** Ends the use of this cache, which is not notified of changes afterwards. */
    void drop() {
        dropped = true;
        values.clear();
    }
}
