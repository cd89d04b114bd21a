// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.terrace.persist.CorruptHeapException;

/** Finds the references in objects by means of their class descriptors. */
public final class ReferenceFields {

    /** Receives the offset of each field that contains a reference or null. */
    @FunctionalInterface
    public interface Visitor {
        /** @param target the required kind of target */
        void field(long field, Structure.Target target, LongStack stack);
    }

    private final Space space;
    /** Descriptors by class number, up to the largest number in use. The other arrays have the same index. */
    private final ClassDescriptor[] descriptors;
    /** Kinds of classes, see {@link Structure}. */
    private final int[] kinds;
    private final int[][] offsets;
    /** The required target of each reference offset. */
    private final Structure.Target[][] targets;
    private final boolean[] owners;
    /** Minimum bytes of an object. */
    private final int[] needed;

    public ReferenceFields(Space space, Map<Integer, ClassDescriptor> classes) {
        this.space = space;
        int numbers = 1 + classes.keySet().stream().reduce(Layout.FIRST_USER_CLASS, Math::max);
        descriptors = new ClassDescriptor[numbers];
        kinds = new int[numbers];
        offsets = new int[numbers][];
        targets = new Structure.Target[numbers][];
        owners = new boolean[numbers];
        needed = new int[numbers];
        ClassDescriptor.OF_THE_HEAP.forEach(this::add);
        classes.forEach(this::add);
    }

    private void add(int number, ClassDescriptor descriptor) {
        List<ClassDescriptor.Field> references = descriptor.references();
        descriptors[number] = descriptor;
        kinds[number] = Structure.kind(descriptor.name());
        offsets[number] = references.stream().mapToInt(ClassDescriptor.Field::offset).toArray();
        targets[number] = references.stream().map(field -> Structure.target(descriptor.name(), field.name()))
                .toArray(Structure.Target[]::new);
        owners[number] = Arrays.stream(targets[number]).anyMatch(target -> target.hold() == Structure.Hold.OWNED);
        needed[number] = Layout.HEADER_BYTES + descriptor.payloadBytes();
    }

    /** Whether an object with this header may be the target of a reference. An object of an unknown class may be, too. */
    public boolean isA(long header, Structure.Target target) {
        int number = ObjectHeader.classId(header);
        boolean known = number < kinds.length && descriptors[number] != null;
        int kind = known ? kinds[number] : number >= Layout.FIRST_USER_CLASS ? Structure.OF_PROGRAM : 0;
        return (kind & target.kinds()) != 0;
    }

    /** Whether objects of this header's class have fields for owned objects. The elements of arrays do not count. */
    public boolean hasOwned(long header) {
        int number = ObjectHeader.classId(header);
        return number < owners.length && owners[number];
    }

    /**
     * @param elements the kind of elements, for an array
     * @param stack passed to the visitor
     */
    public void visit(long offset, Structure.Elements elements, LongStack stack, Visitor visitor) {
        long header = space.getLong(offset);
        int classId = ObjectHeader.classId(header);
        long payload = offset + Layout.HEADER_BYTES;
        ClassDescriptor descriptor = classId < descriptors.length ? descriptors[classId] : null;
        if (descriptor == null) {
            throw new CorruptHeapException(space.file().path() + ": the object at offset " + offset + " has class number "
                    + classId + ", which no descriptor has");
        } else if (descriptor.kind() == ClassDescriptor.Kind.REFERENCES) {
            long length = lengthOf(offset, header, kinds[classId] == Structure.ARRAY);
            for (int i = 0; i < length; i++) {
                visitor.field(payload + (1L + i) * Long.BYTES, Structure.target(elements, i), stack);
            }
        } else if (needed[classId] > ObjectHeader.footprint(header)) {
            throw new CorruptHeapException(space.file().path() + ": the object at offset " + offset + " has "
                    + ObjectHeader.footprint(header) + " bytes, too few for its class " + descriptor.name());
        } else {
            for (int i = 0; i < offsets[classId].length; i++) {
                visitor.field(payload + offsets[classId][i], targets[classId][i], stack);
            }
        }
    }

    /** @param constant whether the length never changes and must therefore match the array's space */
    private long lengthOf(long offset, long header, boolean constant) {
        long length = space.getLong(offset + Layout.HEADER_BYTES);
        long room = (ObjectHeader.footprint(header) - 2 * Long.BYTES) / Long.BYTES;
        if (length < 0 || length > room) {
            throw new CorruptHeapException(space.file().path() + ": the array at offset " + offset + " has length " + length);
        } else if (constant && !endsAt(length, offset, header, room)) {
            throw new CorruptHeapException(space.file().path() + ": the array at offset " + offset + " has length " + length
                    + ", and space for " + room + " references");
        }
        return length;
    }

    /** Whether only padding of zeros follows the end of an array. */
    private boolean endsAt(long length, long offset, long header, long room) {
        boolean ends = Allocator.footprint((1 + length) * Long.BYTES) == ObjectHeader.footprint(header);
        for (long i = length + 1; i <= room && ends; i++) {
            ends = space.getLong(offset + Layout.HEADER_BYTES + i * Long.BYTES) == 0;
        }
        return ends;
    }
}
