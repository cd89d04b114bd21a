package org.terrace.persist.types;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.UUID;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapException;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;

/**
 * An immutable Java value in the heap: what collections hold besides persistent objects. Each place that holds one has a copy of
 * its
 * own, freed with the place. Payload: length of the content (4), tag (1), content, big-endian.
 */
final class Boxed extends PersistentObject {
    static final PersistentClass<Boxed> CLASS = PersistentClass.bytes(Boxed.class, Boxed::new);
    private static final int LENGTH = 0;
    private static final int TAG = 4;
    private static final int CONTENT = 5;

    /** The order is part of the format. */
    private enum Tag {
        LATIN1, UTF16, BOOLEAN, BYTE, SHORT, CHAR, INT, LONG, FLOAT, DOUBLE, INSTANT, UUID, BIG_INTEGER, BIG_DECIMAL, ENUM
    }

    private static final Tag[] TAGS = Tag.values();

    private Boxed(Heap heap, Tag tag, byte[] content) {
        super(CLASS, heap, CONTENT + content.length);
        setInt(LENGTH, content.length);
        setByte(TAG, (byte) tag.ordinal());
        putBytes(CONTENT, content, 0, content.length);
    }

    private Boxed(Heap heap, long offset) {
        super(heap, offset);
    }

    /**
     * The object that stands for a value in the heap: itself for a persistent object, a new one otherwise. Null for null.
     *
     * @throws IllegalArgumentException if values of this class cannot be held
     */
    static PersistentObject store(Heap heap, Object value) {
        if (value == null || value instanceof PersistentObject) {
            return (PersistentObject) value;
        }
        if (value instanceof String s) {
            return text(heap, s);
        }
        if (value instanceof Integer i) {
            return new Boxed(heap, Tag.INT, bytes(4).putInt(i).array());
        }
        if (value instanceof Long l) {
            return new Boxed(heap, Tag.LONG, bytes(8).putLong(l).array());
        }
        if (value instanceof Double d) {
            return new Boxed(heap, Tag.DOUBLE, bytes(8).putDouble(d).array());
        }
        if (value instanceof Boolean b) {
            return new Boxed(heap, Tag.BOOLEAN, new byte[] {(byte) (b ? 1 : 0)});
        }
        return storeRarer(heap, value);
    }

    private static Boxed storeRarer(Heap heap, Object value) {
        if (value instanceof Byte b) {
            return new Boxed(heap, Tag.BYTE, new byte[] {b});
        } else if (value instanceof Short s) {
            return new Boxed(heap, Tag.SHORT, bytes(2).putShort(s).array());
        } else if (value instanceof Character c) {
            return new Boxed(heap, Tag.CHAR, bytes(2).putChar(c).array());
        } else if (value instanceof Float f) {
            return new Boxed(heap, Tag.FLOAT, bytes(4).putFloat(f).array());
        } else if (value instanceof Instant i) {
            return new Boxed(heap, Tag.INSTANT, bytes(12).putLong(i.getEpochSecond()).putInt(i.getNano()).array());
        } else if (value instanceof UUID u) {
            return new Boxed(heap, Tag.UUID,
                    bytes(16).putLong(u.getMostSignificantBits()).putLong(u.getLeastSignificantBits()).array());
        } else if (value instanceof BigInteger b) {
            return new Boxed(heap, Tag.BIG_INTEGER, b.toByteArray());
        } else if (value instanceof BigDecimal d) {
            byte[] unscaled = d.unscaledValue().toByteArray();
            return new Boxed(heap, Tag.BIG_DECIMAL, bytes(4 + unscaled.length).putInt(d.scale()).put(unscaled).array());
        } else if (value instanceof Enum<?> e) {
            return new Boxed(heap, Tag.ENUM, (e.getDeclaringClass().getName() + '\n' + e.name()).getBytes(StandardCharsets.UTF_8));
        }
        throw new IllegalArgumentException("persistent collections hold persistent objects, strings, wrappers of primitives, "
                + "enums, Instant, UUID, BigInteger and BigDecimal, not " + value.getClass().getName());
    }

    private static ByteBuffer bytes(int length) {
        return ByteBuffer.allocate(length);
    }

    private static Boxed text(Heap heap, String text) {
        byte[] latin1 = text.getBytes(StandardCharsets.ISO_8859_1);
        for (int i = 0; i < latin1.length; i++) {
            if (text.charAt(i) != (char) (latin1[i] & 0xff)) {
                return new Boxed(heap, Tag.UTF16, utf16(text));
            }
        }
        return latin1.length == text.length() ? new Boxed(heap, Tag.LATIN1, latin1) : new Boxed(heap, Tag.UTF16, utf16(text));
    }

    /** By hand: an encoder would replace surrogates that stand alone. */
    private static byte[] utf16(String text) {
        ByteBuffer bytes = bytes(2 * text.length());
        bytes.asCharBuffer().put(text);
        return bytes.array();
    }

    /** The value that an object stands for. */
    static Object load(PersistentObject object) {
        return object instanceof Boxed boxed ? boxed.value() : object;
    }

    /** Frees the copy of a value; persistent objects are the user's. */
    static void free(PersistentObject object) {
        if (object instanceof Boxed) {
            object.heap().free(object);
        }
    }

    private Object value() {
        byte[] content = new byte[getInt(LENGTH)];
        getBytes(CONTENT, content, 0, content.length);
        ByteBuffer bytes = ByteBuffer.wrap(content);
        int tag = getByte(TAG);
        if (tag < 0 || tag >= TAGS.length) {
            throw new HeapException("a value in " + heap().path() + " is of kind " + tag + ", which this library does not know");
        }
        return switch (TAGS[tag]) {
            case LATIN1 -> new String(content, StandardCharsets.ISO_8859_1);
            case UTF16 -> bytes.asCharBuffer().toString();
            case BOOLEAN -> content[0] != 0;
            case BYTE -> content[0];
            case SHORT -> bytes.getShort();
            case CHAR -> bytes.getChar();
            case INT -> bytes.getInt();
            case LONG -> bytes.getLong();
            case FLOAT -> bytes.getFloat();
            case DOUBLE -> bytes.getDouble();
            case INSTANT -> Instant.ofEpochSecond(bytes.getLong(), bytes.getInt());
            case UUID -> new UUID(bytes.getLong(), bytes.getLong());
            case BIG_INTEGER -> new BigInteger(content);
            case BIG_DECIMAL -> new BigDecimal(new BigInteger(Arrays.copyOfRange(content, 4, content.length)), bytes.getInt());
            case ENUM -> enumOf(new String(content, StandardCharsets.UTF_8).split("\n"));
        };
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private Object enumOf(String[] words) {
        try {
            ClassLoader context = Thread.currentThread().getContextClassLoader();
            Class<?> type = Class.forName(words[0], true, context == null ? Boxed.class.getClassLoader() : context);
            return Enum.valueOf((Class) type, words[1]);
        } catch (ClassNotFoundException | IllegalArgumentException e) {
            throw new HeapException(heap().path() + " holds " + words[0] + "." + words[1] + ", which this program does not have",
                    e);
        }
    }

    @Override
    public String toString() {
        return String.valueOf(value());
    }
}
