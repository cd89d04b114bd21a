// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.lang.ref.Cleaner;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicLongArray;
import org.terrace.persist.HeapFullException;
import org.terrace.persist.log.LogRecord;
import org.terrace.persist.medium.Medium;
import org.terrace.persist.medium.MediumFile;
import org.terrace.persist.medium.Memory;

/**
 * The heap file in memory. It is one contiguous address range, mapped privately as the file grows. Stores do not reach the file by
 * themselves. Pages with stores are dirty until a checkpoint copies them.
 *
 * <p>A store holds the lock of its group of pages, so that a page is never discarded during a store. Loads need no lock.
 */
public final class Space implements LogRecord.Visitor, AutoCloseable {
    private static final Medium MEDIUM = Medium.MEDIUM;
    private static final Cleaner CLEANER = Cleaner.create();
    private static final int GROUP_SHIFT = 16;
    private static final int STRIPES = 256;
    private static final int PAGE_SHIFT = 12;
    private static final long MIN_GROWTH_BYTES = 1 << 20;

    private final MediumFile file;
    private final Layout layout;
    private final long base;
    private final long reserved;
    private final AtomicLongArray dirty;
    private final Object[] stripes = new Object[STRIPES];
    private final boolean readOnly;
    private volatile long size;

    public Space(MediumFile file, Layout layout) {
        this(file, layout, false);
    }

    /** @param readOnly whether the space grows only in memory */
    public Space(MediumFile file, Layout layout, boolean readOnly) {
        this.readOnly = readOnly;
        this.file = file;
        this.layout = layout;
        this.reserved = Layout.roundUp(layout.fileBytes(), 1 << GROUP_SHIFT);
        this.dirty = new AtomicLongArray((int) ((reserved >>> PAGE_SHIFT) + 63 >>> 6));
        java.util.Arrays.setAll(stripes, i -> new Object());
        this.base = MEDIUM.reserve(reserved);
        long address = base;
        long bytesReserved = reserved;
        CLEANER.register(this, () -> MEDIUM.release(address, bytesReserved));
        long bytes = Math.min(file.size(), layout.fileBytes()) & -Layout.PAGE_BYTES;
        MEDIUM.map(file, 0, bytes, base);
        size = bytes;
    }

    public Layout layout() {
        return layout;
    }

    public MediumFile file() {
        return file;
    }

    /** Mapped bytes of the file. */
    public long size() {
        return size;
    }

    /** The address of offset 0, which is constant while the heap is open. */
    public long base() {
        return base;
    }

    public long getLong(long offset) {
        return Memory.getLong(base + offset);
    }

    /** Grows the file to at least this many bytes. */
    public void grow(long needed) {
        if (needed > size) {
            growFurther(needed);
        }
    }

    private synchronized void growFurther(long needed) {
        if (needed <= size) {
            return;
        }
        if (needed > layout.fileBytes()) {
            throw new HeapFullException(file.path() + " is full: it may have " + layout.dataBytes()
                    + " bytes of objects; create a heap with a larger maxSize, or free objects");
        }
        long step = Math.max(MIN_GROWTH_BYTES, size - layout.dataOffset() >> 2);
        long wanted = Math.min(layout.fileBytes(), Layout.roundUp(Math.max(needed, size + step), Layout.PAGE_BYTES));
        try {
            extend(wanted);
        } catch (HeapFullException e) {
            extend(Layout.roundUp(needed, Layout.PAGE_BYTES));
        }
    }

    private void extend(long newSize) {
        if (readOnly) {
            MEDIUM.retire(base + size, newSize - size);
        } else {
            reserveBitmap(newSize);
            // The file also needs space behind the pages for their limit, which moves with the next checkpoint.
            file.extend(size, newSize + PageLimit.BYTES);
            MEDIUM.map(file, size, newSize - size, base + size);
        }
        size = newSize;
    }

    /** Allocates device space for the bitmap pages of the new blocks, because a checkpoint might find none later. */
    private void reserveBitmap(long newSize) {
        long from = Math.max(0, size - layout.dataOffset()) / Layout.BLOCK_BYTES / Byte.SIZE;
        long to = (newSize - layout.dataOffset()) / Layout.BLOCK_BYTES / Byte.SIZE + Layout.PAGE_BYTES;
        long end = Math.min(layout.dataOffset(), Layout.roundUp(Layout.BITMAP_OFFSET + to, Layout.PAGE_BYTES));
        file.extend((Layout.BITMAP_OFFSET + from) & -Layout.PAGE_BYTES, end);
    }

    private Object stripeOf(long offset) {
        return stripes[(int) (offset >>> GROUP_SHIFT) & STRIPES - 1];
    }

    /** Stores one aligned word without a log record, so any checkpoint may write it to the file. The same applies to the other sizes. */
    public void putLong(long offset, long value) {
        synchronized (stripeOf(offset)) {
            markDirty(offset);
            Memory.putLong(base + offset, value);
        }
    }

    public void putInt(long offset, int value) {
        synchronized (stripeOf(offset)) {
            markDirty(offset);
            Memory.putInt(base + offset, value);
        }
    }

    public void putShort(long offset, short value) {
        synchronized (stripeOf(offset)) {
            markDirty(offset);
            Memory.putShort(base + offset, value);
        }
    }

    public void putByte(long offset, byte value) {
        synchronized (stripeOf(offset)) {
            markDirty(offset);
            Memory.putByte(base + offset, value);
        }
    }

    @Override
    public void write(long offset, byte[] record, int at, int length) {
        grow(offset + length);
        for (int done = 0; done < length;) {
            int part = (int) Math.min(length - done, groupEnd(offset + done) - offset - done);
            synchronized (stripeOf(offset + done)) {
                markDirty(offset + done, part);
                Memory.copy(record, at + done, base + offset + done, part);
            }
            done += part;
        }
    }

    @Override
    public void zero(long offset, long length) {
        grow(offset + length);
        for (long done = 0; done < length;) {
            long part = Math.min(length - done, groupEnd(offset + done) - offset - done);
            synchronized (stripeOf(offset + done)) {
                markDirty(offset + done, part);
                Memory.zero(base + offset + done, part);
            }
            done += part;
        }
    }

    @Override
    public void allocate(long block, long count) {
        grow(layout.offsetOf(block + count));
        changeBits(block, count, true);
    }

    @Override
    public void free(long block, long count) {
        changeBits(block, count, false);
    }

    private void changeBits(long block, long count, boolean set) {
        for (long b = block, end = block + count; b < end;) {
            int shift = (int) (b & 63);
            int n = (int) Math.min(64 - shift, end - b);
            long mask = (n == 64 ? -1L : (1L << n) - 1) << shift;
            long offset = Layout.bitmapWordOf(b);
            synchronized (stripeOf(offset)) {
                markDirty(offset);
                long word = Memory.getLong(base + offset);
                Memory.putLong(base + offset, set ? word | mask : word & ~mask);
            }
            b += n;
        }
    }

    private static long groupEnd(long offset) {
        return (offset >>> GROUP_SHIFT) + 1 << GROUP_SHIFT;
    }

    private void markDirty(long offset, long length) {
        for (long page = offset >>> PAGE_SHIFT; page <= offset + length - 1 >>> PAGE_SHIFT; page++) {
            markDirty(page << PAGE_SHIFT);
        }
    }

    private void markDirty(long offset) {
        int page = (int) (offset >>> PAGE_SHIFT);
        long bit = 1L << page;
        if (!isDirty(page)) {
            dirty.getAndUpdate(page >>> 6, word -> word | bit);
        }
    }

    /** The offset of the first dirty page from this offset on, or -1. */
    public long nextDirty(long from) {
        int page = (int) (from >>> PAGE_SHIFT);
        int limit = (int) (size >>> PAGE_SHIFT);
        while (page < limit) {
            long word = dirty.get(page >>> 6) >>> page;
            if (word != 0) {
                page += Long.numberOfTrailingZeros(word);
                return page < limit ? (long) page << PAGE_SHIFT : -1;
            }
            page = (page | 63) + 1;
        }
        return -1;
    }

    /** Bytes of the pages that a checkpoint would write. */
    public long dirtyBytes() {
        long pages = 0;
        for (int i = 0; i <= (int) (size >>> PAGE_SHIFT + 6); i++) {
            pages += i < dirty.length() ? Long.bitCount(dirty.get(i)) : 0;
        }
        return pages << PAGE_SHIFT;
    }

    /** Copies a dirty page and marks it clean. A later store marks it dirty again. */
    public void takePage(long offset, byte[] into, int at) {
        synchronized (stripeOf(offset)) {
            int page = (int) (offset >>> PAGE_SHIFT);
            dirty.getAndUpdate(page >>> 6, word -> word & ~(1L << page));
            Memory.copy(base + offset, into, at, Layout.PAGE_BYTES);
        }
    }

    /** Marks a page dirty again, because it was taken but not written. */
    public void returnPage(long offset) {
        synchronized (stripeOf(offset)) {
            markDirty(offset);
        }
    }

    /** Discards private copies of pages that were written to the file, except pages with later stores. */
    public void discardIfClean(BitSet pages) {
        int pagesOfGroup = 1 << GROUP_SHIFT - PAGE_SHIFT;
        for (int page = pages.nextSetBit(0); page >= 0;) {
            int end = Math.min(pages.nextClearBit(page), (page | pagesOfGroup - 1) + 1);
            synchronized (stripeOf((long) page << PAGE_SHIFT)) {
                discardClean(page, end);
            }
            page = pages.nextSetBit(end);
        }
    }

    private void discardClean(int from, int to) {
        for (int page = from; page < to;) {
            int end = page;
            while (end < to && !isDirty(end)) {
                end++;
            }
            if (end > page) {
                long offset = (long) page << PAGE_SHIFT;
                MEDIUM.discard(file, offset, (long) (end - page) << PAGE_SHIFT, base + offset);
            }
            page = end + 1;
        }
    }

    private boolean isDirty(int page) {
        return (dirty.get(page >>> 6) & 1L << page) != 0;
    }

    /** Replaces the mapping by zeros. The address range is released when no object of the heap is in use any more. */
    public void unmap() {
        MEDIUM.retire(base, reserved);
    }

    @Override
    public void close() {
        unmap();
        file.close();
    }
}
