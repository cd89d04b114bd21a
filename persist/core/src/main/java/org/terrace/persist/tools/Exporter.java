// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.tools;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.HeapException;
import org.terrace.persist.heap.ClassDescriptor;
import org.terrace.persist.heap.Directory;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.LongStack;
import org.terrace.persist.heap.Space;
import org.terrace.persist.heap.files.HeapImage;
import org.terrace.persist.heap.liveness.Marks;
import org.terrace.persist.heap.liveness.ObjectStarts;
import org.terrace.persist.medium.Memory;

/**
 * Writes the objects that roots reach as lines of JSON. docs/reference/heap-export.md defines the format. Objects are traversed
 * with an explicit stack, so depth and cycles do not matter. Only one object is in memory at a time.
 */
final class Exporter {
    static final int FORMAT = 1;
    private static final String TYPES = "org.terrace.persist.types.";
    private static final String BOXED = TYPES + "Boxed";

    private final HeapImage image;
    private final Space space;
    private final ObjectReader reader;
    private final CollectionReader collections;
    private final ObjectStarts starts;
    private final Marks met;
    private final LongStack left = new LongStack();
    private final Set<String> described = new HashSet<>();
    private final JsonGenerator out;
    private long dead;

    Exporter(HeapImage image, OutputStream to) throws IOException {
        this.image = image;
        this.space = image.space();
        this.reader = new ObjectReader(space);
        this.collections = new CollectionReader(space, reader);
        this.starts = new ObjectStarts(space, problem -> {
            throw problem;
        });
        this.met = new Marks(space.size());
        this.out = Json.FACTORY.createGenerator(to);
    }

    /**
     * Writes all objects that these roots reach, or that any root reaches if none is named.
     *
     * @return number of references to freed or never validated objects, which are null in the export
     * @throws HeapException if there is no such root
     * @throws CorruptHeapException if the heap violates the format
     */
    long export(Collection<String> names) throws IOException {
        Map<String, Long> roots = new TreeMap<>(Directory.roots(space));
        for (String name : names) {
            if (!roots.containsKey(name)) {
                throw new HeapException(space.file().path() + " has no root " + name + ", only " + roots.keySet());
            }
        }
        writeHead();
        for (Map.Entry<String, Long> root : roots.entrySet()) {
            if (names.isEmpty() || names.contains(root.getKey())) {
                out.writeStartObject();
                out.writeStringField("root", root.getKey());
                out.writeFieldName("value");
                writeReference(space.getLong(root.getValue() + Layout.HEADER_BYTES + Directory.ROOT_VALUE));
                out.writeEndObject();
                while (!left.isEmpty()) {
                    writeObject(left.pop());
                }
            }
        }
        out.writeRaw('\n');
        out.flush();
        return dead;
    }

    private void writeHead() throws IOException {
        out.writeStartObject();
        out.writeStringField("heap", image.superblock().uuid().toString());
        out.writeNumberField("heapFormat", image.superblock().version());
        out.writeNumberField("exportFormat", FORMAT);
        out.writeEndObject();
    }

    private void writeClass(ClassDescriptor descriptor) throws IOException {
        out.writeStartObject();
        out.writeStringField("class", descriptor.name());
        out.writeStringField("kind", descriptor.kind().name().toLowerCase(Locale.ROOT));
        if (descriptor.kind() == ClassDescriptor.Kind.OBJECT && !CollectionReader.isCollection(descriptor.name())) {
            out.writeArrayFieldStart("fields");
            for (ClassDescriptor.Field field : descriptor.fields()) {
                if (!field.name().equals(ClassDescriptor.IDENTITY)) {
                    out.writeStartObject();
                    out.writeStringField("name", field.name());
                    out.writeStringField("type", field.type().name().toLowerCase(Locale.ROOT));
                    out.writeEndObject();
                }
            }
            out.writeEndArray();
        }
        out.writeEndObject();
    }

    private void writeObject(long offset) throws IOException {
        ClassDescriptor descriptor = reader.descriptor(offset);
        if (described.add(descriptor.name())) {
            writeClass(descriptor);
        }
        out.writeStartObject();
        out.writeNumberField("id", offset);
        out.writeStringField("class", descriptor.name());
        if (CollectionReader.isCollection(descriptor.name())) {
            writeCollection(offset, CollectionReader.isMap(descriptor.name()));
        } else {
            switch (descriptor.kind()) {
                case OBJECT -> writeFields(offset, descriptor);
                case REFERENCES -> writeReferences(offset);
                case BYTES -> writeBytes(offset, descriptor.name());
            }
        }
        out.writeEndObject();
    }

    private void writeFields(long offset, ClassDescriptor descriptor) throws IOException {
        long payload = space.base() + offset + Layout.HEADER_BYTES;
        out.writeObjectFieldStart("fields");
        for (ClassDescriptor.Field field : descriptor.fields()) {
            if (field.name().equals(ClassDescriptor.IDENTITY)) {
                continue;
            }
            out.writeFieldName(field.name());
            long address = payload + field.offset();
            switch (field.type()) {
                case REFERENCE -> writeReference(Memory.getLong(address));
                case BOOLEAN -> out.writeBoolean(Memory.getByte(address) != 0);
                case CHAR -> out.writeString(String.valueOf(ObjectReader.value(address, field)));
                case FLOAT -> out.writeNumber(Float.intBitsToFloat(Memory.getInt(address)));
                case DOUBLE -> out.writeNumber(Double.longBitsToDouble(Memory.getLong(address)));
                default -> out.writeNumber(((Number) ObjectReader.value(address, field)).longValue());
            }
        }
        out.writeEndObject();
    }

    private void writeReferences(long offset) throws IOException {
        long length = reader.lengthOf(offset);
        out.writeArrayFieldStart("elements");
        for (long i = 1; i <= length; i++) {
            writeReference(space.getLong(offset + Layout.HEADER_BYTES + i * Long.BYTES));
        }
        out.writeEndArray();
    }

    private void writeCollection(long offset, boolean map) throws IOException {
        out.writeArrayFieldStart(map ? "entries" : "elements");
        try {
            collections.visit(offset, (element, value) -> {
                try {
                    if (map) {
                        out.writeStartArray();
                        writeElement(element);
                        writeElement(value);
                        out.writeEndArray();
                    } else {
                        writeElement(element);
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        out.writeEndArray();
    }

    private void writeElement(Object element) throws IOException {
        if (element == null) {
            out.writeNull();
        } else if (element instanceof ObjectReader.Reference reference) {
            writeReference(reference.offset());
        } else {
            writeValue(element);
        }
    }

    private void writeBytes(long offset, String name) throws IOException {
        long payload = offset + Layout.HEADER_BYTES;
        switch (name) {
            case TYPES + "PersistentIntArray" -> writeNumbers(reader.lengthOfBytes(offset, 8, Integer.BYTES), i ->
                    out.writeNumber(Memory.getInt(space.base() + payload + 8 + i * Integer.BYTES)));
            case TYPES + "PersistentLongArray" -> writeNumbers(reader.lengthOfBytes(offset, 8, Long.BYTES), i ->
                    out.writeNumber(space.getLong(payload + 8 + i * Long.BYTES)));
            case TYPES + "PersistentDoubleArray" -> writeNumbers(reader.lengthOfBytes(offset, 8, Double.BYTES), i ->
                    out.writeNumber(Double.longBitsToDouble(space.getLong(payload + 8 + i * Double.BYTES))));
            case TYPES + "PersistentByteArray" -> {
                byte[] bytes = new byte[reader.lengthOfBytes(offset, 4, 1)];
                Memory.copy(space.base() + payload + 4, bytes, 0, bytes.length);
                out.writeBinaryField("bytes", bytes);
            }
            default -> {
                Object content = reader.content(name, offset);
                if (content instanceof ObjectReader.Content c) {
                    out.writeBinaryField("bytes", c.bytes());
                } else {
                    out.writeFieldName("value");
                    writeValue(content);
                }
            }
        }
    }

    private interface ElementWriter {
        void write(long index) throws IOException;
    }

    private void writeNumbers(int length, ElementWriter element) throws IOException {
        out.writeArrayFieldStart("elements");
        for (int i = 0; i < length; i++) {
            element.write(i);
        }
        out.writeEndArray();
    }

    /** Copies of values are written in place, because each place has its own copy. */
    private void writeReference(long target) throws IOException {
        if (target == 0) {
            out.writeNull();
        } else if (!reader.isLive(target, starts)) {
            dead++;
            out.writeNull();
        } else if (reader.className(target).equals(BOXED)) {
            writeValue(reader.content(BOXED, target));
        } else {
            out.writeStartObject();
            out.writeNumberField("ref", target);
            out.writeEndObject();
            if (met.set(target)) {
                left.push(target);
            }
        }
    }

    /** Strings and booleans are written directly. Other values are written with their type. */
    private void writeValue(Object value) throws IOException {
        if (value instanceof String s) {
            out.writeString(s);
            return;
        }
        if (value instanceof Boolean b) {
            out.writeBoolean(b);
            return;
        }
        out.writeStartObject();
        if (value instanceof Float f) {
            out.writeNumberField("float", f);
        } else if (value instanceof Double d) {
            out.writeNumberField("double", d);
        } else if (value instanceof Byte || value instanceof Short || value instanceof Integer || value instanceof Long) {
            String type = value instanceof Integer ? "int" : value.getClass().getSimpleName().toLowerCase(Locale.ROOT);
            out.writeNumberField(type, ((Number) value).longValue());
        } else if (value instanceof ObjectReader.EnumConstant e) {
            out.writeStringField("enum", e.type());
            out.writeStringField("name", e.name());
        } else if (value instanceof ObjectReader.Content c) {
            out.writeBinaryField("bytes", c.bytes());
        } else {
            out.writeStringField(textType(value), value.toString());
        }
        out.writeEndObject();
    }

    private static String textType(Object value) {
        return value instanceof Character ? "char" : value instanceof Instant ? "instant" : value instanceof UUID ? "uuid"
                : value instanceof BigInteger ? "bigInteger" : value instanceof BigDecimal ? "bigDecimal" : "text";
    }
}
