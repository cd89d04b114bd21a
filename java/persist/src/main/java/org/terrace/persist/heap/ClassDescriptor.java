package org.terrace.persist.heap;

import java.util.ArrayList;
import java.util.List;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.FieldType;

/**
 * What the heap knows of a class, without the class: enough to follow its references.
 *
 * @param payloadBytes of an {@link Kind#OBJECT}; 0 for the other kinds, whose objects differ in size
 */
public record ClassDescriptor(String name, Kind kind, int payloadBytes, List<Field> fields) {

    public enum Kind { OBJECT, REFERENCES, BYTES }

    /** @param offset within the payload */
    public record Field(String name, FieldType type, int offset) {
    }

    static final ClassDescriptor DIRECTORY = system("directory", 24, 0, 8, 16);
    static final ClassDescriptor DESCRIPTOR = system("class", 0, 0);
    static final ClassDescriptor FREE_SLOTS = system("freeslots", 0);
    static final ClassDescriptor ROOT = system("root", 0, 0, 8);

    private static ClassDescriptor system(String name, int bytes, int... references) {
        List<Field> fields = new ArrayList<>();
        for (int offset : references) {
            fields.add(new Field("reference" + offset, FieldType.REFERENCE, offset));
        }
        return new ClassDescriptor("terrace." + name, Kind.OBJECT, bytes, List.copyOf(fields));
    }

    public int[] referenceOffsets() {
        return fields.stream().filter(f -> f.type() == FieldType.REFERENCE).mapToInt(Field::offset).toArray();
    }

    /** The text that is stored, one line for each fact. */
    public String encode() {
        StringBuilder text = new StringBuilder(name).append('\n').append(kind).append('\n').append(payloadBytes).append('\n');
        for (Field field : fields) {
            text.append(field.name).append(' ').append(field.type).append(' ').append(field.offset).append('\n');
        }
        return text.toString();
    }

    public static ClassDescriptor decode(String text) {
        try {
            String[] lines = text.split("\n");
            List<Field> fields = new ArrayList<>();
            for (int i = 3; i < lines.length; i++) {
                String[] words = lines[i].split(" ");
                fields.add(new Field(words[0], FieldType.valueOf(words[1]), Integer.parseInt(words[2])));
            }
            return new ClassDescriptor(lines[0], Kind.valueOf(lines[1]), Integer.parseInt(lines[2]), List.copyOf(fields));
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            throw new CorruptHeapException("a class descriptor cannot be read: " + text);
        }
    }
}
