// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Arrays;
import java.util.HexFormat;

/**
 * An immutable sequence of bytes with equality and order by content. Collections use it in place of a byte array as a key or an
 * element. Bytes are compared as unsigned numbers.
 */
public final class Bytes implements Comparable<Bytes> {
    private final byte[] content;

    private Bytes(byte[] content) {
        this.content = content;
    }

    /** A copy of these bytes. */
    public static Bytes copyOf(byte[] bytes) {
        return new Bytes(bytes.clone());
    }

    /** A copy of {@code length} bytes, starting at {@code from}. */
    public static Bytes copyOf(byte[] bytes, int from, int length) {
        java.util.Objects.checkFromIndexSize(from, length, bytes.length);
        return new Bytes(Arrays.copyOfRange(bytes, from, from + length));
    }

    /** Wraps these bytes without a copy. They must not be changed afterwards. */
    static Bytes of(byte[] bytes) {
        return new Bytes(bytes);
    }

    /** The bytes themselves, which must not be changed. */
    byte[] content() {
        return content;
    }

    public int length() {
        return content.length;
    }

    public byte get(int index) {
        return content[index];
    }

    public byte[] toArray() {
        return content.clone();
    }

    @Override
    public int compareTo(Bytes other) {
        return Arrays.compareUnsigned(content, other.content);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bytes b && Arrays.equals(content, b.content);
    }

    /** Like {@link Arrays#hashCode(byte[])}, which is the same in every process. */
    @Override
    public int hashCode() {
        return Arrays.hashCode(content);
    }

    /** The bytes in hexadecimal. */
    @Override
    public String toString() {
        return HexFormat.of().formatHex(content);
    }
}
