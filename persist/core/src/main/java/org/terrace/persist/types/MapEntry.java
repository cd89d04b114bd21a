// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;

/** A mapping in the heap. Maps use it by reference, without a proxy. Definitions of subclasses begin with {@link #fields}. */
abstract class MapEntry extends PersistentObject {
    static final int KEY = 0;
    static final int VALUE = 8;

    MapEntry(Heap heap, long offset) {
        super(heap, offset);
    }

    /** Starts a definition with the fields that every entry has. */
    static <T extends MapEntry> PersistentClass.Builder<T> fields(Class<T> type, PersistentClass.Resurrector<T> resurrector) {
        return PersistentClass.of(type, resurrector).field("key", FieldType.REFERENCE).field("value", FieldType.REFERENCE);
    }

    /** Defines the entries of hash maps with inline key, inline value or both. {@link HashEntry} describes them. */
    static <T extends PersistentObject> PersistentClass<T> inline(Class<T> type, PersistentClass.Resurrector<T> resurrector,
            FieldType key, FieldType value) {
        return PersistentClass.of(type, resurrector).field("key", key).field("value", value).field("next", FieldType.REFERENCE)
                .field("hash", FieldType.INT).field("kinds", FieldType.INT).build();
    }
}
