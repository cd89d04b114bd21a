// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap.liveness;

import java.util.TreeSet;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.HeapFullException;
import org.terrace.persist.heap.Allocator;
import org.terrace.persist.heap.Directory;
import org.terrace.persist.heap.HeapWalk;
import org.terrace.persist.heap.Journal;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.LongStack;
import org.terrace.persist.heap.ObjectHeader;
import org.terrace.persist.heap.Room;
import org.terrace.persist.heap.Space;
import org.terrace.persist.log.LogRecord;

/**
 * A list of the pool pages with free slots, stored across a clean close. Without it, a program that often opens and closes a heap
 * would leave a half-used page each time. The list is a separate object, which the next opening reads and frees.
 */
public final class FreeSlots {
    private static final int MAX_PAGES = 1 << 14;
    /** Forces an allocation of whole blocks, so that the list does not occupy a slot of a page in it. */
    private static final int MIN_PAYLOAD_BYTES = Layout.MAX_SLOT_BYTES;

    private FreeSlots() {
    }

    private static long field(Layout layout) {
        return Directory.payload(layout) + Directory.FREE_SLOTS;
    }

    /** Stores the pages in which the allocator has free slots. If there are more than the log can hold, a collection finds the rest. */
    public static void save(Journal journal, Allocator allocator, long logBytes) {
        long limit = Math.min(MAX_PAGES, logBytes / 8 / Long.BYTES);
        TreeSet<Long> pages = new TreeSet<>();
        for (LongStack slots : allocator.drainFreeSlots()) {
            for (int i = 0; i < slots.size() && pages.size() < limit; i++) {
                pages.add(Room.offset(slots.get(i)) & -Layout.PAGE_BYTES);
            }
        }
        if (pages.isEmpty()) {
            return;
        }
        long footprint = Allocator.footprint(Math.max(MIN_PAYLOAD_BYTES, (pages.size() + 1L) * Long.BYTES));
        long list;
        try {
            list = Room.offset(allocator.allocate(footprint));
        } catch (HeapFullException e) {
            // Closing must not require space. A collection finds the slots too.
            return;
        }
        Layout layout = journal.space().layout();
        LogRecord record = new LogRecord();
        record.allocate(layout.blockOf(list), footprint / Layout.BLOCK_BYTES);
        record.writeLong(list, ObjectHeader.of(Layout.CLASS_FREE_SLOTS, true, 0, footprint));
        long at = list + Layout.HEADER_BYTES;
        record.writeLong(at, pages.size());
        for (long page : pages) {
            at += Long.BYTES;
            record.writeLong(at, page);
        }
        record.writeLong(field(layout), list);
        journal.commit(record);
    }

    /** Passes the slots to the allocator and frees the list. */
    public static void load(Journal journal, Allocator allocator) {
        Space space = journal.space();
        Layout layout = space.layout();
        long list = space.getLong(field(layout));
        if (list == 0) {
            return;
        }
        long header = checkedHeader(space, list);
        LongStack pages = pages(space, list);
        for (int i = 0; i < pages.size(); i++) {
            giveBack(space, allocator, pages.get(i));
        }
        LogRecord record = new LogRecord();
        record.writeLong(field(layout), 0);
        record.writeLong(list, 0);
        record.free(layout.blockOf(list), ObjectHeader.footprint(header) / Layout.BLOCK_BYTES);
        journal.commit(record);
        allocator.giveBack(list, ObjectHeader.footprint(header));
    }

    /** Checks the list in the directory, if there is one. */
    public static void check(Space space) {
        long list = space.getLong(field(space.layout()));
        if (list != 0) {
            pages(space, list);
        }
    }

    /**
     * @throws CorruptHeapException if the list names an offset that is not a pool page, or a page twice, because two objects would
     *     get the same slot
     */
    private static LongStack pages(Space space, long list) {
        long header = checkedHeader(space, list);
        long count = space.getLong(list + Layout.HEADER_BYTES);
        if (count < 0 || count > ObjectHeader.footprint(header) / Long.BYTES - 2) {
            throw new CorruptHeapException(space.file().path() + ": the list of free slots at offset " + list + " has " + count
                    + " pages");
        }
        LongStack pages = new LongStack();
        for (long i = 1; i <= count; i++) {
            long page = checkedPage(space, space.getLong(list + Layout.HEADER_BYTES + i * Long.BYTES), list);
            if (!pages.isEmpty() && page <= pages.get(pages.size() - 1)) {
                throw new CorruptHeapException(space.file().path() + ": the list of free slots at offset " + list
                        + " names the page at offset " + page + " out of order, or twice");
            }
            pages.push(page);
        }
        return pages;
    }

    private static long checkedHeader(Space space, long list) {
        boolean inside = list % Layout.BLOCK_BYTES == 0 && space.layout().isData(list, space.size());
        long header = inside ? space.getLong(list) : 0;
        if (ObjectHeader.classId(header) != Layout.CLASS_FREE_SLOTS || !ObjectHeader.fitsPlace(header, 0)
                || !ObjectHeader.fits(header, space.size() - list)) {
            throw new CorruptHeapException(space.file().path() + ": the directory's list of free slots at offset " + list
                    + " is damaged");
        }
        return header;
    }

    private static long checkedPage(Space space, long page, long list) {
        boolean inside = page % Layout.PAGE_BYTES == 0 && space.layout().isData(page, space.size());
        long header = inside ? space.getLong(page) : 0;
        int slotBytes = ObjectHeader.slotBytesOfPage(header);
        if (!ObjectHeader.isIntact(header) || ObjectHeader.classId(header) != Layout.CLASS_POOL_PAGE
                || slotBytes < Layout.MIN_SLOT_BYTES || slotBytes > Layout.MAX_SLOT_BYTES || slotBytes % Long.BYTES != 0) {
            throw new CorruptHeapException(space.file().path() + ": the list of free slots at offset " + list + " names offset "
                    + page + ", which is no pool page");
        }
        return page;
    }

    private static void giveBack(Space space, Allocator allocator, long page) {
        int slotBytes = ObjectHeader.slotBytesOfPage(space.getLong(page));
        for (int i = (Layout.PAGE_BYTES - Layout.HEADER_BYTES) / slotBytes - 1; i >= 0; i--) {
            long slot = HeapWalk.slotAt(page, slotBytes, i);
            if (space.getLong(slot) == 0) {
                allocator.giveBack(Room.of(slot), slotBytes);
            }
        }
    }
}
