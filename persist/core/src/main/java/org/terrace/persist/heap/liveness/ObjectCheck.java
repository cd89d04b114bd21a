// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap.liveness;

import java.util.Map;
import org.terrace.persist.heap.ClassDescriptor;
import org.terrace.persist.heap.HeapWalk;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.ObjectHeader;
import org.terrace.persist.heap.Space;

/** Checks individual objects, whether roots reach them or not. */
final class ObjectCheck {
    private final Space space;
    private final Map<Integer, ClassDescriptor> classes;

    ObjectCheck(Space space, Map<Integer, ClassDescriptor> classes) {
        this.space = space;
        this.classes = classes;
    }

    /** Describes the problem of the object in a slot in a sentence. Null if there is none or the slot is free. */
    String problemOfSlot(long slot, int slotBytes, boolean marked) {
        long header = space.getLong(slot);
        if (header == 0) {
            return null;
        }
        return ObjectHeader.fitsPlace(header, slotBytes) ? problem(slot, header, marked) : HeapWalk.damagedSlot(slot, header);
    }

    /** Describes the problem of an object with an intact header in a sentence. Null if there is none. */
    String problem(long offset, long header, boolean marked) {
        int number = ObjectHeader.classId(header);
        ClassDescriptor descriptor = classes.getOrDefault(number, ClassDescriptor.OF_THE_HEAP.get(number));
        if (descriptor == null || number == Layout.CLASS_DIRECTORY && offset != space.layout().dataOffset()) {
            return "the object at offset " + offset + " has class number " + number + ", which no descriptor has";
        } else if (number < Layout.FIRST_USER_CLASS && !marked) {
            // The lists of these objects change within one commit, so such an object is never garbage.
            return "the " + descriptor.name() + " at offset " + offset + " is in no list of the directory";
        } else if (ObjectHeader.footprint(header) < Layout.HEADER_BYTES + descriptor.payloadBytes()) {
            return "the object at offset " + offset + " has " + ObjectHeader.footprint(header) + " bytes, too few for its class "
                    + descriptor.name();
        }
        return null;
    }
}
