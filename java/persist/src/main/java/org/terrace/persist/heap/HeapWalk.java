package org.terrace.persist.heap;

import org.terrace.persist.CorruptHeapException;

/** Visits everything that the bitmap says is in use, in the order of offsets. */
final class HeapWalk {

    interface Visitor {
        void extent(long offset, long header, long blocks);

        void poolPage(long offset, int slotBytes);
    }

    private HeapWalk() {
    }

    static void walk(Space space, Visitor visitor) {
        Layout layout = space.layout();
        long blocks = Math.min(layout.blocks(), (space.size() - layout.dataOffset()) / Layout.BLOCK_BYTES);
        for (long block = 0; block < blocks;) {
            long word = space.getLong(Layout.bitmapWordOf(block)) >>> block;
            if (word == 0) {
                block = (block | 63) + 1;
            } else if ((word & 1) == 0) {
                block += Long.numberOfTrailingZeros(word);
            } else {
                block += visit(space, block, blocks, visitor);
            }
        }
    }

    private static long visit(Space space, long block, long limit, Visitor visitor) {
        long offset = space.layout().offsetOf(block);
        long header = space.getLong(offset);
        boolean page = ObjectHeader.classId(header) == Layout.CLASS_POOL_PAGE;
        long count = page ? Layout.POOL_PAGE_BLOCKS : ObjectHeader.footprint(header) / Layout.BLOCK_BYTES;
        if (!ObjectHeader.isIntact(header) || ObjectHeader.isSlot(header) || count == 0 || block + count > limit) {
            throw new CorruptHeapException(space.file().path() + ": block " + block
                    + " is in use, but no object starts there: header " + Long.toHexString(header));
        }
        for (long b = block; b < block + count; b++) {
            if ((space.getLong(Layout.bitmapWordOf(b)) & 1L << b) == 0) {
                throw new CorruptHeapException(space.file().path() + ": block " + b + " belongs to the object at block " + block
                        + ", and the bitmap calls it free");
            }
        }
        if (page) {
            int slotBytes = ObjectHeader.slotBytesOfPage(header);
            if (slotBytes < Layout.MIN_SLOT_BYTES || slotBytes > Layout.MAX_SLOT_BYTES || slotBytes % Long.BYTES != 0) {
                throw new CorruptHeapException(space.file().path() + ": the pool page at block " + block + " has slots of "
                        + slotBytes + " bytes");
            }
            visitor.poolPage(offset, slotBytes);
        } else {
            visitor.extent(offset, header, count);
        }
        return count;
    }
}
