// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import org.terrace.persist.FreedObjectException;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.RawObjects;

/** A mapping of a sorted map with references to its key and value. The map must check an entry before it calls these methods. */
abstract class SortedEntry extends MapEntry {

    SortedEntry(Heap heap, long offset) {
        super(heap, offset);
    }

    /** Creates an entry with copies of key and value. */
    static long make(RawObjects raw, PersistentClass<?> type, Object key, Object value) {
        long entry = raw.allocate(type, 0);
        raw.putLong(entry, KEY, Boxed.store(raw, key));
        raw.putLong(entry, VALUE, Boxed.store(raw, value));
        return entry;
    }

    static Object key(RawObjects raw, long entry) {
        return Boxed.load(raw, raw.getLong(entry, KEY));
    }

    /**
     * The reference to the key, for a search, which cannot skip a null key. A collection sets the reference to null if the program
     * has freed the key.
     */
    static long keyReference(RawObjects raw, long entry) {
        long key = raw.getLong(entry, KEY);
        if (key == 0) {
            throw new FreedObjectException(raw.heap().path() + ": the entry at offset " + entry + " of a sorted map has no key: the"
                    + " program has freed it, or the heap is damaged");
        }
        return key;
    }

    /** The key, or null if the program has freed it. */
    static Object keyUnlessFreed(RawObjects raw, long entry) {
        return Boxed.loadToDrop(raw, raw.getLong(entry, KEY));
    }

    static Object value(RawObjects raw, long entry) {
        return Boxed.load(raw, raw.getLong(entry, VALUE));
    }

    /** Compares a key with the key of the entry. */
    static int compare(RawObjects raw, Object key, long entry) {
        return Boxed.compare(raw, key, keyReference(raw, entry));
    }

    /** Like {@link Boxed#loadToDrop}. */
    static Object valueToDrop(RawObjects raw, long entry) {
        return Boxed.loadToDrop(raw, raw.getLong(entry, VALUE));
    }

    /** Replaces the value, frees its copy and returns it. */
    static Object replaceValue(RawObjects raw, long entry, Object value) {
        long old = raw.getLong(entry, VALUE);
        Object result = Boxed.loadToDrop(raw, old);
        raw.putLong(entry, VALUE, Boxed.replace(raw, old, value));
        return result;
    }

    /** Frees an entry with its copies of key and value. */
    static void destroy(RawObjects raw, long entry) {
        Boxed.free(raw, raw.getLong(entry, KEY));
        Boxed.free(raw, raw.getLong(entry, VALUE));
        raw.free(entry);
    }
}
