// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.RawObjects;

/** A mapping of a tree map, which is a node of the treap. */
final class TreeEntry extends SortedEntry {
    static final PersistentClass<TreeEntry> CLASS = fields(TreeEntry.class, TreeEntry::new)
            .field("left", FieldType.REFERENCE).field("right", FieldType.REFERENCE).field("priority", FieldType.INT).build();
    private static final int LEFT = CLASS.offset("left");
    private static final int RIGHT = CLASS.offset("right");
    private static final int PRIORITY = CLASS.offset("priority");

    private TreeEntry(Heap heap, long offset) {
        super(heap, offset);
    }

    /** Creates a leaf with copies of key and value. */
    static long make(RawObjects raw, int priority, Object key, Object value) {
        long entry = make(raw, CLASS, key, value);
        raw.putInt(entry, PRIORITY, priority);
        return entry;
    }

    /** Checks an entry, so that its fields may be used. 0 stays 0. */
    static long checked(RawObjects raw, long entry) {
        if (entry != 0) {
            raw.header(entry, CLASS);
        }
        return entry;
    }

    static int priority(RawObjects raw, long entry) {
        return raw.getInt(entry, PRIORITY);
    }

    static long child(RawObjects raw, long entry, boolean right) {
        return checked(raw, raw.getLong(entry, right ? RIGHT : LEFT));
    }

    static void child(RawObjects raw, long entry, boolean right, long child) {
        raw.putLong(entry, right ? RIGHT : LEFT, child);
    }
}
