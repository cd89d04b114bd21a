// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.RawObjects;

/** A mapping of a skip list, with one reference to a later entry for each level. */
final class SkipEntry extends SortedEntry {
    static final PersistentClass<SkipEntry> CLASS = fields(SkipEntry.class, SkipEntry::new)
            .field("next", FieldType.REFERENCE).field("tower", FieldType.REFERENCE).field("levels", FieldType.INT).build();
    private static final int NEXT = CLASS.offset("next");
    private static final int TOWER = CLASS.offset("tower");
    private static final int LEVELS = CLASS.offset("levels");

    private SkipEntry(Heap heap, long offset) {
        super(heap, offset);
    }

    /** Creates an entry with copies of key and value and no successors. */
    static long make(RawObjects raw, int levels, Object key, Object value) {
        long entry = make(raw, CLASS, key, value);
        raw.putInt(entry, LEVELS, levels);
        if (levels > 1) {
            raw.putLong(entry, TOWER, References.make(raw, levels - 1));
        }
        return entry;
    }

    /** Checks an entry, so that its fields may be used. 0 stays 0. */
    static long checked(RawObjects raw, long entry) {
        if (entry != 0) {
            raw.header(entry, CLASS);
        }
        return entry;
    }

    static int levels(RawObjects raw, long entry) {
        return raw.getInt(entry, LEVELS);
    }

    static long next(RawObjects raw, long entry, int level) {
        return checked(raw, level == 0 ? raw.getLong(entry, NEXT)
                : References.get(raw, raw.getLong(entry, TOWER), level - 1L));
    }

    static void next(RawObjects raw, long entry, int level, long next) {
        if (level == 0) {
            raw.putLong(entry, NEXT, next);
        } else {
            References.set(raw, raw.getLong(entry, TOWER), level - 1L, next);
        }
    }

    /** Frees an entry with its tower of references and its copies of key and value. */
    static void destroy(RawObjects raw, long entry) {
        if (levels(raw, entry) > 1) {
            long tower = raw.getLong(entry, TOWER);
            raw.header(tower, References.CLASS);
            raw.free(tower);
        }
        SortedEntry.destroy(raw, entry);
    }
}
