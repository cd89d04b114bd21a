package org.terrace.persist.types;

import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;

/** A mapping of a hash map, in the chain of its bucket. */
final class HashEntry extends MapEntry {
    static final PersistentClass<HashEntry> CLASS = PersistentClass.of(HashEntry.class, HashEntry::new)
            .field("key", FieldType.REFERENCE).field("value", FieldType.REFERENCE).field("next", FieldType.REFERENCE)
            .field("hash", FieldType.INT).build();
    private static final int NEXT = CLASS.offset("next");
    private static final int HASH = CLASS.offset("hash");

    HashEntry(Heap heap, int hash, PersistentObject key, PersistentObject value) {
        super(CLASS, heap, key, value);
        setInt(HASH, hash);
    }

    private HashEntry(Heap heap, long offset) {
        super(heap, offset);
    }

    int hash() {
        return getInt(HASH);
    }

    HashEntry next() {
        return (HashEntry) getReference(NEXT);
    }

    void next(HashEntry next) {
        setReference(NEXT, next);
    }
}
