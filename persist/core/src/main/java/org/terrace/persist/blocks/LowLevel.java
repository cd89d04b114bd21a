// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.blocks;

import org.terrace.persist.heap.Allocator;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.LongStack;
import org.terrace.persist.heap.ObjectHeader;
import org.terrace.persist.heap.Room;
import org.terrace.persist.heap.files.Store;
import org.terrace.persist.log.LogRecord;
import org.terrace.persist.medium.Memory;

/**
 * Explicit persistence (J-NVM, section 3.2) on a file. Stores go to private pages. {@code pwb} queues cache lines of the thread.
 * {@code pfence} appends their current contents to the log, in one record or in several if there are many lines. Therefore later
 * fences never become durable earlier. {@code psync} makes the log durable.
 */
public final class LowLevel {
    private static final int LINE_BYTES = 64;
    private static final int RECORD_SHARE = 8;

    private final Store store;
    private final Fields fields;
    private final Blocks blocks;
    private final ThreadLocal<LongStack> queued = ThreadLocal.withInitial(LongStack::new);

    public LowLevel(Store store, Fields fields, Blocks blocks) {
        this.store = store;
        this.fields = fields;
        this.blocks = blocks;
    }

    public void writeBack(long offset, long length) {
        if (fields.isInBlock()) {
            return;
        }
        LongStack lines = queued.get();
        for (long line = offset & -LINE_BYTES; line < offset + length; line += LINE_BYTES) {
            lines.push(line);
        }
    }

    /** Does a {@code Heap.pfence}, and returns the position up to which the log must be durable. */
    public long fence() {
        // A commit between the copy of a line and its record in the log would be undone by a replay.
        blocks.lockExclusively("a fence");
        try {
            blocks.checkOpen();
            store.log().checkUsable();
            return append();
        } finally {
            blocks.unlock();
        }
    }

    private long append() {
        LongStack lines = queued.get();
        if (lines.isEmpty()) {
            return store.log().end();
        }
        LogRecord record = new LogRecord();
        long end = 0;
        for (int i = 0; i < lines.size(); i++) {
            record.write(lines.get(i), store.space().base() + lines.get(i), LINE_BYTES);
            if (i == lines.size() - 1 || record.length() > store.logBytes() / RECORD_SHARE) {
                long position = store.log().append(record);
                store.log().applied(position);
                end = position + record.length();
                record.clear();
            }
        }
        lines.clear();
        return end;
    }

    /**
     * Allocates an invalid object. The allocation is logged, so a reference that becomes durable earlier is known to lead to a dead
     * object.
     */
    public long allocate(int classId, long payloadBytes) {
        Allocator allocator = store.allocator();
        long footprint = Allocator.footprint(payloadBytes);
        long room = allocator.allocate(footprint);
        long offset = Room.offset(room);
        LogRecord record = new LogRecord();
        if (!Allocator.isSlot(footprint)) {
            record.allocate(store.space().layout().blockOf(offset), footprint / Layout.BLOCK_BYTES);
        }
        record.zero(offset, footprint);
        record.writeLong(offset, ObjectHeader.of(classId, false, Room.generation(room), footprint));
        try {
            store.journal().commit(record);
        } catch (RuntimeException e) {
            allocator.giveBack(room, footprint);
            throw e;
        }
        return offset;
    }

    /** Stores a word by a separate commit. */
    public void store(long offset, long value) {
        LogRecord record = new LogRecord();
        record.writeLong(offset, value);
        store.journal().commit(record);
    }

    public void free(long offset) {
        long header = Memory.getLong(store.space().base() + offset);
        long footprint = ObjectHeader.footprint(header);
        LogRecord record = new LogRecord();
        record.writeLong(offset, 0);
        if (!Allocator.isSlot(footprint)) {
            record.free(store.space().layout().blockOf(offset), footprint / Layout.BLOCK_BYTES);
        }
        store.journal().commit(record);
        store.allocator().giveBack(Room.of(offset, ObjectHeader.generation(header)), footprint);
    }
}
