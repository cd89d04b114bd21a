// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

import java.lang.reflect.Field;
import java.nio.MappedByteBuffer;
import sun.misc.Unsafe;

/**
 * Loads and stores at addresses. Aligned accesses of up to eight bytes are atomic. If both ends of a copy are aligned, it copies
 * whole words.
 */
public final class Memory {
    private static final Unsafe UNSAFE = unsafe();
    private static final long BYTES = Unsafe.ARRAY_BYTE_BASE_OFFSET;
    private static final int WORD = Long.BYTES - 1;
    private static final int SMALL = 256;

    private Memory() {
    }

    public static byte getByte(long address) {
        return UNSAFE.getByte(address);
    }

    public static short getShort(long address) {
        return UNSAFE.getShort(address);
    }

    public static int getInt(long address) {
        return UNSAFE.getInt(address);
    }

    public static long getLong(long address) {
        return UNSAFE.getLong(address);
    }

    public static void putByte(long address, byte value) {
        UNSAFE.putByte(address, value);
    }

    public static void putShort(long address, short value) {
        UNSAFE.putShort(address, value);
    }

    public static void putInt(long address, int value) {
        UNSAFE.putInt(address, value);
    }

    public static void putLong(long address, long value) {
        UNSAFE.putLong(address, value);
    }

    public static void copy(long from, long to, long length) {
        UNSAFE.copyMemory(from, to, length);
    }

    public static void copy(long from, byte[] to, int at, int length) {
        UNSAFE.copyMemory(null, from, to, BYTES + at, length);
    }

    public static void copy(byte[] from, int at, long to, int length) {
        if (length == Long.BYTES && (to & WORD) == 0) {
            UNSAFE.putLong(to, UNSAFE.getLong(from, BYTES + at));
        } else {
            UNSAFE.copyMemory(from, BYTES + at, null, to, length);
        }
    }

    public static void zero(long address, long length) {
        if (length <= SMALL && ((address | length) & WORD) == 0) {
            // A loop is faster here, because the VM's method is a call into native code.
            for (long done = 0; done < length; done += Long.BYTES) {
                UNSAFE.putLong(address + done, 0);
            }
        } else {
            UNSAFE.setMemory(address, length, (byte) 0);
        }
    }

    public static long allocate(long bytes) {
        return UNSAFE.allocateMemory(bytes);
    }

    public static void free(long address) {
        UNSAFE.freeMemory(address);
    }

    /** Unmaps a buffer. It must not be used afterwards, because its addresses may belong to another file. */
    static void unmap(MappedByteBuffer buffer) {
        UNSAFE.invokeCleaner(buffer);
    }

    private static Unsafe unsafe() {
        try {
            Field field = Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return (Unsafe) field.get(null);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
