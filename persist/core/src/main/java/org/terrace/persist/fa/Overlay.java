// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.fa;

import java.util.Arrays;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.LongStack;
import org.terrace.persist.log.LogRecord;
import org.terrace.persist.medium.Memory;

/**
 * The uncommitted writes of one failure-atomic block. For each modified heap block, it stores a copy of the written bytes and one
 * bit for each of them. Only these bytes are committed, so blocks that change adjacent fields do not interfere. Not thread-safe.
 *
 * <p>An entry has 320 bytes of memory: 256 bytes of contents, 32 bytes of <em>known</em> bits, and 32 bytes of <em>written</em>
 * bits. Known bytes are read from the entry, and written bytes go to the log record. The bytes of a new extent are known to be zero
 * without being written.
 */
final class Overlay implements AutoCloseable {
    private static final int KNOWN = Layout.BLOCK_BYTES;
    private static final int WRITTEN = KNOWN + 32;
    private static final int ENTRY_BYTES = WRITTEN + 32;
    private static final int MASK_WORDS = 4;
    private static final int BLOCK_SHIFT = 8;
    private static final int IN_BLOCK = Layout.BLOCK_BYTES - 1;
    /** Larger extents have entries only for the blocks that are used. There are few such extents, because the log limits their number. */
    private static final long LARGE_BYTES = 1 << 16;
    private static final int KEPT_ENTRIES = 1 << 12;

    private final long base;
    private long entries;
    private int capacity = 64;
    private int count;
    /** A hash table with open addressing. The key is the block number + 1, and the value the index of the entry. */
    private long[] keys = new long[2 * capacity];
    private int[] values = new int[2 * capacity];
    private final LongStack order = new LongStack();
    /** Large extents that read as zeros, as pairs of first block and block behind the last. */
    private final LongStack fresh = new LongStack();
    private long lastBlock = -1;
    private long lastEntry;

    /** @param base address of offset 0 of the heap */
    Overlay(long base) {
        this.base = base;
        this.entries = Memory.allocate((long) capacity * ENTRY_BYTES);
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Number of blocks that were written, or read in a new extent. */
    int blocks() {
        return count;
    }

    /** The address of the block's entry, or 0. */
    private long find(long block) {
        if (block == lastBlock) {
            return lastEntry;
        }
        long entry = count == 0 ? 0 : lookUp(block);
        return entry == 0 && isFresh(block) ? add(block) : entry;
    }

    private boolean isFresh(long block) {
        for (int i = 0; i < fresh.size(); i += 2) {
            if (block >= fresh.get(i) && block < fresh.get(i + 1)) {
                return true;
            }
        }
        return false;
    }

    private long lookUp(long block) {
        int mask = keys.length - 1;
        for (int i = slotOf(block, mask); keys[i] != 0; i = i + 1 & mask) {
            if (keys[i] == block + 1) {
                lastBlock = block;
                lastEntry = entries + (long) values[i] * ENTRY_BYTES;
                return lastEntry;
            }
        }
        return 0;
    }

    private static int slotOf(long block, int mask) {
        return (int) (block * 0x9E3779B97F4A7C15L >>> 32) & mask;
    }

    private long findOrAdd(long block) {
        long entry = find(block);
        return entry != 0 ? entry : add(block);
    }

    private long add(long block) {
        if (count == capacity) {
            enlarge();
        }
        order.push(block);
        insert(block, count);
        lastBlock = block;
        lastEntry = entries + (long) count++ * ENTRY_BYTES;
        Memory.zero(lastEntry + KNOWN, ENTRY_BYTES - KNOWN);
        if (isFresh(block)) {
            Memory.zero(lastEntry, Layout.BLOCK_BYTES);
            setBits(lastEntry + KNOWN, 0, Layout.BLOCK_BYTES);
        }
        return lastEntry;
    }

    private void insert(long block, int number) {
        int mask = keys.length - 1;
        int i = slotOf(block, mask);
        while (keys[i] != 0) {
            i = i + 1 & mask;
        }
        keys[i] = block + 1;
        values[i] = number;
    }

    private void enlarge() {
        long old = entries;
        resize(2 * capacity, count);
        Memory.free(old);
        for (int i = 0; i < count; i++) {
            insert(order.get(i), i);
        }
    }

    /** Changes nothing if memory is exhausted. The caller must free the old entries. */
    private void resize(int newCapacity, int kept) {
        long[] newKeys = new long[2 * newCapacity];
        int[] newValues = new int[2 * newCapacity];
        long newEntries = Memory.allocate((long) newCapacity * ENTRY_BYTES);
        Memory.copy(entries, newEntries, (long) kept * ENTRY_BYTES);
        entries = newEntries;
        capacity = newCapacity;
        keys = newKeys;
        values = newValues;
        lastBlock = -1;
    }

    private static void setBits(long mask, int from, int length) {
        for (int bit = from, end = from + length; bit < end;) {
            int n = Math.min(64 - (bit & 63), end - bit);
            long address = mask + (bit >>> 6) * Long.BYTES;
            Memory.putLong(address, Memory.getLong(address) | bits(bit, n));
            bit += n;
        }
    }

    private static long bits(int from, int n) {
        return (n == 64 ? -1L : (1L << n) - 1) << from;
    }

    /** The address for a store of {@code length} bytes in one block. The bytes are marked as written. */
    private long toWrite(long offset, int length) {
        long entry = findOrAdd(offset >>> BLOCK_SHIFT);
        int at = (int) offset & IN_BLOCK;
        setBits(entry + KNOWN, at, length);
        setBits(entry + WRITTEN, at, length);
        return entry + at;
    }

    /** The address for a load of {@code length} bytes, at most 8 and aligned. */
    private long toRead(long offset, int length) {
        long entry = find(offset >>> BLOCK_SHIFT);
        if (entry == 0) {
            return base + offset;
        }
        int at = (int) offset & IN_BLOCK;
        long wanted = bits(at, length);
        long known = Memory.getLong(entry + KNOWN + (at >>> 6) * Long.BYTES) & wanted;
        if (known == 0) {
            return base + offset;
        }
        if (known != wanted) {
            complete(entry, offset, at, length);
        }
        return entry + at;
    }

    /** Copies the unknown bytes of this range from the heap. They stay unknown. */
    private void complete(long entry, long offset, int at, int length) {
        for (int i = 0; i < length; i++) {
            long word = Memory.getLong(entry + KNOWN + (at + i >>> 6) * Long.BYTES);
            if ((word & 1L << at + i) == 0) {
                Memory.putByte(entry + at + i, Memory.getByte(base + offset + i));
            }
        }
    }

    byte getByte(long offset) {
        return Memory.getByte(toRead(offset, Byte.BYTES));
    }

    short getShort(long offset) {
        return Memory.getShort(toRead(offset, Short.BYTES));
    }

    int getInt(long offset) {
        return Memory.getInt(toRead(offset, Integer.BYTES));
    }

    long getLong(long offset) {
        return Memory.getLong(toRead(offset, Long.BYTES));
    }

    void putByte(long offset, byte value) {
        Memory.putByte(toWrite(offset, Byte.BYTES), value);
    }

    void putShort(long offset, short value) {
        Memory.putShort(toWrite(offset, Short.BYTES), value);
    }

    void putInt(long offset, int value) {
        Memory.putInt(toWrite(offset, Integer.BYTES), value);
    }

    void putLong(long offset, long value) {
        Memory.putLong(toWrite(offset, Long.BYTES), value);
    }

    void getBytes(long offset, byte[] into, int from, int length) {
        for (int done = 0; done < length;) {
            long position = offset + done;
            int at = (int) position & IN_BLOCK;
            int part = Math.min(length - done, Layout.BLOCK_BYTES - at);
            long entry = find(position >>> BLOCK_SHIFT);
            if (entry == 0) {
                Memory.copy(base + position, into, from + done, part);
            } else {
                complete(entry, position, at, part);
                Memory.copy(entry + at, into, from + done, part);
            }
            done += part;
        }
    }

    void putBytes(long offset, byte[] bytes, int from, int length) {
        for (int done = 0; done < length;) {
            long position = offset + done;
            int part = (int) Math.min(length - done, Layout.BLOCK_BYTES - (position & IN_BLOCK));
            Memory.copy(bytes, from + done, toWrite(position, part), part);
            done += part;
        }
    }

    /** Makes these whole blocks read as zeros. The caller must add this to the log record. */
    void zeroBlocks(long offset, long length) {
        if (length > LARGE_BYTES) {
            lastBlock = -1;
            fresh.push(offset >>> BLOCK_SHIFT);
            fresh.push(offset + length >>> BLOCK_SHIFT);
            return;
        }
        for (long block = offset >>> BLOCK_SHIFT; block < offset + length >>> BLOCK_SHIFT; block++) {
            long entry = findOrAdd(block);
            Memory.zero(entry, Layout.BLOCK_BYTES);
            setBits(entry + KNOWN, 0, Layout.BLOCK_BYTES);
        }
    }

    /** Writes zeros. */
    void zero(long offset, long length) {
        for (long done = 0; done < length;) {
            long position = offset + done;
            int at = (int) position & IN_BLOCK;
            int part = (int) Math.min(length - done, Layout.BLOCK_BYTES - at);
            long entry = findOrAdd(position >>> BLOCK_SHIFT);
            Memory.zero(entry + at, part);
            setBits(entry + KNOWN, at, part);
            setBits(entry + WRITTEN, at, part);
            done += part;
        }
    }

    /** Adds all runs of written bytes to a record. */
    void emit(LogRecord record) {
        for (int i = 0; i < count; i++) {
            long entry = entries + (long) i * ENTRY_BYTES;
            long offset = order.get(i) << BLOCK_SHIFT;
            int from = next(entry, 0, true);
            while (from < Layout.BLOCK_BYTES) {
                int to = next(entry, from, false);
                record.write(offset + from, entry + from, to - from);
                from = next(entry, to, true);
            }
        }
    }

    /** The index of the first byte from {@code at} on that is written or not written. 256 if there is none. */
    private static int next(long entry, int at, boolean set) {
        while (at >>> 6 < MASK_WORDS) {
            long word = Memory.getLong(entry + WRITTEN + (at >>> 6) * Long.BYTES);
            long left = (set ? word : ~word) >>> at;
            if (left != 0) {
                return at + Long.numberOfTrailingZeros(left);
            }
            at = (at | 63) + 1;
        }
        return Layout.BLOCK_BYTES;
    }

    /** Discards all entries. */
    void clear() {
        lastBlock = -1;
        if (capacity > KEPT_ENTRIES) {
            long old = entries;
            resize(64, 0);
            Memory.free(old);
        } else {
            clearKeys();
        }
        order.clear();
        fresh.clear();
        count = 0;
    }

    /** Clears individual keys if there are few in a large table, as in a small block after a large one. */
    private void clearKeys() {
        if (count > capacity / 8) {
            Arrays.fill(keys, 0);
            return;
        }
        int mask = keys.length - 1;
        for (int n = 0; n < count; n++) {
            long key = order.get(n) + 1;
            int i = slotOf(key - 1, mask);
            // The search must not stop at a gap, because keys before it may already be cleared.
            while (keys[i] != key) {
                i = i + 1 & mask;
            }
            keys[i] = 0;
        }
    }

    @Override
    public void close() {
        Memory.free(entries);
        entries = 0;
    }
}
