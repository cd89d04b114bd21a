// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.terrace.persist.FieldType;
import org.terrace.persist.HeapException;
import org.terrace.persist.heap.ClassDescriptor.Field;
import org.terrace.persist.medium.Memory;

/**
 * The changes to a class in a heap whose definition in the program differs. The program's fields are placed where its definition
 * requires. Fields that only the heap defines are kept between and behind them, so that programs of different versions can
 * alternate.
 */
public final class ClassChange {
    private final ClassDescriptor before;
    private final ClassDescriptor program;
    private final Set<String> dropped;
    private final List<Field> fields = new ArrayList<>();
    /** For each field, the corresponding field in the heap, or null for an added field. */
    private final List<Field> sources = new ArrayList<>();
    private final BitSet taken = new BitSet();
    private final ClassDescriptor after;
    private final int identityOffset;

    /**
     * @param dropped names of fields whose values are discarded
     * @throws HeapException if values could be lost
     */
    public ClassChange(ClassDescriptor heap, ClassDescriptor program, Set<String> dropped) {
        this.before = heap;
        this.program = program;
        this.dropped = dropped;
        if (heap.kind() != program.kind()) {
            throw new HeapException("class " + program.name() + " has objects of kind " + heap.kind() + " in the heap and of"
                    + " kind " + program.kind() + " in the program: give the program's class another name");
        }
        placeFieldsOfProgram();
        placeFieldsOfHeapOnly();
        if (mayMove() && heap.identityOffset() < 0) {
            add(new Field(ClassDescriptor.IDENTITY, FieldType.LONG, 0, List.of()), null, freePlace(FieldType.LONG, 0));
        }
        boolean renamed = program.formerNames().contains(heap.name());
        after = new ClassDescriptor(renamed ? program.name() : heap.name(),
                renamed ? union(heap.name(), program.formerNames(), heap.formerNames()) : heap.formerNames(), heap.kind(),
                Math.max(program.payloadBytes(), taken.length()), List.copyOf(fields));
        identityOffset = after.identityOffset();
    }

    private static List<String> union(String name, List<String> names, List<String> others) {
        return Stream.concat(Stream.of(name), Stream.concat(names.stream(), others.stream())).distinct().toList();
    }

    private void placeFieldsOfProgram() {
        for (Field wanted : program.fields()) {
            Field source = sourceOf(wanted);
            if (source == null) {
                add(wanted, null, wanted.offset());
                continue;
            }
            if (!source.type().widensTo(wanted.type())) {
                throw new HeapException("field " + wanted.name() + " of class " + program.name() + " is " + source.type()
                        + " in the heap and " + wanted.type() + " in the program, which does not hold all of its values: declare"
                        + " it " + source.type() + ", or give the new field another name");
            }
            boolean renamed = wanted.formerNames().contains(source.name());
            add(new Field(renamed ? wanted.name() : source.name(), wanted.type(), 0,
                    renamed ? union(source.name(), wanted.formerNames(), source.formerNames()) : source.formerNames()), source,
                    wanted.offset());
        }
    }

    /**
     * The heap's field with the name or a former name of this field. In a program older than the heap, it is a field that formerly
     * had this name.
     */
    private Field sourceOf(Field wanted) {
        return before.fields().stream().filter(f -> f.name().equals(wanted.name())).findFirst()
                .or(() -> wanted.formerNames().stream().flatMap(name -> unused().filter(f -> f.name().equals(name))).findFirst())
                .or(() -> unused().filter(f -> f.formerNames().contains(wanted.name()) && !isOfProgram(f)).findFirst())
                .orElse(null);
    }

    private Stream<Field> unused() {
        return before.fields().stream().filter(f -> !sources.contains(f));
    }

    /**
     * Whether the program uses a field under its current name. The name may be that of a field, a former name of a field, or the
     * name of a dropped field.
     */
    private boolean isOfProgram(Field field) {
        return dropped.contains(field.name()) || program.fields().stream()
                .anyMatch(f -> f.name().equals(field.name()) || f.formerNames().contains(field.name()));
    }

    private void placeFieldsOfHeapOnly() {
        for (Field kept : before.fields()) {
            if (!sources.contains(kept) && !dropped.contains(kept.name())) {
                add(kept, kept, freePlace(kept.type(), kept.offset()));
            }
        }
    }

    private int freePlace(FieldType type, int preferred) {
        int at = preferred;
        for (int next = 0; !isFree(at, type); next += type.bytes()) {
            at = next;
        }
        return at;
    }

    private boolean isFree(int offset, FieldType type) {
        int next = taken.nextSetBit(offset);
        return next < 0 || next >= offset + type.bytes();
    }

    private void add(Field field, Field source, int offset) {
        Field placed = new Field(field.name(), field.type(), offset, field.formerNames());
        fields.add(placed);
        sources.add(source);
        taken.set(placed.offset(), placed.end());
    }

    private boolean mayMove() {
        return before.kind() == ClassDescriptor.Kind.OBJECT
                && Allocator.footprint(taken.length()) > Allocator.footprint(before.payloadBytes());
    }

    public ClassDescriptor after() {
        return after;
    }

    public int identityOffset() {
        return identityOffset;
    }

    /** Whether the class has another name in the program. */
    private boolean isRenaming() {
        return !after.name().equals(before.name());
    }

    /** Whether the objects already have the program's layout. Names may differ. */
    public boolean keepsObjects() {
        boolean same = fields.size() == before.fields().size();
        for (int i = 0; i < fields.size() && same; i++) {
            Field source = sources.get(i);
            same = source != null && source.offset() == fields.get(i).offset() && source.type() == fields.get(i).type();
        }
        return same;
    }

    /** Whether nothing needs to be changed. */
    public boolean isNone() {
        boolean same = keepsObjects() && !isRenaming();
        for (int i = 0; i < fields.size() && same; i++) {
            same = fields.get(i).name().equals(sources.get(i).name());
        }
        return same;
    }

    /** Copies the fields to a payload of zeros. Both arguments are addresses. */
    public void convert(long oldPayload, long newPayload) {
        for (int i = 0; i < fields.size(); i++) {
            if (sources.get(i) != null) {
                convert(sources.get(i).type(), oldPayload + sources.get(i).offset(), fields.get(i).type(),
                        newPayload + fields.get(i).offset());
            }
        }
    }

    private static void convert(FieldType from, long source, FieldType to, long target) {
        if (from == to) {
            Memory.copy(source, target, to.bytes());
            return;
        }
        switch (to) {
            case SHORT -> Memory.putShort(target, (short) integer(from, source));
            case INT -> Memory.putInt(target, (int) integer(from, source));
            case LONG -> Memory.putLong(target, integer(from, source));
            case FLOAT -> Memory.putInt(target, Float.floatToRawIntBits(integer(from, source)));
            case DOUBLE -> Memory.putLong(target, Double.doubleToRawLongBits(
                    from == FieldType.FLOAT ? Float.intBitsToFloat(Memory.getInt(source)) : integer(from, source)));
            default -> throw new IllegalStateException(from + " to " + to);
        }
    }

    private static long integer(FieldType type, long address) {
        return switch (type) {
            case BYTE -> Memory.getByte(address);
            case SHORT -> Memory.getShort(address);
            case CHAR -> (char) Memory.getShort(address);
            case INT -> Memory.getInt(address);
            default -> throw new IllegalStateException(type + " is not an integer");
        };
    }
}
