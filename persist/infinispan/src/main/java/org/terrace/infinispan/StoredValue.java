// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;

/** An immutable {@link StoredEntry} in the heap. The expiry comes first, so that checking it reads nothing else. */
final class StoredValue extends PersistentObject {
    static final PersistentClass<StoredValue> CLASS = PersistentClass.bytes(StoredValue.class, StoredValue::new);
    private static final int EXPIRY = 0;
    private static final int CREATED = 8;
    private static final int LAST_USED = 16;
    /** Lengths in bytes, or -1 for null. */
    private static final int VALUE_LENGTH = 24;
    private static final int METADATA_LENGTH = 28;
    private static final int INTERNAL_LENGTH = 32;
    private static final int CONTENT = 36;

    StoredValue(Heap heap, StoredEntry entry) {
        super(CLASS, heap, CONTENT + entry.size());
        setLong(EXPIRY, entry.expiry());
        setLong(CREATED, entry.created());
        setLong(LAST_USED, entry.lastUsed());
        long end = put(VALUE_LENGTH, entry.value(), CONTENT);
        end = put(METADATA_LENGTH, entry.metadata(), end);
        put(INTERNAL_LENGTH, entry.internalMetadata(), end);
    }

    private StoredValue(Heap heap, long offset) {
        super(heap, offset);
    }

    private long put(int lengthField, byte[] bytes, long at) {
        setInt(lengthField, bytes == null ? -1 : bytes.length);
        if (bytes == null) {
            return at;
        }
        putBytes(at, bytes, 0, bytes.length);
        return at + bytes.length;
    }

    private byte[] get(long at, int length) {
        byte[] bytes = new byte[(int) checkLength(length, at, Byte.BYTES)];
        getBytes(at, bytes, 0, length);
        return bytes;
    }

    private byte[] getUnlessNull(long at, int length) {
        return length < 0 ? null : get(at, length);
    }

    /** The entry. Must be called in a {@link Heap#read} or a block. */
    StoredEntry load() {
        byte[] value = get(CONTENT, getInt(VALUE_LENGTH));
        long metadataAt = CONTENT + (long) value.length;
        byte[] metadata = getUnlessNull(metadataAt, getInt(METADATA_LENGTH));
        byte[] internal = getUnlessNull(metadataAt + (metadata == null ? 0 : metadata.length), getInt(INTERNAL_LENGTH));
        return new StoredEntry(value, metadata, internal, getLong(CREATED), getLong(LAST_USED), getLong(EXPIRY));
    }

    /** Approximate bytes of memory of the result of {@link #load}. */
    long size() {
        return (long) getInt(VALUE_LENGTH) + Math.max(0, getInt(METADATA_LENGTH)) + Math.max(0, getInt(INTERNAL_LENGTH));
    }

    /** Whether the entry has an expiry. */
    boolean isMortal() {
        return getLong(EXPIRY) > 0;
    }

    boolean isExpired(long now) {
        long expiry = getLong(EXPIRY);
        return expiry > 0 && expiry <= now;
    }
}
