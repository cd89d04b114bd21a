package org.terrace.persist.types;

import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;

/** An array of references, without a conversion of what it holds. */
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
        return getLong(0);
    }

    PersistentObject get(long index) {
        return getReference((index + 1) * Long.BYTES);
    }

    void set(long index, PersistentObject value) {
        setReference((index + 1) * Long.BYTES, value);
    }
}
