// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap.liveness;

import org.terrace.persist.heap.Allocator;
import org.terrace.persist.heap.HeapWalk;
import org.terrace.persist.heap.Journal;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.LongStack;
import org.terrace.persist.heap.ObjectHeader;
import org.terrace.persist.heap.Room;
import org.terrace.persist.heap.Space;
import org.terrace.persist.log.LogRecord;

/**
 * Frees the objects that no root reaches, after a crash or on request. It logs all used space that was not marked as free.
 * References to invalid objects, or to offsets without an object, become null. The heap must not be used meanwhile.
 */
public final class Collector {
    /**
     * What a collection did.
     *
     * @param live number of objects that remain
     * @param freed number of freed objects
     * @param cleared number of references that were set to null
     */
    public record Result(long live, long freed, long cleared) {
    }

    private static final int RECORD_SHARE = 8;

    private final Journal journal;
    private final Allocator allocator;
    private final int recordBytes;
    private final LogRecord record = new LogRecord();
    /** Pairs of offset and footprint that are free once the record is committed. */
    private final LongStack given = new LongStack();
    private long freed;

    /** @param logBytes capacity of the log's ring */
    public Collector(Journal journal, Allocator allocator, long logBytes) {
        this.journal = journal;
        this.allocator = allocator;
        this.recordBytes = (int) Math.min(1 << 20, logBytes / RECORD_SHARE);
    }

    /** @param reachable the objects that roots reach now */
    public Result collect(Reachable reachable) {
        Space space = journal.space();
        allocator.forgetFreeSlots();
        for (long field : reachable.dead()) {
            record.writeLong(field, 0);
            flush(recordBytes);
        }
        HeapWalk.walk(space, new HeapWalk.Visitor() {
            @Override
            public void extent(long offset, long header, long blocks) {
                if (!reachable.isMarked(offset)) {
                    free(offset, blocks);
                }
            }

            @Override
            public void poolPage(long offset, int slotBytes) {
                sweepPage(reachable, offset, slotBytes);
            }
        });
        flush(0);
        return new Result(reachable.objects(), freed, reachable.deadReferences());
    }

    private void free(long offset, long blocks) {
        long block = journal.space().layout().blockOf(offset);
        record.writeLong(offset, 0);
        record.free(block, blocks);
        freed++;
        given.push(offset);
        given.push(blocks * Layout.BLOCK_BYTES);
        flush(recordBytes);
    }

    private void sweepPage(Reachable reachable, long page, int slotBytes) {
        int live = 0;
        int slots = (Layout.PAGE_BYTES - Layout.HEADER_BYTES) / slotBytes;
        for (int i = 0; i < slots; i++) {
            live += reachable.isMarked(HeapWalk.slotAt(page, slotBytes, i)) ? 1 : 0;
        }
        if (live == 0) {
            free(page, Layout.POOL_PAGE_BLOCKS);
            return;
        }
        for (int i = 0; i < slots; i++) {
            long slot = HeapWalk.slotAt(page, slotBytes, i);
            if (!reachable.isMarked(slot)) {
                long header = journal.space().getLong(slot);
                if (header != 0) {
                    record.writeLong(slot, 0);
                    freed++;
                }
                given.push(header != 0 ? Room.of(slot, ObjectHeader.generation(header)) : Room.of(slot));
                given.push(slotBytes);
            }
        }
        flush(recordBytes);
    }

    private void flush(int atBytes) {
        if (!record.isEmpty() && record.length() > atBytes) {
            journal.commit(record);
            record.clear();
        }
        if (record.isEmpty()) {
            for (int i = 0; i < given.size(); i += 2) {
                allocator.giveBack(given.get(i), given.get(i + 1));
            }
            given.clear();
        }
    }
}
