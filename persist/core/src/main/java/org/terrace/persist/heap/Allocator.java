// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapFullException;
import org.terrace.persist.log.LogRecord;

/**
 * Allocates space for objects. Threads are distributed over arenas, which cache blocks and slots from the shared bitmap and the
 * shared lists of free slots. An allocation exists only in memory until a log record contains it. A new pool page is logged
 * immediately, so that records of its slots come later in the log.
 */
public final class Allocator {
    private static final int SLOT_CLASSES = Layout.MAX_SLOT_BYTES / Long.BYTES + 1;
    private static final int BATCH = 32;
    private static final int MAX_ARENAS = 16;

    private final Journal journal;
    private final Layout layout;
    private final BlockAllocator blocks;
    private final LongStack[] freeSlots = stacks();
    private final Arena[] arenas;
    /** Offsets of objects that are being freed by non-exclusive blocks or by threads outside of blocks. */
    private final Set<Long> freeing = ConcurrentHashMap.newKeySet();

    public Allocator(Journal journal) {
        this.journal = journal;
        this.layout = journal.space().layout();
        this.blocks = new BlockAllocator(journal.space());
        // In a small heap, many arenas would cache all of the free space.
        long fitting = Math.max(1, layout.dataBytes() >>> 20);
        int processors = Integer.highestOneBit(2 * Runtime.getRuntime().availableProcessors() - 1);
        arenas = new Arena[(int) Long.highestOneBit(Math.min(Math.min(MAX_ARENAS, processors), fitting))];
        java.util.Arrays.setAll(arenas, i -> new Arena());
    }

    private static LongStack[] stacks() {
        LongStack[] stacks = new LongStack[SLOT_CLASSES];
        java.util.Arrays.setAll(stacks, i -> new LongStack());
        return stacks;
    }

    /** Bytes that an object occupies including its header. This is the size of a slot or of whole blocks. */
    public static long footprint(long payloadBytes) {
        long bytes = Math.max(Layout.MIN_SLOT_BYTES, Layout.roundUp(payloadBytes + Layout.HEADER_BYTES, Long.BYTES));
        return isSlot(bytes) ? bytes : Layout.roundUp(bytes, Layout.BLOCK_BYTES);
    }

    public static boolean isSlot(long footprint) {
        return footprint <= Layout.MAX_SLOT_BYTES;
    }

    /**
     * Allocates space for an object. Its previous contents are undefined.
     *
     * @return its offset and generation, see {@link Room}
     * @throws org.terrace.persist.HeapFullException if there is no free space
     */
    public long allocate(long footprint) {
        if (footprint / Layout.BLOCK_BYTES > ObjectHeader.MAX_SIZE) {
            throw new HeapException("an object of " + footprint + " bytes is larger than "
                    + (long) ObjectHeader.MAX_SIZE * Layout.BLOCK_BYTES + " bytes, the most that one object can have");
        }
        // This method may make a separate commit in the middle of a block.
        StackRoom.ensure();
        Arena arena = arenas[(int) Thread.currentThread().getId() & arenas.length - 1];
        if (isSlot(footprint)) {
            return arena.slot((int) footprint);
        }
        return Room.of(layout.offsetOf(arena.blocks(footprint / Layout.BLOCK_BYTES)));
    }

    /**
     * Marks an object as being freed, so that only one thread frees it. Returns false if another thread is doing that. The caller
     * then checks whether it was freed before.
     */
    public boolean beginFree(long offset) {
        return freeing.add(offset);
    }

    /**
     * Ends the state that {@link #beginFree} began. Called once the record of the free is committed or the free is abandoned, and
     * before the space is returned.
     */
    public void endFree(long offset) {
        freeing.remove(offset);
    }

    /** Returns space that was never logged or that a record has freed, with the generation of its last object. */
    public void giveBack(long room, long footprint) {
        if (isSlot(footprint)) {
            LongStack stack = freeSlots[(int) footprint / Long.BYTES];
            synchronized (stack) {
                stack.push(room);
            }
        } else {
            blocks.giveBack(layout.blockOf(Room.offset(room)), footprint / Layout.BLOCK_BYTES);
        }
    }

    /** All free slots of pool pages that this process knows, as rooms, by size in words. The arenas return theirs first. */
    public synchronized LongStack[] drainFreeSlots() {
        for (Arena arena : arenas) {
            arena.drain();
        }
        return freeSlots;
    }

    /** Clears the lists of free slots, because a collection will rebuild them. */
    public synchronized void forgetFreeSlots() {
        for (LongStack stack : drainFreeSlots()) {
            stack.clear();
        }
    }

    private long newPoolPage(int slotBytes) {
        long block = blocks.take(Layout.POOL_PAGE_BLOCKS, Layout.POOL_PAGE_BLOCKS);
        long offset = layout.offsetOf(block);
        LogRecord record = new LogRecord();
        record.allocate(block, Layout.POOL_PAGE_BLOCKS);
        record.zero(offset, Layout.PAGE_BYTES);
        record.writeLong(offset, ObjectHeader.ofPoolPage(slotBytes));
        try {
            journal.commit(record);
        } catch (RuntimeException | Error e) {
            blocks.giveBack(block, Layout.POOL_PAGE_BLOCKS);
            throw e;
        }
        return offset;
    }

    /** Blocks and slots that are cached for some of the threads. */
    private final class Arena {
        private final LongStack[] slots = stacks();
        private long wordBlock;
        private long wordUsed = -1L;

        synchronized long slot(int bytes) {
            LongStack mine = slots[bytes / Long.BYTES];
            if (mine.isEmpty()) {
                LongStack shared = freeSlots[bytes / Long.BYTES];
                synchronized (shared) {
                    shared.moveTo(mine, BATCH);
                }
            }
            if (mine.isEmpty()) {
                long page = newPoolPage(bytes);
                int last = (Layout.PAGE_BYTES - Layout.HEADER_BYTES) / bytes - 1;
                for (int i = last; i >= 0; i--) {
                    mine.push(Room.of(page + Layout.HEADER_BYTES + (long) i * bytes));
                }
            }
            return Room.next(mine.pop());
        }

        synchronized long blocks(long count) {
            if (count > Layout.POOL_PAGE_BLOCKS) {
                return blocks.take(count, 1);
            }
            int bit = BlockAllocator.runIn(wordUsed, (int) count, 1);
            if (bit < 0) {
                drainBlocks();
                try {
                    wordBlock = blocks.take(Layout.POOL_PAGE_BLOCKS, Layout.POOL_PAGE_BLOCKS);
                } catch (HeapFullException e) {
                    return blocks.take(count, 1);
                }
                wordUsed = -1L << Layout.POOL_PAGE_BLOCKS;
                if (!blocks.isStart(wordBlock)) {
                    blocks.giveBack(wordBlock, 1);
                    wordUsed |= 1;
                }
                bit = BlockAllocator.runIn(wordUsed, (int) count, 1);
                if (bit < 0) {
                    return blocks.take(count, 1);
                }
            }
            wordUsed |= (1L << count) - 1 << bit;
            return wordBlock + bit;
        }

        synchronized void drain() {
            drainBlocks();
            for (int i = 0; i < SLOT_CLASSES; i++) {
                slots[i].moveTo(freeSlots[i], slots[i].size());
            }
        }

        private void drainBlocks() {
            for (long free = ~wordUsed; free != 0; free &= free - 1) {
                blocks.giveBack(wordBlock + Long.numberOfTrailingZeros(free), 1);
            }
            wordUsed = -1L;
        }
    }
}
