// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import org.terrace.persist.CorruptHeapException;

/** Visits all used space according to the bitmap, in the order of offsets. */
public final class HeapWalk {

    public interface Visitor {
        void extent(long offset, long header, long blocks);

        void poolPage(long offset, int slotBytes);

        /** Reports an inconsistency. If this returns, the walk continues where the next object begins. */
        default void damaged(CorruptHeapException problem) {
            throw problem;
        }
    }

    /** Receives one object after the other. */
    @FunctionalInterface
    public interface ObjectVisitor {
        void object(long offset, long header);
    }

    private HeapWalk() {
    }

    /** Visits valid and invalid objects of all kinds, in extents and in slots. It may miss objects that are created meanwhile. */
    public static void objects(Space space, ObjectVisitor visitor) {
        walk(space, new Visitor() {
            @Override
            public void extent(long offset, long header, long blocks) {
                visitor.object(offset, header);
            }

            @Override
            public void poolPage(long page, int slotBytes) {
                for (int i = 0; i < (Layout.PAGE_BYTES - Layout.HEADER_BYTES) / slotBytes; i++) {
                    long slot = slotAt(page, slotBytes, i);
                    long header = space.getLong(slot);
                    if (header != 0 && !ObjectHeader.fitsPlace(header, slotBytes)) {
                        throw new CorruptHeapException(space.file().path() + ": " + damagedSlot(slot, header));
                    }
                    if (header != 0) {
                        visitor.object(slot, header);
                    }
                }
            }
        });
    }

    /** The offset of a slot in a pool page. */
    public static long slotAt(long page, int slotBytes, int index) {
        return page + Layout.HEADER_BYTES + (long) index * slotBytes;
    }

    public static String damagedSlot(long slot, long header) {
        return "the slot at offset " + slot + " has a damaged header " + Long.toHexString(header);
    }

    public static void walk(Space space, Visitor visitor) {
        Layout layout = space.layout();
        long blocks = Math.min(layout.blocks(), (space.size() - layout.dataOffset()) / Layout.BLOCK_BYTES);
        boolean lost = false;
        for (long block = 0; block < blocks;) {
            long word = space.getLong(Layout.bitmapWordOf(block)) >>> block;
            if (word == 0) {
                block = (block | 63) + 1;
            } else if ((word & 1) == 0) {
                block += Long.numberOfTrailingZeros(word);
            } else {
                long count = blocksOf(space, block, blocks);
                if (count > 0) {
                    visit(space, block, count, visitor);
                } else if (!lost) {
                    visitor.damaged(new CorruptHeapException(space.file().path() + ": the block at offset "
                            + space.layout().offsetOf(block) + " is in use, but no object starts there: header "
                            + Long.toHexString(space.getLong(space.layout().offsetOf(block)))));
                }
                lost = count == 0;
                block += Math.max(1, count);
            }
        }
    }

    /** The number of blocks of the object or pool page that starts here, or 0 if none can. */
    private static long blocksOf(Space space, long block, long limit) {
        long header = space.getLong(space.layout().offsetOf(block));
        boolean page = ObjectHeader.classId(header) == Layout.CLASS_POOL_PAGE;
        long count = page ? Layout.POOL_PAGE_BLOCKS : ObjectHeader.footprint(header) / Layout.BLOCK_BYTES;
        boolean starts = ObjectHeader.fitsPlace(header, 0) && block + count <= limit
                && !(page && block % Layout.POOL_PAGE_BLOCKS != 0) && ObjectHeader.classId(header) != Layout.CLASS_FREE;
        return starts ? count : 0;
    }

    private static void visit(Space space, long block, long count, Visitor visitor) {
        long offset = space.layout().offsetOf(block);
        long header = space.getLong(offset);
        for (long b = block; b < block + count; b++) {
            if ((space.getLong(Layout.bitmapWordOf(b)) & 1L << b) == 0) {
                visitor.damaged(new CorruptHeapException(space.file().path() + ": the block at offset "
                        + space.layout().offsetOf(b) + " belongs to the object at offset " + offset
                        + ", and the bitmap calls it free"));
                break;
            }
        }
        if (ObjectHeader.classId(header) != Layout.CLASS_POOL_PAGE) {
            visitor.extent(offset, header, count);
            return;
        }
        int slotBytes = ObjectHeader.slotBytesOfPage(header);
        if (slotBytes < Layout.MIN_SLOT_BYTES || slotBytes > Layout.MAX_SLOT_BYTES || slotBytes % Long.BYTES != 0) {
            visitor.damaged(new CorruptHeapException(space.file().path() + ": the pool page at offset " + offset + " has slots"
                    + " of " + slotBytes + " bytes"));
        } else {
            visitor.poolPage(offset, slotBytes);
        }
    }
}
