// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.types.PersistentArray;
import org.terrace.persist.types.PersistentString;

/** The root of a store's heap. It contains the name of the cache and the segments, which are null until they have an entry. */
final class CacheRoot extends PersistentObject {
    static final PersistentClass<CacheRoot> CLASS = PersistentClass.of(CacheRoot.class, CacheRoot::new)
            .field("cache", FieldType.REFERENCE).field("segments", FieldType.REFERENCE).build();
    private static final int CACHE = CLASS.offset("cache");
    private static final int SEGMENTS = CLASS.offset("segments");

    /** Must be called in a block. */
    CacheRoot(Heap heap, String cache, int segments) {
        super(CLASS, heap);
        setReference(CACHE, new PersistentString(heap, cache));
        setReference(SEGMENTS, new PersistentArray<Segment>(heap, segments));
    }

    private CacheRoot(Heap heap, long offset) {
        super(heap, offset);
    }

    String cache() {
        return getPart(CACHE, PersistentString.class).toString();
    }

    @SuppressWarnings("unchecked")
    PersistentArray<Segment> segments() {
        return getPart(SEGMENTS, PersistentArray.class);
    }
}
