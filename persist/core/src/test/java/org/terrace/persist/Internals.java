// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.util.List;
import org.terrace.persist.heap.ClassDescriptor;

/** Access to what only the package of {@link Heap} sees, for tests in other packages. */
public final class Internals {
    private Internals() {
    }

    /** Options without the background thread, so that the thread that fills the log makes checkpoints. */
    public static HeapOptions withoutBackground(HeapOptions options) {
        return options.withoutBackground();
    }

    public static long offset(Object object) {
        return PersistentObject.of(object).offset();
    }

    /** The object that a field refers to. */
    public static PersistentObject part(Object object, long field) {
        return PersistentObject.of(object).getReference(field);
    }

    /** The description of a class as a heap stores it. */
    public static String encoded(PersistentClass<?> type) {
        return type.descriptor().encode();
    }

    /** The fields of a class as a heap stores them. */
    public static List<ClassDescriptor.Field> fields(PersistentClass<?> type) {
        return type.descriptor().fields();
    }

    public static long getLong(Heap heap, long offset) {
        return heap.fields().getLong(offset);
    }

    public static void putLong(Heap heap, long offset, long value) {
        heap.fields().putLong(offset, value);
    }
}
