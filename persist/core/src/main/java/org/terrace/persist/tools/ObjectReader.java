// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.tools;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.heap.ClassDescriptor;
import org.terrace.persist.heap.Directory;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.ObjectHeader;
import org.terrace.persist.heap.Space;
import org.terrace.persist.heap.liveness.ObjectStarts;
import org.terrace.persist.medium.Memory;

/** Reads objects by means of the heap's class descriptors, without their Java classes. */
final class ObjectReader {
    private static final String TYPES = "org.terrace.persist.types.";
    private static final int SHORT_CONTENT = 4 + 1;

    /** A reference as the value of a field. */
    record Reference(long offset) {
        @Override
        public String toString() {
            return "@" + offset;
        }
    }

    /** A constant of an enumeration. */
    record EnumConstant(String type, String name) {
        @Override
        public String toString() {
            return type + "." + name;
        }
    }

    /** Bytes without further type information. */
    @SuppressWarnings("ArrayRecordComponent")
    record Content(byte[] bytes) {
        @Override
        public String toString() {
            return HexFormat.of().formatHex(bytes);
        }
    }

    private final Space space;
    private final Map<Integer, ClassDescriptor> classes;

    ObjectReader(Space space) {
        this.space = space;
        this.classes = Directory.classes(space);
    }

    /** @throws CorruptHeapException if no object begins at the offset */
    ClassDescriptor descriptor(long offset) {
        Layout layout = space.layout();
        boolean inside = offset % Long.BYTES == 0 && layout.isData(offset, space.size() - Layout.HEADER_BYTES);
        long header = inside ? space.getLong(offset) : 0;
        ClassDescriptor descriptor = classes.get(ObjectHeader.classId(header));
        if (descriptor == null || !ObjectHeader.fits(header, space.size() - offset)
                || ObjectHeader.footprint(header) < Layout.HEADER_BYTES + descriptor.payloadBytes()) {
            throw noObjectAt(offset);
        }
        return descriptor;
    }

    private CorruptHeapException noObjectAt(long offset) {
        return new CorruptHeapException(space.file().path() + ": no object begins at offset " + offset + ", and a reference"
                + " leads there" + CorruptHeapException.REMEDY);
    }

    /**
     * Whether the reference leads to a valid object. If the object was freed or never validated, a collection would set the
     * reference to null.
     *
     * @throws CorruptHeapException if no reference may lead there
     */
    boolean isLive(long reference, ObjectStarts starts) {
        if (reference % Long.BYTES != 0 || !space.layout().isData(reference, space.size() - Layout.HEADER_BYTES)) {
            throw noObjectAt(reference);
        }
        long header = starts.contains(reference) ? space.getLong(reference) : 0;
        if (header != 0 && !starts.fits(reference, header)) {
            throw noObjectAt(reference);
        }
        return header != 0 && ObjectHeader.isValid(header);
    }

    /** @throws CorruptHeapException if no object begins at the offset */
    String className(long offset) {
        return descriptor(offset).name();
    }

    /** The values by field name. An array has {@code elements}, and an object of bytes has {@code value}. */
    Map<String, Object> fields(long offset) {
        ClassDescriptor descriptor = descriptor(offset);
        long payload = space.base() + offset + Layout.HEADER_BYTES;
        Map<String, Object> fields = new LinkedHashMap<>();
        switch (descriptor.kind()) {
            case OBJECT -> {
                descriptor.fields().forEach(field -> fields.put(field.name(), value(payload + field.offset(), field)));
                InlineContent.decode(descriptor, fields);
            }
            case REFERENCES -> fields.put("elements", elements(offset, payload));
            case BYTES -> fields.put("value", content(descriptor.name(), offset));
        }
        return fields;
    }

    static Object value(long address, ClassDescriptor.Field field) {
        return switch (field.type()) {
            case BOOLEAN -> Memory.getByte(address) != 0;
            case BYTE -> Memory.getByte(address);
            case SHORT -> Memory.getShort(address);
            case CHAR -> (char) Memory.getShort(address);
            case INT -> Memory.getInt(address);
            case FLOAT -> Float.intBitsToFloat(Memory.getInt(address));
            case LONG -> Memory.getLong(address);
            case DOUBLE -> Double.longBitsToDouble(Memory.getLong(address));
            case REFERENCE -> reference(Memory.getLong(address));
        };
    }

    /** A reference to this offset, or null for 0. */
    static Reference reference(long offset) {
        return offset == 0 ? null : new Reference(offset);
    }

    /** The length of an array of references. */
    long lengthOf(long offset) {
        descriptor(offset);
        return checkedLength(offset, Memory.getLong(space.base() + offset + Layout.HEADER_BYTES), Long.BYTES, Long.BYTES);
    }

    /**
     * The length of an array of numbers, which is at the start of the payload.
     *
     * @param start offset of the elements in the payload
     * @param bytes size of an element
     */
    int lengthOfBytes(long offset, int start, int bytes) {
        return (int) checkedLength(offset, Memory.getInt(space.base() + offset + Layout.HEADER_BYTES), start, bytes);
    }

    private long checkedLength(long offset, long length, int start, int bytes) {
        long room = ObjectHeader.footprint(space.getLong(offset)) - Layout.HEADER_BYTES - start;
        if (length < 0 || length > room / bytes) {
            throw new CorruptHeapException(space.file().path() + ": the array at offset " + offset + " has length " + length
                    + CorruptHeapException.REMEDY);
        }
        return length;
    }

    private List<Reference> elements(long offset, long payload) {
        long length = lengthOf(offset);
        List<Reference> elements = new ArrayList<>();
        for (long i = 1; i <= length; i++) {
            elements.add(reference(Memory.getLong(payload + i * Long.BYTES)));
        }
        return elements;
    }

    /**
     * Checks the length of an object, and the whole content of a copy of a value.
     *
     * @throws CorruptHeapException if the library could not read the object
     */
    void checkContent(long offset) {
        String name = className(offset);
        switch (name) {
            case TYPES + "PersistentByteArray" -> lengthOfBytes(offset, 4, Byte.BYTES);
            case TYPES + "PersistentIntArray" -> lengthOfBytes(offset, 8, Integer.BYTES);
            case TYPES + "PersistentLongArray", TYPES + "PersistentDoubleArray" -> lengthOfBytes(offset, 8, Long.BYTES);
            case TYPES + "PersistentString", TYPES + "Boxed" -> content(name, offset);
            default -> {
                // Bytes of a class of the program are not checked.
            }
        }
    }

    /** The value of a string or a copy of a value. For other classes, {@link Content} with padding. */
    Object content(String name, long offset) {
        byte[] bytes = new byte[(int) Math.min(Integer.MAX_VALUE - 64, ObjectHeader.footprint(space.getLong(offset))
                - Layout.HEADER_BYTES)];
        Memory.copy(space.base() + offset + Layout.HEADER_BYTES, bytes, 0, bytes.length);
        boolean text = name.equals(TYPES + "PersistentString");
        if (!text && !name.equals(TYPES + "Boxed")) {
            return new Content(bytes);
        }
        int length = bytes[0] & 0xff | (bytes[1] & 0xff) << 8 | (bytes[2] & 0xff) << 16 | bytes[3] << 24;
        int width = text && bytes[SHORT_CONTENT - 1] != 0 ? 2 : 1;
        checkedLength(offset, length, SHORT_CONTENT, width);
        ByteBuffer content = ByteBuffer.wrap(bytes, SHORT_CONTENT, width * length).slice();
        if (text) {
            return width == 1 ? new String(bytes, SHORT_CONTENT, length, StandardCharsets.ISO_8859_1)
                    : utf16(content.order(ByteOrder.LITTLE_ENDIAN));
        }
        try {
            return boxed(bytes[SHORT_CONTENT - 1], content);
        } catch (IndexOutOfBoundsException | IllegalArgumentException | DateTimeException | ArithmeticException e) {
            throw new CorruptHeapException(space.file().path() + ": the value at offset " + offset + " of kind "
                    + bytes[SHORT_CONTENT - 1] + " cannot be read: " + e.getMessage() + CorruptHeapException.REMEDY);
        }
    }

    /** Decodes a copy of a value by its tag, in the order of the format. */
    private static Object boxed(int tag, ByteBuffer content) {
        byte[] bytes = new byte[content.remaining()];
        content.duplicate().get(bytes);
        return switch (tag) {
            case 0 -> new String(bytes, StandardCharsets.ISO_8859_1);
            case 1 -> utf16(content);
            case 2 -> content.get(0) != 0;
            case 3 -> content.get(0);
            case 4 -> content.getShort(0);
            case 5 -> content.getChar(0);
            case 6 -> content.getInt(0);
            case 7 -> content.getLong(0);
            case 8 -> content.getFloat(0);
            case 9 -> content.getDouble(0);
            case 10 -> Instant.ofEpochSecond(content.getLong(0), content.getInt(8));
            case 11 -> new UUID(content.getLong(0), content.getLong(8));
            case 12 -> new BigInteger(bytes);
            case 13 -> new BigDecimal(new BigInteger(java.util.Arrays.copyOfRange(bytes, 4, bytes.length)), content.getInt(0));
            case 14 -> constant(new String(bytes, StandardCharsets.UTF_8));
            default -> new Content(bytes);
        };
    }

    /** Converts directly, because a decoder would replace unpaired surrogates. */
    private static String utf16(ByteBuffer chars) {
        return chars.asCharBuffer().toString();
    }

    private static EnumConstant constant(String text) {
        int end = Math.max(0, text.indexOf('\n'));
        return new EnumConstant(text.substring(0, end), text.substring(end + 1));
    }
}
