// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.FreedObjectException;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapException;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.RawObjects;
import org.terrace.persist.heap.EnumConstants;

/**
 * A copy of an immutable Java value in the heap. Collections store such copies besides references to persistent objects. Each place
 * that stores a value has its own copy, which is freed with the place. Payload: length of the content (4 bytes), tag (1), content,
 * big-endian.
 */
final class Boxed extends PersistentObject implements Copy {
    static final PersistentClass<Boxed> CLASS = PersistentClass.bytes(Boxed.class, Boxed::new);
    private static final int LENGTH = 0;
    private static final int TAG = 4;
    private static final int CONTENT = 5;

    /** The order of the tags is part of the format. */
    private enum Tag {
        LATIN1, UTF16, BOOLEAN, BYTE, SHORT, CHAR, INT, LONG, FLOAT, DOUBLE, INSTANT, UUID, BIG_INTEGER, BIG_DECIMAL, ENUM,
        BYTES
    }

    private static final Tag[] TAGS = Tag.values();
    private static final int INT_TAG = Tag.INT.ordinal();
    private static final int LONG_TAG = Tag.LONG.ordinal();
    private static final int DOUBLE_TAG = Tag.DOUBLE.ordinal();
    private static final int LATIN1_TAG = Tag.LATIN1.ordinal();
    private static final int UTF16_TAG = Tag.UTF16.ordinal();
    private static final int BYTES_TAG = Tag.BYTES.ordinal();

    /** Payload size of a number. The first of two words contains length, tag and three bytes of the number, the second the other bytes. */
    private static final int NUMBER_BYTES = 2 * Long.BYTES;
    private static final int PLAIN_BYTES = 1 << 16;
    /** Result of {@link #loadPlain} for a value that it does not load. */
    static final Object NOT_PLAIN = new Object();

    private Boxed(Heap heap, long offset) {
        super(heap, offset);
    }

    /**
     * The object that represents a value in the heap: the value itself if it is a persistent object, otherwise a new object. Null
     * for null.
     *
     * @throws IllegalArgumentException if values of this class cannot be stored
     */
    static PersistentObject store(Heap heap, Object value) {
        if (value == null || value instanceof PersistentObject) {
            return (PersistentObject) value;
        }
        RawObjects raw = RawObjects.of(heap);
        return raw.proxy(store(raw, value));
    }

    /** Like {@link #store(Heap, Object)}, but returns a reference. */
    static long store(RawObjects raw, Object value) {
        if (value instanceof PersistentObject || value == null) {
            return raw.referenceTo((PersistentObject) value);
        }
        if (isNumber(value)) {
            long boxed = raw.allocate(CLASS, CONTENT + Long.BYTES);
            putNumber(raw, boxed, value);
            return boxed;
        }
        if (value instanceof String s) {
            return text(raw, s);
        }
        if (value instanceof Bytes b) {
            return make(raw, Tag.BYTES, b.content());
        }
        return storeRarer(raw, value);
    }

    /**
     * The reference to store in place of {@code old}, which is no longer needed. If old and new value are numbers of the same size,
     * the old object is overwritten. Must be called in a failure-atomic block.
     */
    static long replace(RawObjects raw, long old, Object value) {
        if (old != 0 && isNumber(value) && isRoomOfNumber(raw, old)) {
            putNumber(raw, old, value);
            return old;
        }
        long stored = store(raw, value);
        free(raw, old);
        return stored;
    }

    private static boolean isRoomOfNumber(RawObjects raw, long reference) {
        try {
            return raw.isA(reference, CLASS) && room(raw, reference) == NUMBER_BYTES;
        } catch (FreedObjectException e) {
            return false;
        }
    }

    private static boolean isNumber(Object value) {
        return value instanceof Long || value instanceof Integer || value instanceof Double;
    }

    private static void putNumber(RawObjects raw, long boxed, Object value) {
        long reversed;
        int tag;
        if (value instanceof Long l) {
            tag = LONG_TAG;
            reversed = Long.reverseBytes(l);
        } else if (value instanceof Integer i) {
            tag = INT_TAG;
            reversed = Integer.toUnsignedLong(Integer.reverseBytes(i));
        } else {
            tag = DOUBLE_TAG;
            reversed = Long.reverseBytes(Double.doubleToRawLongBits((Double) value));
        }
        int bytes = tag == INT_TAG ? Integer.BYTES : Long.BYTES;
        raw.putLong(boxed, 0, bytes | (long) tag << Byte.SIZE * TAG | reversed << Byte.SIZE * CONTENT);
        raw.putLong(boxed, Long.BYTES, reversed >>> Byte.SIZE * (Long.BYTES - CONTENT));
    }

    private static long make(RawObjects raw, Tag tag, byte[] content) {
        long boxed = raw.allocate(CLASS, CONTENT + content.length);
        raw.putLong(boxed, 0, content.length | (long) tag.ordinal() << Byte.SIZE * TAG);
        raw.putBytes(boxed, CONTENT, content);
        return boxed;
    }

    private static long storeRarer(RawObjects raw, Object value) {
        if (value instanceof Boolean b) {
            return make(raw, Tag.BOOLEAN, new byte[] {(byte) (b ? 1 : 0)});
        } else if (value instanceof Byte b) {
            return make(raw, Tag.BYTE, new byte[] {b});
        } else if (value instanceof Short s) {
            return make(raw, Tag.SHORT, bytes(2).putShort(s).array());
        } else if (value instanceof Character c) {
            return make(raw, Tag.CHAR, bytes(2).putChar(c).array());
        } else if (value instanceof Float f) {
            return make(raw, Tag.FLOAT, bytes(4).putFloat(f).array());
        } else if (value instanceof Instant i) {
            return make(raw, Tag.INSTANT, bytes(12).putLong(i.getEpochSecond()).putInt(i.getNano()).array());
        } else if (value instanceof UUID u) {
            return make(raw, Tag.UUID,
                    bytes(16).putLong(u.getMostSignificantBits()).putLong(u.getLeastSignificantBits()).array());
        } else if (value instanceof BigInteger b) {
            return make(raw, Tag.BIG_INTEGER, b.toByteArray());
        } else if (value instanceof BigDecimal d) {
            byte[] unscaled = d.unscaledValue().toByteArray();
            return make(raw, Tag.BIG_DECIMAL, bytes(4 + unscaled.length).putInt(d.scale()).put(unscaled).array());
        } else if (value instanceof Enum<?> e) {
            raw.storing(e.getDeclaringClass());
            return constant(raw, e.getDeclaringClass().getName(), e.name());
        } else if (value instanceof MissingConstant m) {
            return constant(raw, m.enumeration(), m.name());
        } else if (value instanceof OpaqueRecord r) {
            return raw.referenceTo(r.store(raw.heap()));
        } else if (value instanceof Optional<?> o) {
            return raw.referenceTo(new BoxedOptional(raw.heap(), o));
        } else if (value instanceof Record) {
            return raw.referenceTo(Records.store(raw.heap(), value));
        }
        throw new IllegalArgumentException("a heap holds persistent objects, collections such as PersistentList and "
                + "PersistentHashMap, strings, wrappers of primitives, enums, Instant, UUID, BigInteger, BigDecimal, Bytes, Optional "
                + "and persistent records, not " + value.getClass().getName());
    }

    private static long constant(RawObjects raw, String enumeration, String name) {
        return make(raw, Tag.ENUM, (enumeration + '\n' + name).getBytes(StandardCharsets.UTF_8));
    }

    private static ByteBuffer bytes(int length) {
        return ByteBuffer.allocate(length);
    }

    private static long text(RawObjects raw, String text) {
        byte[] latin1 = text.getBytes(StandardCharsets.ISO_8859_1);
        boolean fits = latin1.length == text.length();
        for (int i = 0; fits && i < latin1.length; i++) {
            fits = text.charAt(i) == (char) (latin1[i] & 0xff);
        }
        return fits ? make(raw, Tag.LATIN1, latin1) : make(raw, Tag.UTF16, utf16(text));
    }

    /** Converts directly, because an encoder would replace unpaired surrogates. */
    private static byte[] utf16(String text) {
        ByteBuffer bytes = bytes(2 * text.length());
        bytes.asCharBuffer().put(text);
        return bytes.array();
    }

    /** The value that an object represents. */
    static Object load(PersistentObject object) {
        if (!(object instanceof Copy copy)) {
            return object;
        }
        try {
            return copy.value();
        } catch (StackOverflowError e) {
            throw endless(object);
        }
    }

    private static CorruptHeapException endless(PersistentObject object) {
        RawObjects raw = RawObjects.of(object.heap());
        return raw.damaged(raw.referenceTo(object), "holds values in each other, deeper than the stack (-Xss), or in a circle");
    }

    /** Frees the copy of a value. Persistent objects of the program are not freed. */
    static void free(PersistentObject object) {
        if (!(object instanceof Copy)) {
            return;
        }
        try {
            object.heap().free(object);
        } catch (StackOverflowError e) {
            throw endless(object);
        }
    }

    /** Frees the copy of a value, given by its reference. Does nothing for an object of the program, even if it was freed already. */
    static void free(RawObjects raw, long reference) {
        if (reference == 0) {
            return;
        }
        PersistentObject object;
        try {
            if (raw.isA(reference, CLASS)) {
                raw.free(reference);
                return;
            }
            object = raw.proxy(reference);
        } catch (FreedObjectException e) {
            return;
        }
        free(object);
    }

    /** The value that an object represents. */
    static Object load(RawObjects raw, long reference) {
        if (reference == 0) {
            return null;
        }
        return raw.isA(reference, CLASS) ? loadBoxed(raw, reference) : load(raw.proxy(reference));
    }

    /**
     * The value of a place that is about to be cleared or overwritten. It is null if it was a freed object or a copy that refers to
     * one. A collection would have cleared such a reference too. Therefore entries with freed objects can be removed and replaced.
     */
    static Object loadToDrop(RawObjects raw, long reference) {
        try {
            return load(raw, reference);
        } catch (FreedObjectException e) {
            return null;
        }
    }

    /**
     * Like {@link #load(RawObjects, long)}, for reads without a lock. Loads only null, numbers, short strings and short byte
     * sequences, and calls no other code. The result is {@link #NOT_PLAIN} for any other value.
     */
    static Object loadPlain(RawObjects raw, long reference) {
        if (reference == 0) {
            return null;
        }
        if (!raw.isA(reference, CLASS)) {
            return NOT_PLAIN;
        }
        int tag = raw.getByte(reference, TAG);
        boolean plain = isNumber(tag) || (tag == LATIN1_TAG || tag == BYTES_TAG) && room(raw, reference) <= PLAIN_BYTES;
        return plain ? loadBoxed(raw, reference) : NOT_PLAIN;
    }

    /** Whether an object represents a value equal to this one. */
    static boolean isEqual(RawObjects raw, long reference, Object value) {
        if (reference == 0 || value == null) {
            return reference == 0 && value == null;
        }
        if (isPlain(value) && raw.isA(reference, CLASS)) {
            return isBoxed(raw, reference, value);
        }
        return load(raw, reference).equals(value);
    }

    /**
     * Like {@link #isEqual}, for a value that {@link #isPlain}.
     *
     * @throws IllegalStateException if the object is not a copy of such a value, because the comparison would call other code
     */
    static boolean isEqualPlain(RawObjects raw, long reference, Object value) {
        if (!raw.isA(reference, CLASS)) {
            throw new IllegalStateException("not plain");
        }
        return isBoxed(raw, reference, value);
    }

    /** Whether a value can be compared without a call of other code. */
    static boolean isPlain(Object value) {
        return value instanceof Long || value instanceof Integer || value instanceof String || value instanceof Bytes;
    }

    @SuppressWarnings("unchecked")
    static int compare(Object a, Object b) {
        if (Opaque.isOne(a) || Opaque.isOne(b)) {
            return Opaque.compare(a, b);
        }
        return ((Comparable<Object>) a).compareTo(b);
    }

    /** Compares a value with the one that an object represents. Numbers and strings are compared without copying them from the heap. */
    static int compare(RawObjects raw, Object value, long reference) {
        long room = raw.payloadBytesIfA(reference, CLASS);
        if (room >= 0) {
            long first = raw.getLong(reference, 0);
            int tag = (byte) (first >>> Byte.SIZE * TAG);
            if (value instanceof Long l && tag == LONG_TAG) {
                return Long.compare(l, Long.reverseBytes(number(raw, reference, room, first)));
            } else if (value instanceof Integer i && tag == INT_TAG) {
                return Integer.compare(i, Integer.reverseBytes((int) number(raw, reference, room, first)));
            } else if (value instanceof String s && (tag == LATIN1_TAG || tag == UTF16_TAG)) {
                return compareText(raw, s, reference, room, first);
            }
        }
        Object loaded = load(raw, reference);
        if (Opaque.isOne(loaded)) {
            Opaque.checkPlaced(raw.heap().path().toString(), loaded);
        }
        return compare(value, loaded);
    }

    /** Compares by {@code char}s, as strings are compared. It loads whole words, because each load looks up the thread's block. */
    private static int compareText(RawObjects raw, String text, long reference, long room, long first) {
        int charBytes = (byte) (first >>> Byte.SIZE * TAG) == LATIN1_TAG ? 1 : 2;
        int length = checkedLength(raw, reference, room, (int) first) / charBytes;
        int common = Math.min(length, text.length());
        int at = CONTENT;
        long word = first >>> Byte.SIZE * CONTENT;
        for (int i = 0; i < common; i++) {
            int stored = 0;
            for (int end = at + charBytes; at < end; at++, word >>>= Byte.SIZE) {
                if (at % Long.BYTES == 0) {
                    word = raw.getLong(reference, at);
                }
                stored = stored << Byte.SIZE | (int) word & 0xff;
            }
            if (text.charAt(i) != stored) {
                return text.charAt(i) - stored;
            }
        }
        return text.length() - length;
    }

    private static boolean isBoxed(RawObjects raw, long reference, Object value) {
        int tag = raw.getByte(reference, TAG);
        if (value instanceof Long l) {
            return tag == LONG_TAG && number(raw, reference) == Long.reverseBytes(l);
        }
        if (value instanceof Integer i) {
            return tag == INT_TAG && (int) number(raw, reference) == Integer.reverseBytes(i);
        }
        int length = raw.getInt(reference, LENGTH);
        boolean comparable = value instanceof String s
                ? tag == LATIN1_TAG && length == s.length() || tag == UTF16_TAG && length == 2L * s.length()
                : tag == BYTES_TAG && length == ((Bytes) value).length();
        return comparable && loadBoxed(raw, reference).equals(value);
    }

    private static boolean isNumber(int tag) {
        return tag == LONG_TAG || tag == INT_TAG || tag == DOUBLE_TAG;
    }

    /** The first eight bytes of the content, in little-endian order. */
    private static long number(RawObjects raw, long reference) {
        return number(raw, reference, room(raw, reference), raw.getLong(reference, 0));
    }

    /** @param first the first word of the payload */
    private static long number(RawObjects raw, long reference, long room, long first) {
        if (room < NUMBER_BYTES) {
            throw raw.damaged(reference, "is too small for its number");
        }
        return first >>> Byte.SIZE * CONTENT | raw.getLong(reference, Long.BYTES) << Byte.SIZE * (Long.BYTES - CONTENT);
    }

    private static long room(RawObjects raw, long reference) {
        return RawObjects.payloadBytes(raw.header(reference, CLASS));
    }

    private static Object loadBoxed(RawObjects raw, long reference) {
        int tag = raw.getByte(reference, TAG);
        if (isNumber(tag)) {
            long reversed = number(raw, reference);
            return tag == LONG_TAG ? (Object) Long.reverseBytes(reversed)
                    : tag == INT_TAG ? (Object) Integer.reverseBytes((int) reversed)
                    : (Object) Double.longBitsToDouble(Long.reverseBytes(reversed));
        }
        byte[] content = new byte[checkedLength(raw, reference, room(raw, reference), raw.getInt(reference, LENGTH))];
        raw.getBytes(reference, CONTENT, content);
        try {
            return rarerValue(raw.heap(), tag, content);
        } catch (IndexOutOfBoundsException | BufferUnderflowException | IllegalArgumentException | DateTimeException
                | ArithmeticException e) {
            throw raw.damaged(reference, "holds a value of kind " + tag + " and " + content.length + " bytes, which no program"
                    + " has stored (" + e + ")");
        }
    }

    /** The length of the content in bytes. */
    private static int checkedLength(RawObjects raw, long reference, long room, int length) {
        if (length < 0 || length > room - CONTENT) {
            throw raw.damaged(reference, "has a value of " + length + " bytes, more than it has space for");
        }
        return length;
    }

    @Override
    public Object value() {
        RawObjects raw = RawObjects.of(heap());
        return loadBoxed(raw, raw.referenceTo(this));
    }

    private static Object rarerValue(Heap heap, int tag, byte[] content) {
        ByteBuffer bytes = ByteBuffer.wrap(content);
        if (tag < 0 || tag >= TAGS.length) {
            throw new HeapException("a value in " + heap.path() + " is of kind " + tag + ", which this library does not know");
        }
        return switch (TAGS[tag]) {
            case LATIN1 -> new String(content, StandardCharsets.ISO_8859_1);
            case UTF16 -> bytes.asCharBuffer().toString();
            case BOOLEAN -> content[0] != 0;
            case BYTE -> content[0];
            case SHORT -> bytes.getShort();
            case CHAR -> bytes.getChar();
            case FLOAT -> bytes.getFloat();
            case INSTANT -> Instant.ofEpochSecond(bytes.getLong(), bytes.getInt());
            case UUID -> new UUID(bytes.getLong(), bytes.getLong());
            case BIG_INTEGER -> new BigInteger(content);
            case BIG_DECIMAL -> new BigDecimal(new BigInteger(Arrays.copyOfRange(content, 4, content.length)), bytes.getInt());
            case BYTES -> Bytes.of(content);
            case ENUM -> {
                String[] words = new String(content, StandardCharsets.UTF_8).split("\n");
                yield constant(RawObjects.of(heap).loading(words[0]), words[0], words[1]);
            }
            case INT, LONG, DOUBLE -> throw new IllegalStateException("not rare");
        };
    }

    /** The constant, or its placeholder if this program lacks the constant or the enumeration, which is null then. */
    private static Object constant(Class<?> type, String enumeration, String name) {
        Enum<?> constant = type == null ? null : EnumConstants.of(type).constant(name);
        return constant != null ? constant : MissingConstant.of(enumeration, name, type != null);
    }

    @Override
    public String toString() {
        return String.valueOf(value());
    }
}
