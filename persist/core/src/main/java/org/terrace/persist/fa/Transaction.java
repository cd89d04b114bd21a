// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.fa;

import java.util.ArrayList;
import java.util.List;
import org.terrace.persist.FreedObjectException;
import org.terrace.persist.HeapException;
import org.terrace.persist.heap.Allocator;
import org.terrace.persist.heap.Journal;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.LongStack;
import org.terrace.persist.heap.ObjectHeader;
import org.terrace.persist.heap.Room;
import org.terrace.persist.heap.StackRoom;
import org.terrace.persist.log.LogRecord;

/**
 * A failure-atomic block of one thread, implemented by an in-memory redo log (J-NVM, section 4.2). Writes, allocations and frees
 * are buffered until the commit, and loads see them. Nested blocks are only counted. Not thread-safe.
 */
public final class Transaction implements AutoCloseable {
    private final Journal journal;
    private final Allocator allocator;
    private final Publication publication;
    private final Layout layout;
    private final Overlay overlay;
    private final LogRecord record = new LogRecord();
    /** Pairs of space, as {@link Room}, and footprint. */
    private final LongStack allocated = new LongStack();
    private final LongStack freed = new LongStack();
    /** Invalid objects that the block refers to. */
    private final LongStack unpublished = new LongStack();
    private final List<Runnable> whenCommitted = new ArrayList<>();
    /** Objects that this block frees, if concurrent blocks could free them too. */
    private final LongStack freeing = new LongStack();
    private boolean shared;
    private Throwable failure;
    private Outcome outcome;
    private long changes;
    private long blocks;

    public Transaction(Journal journal, Allocator allocator, Publication publication) {
        this.journal = journal;
        this.allocator = allocator;
        this.publication = publication;
        this.layout = journal.space().layout();
        this.overlay = new Overlay(journal.space().base());
    }

    /** The outcome of one block. Information that was obtained in a block becomes invalid when the block is rolled back. */
    public static final class Outcome {
        private volatile boolean rolledBack;

        public boolean isRolledBack() {
            return rolledBack;
        }
    }

    /** The outcome of the running block. It is the same object until the block ends. */
    public Outcome outcome() {
        if (outcome == null) {
            outcome = new Outcome();
        }
        return outcome;
    }

    /** A counter that grows with each change. */
    public long changes() {
        return changes;
    }

    /** Registers an action in memory that runs once other threads can see the changes. */
    public void whenCommitted(Runnable action) {
        whenCommitted.add(action);
    }

    /** Runs the registered actions, even if the commit did not complete. In that case, {@link #abort} follows. */
    public void tellCommitted(boolean committed) {
        if (committed) {
            outcome = null;
        }
        whenCommitted.forEach(Runnable::run);
        whenCommitted.clear();
    }

    /** Marks the whole block as failed, because a nested block has failed. */
    public void fail(Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
    }

    /**
     * Allocates an object with its header and a payload of zeros.
     *
     * @return its offset
     */
    public long allocate(int classId, long payloadBytes) {
        long footprint = Allocator.footprint(payloadBytes);
        changes++;
        long room = allocator.allocate(footprint);
        long offset = Room.offset(room);
        allocated.push(room);
        allocated.push(footprint);
        if (Allocator.isSlot(footprint)) {
            overlay.zero(offset, footprint);
        } else {
            overlay.zeroBlocks(offset, footprint);
        }
        overlay.putLong(offset, ObjectHeader.of(classId, true, Room.generation(room), footprint));
        return offset;
    }

    /** Begins a block. The parameter is true if blocks of this kind run concurrently, so that two could free one object. */
    public void begin(boolean besideOthers) {
        shared = besideOthers;
    }

    /**
     * Reserves the right to free an object, unless a concurrent block has it. Returns false in that case. The object may already be
     * freed.
     */
    public boolean beginFree(long offset) {
        if (!shared) {
            return true;
        }
        StackRoom.ensure();
        // Pushes first, because that may run out of memory. An entry of the allocator without a note here would stay forever.
        freeing.push(offset);
        if (allocator.beginFree(offset)) {
            return true;
        }
        freeing.pop();
        return isFreeing(offset);
    }

    private boolean isFreeing(long offset) {
        for (int i = 0; i < freeing.size(); i++) {
            if (freeing.get(i) == offset) {
                return true;
            }
        }
        return false;
    }

    private void endFrees() {
        while (!freeing.isEmpty()) {
            allocator.endFree(freeing.pop());
        }
    }

    /**
     * Frees an object at the commit. In this block, it reads as freed immediately.
     *
     * @throws FreedObjectException if another block is freeing it or has freed it
     */
    public void free(long offset) {
        if (!beginFree(offset) || overlay.getLong(offset) == 0) {
            throw new FreedObjectException(journal.space().file().path() + ": the object at offset " + offset
                    + " has been freed, or is being freed by another block");
        }
        long header = overlay.getLong(offset);
        changes++;
        freed.push(Room.of(offset, ObjectHeader.generation(header)));
        freed.push(ObjectHeader.footprint(header));
        overlay.putLong(offset, 0);
    }

    /** Makes an invalid object and all objects that it reaches valid with the commit. */
    public void publish(long offset) {
        changes++;
        unpublished.push(offset);
    }

    /**
     * Makes the changes visible to other threads.
     *
     * @return the position up to which the log must be durable, or -1 if nothing was changed
     * @throws HeapException if the commit fails. Call {@link #abort} then
     */
    public long commit() {
        if (failure != null) {
            throw new HeapException("the block is rolled back, as a block inside it failed: " + failure.getMessage(), failure);
        }
        if (overlay.isEmpty()) {
            return unpublished.isEmpty() ? -1 : publishAll();
        }
        buildRecord();
        if (unpublished.isEmpty()) {
            publication.await();
        } else {
            journal.checkLength(record);
            publishAll();
        }
        blocks = overlay.blocks();
        long position = journal.commit(record);
        try {
            allocated.clear();
            endFrees();
            giveBack(freed);
            reset();
        } catch (Throwable e) {
            // The changes are already made, but the receiver of the exception assumes that they are undone.
            journal.fail("a commit could not be brought to its end", e);
            throw e;
        }
        return position;
    }

    /** Length of the last commit's record in the log. */
    public long committedBytes() {
        return record.length();
    }

    /** Number of heap blocks that the last commit wrote. */
    public long committedBlocks() {
        return blocks;
    }

    /** Calls {@link #commit}. If that fails, it releases the allocations. */
    public long commitOrAbort() {
        try {
            return commit();
        } catch (Throwable e) {
            abort();
            throw e;
        }
    }

    /** Publishes before the record is written, so that everything it makes reachable is complete and valid. */
    private long publishAll() {
        long position = publication.publish(unpublished, overlay::getLong);
        unpublished.clear();
        return position;
    }

    private void buildRecord() {
        record.clear();
        for (int i = 0; i < allocated.size(); i += 2) {
            long footprint = allocated.get(i + 1);
            if (!Allocator.isSlot(footprint)) {
                long offset = Room.offset(allocated.get(i));
                record.allocate(layout.blockOf(offset), footprint / Layout.BLOCK_BYTES);
                record.zero(offset, footprint);
            }
        }
        overlay.emit(record);
        for (int i = 0; i < freed.size(); i += 2) {
            long footprint = freed.get(i + 1);
            if (!Allocator.isSlot(footprint)) {
                record.free(layout.blockOf(Room.offset(freed.get(i))), footprint / Layout.BLOCK_BYTES);
            }
        }
    }

    private void giveBack(LongStack list) {
        for (int i = 0; i < list.size(); i += 2) {
            allocator.giveBack(list.get(i), list.get(i + 1));
        }
    }

    /** Discards the changes and releases the allocations. */
    public void abort() {
        if (outcome != null) {
            // A block without changes, such as a read-only method, has seen nothing that becomes invalid.
            outcome.rolledBack = !overlay.isEmpty();
            outcome = null;
        }
        endFrees();
        giveBack(allocated);
        whenCommitted.clear();
        reset();
    }

    private void reset() {
        overlay.clear();
        allocated.clear();
        freed.clear();
        unpublished.clear();
        failure = null;
    }

    public byte getByte(long offset) {
        return overlay.getByte(offset);
    }

    public short getShort(long offset) {
        return overlay.getShort(offset);
    }

    public int getInt(long offset) {
        return overlay.getInt(offset);
    }

    public long getLong(long offset) {
        return overlay.getLong(offset);
    }

    public void putByte(long offset, byte value) {
        changes++;
        overlay.putByte(offset, value);
    }

    public void putShort(long offset, short value) {
        changes++;
        overlay.putShort(offset, value);
    }

    public void putInt(long offset, int value) {
        changes++;
        overlay.putInt(offset, value);
    }

    public void putLong(long offset, long value) {
        changes++;
        overlay.putLong(offset, value);
    }

    public void getBytes(long offset, byte[] into, int from, int length) {
        overlay.getBytes(offset, into, from, length);
    }

    public void putBytes(long offset, byte[] bytes, int from, int length) {
        changes++;
        overlay.putBytes(offset, bytes, from, length);
    }

    @Override
    public void close() {
        overlay.close();
    }
}
