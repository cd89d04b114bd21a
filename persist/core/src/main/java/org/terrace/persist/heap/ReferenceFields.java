// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.util.Map;
import org.terrace.persist.CorruptHeapException;

/** Finds the references of objects, by the descriptors of their classes. */
final class ReferenceFields {

    /** Sees the offset of each field that holds a reference, or null. */
    @FunctionalInterface
    interface Visitor {
        void field(long field, LongStack stack);
    }

    private final Space space;
    private final Map<Integer, ClassDescriptor> classes;
    /** By the number of the class, up to the largest that there is. */
    private final int[][] offsets;
    /** Bytes that an object must have for its references to lie inside of it. */
    private final int[] needed;

    ReferenceFields(Space space, Map<Integer, ClassDescriptor> classes) {
        this.space = space;
        this.classes = classes;
        int numbers = 1 + classes.keySet().stream().reduce(Layout.FIRST_USER_CLASS, Math::max);
        offsets = new int[numbers][];
        needed = new int[numbers];
        classes.forEach((number, descriptor) -> {
            offsets[number] = descriptor.referenceOffsets();
            for (int offset : offsets[number]) {
                needed[number] = Math.max(needed[number], 2 * Long.BYTES + offset);
            }
        });
        offsets[Layout.CLASS_DIRECTORY] = ClassDescriptor.DIRECTORY.referenceOffsets();
        offsets[Layout.CLASS_DESCRIPTOR] = ClassDescriptor.DESCRIPTOR.referenceOffsets();
        offsets[Layout.CLASS_FREE_SLOTS] = ClassDescriptor.FREE_SLOTS.referenceOffsets();
        offsets[Layout.CLASS_ROOT] = ClassDescriptor.ROOT.referenceOffsets();
    }

    /** @param stack handed on to the visitor */
    void visit(long offset, LongStack stack, Visitor visitor) {
        long header = space.getLong(offset);
        int classId = ObjectHeader.classId(header);
        long payload = offset + Layout.HEADER_BYTES;
        ClassDescriptor descriptor = classes.get(classId);
        if (descriptor != null && descriptor.kind() == ClassDescriptor.Kind.REFERENCES) {
            long length = space.getLong(payload);
            if (length < 0 || length > (ObjectHeader.footprint(header) - 2 * Long.BYTES) / Long.BYTES) {
                throw new CorruptHeapException(space.file().path() + ": the array at offset " + offset + " has length " + length);
            }
            for (long i = 1; i <= length; i++) {
                visitor.field(payload + i * Long.BYTES, stack);
            }
        } else if (classId >= offsets.length || offsets[classId] == null) {
            throw new CorruptHeapException(space.file().path() + ": the object at offset " + offset + " has class number "
                    + classId + ", which no descriptor has");
        } else if (needed[classId] > ObjectHeader.footprint(header)) {
            throw new CorruptHeapException(space.file().path() + ": the object at offset " + offset + " has "
                    + ObjectHeader.footprint(header) + " bytes, too few for its class");
        } else {
            for (int reference : offsets[classId]) {
                visitor.field(payload + reference, stack);
            }
        }
    }
}
