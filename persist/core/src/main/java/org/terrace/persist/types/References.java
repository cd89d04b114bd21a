// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.RawObjects;

/** An array of references, without conversion of its elements to values. */
final class References extends PersistentObject {
    static final PersistentClass<References> CLASS = PersistentClass.references(References.class, References::new);

    References(Heap heap, int length) {
        super(CLASS, heap, (checkLength(length) + 1L) * Long.BYTES);
        setLong(0, length);
    }

    static int checkLength(int length) {
        if (length < 0) {
            throw new NegativeArraySizeException(String.valueOf(length));
        }
        return length;
    }

    private References(Heap heap, long offset) {
        super(heap, offset);
    }

    long length() {
        return checkLength(getLong(0), Long.BYTES, Long.BYTES);
    }

    /** The field of an element. The index comes from this library, which has read it from the heap. */
    private long at(long index) {
        if (index < 0 || index >= length()) {
            return fail(RawObjects.of(heap()), RawObjects.of(heap()).referenceTo(this), index);
        }
        return (index + 1) * Long.BYTES;
    }

    PersistentObject get(long index) {
        return getReference(at(index));
    }

    /** Like get, but null for an object that was freed. For an element that is about to be removed. */
    PersistentObject getUnlessFreed(long index) {
        return getReferenceUnlessFreed(at(index));
    }

    void set(long index, PersistentObject value) {
        setReference(at(index), value);
    }

    /** The reference itself, even if the object was freed. */
    long reference(long index) {
        return getLong(at(index));
    }

    void reference(long index, long reference) {
        setLong(at(index), reference);
    }

    /** Creates an array and returns its reference. Like the next two methods, it uses no proxy. */
    static long make(RawObjects raw, int length) {
        long array = raw.allocate(CLASS, (length + 1L) * Long.BYTES);
        raw.putLong(array, 0, length);
        return array;
    }

    static long get(RawObjects raw, long array, long index) {
        return raw.getLong(array, fieldOf(raw, array, index));
    }

    /** Like {@link #get}, for {@link UnlockedGet}. */
    static long peek(RawObjects raw, long array, long index) {
        long header = raw.peekHeader(array, CLASS, 0);
        boolean inside = index >= 0 && index <= RawObjects.payloadBytes(header) / Long.BYTES - 2;
        return inside ? raw.peekLong(array, (index + 1) * Long.BYTES) : fail(raw, array, index);
    }

    private static long fail(RawObjects raw, long array, long index) {
        throw raw.damaged(array, "has no element " + index);
    }

    static void set(RawObjects raw, long array, long index, long reference) {
        raw.putLong(array, fieldOf(raw, array, index), reference);
    }

    private static long fieldOf(RawObjects raw, long array, long index) {
        if (index < 0 || index > RawObjects.payloadBytes(raw.header(array, CLASS)) / Long.BYTES - 2) {
            return fail(raw, array, index);
        }
        return (index + 1) * Long.BYTES;
    }
}
