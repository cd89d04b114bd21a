// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;

/** A {@link HashEntry} with a reference to its key and an inline value. */
final class InlineValueEntry extends PersistentObject {
    static final PersistentClass<InlineValueEntry> CLASS =
            MapEntry.inline(InlineValueEntry.class, InlineValueEntry::new, FieldType.REFERENCE, FieldType.LONG);

    private InlineValueEntry(Heap heap, long offset) {
        super(heap, offset);
    }
}
