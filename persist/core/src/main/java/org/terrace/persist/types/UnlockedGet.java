// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import org.terrace.persist.RawObjects;

/**
 * Gets of a hash map without a lock, between {@link RawObjects#beginRead} and {@link RawObjects#hasRead}. Each object is checked
 * when it is visited, and no other code is called. The state during a commit may be inconsistent, but results from it are
 * discarded.
 */
final class UnlockedGet {
    /** Maximum number of entries visited in one chain, because a chain may look endless during a commit. */
    private static final int MAX_ENTRIES = 64;

    private UnlockedGet() {
    }

    /** The value, or {@link Boxed#NOT_PLAIN} if key or value is not plain or a commit happened meanwhile. */
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
            // A commit in progress or damage may cause any exception. The get with the lock distinguishes them.
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
