package org.terrace.persist.types;

import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;

/** A mapping of a tree map: a node of the treap. */
final class TreeEntry extends MapEntry {
    static final PersistentClass<TreeEntry> CLASS = fields(TreeEntry.class, TreeEntry::new)
            .field("left", FieldType.REFERENCE).field("right", FieldType.REFERENCE).field("priority", FieldType.INT).build();
    private static final int LEFT = CLASS.offset("left");
    private static final int RIGHT = CLASS.offset("right");
    private static final int PRIORITY = CLASS.offset("priority");

    TreeEntry(Heap heap, int priority, PersistentObject key, PersistentObject value) {
        super(CLASS, heap, key, value);
        setInt(PRIORITY, priority);
    }

    private TreeEntry(Heap heap, long offset) {
        super(heap, offset);
    }

    int priority() {
        return getInt(PRIORITY);
    }

    TreeEntry child(boolean right) {
        return (TreeEntry) getReference(right ? RIGHT : LEFT);
    }

    void child(boolean right, TreeEntry child) {
        setReference(right ? RIGHT : LEFT, child);
    }
}
