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
 * One failure-atomic block of one thread: a redo log in memory (J-NVM, section 4.2). Writes, allocations and frees are kept
 * apart until the commit; loads see them. Blocks inside the block only count. Not thread-safe.
 */
public final class Transaction implements AutoCloseable {
    private final Journal journal;
    private final Allocator allocator;
    private final Publication publication;
    private final Layout layout;
    private final Overlay overlay;
    private final LogRecord record = new LogRecord();
    /** Room, as {@link Room}, and footprint of each. */
    private final LongStack allocated = new LongStack();
    private final LongStack freed = new LongStack();
    /** Objects that the block refers to and that are not valid. */
    private final LongStack unpublished = new LongStack();
    private final List<Runnable> whenCommitted = new ArrayList<>();
    /** Of what this block frees, if others could free it too. */
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

    /** Of one block: what was learnt of the heap in it does not hold any more once the block is rolled back. */
    public static final class Outcome {
        private volatile boolean rolledBack;

        public boolean isRolledBack() {
            return rolledBack;
        }
    }

    /** Of the block that runs, the same object until its end. */
    public Outcome outcome() {
        if (outcome == null) {
            outcome = new Outcome();
        }
        return outcome;
    }

    /** Grows with each change. */
    public long changes() {
        return changes;
    }

    /** What is to be done in memory once others can see the changes. */
    public void whenCommitted(Runnable action) {
        whenCommitted.add(action);
    }

    /** Does what was to be done, whether or not the commit came to its end. If it did not, {@link #abort} follows. */
    public void tellCommitted(boolean committed) {
        if (committed) {
            outcome = null;
        }
        whenCommitted.forEach(Runnable::run);
        whenCommitted.clear();
    }

    /** The whole of it cannot commit any more, as a block inside it has failed. */
    public void fail(Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
    }

    /**
     * Room for an object with its header and a payload of zeros.
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

    /** Whether blocks of this kind run at the same time, so that two could free one object. */
    public void begin(boolean besideOthers) {
        shared = besideOthers;
    }

    /** This block, and no other that runs, will free an object, if it is not freed yet. False if another does. */
    public boolean beginFree(long offset) {
        if (!shared) {
            return true;
        }
        StackRoom.ensure();
        // Room first: what is noted nowhere would stay for ever.
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
     * Frees an object at the commit; it reads as freed at once.
     *
     * @throws FreedObjectException if another block frees it, or has freed it since this one has looked
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

    /** Makes an object that is not valid so with the commit, and all that it reaches. */
    public void publish(long offset) {
        changes++;
        unpublished.push(offset);
    }

    /**
     * Makes the changes visible to other threads.
     *
     * @return the position up to which the log must be durable, or -1 if nothing was changed
     * @throws HeapException if it cannot be done; call {@link #abort} then
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
            // The changes are made, and who is told of an error takes them for undone.
            journal.fail("a commit could not be brought to its end", e);
            throw e;
        }
        return position;
    }

    /** Of the last commit's record in the log. */
    public long committedBytes() {
        return record.length();
    }

    /** Blocks of the heap that the last commit wrote to. */
    public long committedBlocks() {
        return blocks;
    }

    /** {@link #commit}; if that fails, what was allocated is free again. */
    public long commitOrAbort() {
        try {
            return commit();
        } catch (Throwable e) {
            abort();
            throw e;
        }
    }

    /** Before the record: what it makes reachable is whole and valid then. */
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

    /** Forgets the changes; what was allocated is free again. */
    public void abort() {
        if (outcome != null) {
            // A block that has changed nothing has seen nothing that does not hold: so do methods that only look.
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
