// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.nio.charset.StandardCharsets;

/**
 * Values of at most eight bytes that are stored directly in an entry of a hash map instead of a reference to a copy. These are
 * numbers, booleans, characters, and strings of up to eight Latin-1 characters. Each has a kind of 16 bits and content of 64 bits.
 * The kinds are part of the format. Kind 0 is a reference or null.
 */
final class Inline {
    static final int REFERENCE = 0;
    private static final int LONG = 1;
    private static final int INT = 2;
    private static final int DOUBLE = 3;
    private static final int FLOAT = 4;
    private static final int SHORT = 5;
    private static final int BYTE = 6;
    private static final int CHAR = 7;
    private static final int BOOLEAN = 8;
    /** The length is stored in the bits above. */
    private static final int TEXT = 9;
    private static final int LENGTH_SHIFT = 8;

    private Inline() {
    }

    /** The kind of a value. It is {@link #REFERENCE} for null and for a value that needs a separate object. */
    static int kindOf(Object value) {
        if (value instanceof Long) {
            return LONG;
        } else if (value instanceof Integer) {
            return INT;
        } else if (value instanceof String s) {
            return isShort(s) ? TEXT | s.length() << LENGTH_SHIFT : REFERENCE;
        } else if (value instanceof Double) {
            return DOUBLE;
        } else if (value instanceof Boolean) {
            return BOOLEAN;
        }
        return rarerKind(value);
    }

    private static int rarerKind(Object value) {
        return value instanceof Float ? FLOAT : value instanceof Short ? SHORT : value instanceof Byte ? BYTE
                : value instanceof Character ? CHAR : REFERENCE;
    }

    private static boolean isShort(String s) {
        boolean fits = s.length() <= Long.BYTES;
        for (int i = 0; fits && i < s.length(); i++) {
            fits = s.charAt(i) <= 0xff;
        }
        return fits;
    }

    /** Whether a value can be stored inline. Null can, because it needs no object. */
    static boolean fits(Object value) {
        return value == null || kindOf(value) != REFERENCE;
    }

    /** Whether the content of a kind other than {@link #REFERENCE} equals a value. */
    static boolean isEqual(int kind, long content, Object value) {
        return kind == kindOf(value) && (content == contentOf(kind, value)
                || (kind == DOUBLE || kind == FLOAT) && value(kind, content).equals(value));
    }

    /** The content of a value of this kind. Equal contents represent equal values. 0 for null. */
    static long contentOf(int kind, Object value) {
        return switch (kind & 0xff) {
            case LONG -> (Long) value;
            case INT -> (Integer) value;
            case DOUBLE -> Double.doubleToRawLongBits((Double) value);
            case FLOAT -> Float.floatToRawIntBits((Float) value);
            case SHORT -> (Short) value;
            case BYTE -> (Byte) value;
            case CHAR -> (Character) value;
            case BOOLEAN -> (Boolean) value ? 1 : 0;
            case TEXT -> pack((String) value);
            default -> 0;
        };
    }

    private static long pack(String s) {
        long packed = 0;
        for (int i = s.length() - 1; i >= 0; i--) {
            packed = packed << Byte.SIZE | s.charAt(i);
        }
        return packed;
    }

    /** The value of a kind that {@link #kindOf} returns, or null for an unknown kind, which results from damage. */
    static Object value(int kind, long content) {
        return switch (kind & 0xff) {
            case LONG -> content;
            case INT -> (int) content;
            case DOUBLE -> Double.longBitsToDouble(content);
            case FLOAT -> Float.intBitsToFloat((int) content);
            case SHORT -> (short) content;
            case BYTE -> (byte) content;
            case CHAR -> (char) content;
            case BOOLEAN -> content != 0;
            case TEXT -> text(Math.min(kind >>> LENGTH_SHIFT, Long.BYTES), content);
            default -> null;
        };
    }

    private static String text(int length, long content) {
        byte[] latin1 = new byte[length];
        for (int i = 0; i < length; i++) {
            latin1[i] = (byte) (content >>> i * Byte.SIZE);
        }
        return new String(latin1, StandardCharsets.ISO_8859_1);
    }
}
