// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap.liveness;

import java.util.function.Consumer;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.heap.HeapWalk;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.ObjectHeader;
import org.terrace.persist.heap.Space;

/**
 * The offsets at which objects can begin, according to the bitmap and the headers of extents and pool pages. All other offsets are
 * inside of objects.
 */
public final class ObjectStarts {
    private final Space space;
    private final Layout layout;
    private final long[] extents;
    private final long[] poolPages;

    /** @param damaged receives inconsistencies between bitmap and headers, and may throw */
    public ObjectStarts(Space space, Consumer<CorruptHeapException> damaged) {
        this.space = space;
        this.layout = space.layout();
        long blocks = layout.blockOf(space.size());
        this.extents = new long[(int) (blocks + 63 >>> 6)];
        this.poolPages = new long[(int) (pageOf(space.size()) + 63 >>> 6)];
        HeapWalk.walk(space, new HeapWalk.Visitor() {
            @Override
            public void extent(long offset, long header, long count) {
                set(extents, layout.blockOf(offset));
            }

            @Override
            public void poolPage(long offset, int slotBytes) {
                set(poolPages, pageOf(offset));
            }

            @Override
            public void damaged(CorruptHeapException problem) {
                damaged.accept(problem);
            }
        });
    }

    private long pageOf(long offset) {
        return (offset - layout.dataOffset()) / Layout.PAGE_BYTES;
    }

    private static void set(long[] bits, long index) {
        bits[(int) (index >>> 6)] |= 1L << index;
    }

    private static boolean isSet(long[] bits, long index) {
        return (bits[(int) (index >>> 6)] & 1L << index) != 0;
    }

    /** Whether an object with this header can be at an offset for which {@link #contains} is true. */
    public boolean fits(long offset, long header) {
        int slotBytes = isSet(poolPages, pageOf(offset)) ? slotBytes(offset) : 0;
        return ObjectHeader.fitsPlace(header, slotBytes) && ObjectHeader.fits(header, space.size() - offset);
    }

    /** Whether the surroundings of this offset allow an object with this header. The heap may be in use. */
    public static boolean fitsRoom(Space space, long offset, long header) {
        if (!ObjectHeader.isSlot(header)) {
            long block = space.layout().blockOf(offset);
            return offset % Layout.BLOCK_BYTES == 0 && (space.getLong(Layout.bitmapWordOf(block)) & 1L << block) != 0;
        }
        long page = offset & -Layout.PAGE_BYTES;
        long pageHeader = space.getLong(page);
        return ObjectHeader.isIntact(pageHeader) && ObjectHeader.classId(pageHeader) == Layout.CLASS_POOL_PAGE
                && ObjectHeader.slotBytesOfPage(pageHeader) == ObjectHeader.footprint(header)
                && (offset - page - Layout.HEADER_BYTES) % ObjectHeader.footprint(header) == 0;
    }

    private int slotBytes(long offset) {
        return ObjectHeader.slotBytesOfPage(space.getLong(offset & -Layout.PAGE_BYTES));
    }

    /** Whether an object or a slot, which may be free, begins here. The offset must be in the data area. */
    public boolean contains(long offset) {
        if (!isSet(poolPages, pageOf(offset))) {
            return offset % Layout.BLOCK_BYTES == 0 && isSet(extents, layout.blockOf(offset));
        }
        int slotBytes = slotBytes(offset);
        long inPage = (offset & Layout.PAGE_BYTES - 1) - Layout.HEADER_BYTES;
        return inPage >= 0 && inPage % slotBytes == 0 && inPage + slotBytes <= Layout.PAGE_BYTES - Layout.HEADER_BYTES;
    }
}
