// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** State in memory that belongs to an object of a heap and is shared by its proxies. It is removed when it is no longer referenced. */
public final class SharedStates {
    private final Map<Long, Held> states = new ConcurrentHashMap<>();
    private final ReferenceQueue<Object> unused = new ReferenceQueue<>();

    private static final class Held extends WeakReference<Object> {
        private final long offset;
        private final long identity;

        Held(Object state, long offset, long identity, ReferenceQueue<Object> unused) {
            super(state, unused);
            this.offset = offset;
            this.identity = identity;
        }
    }

    /** @param identity distinguishes an object from earlier objects at the same offset */
    public <T> T get(long offset, long identity, Supplier<T> absent) {
        for (Held gone = (Held) unused.poll(); gone != null; gone = (Held) unused.poll()) {
            states.remove(gone.offset, gone);
        }
        T state = of(states.get(offset), identity);
        if (state != null) {
            return state;
        }
        T made = absent.get();
        Held added = new Held(made, offset, identity, unused);
        // The state of an earlier object at this offset is needed only by its own users.
        for (Held present = states.putIfAbsent(offset, added); present != null; present = states.putIfAbsent(offset, added)) {
            T other = of(present, identity);
            if (other != null) {
                return other;
            }
            states.remove(offset, present);
        }
        return made;
    }

    @SuppressWarnings("unchecked")
    private static <T> T of(Held held, long identity) {
        return held != null && held.identity == identity ? (T) held.get() : null;
    }
}
