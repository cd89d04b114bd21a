// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

/** The word before each object: class, valid bit, generation, size, and a check that finds a flipped bit. */
public final class ObjectHeader {
    public static final long VALID = 1L << 16;
    /** What stays the same in an object's life: all but the valid bit, and the check that depends on it. */
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

    /** @param footprint bytes with the header: at most 248 for a slot, or whole blocks */
    public static long of(int classId, boolean valid, int generation, long footprint) {
        boolean slot = footprint <= Layout.MAX_SLOT_BYTES;
        long header = classId | (long) (generation & GENERATIONS - 1) << GENERATION_SHIFT | (slot ? SLOT : 0)
                | (slot ? footprint : footprint / Layout.BLOCK_BYTES) << SIZE_SHIFT;
        return withCheck(valid ? header | VALID : header);
    }

    /** The header of a page of slots of this size. */
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
     * Whether an object can begin with this header where this many bytes are left of the heap. What is read of it then lies in
     * the heap, as long as it lies in what the header says.
     *
     * @param room at least {@link Layout#MIN_SLOT_BYTES}
     */
    public static boolean fits(long header, long room) {
        // One comparison for both bounds: fewer bytes than any object has are very many.
        long more = footprint(header) - Layout.MIN_SLOT_BYTES;
        return classId(header) != Layout.CLASS_FREE && isIntact(header)
                && Long.compareUnsigned(more, room - Layout.MIN_SLOT_BYTES) <= 0;
    }

    /** Whether an object can begin with this header in a slot of this size, or in an extent for size 0. */
    static boolean fitsPlace(long header, int slotBytes) {
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

    /** Bytes of the object, itself included. */
    public static long footprint(long header) {
        return isSlot(header) ? size(header) : (long) size(header) * Layout.BLOCK_BYTES;
    }

    static int slotBytesOfPage(long header) {
        return size(header);
    }

    private static int size(long header) {
        return (int) (header >>> SIZE_SHIFT) & MAX_SIZE;
    }

    public static boolean isSameObject(long header, long other) {
        return ((header ^ other) & IDENTITY) == 0;
    }
}
