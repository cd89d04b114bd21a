// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;

/** A set on a {@link PersistentSkipListMap}. */
public final class PersistentSkipListSet<E> extends PersistentSortedSet<E> {
    @SuppressWarnings("rawtypes")
    static final PersistentClass<PersistentSkipListSet> CLASS = PersistentClass.of(PersistentSkipListSet.class,
            PersistentSkipListSet::new)
            .field("map", FieldType.REFERENCE).build();

    /** Creates an empty set in the current heap. Must be called in a failure-atomic block. */
    public PersistentSkipListSet() {
        this(Heap.current());
    }

    /** Creates an empty set. Must be called in a failure-atomic block. */
    public PersistentSkipListSet(Heap heap) {
        super(CLASS, heap, new PersistentSkipListMap<>(heap));
    }

    private PersistentSkipListSet(Heap heap, long offset) {
        super(heap, offset);
    }
}
