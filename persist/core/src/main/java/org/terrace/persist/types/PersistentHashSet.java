// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Collection;
import java.util.Set;
import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;

/** A set on a {@link PersistentHashMap}. Null is allowed. */
public final class PersistentHashSet<E> extends PersistentCollection<E> implements Set<E> {
    @SuppressWarnings("rawtypes")
    static final PersistentClass<PersistentHashSet> CLASS = PersistentClass.of(PersistentHashSet.class, PersistentHashSet::new)
            .field("map", FieldType.REFERENCE).build();
    private static final int MAP = CLASS.offset("map");

    private final PersistentHashMap<E, Object> map;

    /** Creates an empty set in the current heap. Must be called in a failure-atomic block. */
    public PersistentHashSet() {
        this(Heap.current());
    }

    /** Creates an empty set. Must be called in a failure-atomic block. */
    public PersistentHashSet(Heap heap) {
        super(CLASS, heap);
        map = new PersistentHashMap<>(heap);
        setReference(MAP, map);
    }

    @SuppressWarnings("unchecked")
    private PersistentHashSet(Heap heap, long offset) {
        super(heap, offset);
        map = getPart(MAP, PersistentHashMap.class);
    }

    @Override
    void freeStructure() {
        heap().free(map);
    }

    @Override
    Collection<E> view() {
        return new SetOfKeys<>(map);
    }
}
