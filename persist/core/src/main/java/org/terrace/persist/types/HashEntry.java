// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.RawObjects;

/**
 * A mapping of a hash map, in the chain of its bucket. The map uses it by reference, without a proxy. Four classes of entries
 * differ only in whether key and value are references or inline content as {@link Inline} describes. A collection uses the class to
 * determine the references. In this class, both are references, as in heaps of older versions. All four classes store the kinds of
 * key and value in their last four bytes. In this class these bytes belong to no field and are 0.
 */
final class HashEntry extends MapEntry {
    static final PersistentClass<HashEntry> CLASS = fields(HashEntry.class, HashEntry::new)
            .field("next", FieldType.REFERENCE).field("hash", FieldType.INT).build();
    static final int NEXT = CLASS.offset("next");
    /** Offset of the hash. The kinds follow, 16 bits for the key and then 16 bits for the value. */
    static final int HASH = CLASS.offset("hash");
    private static final int KINDS = HASH + Integer.BYTES;
    static final int PAYLOAD_BYTES = KINDS + Integer.BYTES;
    private static final int KEY_KIND_SHIFT = Integer.SIZE;
    private static final int VALUE_KIND_SHIFT = KEY_KIND_SHIFT + Short.SIZE;
    /** Indexed by the inline parts: none, key, value, both. */
    static final PersistentClass<?>[] CLASSES = {CLASS, InlineKeyEntry.CLASS, InlineValueEntry.CLASS, InlineEntry.CLASS};

    private HashEntry(Heap heap, long offset) {
        super(heap, offset);
    }

    /** Creates an entry with a copy of the value. The key must already be stored, or be inline. */
    static long make(RawObjects raw, int hash, int keyKind, long key, Object value, long next) {
        boolean fits = Inline.fits(value);
        int valueKind = Inline.kindOf(value);
        long entry = raw.allocate(CLASSES[(isInline(keyKind, key) ? 1 : 0) + (fits ? 2 : 0)], 0);
        raw.putLong(entry, KEY, key);
        raw.putLong(entry, VALUE, fits ? Inline.contentOf(valueKind, value) : Boxed.store(raw, value));
        raw.putLong(entry, NEXT, next);
        raw.putLong(entry, HASH, Integer.toUnsignedLong(hash) | (long) (keyKind | valueKind << Short.SIZE) << KEY_KIND_SHIFT);
        return entry;
    }

    /** Creates an entry with copies of key and value. */
    static long make(RawObjects raw, int hash, Object key, Object value, long next) {
        int kind = Inline.kindOf(key);
        return make(raw, hash, kind, Inline.fits(key) ? Inline.contentOf(kind, key) : Boxed.store(raw, key), value, next);
    }

    private static boolean isInline(int kind, long content) {
        return kind != Inline.REFERENCE || content == 0;
    }

    /** Checks an entry, so that its fields may be used. 0 stays 0. */
    static long checked(RawObjects raw, long entry) {
        if (entry != 0) {
            raw.header(entry, CLASSES, PAYLOAD_BYTES);
        }
        return entry;
    }

    /** The hash in the low half, and the kinds in the high half. */
    static long hashAndKinds(RawObjects raw, long entry) {
        return raw.getLong(entry, HASH);
    }

    static int hash(RawObjects raw, long entry) {
        return raw.getInt(entry, HASH);
    }

    static int keyKind(long hashAndKinds) {
        return (int) (hashAndKinds >>> KEY_KIND_SHIFT) & 0xffff;
    }

    static int valueKind(long hashAndKinds) {
        return (int) (hashAndKinds >>> VALUE_KIND_SHIFT);
    }

    static Object key(RawObjects raw, long entry) {
        return load(raw, keyKind(hashAndKinds(raw, entry)), raw.getLong(entry, KEY));
    }

    static Object value(RawObjects raw, long entry) {
        return load(raw, valueKind(hashAndKinds(raw, entry)), raw.getLong(entry, VALUE));
    }

    /** Like {@link Boxed#loadToDrop}. */
    static Object valueToDrop(RawObjects raw, long entry) {
        int kind = valueKind(hashAndKinds(raw, entry));
        long content = raw.getLong(entry, VALUE);
        return kind == Inline.REFERENCE ? Boxed.loadToDrop(raw, content) : Inline.value(kind, content);
    }

    private static Object load(RawObjects raw, int kind, long content) {
        return kind == Inline.REFERENCE ? Boxed.load(raw, content) : Inline.value(kind, content);
    }

    static boolean hasKey(RawObjects raw, long entry, int hash, Object key) {
        long hashAndKinds = hashAndKinds(raw, entry);
        if ((int) hashAndKinds != hash) {
            return false;
        }
        int kind = keyKind(hashAndKinds);
        long content = raw.getLong(entry, KEY);
        return kind == Inline.REFERENCE ? Boxed.isEqual(raw, content, key) : Inline.isEqual(kind, content, key);
    }

    /**
     * Stores a copy of another value and frees the previous one.
     *
     * @return the entry, or an entry of another class that must replace it and has the same next entry
     */
    static long replaceValue(RawObjects raw, long entry, Object value) {
        long hashAndKinds = hashAndKinds(raw, entry);
        int oldKind = valueKind(hashAndKinds);
        long old = raw.getLong(entry, VALUE);
        boolean holdsInline = raw.isA(entry, InlineEntry.CLASS) || raw.isA(entry, InlineValueEntry.CLASS);
        if (value == null || Inline.fits(value) == holdsInline) {
            replaceInPlace(raw, entry, hashAndKinds, old, value);
            return entry;
        }
        long added = copyOfKey(raw, entry, hashAndKinds, value);
        if (oldKind == Inline.REFERENCE) {
            Boxed.free(raw, old);
        }
        raw.free(entry);
        return added;
    }

    private static void replaceInPlace(RawObjects raw, long entry, long hashAndKinds, long old, Object value) {
        if (!Inline.fits(value)) {
            raw.putLong(entry, VALUE, Boxed.replace(raw, old, value));
            return;
        }
        if (valueKind(hashAndKinds) == Inline.REFERENCE) {
            Boxed.free(raw, old);
        }
        int kind = Inline.kindOf(value);
        raw.putLong(entry, VALUE, Inline.contentOf(kind, value));
        if (kind != valueKind(hashAndKinds)) {
            raw.putInt(entry, KINDS, keyKind(hashAndKinds) | kind << Short.SIZE);
        }
    }

    /** Creates an entry with the same key. A key that an older program stored as a copy becomes inline if it fits. */
    private static long copyOfKey(RawObjects raw, long entry, long hashAndKinds, Object value) {
        int kind = keyKind(hashAndKinds);
        long content = raw.getLong(entry, KEY);
        long next = raw.getLong(entry, NEXT);
        boolean isCopy = kind == Inline.REFERENCE && content != 0 && raw.isA(content, Boxed.CLASS);
        Object copied = isCopy ? Boxed.load(raw, content) : null;
        if (copied == null || !Inline.fits(copied)) {
            return make(raw, (int) hashAndKinds, kind, content, value, next);
        }
        Boxed.free(raw, content);
        return make(raw, (int) hashAndKinds, copied, value, next);
    }

    /** Frees an entry with its copies of key and value. */
    static void destroy(RawObjects raw, long entry) {
        long hashAndKinds = hashAndKinds(raw, entry);
        if (keyKind(hashAndKinds) == Inline.REFERENCE) {
            Boxed.free(raw, raw.getLong(entry, KEY));
        }
        if (valueKind(hashAndKinds) == Inline.REFERENCE) {
            Boxed.free(raw, raw.getLong(entry, VALUE));
        }
        raw.free(entry);
    }
}
