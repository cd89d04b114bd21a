// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.tools;

import java.util.Map;
import java.util.Set;
import org.terrace.persist.FieldType;
import org.terrace.persist.heap.ClassDescriptor;
import org.terrace.persist.types.InlineValues;

/** Decodes inline keys and values in entries of hash maps. */
final class InlineContent {
    private static final String TYPES = "org.terrace.persist.types.";
    private static final Set<String> ENTRIES =
            Set.of(TYPES + "InlineEntry", TYPES + "InlineKeyEntry", TYPES + "InlineValueEntry");

    private InlineContent() {
    }

    /** Replaces the content of an entry by its value. */
    static void decode(ClassDescriptor descriptor, Map<String, Object> fields) {
        if (!ENTRIES.contains(descriptor.name()) || !(fields.remove("kinds") instanceof Integer kinds)) {
            return;
        }
        for (ClassDescriptor.Field field : descriptor.fields()) {
            if (field.type() == FieldType.LONG && fields.get(field.name()) instanceof Long content) {
                int kind = field.name().equals("key") ? kinds & 0xffff : kinds >>> Short.SIZE;
                fields.put(field.name(), InlineValues.value(kind, content));
            }
        }
    }
}
