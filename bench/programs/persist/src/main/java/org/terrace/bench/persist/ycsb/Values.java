// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Self-describing values. The first word of a field has the writer and the number of its write. All other words follow
 * from the first one, the key and the field. So misplaced and incomplete values are detected.
 */
final class Values {
    static final int MIN_BYTES = 2 * Long.BYTES;
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int WRITER_SHIFT = 48;
    private static final long NUMBER_MASK = (1L << WRITER_SHIFT) - 1;
    private static final long ODD = 0x9E3779B97F4A7C15L;

    private Values() {
    }

    /** Returns the hash of a key. */
    static long hash(String key) {
        long hash = 1;
        for (int i = 0; i < key.length(); i++) {
            hash = hash * 31 + key.charAt(i);
        }
        return mix(hash);
    }

    private static long mix(long x) {
        long y = (x ^ x >>> 32) * 0xD6E8FEB86659FD93L;
        y = (y ^ y >>> 29) * ODD;
        return y ^ y >>> 32;
    }

    static long stamp(int writer, long number) {
        return (long) writer << WRITER_SHIFT | number;
    }

    static int writer(long stamp) {
        return (int) (stamp >>> WRITER_SHIFT);
    }

    static long number(long stamp) {
        return stamp & NUMBER_MASK;
    }

    static void fill(byte[] bytes, int from, int length, long key, int field, long stamp) {
        WORD.set(bytes, from, stamp);
        long word = first(key, field, stamp);
        int at = Long.BYTES;
        for (; at + Long.BYTES <= length; at += Long.BYTES) {
            WORD.set(bytes, from + at, word);
            word = mix(word + ODD);
        }
        for (; at < length; at++) {
            bytes[from + at] = (byte) word;
            word >>>= Byte.SIZE;
        }
    }

    private static long first(long key, int field, long stamp) {
        return mix(key ^ mix(stamp + field * ODD));
    }

    static long stampOf(byte[] record, int from) {
        return (long) WORD.get(record, from);
    }

    /** Returns whether the first words of a value belong to this key and field. The check is fast enough for measured code. */
    static boolean begins(byte[] record, int from, long key, int field) {
        return (long) WORD.get(record, from + Long.BYTES) == first(key, field, stampOf(record, from));
    }

    /** Returns whether a complete value was written for this key and field. */
    static boolean isWhole(byte[] record, int from, int length, long key, int field) {
        byte[] expected = new byte[length];
        fill(expected, 0, length, key, field, stampOf(record, from));
        return java.util.Arrays.equals(expected, 0, length, record, from, from + length);
    }
}
