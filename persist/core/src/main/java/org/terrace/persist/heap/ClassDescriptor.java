// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.util.ArrayList;
import java.util.List;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.FieldType;

/**
 * What the heap knows of a class, without the class: enough to follow its references.
 *
 * @param formerNames what the class was called before
 * @param payloadBytes of an {@link Kind#OBJECT}; 0 for the other kinds, whose objects differ in size
 */
public record ClassDescriptor(String name, List<String> formerNames, Kind kind, int payloadBytes, List<Field> fields) {
    /** A field of no program: the offset that the object had before it was moved first, or 0. Its identity hash is of that. */
    public static final String IDENTITY = "*identity";

    public enum Kind { OBJECT, REFERENCES, BYTES }

    /**
     * @param offset within the payload
     * @param formerNames what the field was called before
     */
    public record Field(String name, FieldType type, int offset, List<String> formerNames) {
        int end() {
            return offset + type.bytes();
        }
    }

    static final ClassDescriptor DIRECTORY = system("directory", 24, 0, 8, 16);
    static final ClassDescriptor DESCRIPTOR = system("class", 0, 0);
    static final ClassDescriptor FREE_SLOTS = system("freeslots", 0);
    static final ClassDescriptor ROOT = system("root", 0, 0, 8);

    private static ClassDescriptor system(String name, int bytes, int... references) {
        List<Field> fields = new ArrayList<>();
        for (int offset : references) {
            fields.add(new Field("reference" + offset, FieldType.REFERENCE, offset, List.of()));
        }
        return new ClassDescriptor("terrace." + name, List.of(), Kind.OBJECT, bytes, List.copyOf(fields));
    }

    public int[] referenceOffsets() {
        return fields.stream().filter(f -> f.type() == FieldType.REFERENCE).mapToInt(Field::offset).toArray();
    }

    /** Where objects that may have been moved keep their identity; -1 in other classes. */
    public int identityOffset() {
        return fields.stream().filter(f -> f.name().equals(IDENTITY)).mapToInt(Field::offset).findFirst().orElse(-1);
    }

    /** The text that is stored, one line for each fact. */
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
