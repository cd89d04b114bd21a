// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import org.terrace.persist.heap.Allocator;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.LongStack;
import org.terrace.persist.heap.ObjectHeader;
import org.terrace.persist.heap.Room;
import org.terrace.persist.heap.Store;
import org.terrace.persist.log.LogRecord;
import org.terrace.persist.medium.Memory;

/**
 * Persistence by hand (J-NVM, section 3.2), on a file: stores go to private pages; {@code pwb} queues lines for the thread;
 * {@code pfence} appends the queued lines to the log as they are then, in a record or in several if they are many, so that
 * nothing fenced later is durable earlier; {@code psync} makes the log durable.
 */
final class LowLevel {
    private static final int LINE_BYTES = 64;
    private static final int RECORD_SHARE = 8;

    private final Heap heap;
    private final Store store;
    private final ThreadLocal<LongStack> queued = ThreadLocal.withInitial(LongStack::new);

    LowLevel(Heap heap, Store store) {
        this.heap = heap;
        this.store = store;
    }

    void writeBack(long offset, long length) {
        if (heap.isInBlock()) {
            return;
        }
        LongStack lines = queued.get();
        for (long line = offset & -LINE_BYTES; line < offset + length; line += LINE_BYTES) {
            lines.push(line);
        }
    }

    /** The position up to which the log must be durable, for all that this thread has fenced. */
    long fence() {
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

    /** An invalid object: recorded, so that a reference to it that becomes durable first is known to be dead. */
    long allocate(int classId, long payloadBytes) {
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

    /** A word, by a commit of its own. */
    void store(long offset, long value) {
        LogRecord record = new LogRecord();
        record.writeLong(offset, value);
        store.journal().commit(record);
    }

    void free(long offset) {
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
