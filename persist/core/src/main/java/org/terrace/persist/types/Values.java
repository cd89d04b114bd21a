// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import org.terrace.persist.Heap;
import org.terrace.persist.HeapException;
import org.terrace.persist.PersistentObject;

/**
 * What fields and collections hold besides references to persistent objects: copies of immutable Java values, namely strings,
 * wrappers of primitives, enums (by name), {@code Instant}, {@code UUID}, {@code BigInteger}, {@code BigDecimal}, {@code
 * Optional} of what can be held, and {@link org.terrace.persist.Persistent} records.
 */
public final class Values {
    private Values() {
    }

    /**
     * The object that stands for a value in the heap: itself for a persistent object, a new one otherwise. Null for null.
     *
     * @throws IllegalArgumentException if values of this class cannot be held
     */
    public static PersistentObject store(Heap heap, Object value) {
        return Boxed.store(heap, value);
    }

    /** The value that an object stands for. */
    public static Object load(PersistentObject object) {
        return Boxed.load(object);
    }

    /**
     * As {@link #load}, of a field: a value that this program cannot make is not what the field's type says.
     *
     * @throws HeapException if it is a {@link MissingConstant} or an {@link OpaqueRecord}, or has one inside
     */
    public static Object loadWhole(PersistentObject object, PersistentObject holder) {
        Object value = load(object);
        Opaque opaque = Opaque.in(value);
        if (opaque != null) {
            throw new HeapException(holder.heap().path() + ": a field of a " + holder.getClass().getName() + " has " + opaque + ", and "
                    + opaque.reason() + "; or store another value in the field");
        }
        return value;
    }

    /** Frees the copy of a value. A persistent object stays. */
    public static void free(PersistentObject object) {
        Boxed.free(object);
    }
}
