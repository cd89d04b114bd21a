package org.terrace.persist.types;

import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.RawObjects;

/** A mapping in the heap. Subclasses begin their fields with {@link #fields}. */
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

    /** The fields of every entry, first. */
    static <T extends MapEntry> PersistentClass.Builder<T> fields(Class<T> type, PersistentClass.Resurrector<T> resurrector) {
        return PersistentClass.of(type, resurrector).field("key", FieldType.REFERENCE).field("value", FieldType.REFERENCE);
    }

    /** The fields of the entries of hash maps that hold key, value or both themselves, as {@link HashEntry} tells. */
    static <T extends PersistentObject> PersistentClass<T> inline(Class<T> type, PersistentClass.Resurrector<T> resurrector,
            FieldType key, FieldType value) {
        return PersistentClass.of(type, resurrector).field("key", key).field("value", value).field("next", FieldType.REFERENCE)
                .field("hash", FieldType.INT).field("kinds", FieldType.INT).build();
    }

    Object key() {
        return Boxed.load(getReference(KEY));
    }

    Object value() {
        return Boxed.load(getReference(VALUE));
    }

    /** The old value; its copy is freed. */
    Object replaceValue(Object value) {
        RawObjects raw = RawObjects.of(heap());
        long old = getLong(VALUE);
        Object result = Boxed.loadToDrop(raw, old);
        setLong(VALUE, Boxed.replace(raw, old, value));
        return result;
    }

    /** As {@link #value}, but null if that was freed: for an entry that is about to go. */
    Object valueToDrop() {
        return Boxed.loadToDrop(RawObjects.of(heap()), getLong(VALUE));
    }

    /** Takes over key and value of another entry, which keeps them too. */
    void copyFrom(MapEntry other) {
        setReference(KEY, other.getReference(KEY));
        setReference(VALUE, other.getReference(VALUE));
    }

    /** Frees the entry with its copies of key and value. */
    void destroy() {
        Boxed.free(getReferenceUnlessFreed(KEY));
        Boxed.free(getReferenceUnlessFreed(VALUE));
        heap().free(this);
    }
}
