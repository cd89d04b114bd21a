// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;

/** An immutable string, for fields of persistent objects. It equals other persistent strings with the same characters. */
public final class PersistentString extends PersistentObject implements CharSequence, Comparable<PersistentString> {
    static final PersistentClass<PersistentString> CLASS = PersistentClass.bytes(PersistentString.class, PersistentString::new);
    private static final int LENGTH = 0;
    private static final int WIDE = 4;
    private static final int CONTENT = 5;

    public PersistentString(Heap heap, String text) {
        super(CLASS, heap, CONTENT + (long) text.length() * width(text));
        boolean wide = width(text) == 2;
        setInt(LENGTH, text.length());
        setBoolean(WIDE, wide);
        byte[] bytes = new byte[text.length() * width(text)];
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (wide) {
                bytes[2 * i] = (byte) c;
                bytes[2 * i + 1] = (byte) (c >>> 8);
            } else {
                bytes[i] = (byte) c;
            }
        }
        putBytes(CONTENT, bytes, 0, bytes.length);
    }

    private PersistentString(Heap heap, long offset) {
        super(heap, offset);
    }

    private static int width(String text) {
        return text.chars().anyMatch(c -> c > 0xff) ? 2 : 1;
    }

    @Override
    public int length() {
        return (int) checkLength(getInt(LENGTH), CONTENT, getBoolean(WIDE) ? Character.BYTES : Byte.BYTES);
    }

    @Override
    public char charAt(int index) {
        java.util.Objects.checkIndex(index, length());
        if (!getBoolean(WIDE)) {
            return (char) (getByte(CONTENT + (long) index) & 0xff);
        }
        long at = CONTENT + 2L * index;
        return (char) (getByte(at) & 0xff | getByte(at + 1) << 8);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        return toString().subSequence(start, end);
    }

    @Override
    public String toString() {
        char[] chars = new char[length()];
        boolean wide = getBoolean(WIDE);
        byte[] bytes = new byte[wide ? 2 * chars.length : chars.length];
        getBytes(CONTENT, bytes, 0, bytes.length);
        for (int i = 0; i < chars.length; i++) {
            chars[i] = (char) (wide ? bytes[2 * i] & 0xff | bytes[2 * i + 1] << 8 : bytes[i] & 0xff);
        }
        return new String(chars);
    }

    @Override
    public int compareTo(PersistentString other) {
        return toString().compareTo(other.toString());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PersistentString s && (super.equals(s) || toString().equals(s.toString()));
    }

    @Override
    public int hashCode() {
        return toString().hashCode();
    }
}
