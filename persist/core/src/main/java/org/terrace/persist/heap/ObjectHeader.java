// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

/** The header word of each object. It contains class, valid bit, generation, size, and a check code that detects a flipped bit. */
public final class ObjectHeader {
    public static final long VALID = 1L << 16;
    /** The bits that never change during an object's life. They exclude the valid bit and the check code, which depends on it. */
    public static final long IDENTITY = 0x00ff_ffff_fffe_ffffL;
    public static final int GENERATIONS = 1 << 14;
    static final int MAX_SIZE = (1 << 24) - 1;

    private static final long SLOT = 1L << 17;
    private static final int GENERATION_SHIFT = 18;
    private static final int SIZE_SHIFT = 32;
    private static final int CHECK_SHIFT = 56;
    private static final int CHECK_SEED = 0x5a;

    private ObjectHeader() {
    }

    /** @param footprint bytes including the header. At most 248 for a slot, otherwise a multiple of the block size */
    public static long of(int classId, boolean valid, int generation, long footprint) {
        boolean slot = footprint <= Layout.MAX_SLOT_BYTES;
        long header = classId | (long) (generation & GENERATIONS - 1) << GENERATION_SHIFT | (slot ? SLOT : 0)
                | (slot ? footprint : footprint / Layout.BLOCK_BYTES) << SIZE_SHIFT;
        return withCheck(valid ? header | VALID : header);
    }

    /** The header of a pool page with slots of this size. */
    static long ofPoolPage(int slotBytes) {
        return withCheck(Layout.CLASS_POOL_PAGE | VALID | (long) slotBytes << SIZE_SHIFT);
    }

    private static long withCheck(long header) {
        return header | (long) check(header) << CHECK_SHIFT;
    }

    private static int check(long header) {
        long folded = header & (1L << CHECK_SHIFT) - 1;
        folded ^= folded >>> 32;
        folded ^= folded >>> 16;
        folded ^= folded >>> 8;
        return (int) (folded & 0xff) ^ CHECK_SEED;
    }

    /**
     * Whether an object can begin with this header if this many bytes of the heap remain. Loads within the size in the header then
     * stay within the heap.
     *
     * @param room number of remaining bytes, at least {@link Layout#MIN_SLOT_BYTES}
     */
    public static boolean fits(long header, long room) {
        // An unsigned comparison checks both bounds, because a size below the minimum becomes a very large number.
        long more = footprint(header) - Layout.MIN_SLOT_BYTES;
        return classId(header) != Layout.CLASS_FREE && isIntact(header)
                && Long.compareUnsigned(more, room - Layout.MIN_SLOT_BYTES) <= 0;
    }

    /** Whether an object with this header can be in a slot of this size, or in an extent if the size is 0. */
    public static boolean fitsPlace(long header, int slotBytes) {
        return isIntact(header) && (slotBytes == 0 ? !isSlot(header) : isSlot(header) && footprint(header) == slotBytes);
    }

    public static boolean isIntact(long header) {
        return header >>> CHECK_SHIFT == check(header);
    }

    public static int classId(long header) {
        return (int) (header & 0xffff);
    }

    public static boolean isValid(long header) {
        return (header & VALID) != 0;
    }

    public static long validated(long header) {
        return withCheck(header & IDENTITY | VALID);
    }

    public static int generation(long header) {
        return (int) (header >>> GENERATION_SHIFT) & GENERATIONS - 1;
    }

    public static boolean isSlot(long header) {
        return (header & SLOT) != 0;
    }

    /** Bytes of the object including the header. */
    public static long footprint(long header) {
        return isSlot(header) ? size(header) : (long) size(header) * Layout.BLOCK_BYTES;
    }

    public static int slotBytesOfPage(long header) {
        return size(header);
    }

    private static int size(long header) {
        return (int) (header >>> SIZE_SHIFT) & MAX_SIZE;
    }

    public static boolean isSameObject(long header, long other) {
        return ((header ^ other) & IDENTITY) == 0;
    }
}
