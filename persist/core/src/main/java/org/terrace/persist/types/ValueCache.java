// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.RawObjects;

/**
 * What a map or a list of the heap has under some keys, or indexes, as Java values. It knows committed values only: blocks do not
 * ask it, and the commit of a block that has changed a key makes what is known of the key stale, before others can take the
 * block's lock or read without it. So a rollback leaves nothing to be done.
 *
 * <p>A value is good while the epoch of its key's stripe is the one that was current before the value was read from the heap. A
 * reader that is overtaken by a commit so stores what is stale already. Thread-safe.
 */
final class ValueCache implements RawObjects.Attachment {
    /** Not a value. */
    static final Object UNKNOWN = new Object();
    private static final int STRIPES = 1 << 10;

    private final long identity;
    private final AtomicLongArray epochs = new AtomicLongArray(STRIPES);
    private final ConcurrentHashMap<Object, Known> values = new ConcurrentHashMap<>();
    private volatile boolean dropped;

    /** Compared by identity: a value's own {@code equals} might wait for the heap's lock. */
    private static final class Known {
        private final Object value;
        private final long epoch;

        Known(Object value, long epoch) {
            this.value = value;
            this.epoch = epoch;
        }
    }

    /** @param identity of the collection, as {@link RawObjects#identity} */
    ValueCache(long identity) {
        this.identity = identity;
    }

    long identity() {
        return identity;
    }

    /** Keys of which {@code equals} and the order of sorted maps agree, and which nobody can change. */
    static boolean isKey(Object key) {
        return key instanceof Long || key instanceof Integer || key instanceof String;
    }

    private static int stripe(Object key) {
        int hash = key.hashCode();
        return (hash ^ hash >>> 16) & STRIPES - 1;
    }

    /** {@link #UNKNOWN} if it is to be read from the heap. */
    Object get(Object key) {
        Known known = values.get(key);
        boolean good = known != null && known.epoch == epochs.get(stripe(key)) && !dropped
                && !(known.value instanceof PersistentObject object && object.isFreed());
        return good ? known.value : UNKNOWN;
    }

    /** To be asked before a value is read that is then given to {@link #put}. */
    long epoch(Object key) {
        return epochs.get(stripe(key));
    }

    /** Null is not kept: it may be the value of any number of keys that are not there. */
    void put(Object key, Object value, long epoch) {
        if (value != null && !dropped) {
            Known known = new Known(value, epoch);
            values.put(key, known);
            // A commit that came in between has removed the key before: it may not be asked for ever again.
            if (epochs.get(stripe(key)) != epoch) {
                values.remove(key, known);
            }
        }
    }

    /** Keys, also those whose value is stale. */
    int size() {
        return values.size();
    }

    /** The block that the thread is in has changed what a key has. */
    void changed(RawObjects raw, Object key) {
        if (isKey(key)) {
            raw.whenCommitted(() -> {
                epochs.incrementAndGet(stripe(key));
                values.remove(key);
            });
        }
    }

    /** The block that the thread is in has changed many. */
    void changedAll(RawObjects raw) {
        raw.whenCommitted(this::forgetAll);
    }

    /** An {@code Optional} or a record may hold what was freed. */
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

    /** Nobody tells it of changes from now on. */
    void drop() {
        dropped = true;
        values.clear();
    }
}
