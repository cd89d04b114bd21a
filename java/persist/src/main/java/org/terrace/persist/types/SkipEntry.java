package org.terrace.persist.types;

import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;

/** A mapping of a skip list, with its references to later entries: one for each level. */
final class SkipEntry extends MapEntry {
    static final PersistentClass<SkipEntry> CLASS = fields(SkipEntry.class, SkipEntry::new)
            .field("next", FieldType.REFERENCE).field("tower", FieldType.REFERENCE).field("levels", FieldType.INT).build();
    private static final int NEXT = CLASS.offset("next");
    private static final int TOWER = CLASS.offset("tower");
    private static final int LEVELS = CLASS.offset("levels");

    SkipEntry(Heap heap, int levels, PersistentObject key, PersistentObject value) {
        super(CLASS, heap, key, value);
        setInt(LEVELS, levels);
        if (levels > 1) {
            setReference(TOWER, new References(heap, levels - 1));
        }
    }

    private SkipEntry(Heap heap, long offset) {
        super(heap, offset);
    }

    int levels() {
        return getInt(LEVELS);
    }

    private References tower() {
        return (References) getReference(TOWER);
    }

    SkipEntry next(int level) {
        return (SkipEntry) (level == 0 ? getReference(NEXT) : tower().get(level - 1));
    }

    void next(int level, SkipEntry entry) {
        if (level == 0) {
            setReference(NEXT, entry);
        } else {
            tower().set(level - 1, entry);
        }
    }

    @Override
    void destroy() {
        if (levels() > 1) {
            heap().free(tower());
        }
        super.destroy();
    }
}
