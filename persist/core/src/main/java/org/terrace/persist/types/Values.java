// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import org.terrace.persist.Heap;
import org.terrace.persist.HeapException;
import org.terrace.persist.PersistentObject;

/**
 * Copies of immutable Java values, which fields and collections store besides references to persistent objects. Supported are
 * strings, wrappers of primitives, enums (by name), {@code Instant}, {@code UUID}, {@code BigInteger}, {@code BigDecimal},
 * {@code Optional} of a supported value, and {@link org.terrace.persist.Persistent} records.
 */
public final class Values {
    private Values() {
    }

    /**
     * The object that represents a value in the heap: the value itself if it is a persistent object, otherwise a new object. Null
     * for null.
     *
     * @throws IllegalArgumentException if values of this class cannot be stored
     */
    public static PersistentObject store(Heap heap, Object value) {
        return Boxed.store(heap, value);
    }

    /** The value that an object represents. */
    public static Object load(PersistentObject object) {
        return Boxed.load(object);
    }

    /**
     * Like {@link #load}, for a field. A placeholder for a value that this program cannot create does not match the field's type.
     *
     * @throws HeapException if the value is or contains a {@link MissingConstant} or an {@link OpaqueRecord}
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

    /** Frees the copy of a value. A persistent object of the program is not freed. */
    public static void free(PersistentObject object) {
        Boxed.free(object);
    }
}
