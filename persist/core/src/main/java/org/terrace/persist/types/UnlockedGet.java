// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import org.terrace.persist.RawObjects;

/**
 * Gets of a hash map without a lock, between {@link RawObjects#beginRead} and {@link RawObjects#hasRead}. Each object is checked
 * when it is met, and nobody's code is called; what half a commit looks like does not matter, as it is not used.
 */
final class UnlockedGet {
    /** Entries of one chain that are looked at: half a commit may show a chain that has no end. */
    private static final int MAX_ENTRIES = 64;

    private UnlockedGet() {
    }

    /** {@link Boxed#NOT_PLAIN} if that cannot be done: key or value is not plain, or a commit came in between. */
    static Object get(RawObjects raw, PersistentHashMap<?, ?> map, Object key) {
        if (!Boxed.isPlain(key)) {
            return Boxed.NOT_PLAIN;
        }
        long begun = raw.beginRead();
        if (!RawObjects.canRead(begun)) {
            return Boxed.NOT_PLAIN;
        }
        Object value;
        try {
            int hash = StableHash.of(key);
            value = get(raw, bucket(raw, map, hash), hash, key);
        } catch (RuntimeException e) {
            // Half a commit may look like anything; so may damage: a look with the lock tells.
            return Boxed.NOT_PLAIN;
        }
        return raw.hasRead(begun) ? value : Boxed.NOT_PLAIN;
    }

    /** The first entry of the bucket. */
    private static long bucket(RawObjects raw, PersistentHashMap<?, ?> map, int hash) {
        long reference = raw.peek(map);
        int bucket = PersistentHashMap.bucketOf(hash, raw.peekInt(reference, PersistentHashMap.BUCKETS));
        return ReferenceVector.peek(raw, raw.peekLong(reference, PersistentHashMap.TABLE), bucket);
    }

    private static Object get(RawObjects raw, long first, int hash, Object key) {
        int kind = Inline.kindOf(key);
        long content = Inline.contentOf(kind, key);
        long e = first;
        for (int i = 0; e != 0; i++, e = raw.peekLong(e, HashEntry.NEXT)) {
            if (i == MAX_ENTRIES) {
                return Boxed.NOT_PLAIN;
            }
            raw.peekHeader(e, HashEntry.CLASSES, HashEntry.PAYLOAD_BYTES);
            long hashAndKinds = raw.peekLong(e, HashEntry.HASH);
            if ((int) hashAndKinds != hash) {
                continue;
            }
            int entryKind = HashEntry.keyKind(hashAndKinds);
            long entryContent = raw.peekLong(e, MapEntry.KEY);
            if (entryKind != Inline.REFERENCE ? entryKind == kind && entryContent == content
                    : entryContent != 0 && Boxed.isEqualPlain(raw, entryContent, key)) {
                return value(raw, HashEntry.valueKind(hashAndKinds), raw.peekLong(e, MapEntry.VALUE));
            }
        }
        return null;
    }

    private static Object value(RawObjects raw, int kind, long content) {
        return kind == Inline.REFERENCE ? Boxed.loadPlain(raw, content) : Inline.value(kind, content);
    }
}
