// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.types.Bytes;
import org.terrace.persist.types.PersistentHashMap;

/**
 * The entries of one segment of a cache, by the bytes of their keys. It counts the entries with an expiry. If there are none,
 * purges and counts need not read the entries.
 */
final class Segment extends PersistentObject {
    static final PersistentClass<Segment> CLASS = PersistentClass.of(Segment.class, Segment::new)
            .field("entries", FieldType.REFERENCE).field("mortal", FieldType.LONG).build();
    private static final int ENTRIES = CLASS.offset("entries");
    private static final int MORTAL = CLASS.offset("mortal");

    /** Must be called in a block. */
    Segment(Heap heap) {
        super(CLASS, heap);
        setReference(ENTRIES, new PersistentHashMap<>(heap));
    }

    private Segment(Heap heap, long offset) {
        super(heap, offset);
    }

    @SuppressWarnings("unchecked")
    private PersistentHashMap<Bytes, StoredValue> entries() {
        return getPart(ENTRIES, PersistentHashMap.class);
    }

    PersistentHashMap<Bytes, StoredValue>.Scan scan() {
        return entries().scan();
    }

    int size() {
        return entries().size();
    }

    long mortal() {
        return getLong(MORTAL);
    }

    StoredValue get(Bytes key) {
        return entries().get(key);
    }

    /** Must be called in a block. */
    void put(Bytes key, StoredEntry entry) {
        StoredValue value = new StoredValue(heap(), entry);
        drop(entries().put(key, value));
        if (value.isMortal()) {
            setLong(MORTAL, mortal() + 1);
        }
    }

    /** Removes a key and returns whether it was present. Must be called in a block. */
    boolean remove(Bytes key) {
        StoredValue old = entries().remove(key);
        drop(old);
        return old != null;
    }

    private void drop(StoredValue old) {
        if (old != null) {
            if (old.isMortal()) {
                setLong(MORTAL, mortal() - 1);
            }
            heap().free(old);
        }
    }

    @Override
    protected boolean hasParts() {
        return true;
    }

    /** Frees the map, which must be empty because its values are not freed with it. */
    @Override
    protected void freeParts() {
        heap().free(entries());
    }
}
