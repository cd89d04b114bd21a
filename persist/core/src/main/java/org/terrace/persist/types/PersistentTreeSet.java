// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;

/** A set on a {@link PersistentTreeMap}. */
public final class PersistentTreeSet<E> extends PersistentSortedSet<E> {
    @SuppressWarnings("rawtypes")
    static final PersistentClass<PersistentTreeSet> CLASS = PersistentClass.of(PersistentTreeSet.class, PersistentTreeSet::new)
            .field("map", FieldType.REFERENCE).build();

    /** Creates an empty set in the current heap. Must be called in a failure-atomic block. */
    public PersistentTreeSet() {
        this(Heap.current());
    }

    /** Creates an empty set. Must be called in a failure-atomic block. */
    public PersistentTreeSet(Heap heap) {
        super(CLASS, heap, new PersistentTreeMap<>(heap));
    }

    private PersistentTreeSet(Heap heap, long offset) {
        super(heap, offset);
    }
}
