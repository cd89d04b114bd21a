package org.terrace.persist.types;

import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;

/** A mapping in the heap. Subclasses have the fields {@code key} and {@code value} first. */
abstract class MapEntry extends PersistentObject {
    static final int KEY = 0;
    static final int VALUE = 8;

    MapEntry(PersistentClass<?> type, Heap heap, PersistentObject key, PersistentObject value) {
        super(type, heap);
        setReference(KEY, key);
        setReference(VALUE, value);
    }

    MapEntry(Heap heap, long offset) {
        super(heap, offset);
    }

    Object key() {
        return Boxed.load(getReference(KEY));
    }

    Object value() {
        return Boxed.load(getReference(VALUE));
    }

    /** The old value; its copy is freed. */
    Object replaceValue(Object value) {
        PersistentObject old = getReference(VALUE);
        Object result = Boxed.load(old);
        setReference(VALUE, Boxed.store(heap(), value));
        Boxed.free(old);
        return result;
    }

    /** Takes over key and value of another entry, which keeps them too. */
    void copyFrom(MapEntry other) {
        setReference(KEY, other.getReference(KEY));
        setReference(VALUE, other.getReference(VALUE));
    }

    /** Frees the entry with its copies of key and value. */
    void destroy() {
        Boxed.free(getReference(KEY));
        Boxed.free(getReference(VALUE));
        heap().free(this);
    }
}
