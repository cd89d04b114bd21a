// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.FieldType;

/**
 * The description of a class in the heap. It is sufficient to find references without the Java class.
 *
 * @param formerNames former names of the class
 * @param payloadBytes payload size for {@link Kind#OBJECT}. 0 for other kinds, whose objects differ in size
 */
public record ClassDescriptor(String name, List<String> formerNames, Kind kind, int payloadBytes, List<Field> fields) {
    /**
     * Name of a field that no program defines. It stores the offset before the first move of the object, or 0. The identity hash is
     * computed from that offset.
     */
    public static final String IDENTITY = "*identity";

    /** Maximum size of fields, far above the limit of a Java class. A larger number indicates damage. */
    public static final int MAX_BYTES = 1 << 24;

    public enum Kind { OBJECT, REFERENCES, BYTES }

    /**
     * @param offset offset in the payload
     * @param formerNames former names of the field
     */
    public record Field(String name, FieldType type, int offset, List<String> formerNames) {
        int end() {
            return offset + type.bytes();
        }
    }

    static final ClassDescriptor DIRECTORY = system("directory", 24, reference("firstRoot", Directory.FIRST_ROOT),
            reference("firstClass", Directory.FIRST_CLASS), reference("freeSlots", Directory.FREE_SLOTS));
    static final ClassDescriptor DESCRIPTOR = system("class", Directory.CLASS_TEXT, reference("next", Directory.NEXT));
    static final ClassDescriptor FREE_SLOTS = system("freeslots", Long.BYTES);
    static final ClassDescriptor ROOT =
            system("root", Directory.ROOT_NAME, reference("next", Directory.NEXT), reference("value", Directory.ROOT_VALUE));
    /** Classes of the heap itself, by number. */
    public static final Map<Integer, ClassDescriptor> OF_THE_HEAP = Map.of(Layout.CLASS_DIRECTORY, DIRECTORY,
            Layout.CLASS_DESCRIPTOR, DESCRIPTOR, Layout.CLASS_FREE_SLOTS, FREE_SLOTS, Layout.CLASS_ROOT, ROOT);

    private static ClassDescriptor system(String name, int bytes, Field... fields) {
        return new ClassDescriptor("terrace." + name, List.of(), Kind.OBJECT, bytes, List.of(fields));
    }

    private static Field reference(String name, int offset) {
        return new Field(name, FieldType.REFERENCE, offset, List.of());
    }

    /** The current name of the class and its former names. */
    public List<String> names() {
        return Stream.concat(Stream.of(name), formerNames.stream()).toList();
    }

    public List<Field> references() {
        return fields.stream().filter(f -> f.type() == FieldType.REFERENCE).toList();
    }

    /** Where objects that may have been moved store their identity, or -1 for other classes. */
    public int identityOffset() {
        return fields.stream().filter(f -> f.name().equals(IDENTITY)).mapToInt(Field::offset).findFirst().orElse(-1);
    }

    /** The stored text, with one line for each property. */
    public String encode() {
        StringBuilder text = new StringBuilder(words(name, formerNames) + '\n' + kind + '\n' + payloadBytes + '\n');
        for (Field field : fields) {
            text.append(words(field.name + ' ' + field.type + ' ' + field.offset, field.formerNames)).append('\n');
        }
        return text.toString();
    }

    private static String words(String first, List<String> others) {
        return others.isEmpty() ? first : first + ' ' + String.join(" ", others);
    }

    /**
     * Why this descriptor cannot be valid, or null if it can.
     *
     * @param number class number in the heap
     */
    String problem(int number) {
        if (number < Layout.FIRST_USER_CLASS || number > Layout.MAX_CLASS) {
            return "class " + name + " has number " + number + ", which is no class's";
        }
        String what = "class " + name + ", number " + number + ", has ";
        if (payloadBytes < 0 || payloadBytes > MAX_BYTES) {
            return what + "objects of " + payloadBytes + " bytes";
        }
        BitSet taken = new BitSet();
        for (Field field : fields) {
            int bytes = field.type.bytes();
            if (field.offset < 0 || field.offset > payloadBytes - bytes || field.offset % bytes != 0) {
                return what + "field " + field.name + " at " + field.offset + " of " + payloadBytes + " bytes, where it cannot be";
            }
            int next = taken.nextSetBit(field.offset);
            if (next >= 0 && next < field.end()) {
                return what + "fields that overlap";
            }
            taken.set(field.offset, field.end());
        }
        return null;
    }

    public static ClassDescriptor decode(String text) {
        try {
            String[] lines = text.split("\n");
            List<Field> fields = new ArrayList<>();
            for (int i = 3; i < lines.length; i++) {
                List<String> words = List.of(lines[i].split(" "));
                fields.add(new Field(words.get(0), FieldType.valueOf(words.get(1)), Integer.parseInt(words.get(2)),
                        words.subList(3, words.size())));
            }
            List<String> names = List.of(lines[0].split(" "));
            return new ClassDescriptor(names.get(0), names.subList(1, names.size()), Kind.valueOf(lines[1]),
                    Integer.parseInt(lines[2]), List.copyOf(fields));
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new CorruptHeapException("a class descriptor cannot be read: " + text);
        }
    }
}
