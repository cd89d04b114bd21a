// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;

/** A {@link HashEntry} with an inline key and a reference to its value. */
final class InlineKeyEntry extends PersistentObject {
    static final PersistentClass<InlineKeyEntry> CLASS =
            MapEntry.inline(InlineKeyEntry.class, InlineKeyEntry::new, FieldType.LONG, FieldType.REFERENCE);

    private InlineKeyEntry(Heap heap, long offset) {
        super(heap, offset);
    }
}
