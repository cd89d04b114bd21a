// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.log;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.terrace.persist.HeapException;
import org.terrace.persist.medium.Memory;

/**
 * One record of the redo log. It contains the changes of a commit as idempotent operations. See
 * {@code docs/internals/persist-format.md}.
 */
public final class LogRecord {
    public static final int WRITE = 1;
    public static final int ZERO = 2;
    public static final int ALLOCATE = 3;
    public static final int FREE = 4;

    static final int HEADER_BYTES = 40;
    private static final int OPERATION_BYTES = 16;
    private static final int KIND_SHIFT = 56;
    private static final long OFFSET_MASK = (1L << KIND_SHIFT) - 1;
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Receives the operations of a record in their order. */
    public interface Visitor {
        /** Writes the bytes {@code record[at, at + length)}. */
        void write(long offset, byte[] record, int at, int length);

        void zero(long offset, long length);

        void allocate(long block, long count);

        void free(long block, long count);
    }

    /** The ranges that operations may change: offsets of the heap file from {@code from} to {@code to}, and a number of blocks. */
    public record Limits(long from, long to, long blocks) {
    }

    private byte[] bytes;
    private int length = HEADER_BYTES;
    private int operations;

    public LogRecord() {
        bytes = new byte[512];
    }

    LogRecord(byte[] whole) {
        bytes = whole;
        length = whole.length;
        operations = (int) INT.get(bytes, 32);
    }

    public boolean isEmpty() {
        return operations == 0;
    }

    public int length() {
        return length;
    }

    byte[] bytes() {
        return bytes;
    }

    public void clear() {
        length = HEADER_BYTES;
        operations = 0;
    }

    /** Adds the bytes at an address as the new contents of the heap at {@code offset}. */
    public void write(long offset, long address, int count) {
        int at = startWrite(offset, count);
        Memory.copy(address, bytes, at, count);
    }

    /** Adds bytes of an array as the new contents. */
    public void write(long offset, byte[] from, int first, int count) {
        int at = startWrite(offset, count);
        System.arraycopy(from, first, bytes, at, count);
    }

    public void writeLong(long offset, long value) {
        int at = startWrite(offset, Long.BYTES);
        LONG.set(bytes, at, value);
    }

    public void zero(long offset, long count) {
        add(ZERO, offset, count);
    }

    public void allocate(long block, long count) {
        add(ALLOCATE, block, count);
    }

    public void free(long block, long count) {
        add(FREE, block, count);
    }

    private int startWrite(long offset, int count) {
        int padded = (count + 7) & -8;
        ensure((long) length + OPERATION_BYTES + padded);
        add(WRITE, offset, count);
        int at = length;
        if (padded != count) {
            LONG.set(bytes, at + padded - Long.BYTES, 0L);
        }
        length += padded;
        return at;
    }

    private void add(int kind, long where, long count) {
        ensure((long) length + OPERATION_BYTES);
        LONG.set(bytes, length, (long) kind << KIND_SHIFT | where);
        LONG.set(bytes, length + 8, count);
        length += OPERATION_BYTES;
        operations++;
    }

    private void ensure(long needed) {
        if (needed > bytes.length) {
            if (needed > Integer.MAX_VALUE - 64) {
                throw new HeapException("a block that changes more than 2 GB cannot be committed: split it");
            }
            bytes = Arrays.copyOf(bytes, (int) Math.min(Integer.MAX_VALUE - 64, Math.max(needed, 2L * bytes.length)));
        }
    }

    public void visit(Visitor visitor) {
        int at = HEADER_BYTES;
        for (int i = 0; i < operations; i++) {
            long word = (long) LONG.get(bytes, at);
            long where = word & OFFSET_MASK;
            long count = (long) LONG.get(bytes, at + 8);
            at += OPERATION_BYTES;
            switch ((int) (word >>> KIND_SHIFT)) {
                case WRITE -> {
                    visitor.write(where, bytes, at, (int) count);
                    at += (int) (count + 7) & -8;
                }
                case ZERO -> visitor.zero(where, count);
                case ALLOCATE -> visitor.allocate(where, count);
                case FREE -> visitor.free(where, count);
                default -> throw new HeapException("a log record has an operation of unknown kind " + (word >>> KIND_SHIFT));
            }
        }
    }

    /** Why the operations of a record cannot be executed, or null if they can. A correct checksum does not guarantee that. */
    String problem(Limits limits) {
        int at = HEADER_BYTES;
        for (int i = 0; i < operations; i++) {
            if (at > length - OPERATION_BYTES) {
                return "it is too short for " + operations + " operations";
            }
            long word = (long) LONG.get(bytes, at);
            long where = word & OFFSET_MASK;
            long count = (long) LONG.get(bytes, at + 8);
            int kind = (int) (word >>> KIND_SHIFT);
            at += OPERATION_BYTES;
            boolean isOfBlocks = kind == ALLOCATE || kind == FREE;
            long from = isOfBlocks ? 0 : limits.from;
            long to = isOfBlocks ? limits.blocks : limits.to;
            if (count < 0 || where < from || where > to - count) {
                return "an operation changes " + count + (isOfBlocks ? " blocks" : " bytes") + " from " + where + " on, of " + to;
            }
            if (kind == WRITE) {
                if (count > length - at) {
                    return "an operation writes " + count + " bytes, of which " + (length - at) + " are there";
                }
                at += (int) (count + 7) & -8;
            } else if (kind != ZERO && !isOfBlocks) {
                return "it has an operation of unknown kind " + kind;
            }
        }
        return operations < 0 || at != length ? "it has " + operations + " operations and " + length + " bytes" : null;
    }

    /** Writes header and checksum, which completes the record. */
    void seal(long position, long durable, long life) {
        INT.set(bytes, 4, length);
        LONG.set(bytes, 8, position);
        LONG.set(bytes, 16, durable);
        LONG.set(bytes, 24, life);
        INT.set(bytes, 32, operations);
        INT.set(bytes, 0, checksum(bytes, length));
    }

    static int checksum(byte[] record, int length) {
        CRC32C crc = new CRC32C();
        crc.update(record, 4, length - 4);
        return (int) crc.getValue();
    }

    static int storedChecksum(byte[] header) {
        return (int) INT.get(header, 0);
    }

    static int storedLength(byte[] header) {
        return (int) INT.get(header, 4);
    }

    static long storedPosition(byte[] header) {
        return (long) LONG.get(header, 8);
    }

    /** The position in the record's header, if the header began at this index. */
    static long positionAt(byte[] window, int index) {
        return (long) LONG.get(window, index + 8);
    }

    /** The life in the record's header, if the header began at this index. */
    static long lifeAt(byte[] window, int index) {
        return (long) LONG.get(window, index + 24);
    }

    static long storedDurable(byte[] header) {
        return (long) LONG.get(header, 16);
    }

    static long storedLife(byte[] header) {
        return (long) LONG.get(header, 24);
    }
}
