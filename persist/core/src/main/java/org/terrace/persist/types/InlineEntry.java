// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;

/** A {@link HashEntry} with inline key and inline value. */
final class InlineEntry extends PersistentObject {
    static final PersistentClass<InlineEntry> CLASS =
            MapEntry.inline(InlineEntry.class, InlineEntry::new, FieldType.LONG, FieldType.LONG);

    private InlineEntry(Heap heap, long offset) {
        super(heap, offset);
    }
}
