// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.spark.memory.MemoryManager;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.RDDBlockId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when cached partitions move to H2, and keeps Spark's accounting of storage memory in step.
 *
 * <p>There are two occasions. A thread of its own asks for a transfer as soon as what waits exceeds a limit, without
 * holding up the tasks that fill it. And when Spark runs out of storage memory all the same, because tasks were faster,
 * {@link #makeRoom} transfers on the spot before Spark evicts. The second makes the outcome independent of timing: as
 * long as H2 takes what is due, no partition is evicted, and none is refused for want of room that other cached
 * partitions take.
 *
 * <p><b>Below the limit</b> a transfer would be a major collection for next to nothing. Then {@code makeRoom} takes
 * blocks out of the accounting before they are moved: if the heap fills up earlier, the VM moves them by itself. The
 * limit is on what blocks really take, see {@link SizeCorrection}.
 *
 * <p><b>The landing zone.</b> Spark protects cached blocks from execution memory (shuffles, sorts) up to a share of
 * its memory, {@code spark.memory.storageFraction}. Blocks in H2 take nothing, so execution would grow over all of
 * it and the next partition could not be unrolled: execution memory is never evicted. Therefore we hold what is left
 * of that share ourselves, and cede it to blocks as they come.
 *
 * <p><b>Locks</b>, in the order in which they may be taken: the memory manager's monitor, {@link #transferring}, the
 * monitor of {@link CachedBlocks}. A transfer stops the world but needs no monitor, so it may run under the first two.
 */
final class BlockMover implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(BlockMover.class);

    /** In whose name we acquire memory; Spark only prints it. */
    private static final BlockId LANDING_ZONE = new RDDBlockId(-1, 0);

    /** How often to look for blocks that moved in a collection nobody here asked for, and for those not read for long, in milliseconds. */
    private static final long POLL_MILLIS = 1000;

    private final Heap heap;
    private final MemoryManager memoryManager;
    private final CachedBlocks blocks;
    private final long triggerBytes;
    private final long landingBytes;

    private final BlockingQueue<Boolean> wakeUps = new ArrayBlockingQueue<>(1);
    private volatile boolean stopped;

    private final Object transferring = new Object();
    // Guarded by transferring.
    private boolean stalled;
    private long arrivedWhenStalled;
    private long removedWhenStalled;

    // Guarded by the memory manager's monitor.
    private long landingHeld;
    private final SizeCorrection correction = new SizeCorrection();

    private volatile long movedWhenReleased;
    private volatile long transfers;
    private volatile long stalls;

    /**
     * @param slots        number of tasks that run at a time
     * @param triggerBytes bytes of due blocks, as they really are, from which on to ask for a transfer
     * @param landingBytes what execution must leave to storage: the landing zone's size while there are no blocks
     * @param questions    tells where an RDD belongs; null if nothing is planned
     */
    BlockMover(Heap heap, MemoryManager memoryManager, int slots, long triggerBytes, long landingBytes,
               TierQuestions questions) {
        this.heap = heap;
        this.memoryManager = memoryManager;
        this.triggerBytes = triggerBytes;
        this.landingBytes = landingBytes;
        this.blocks = new CachedBlocks(heap, slots, this::blockArrived, questions);
    }

    CachedBlocks blocks() {
        return blocks;
    }

    /** Transfers that were asked for here. */
    long transfers() {
        return transfers;
    }

    /** Those of them that moved nothing. */
    long stalls() {
        return stalls;
    }

    long landingHeld() {
        synchronized (memoryManager) {
            return landingHeld;
        }
    }

    // -- The mover's own thread -----------------------------------------------------------------------------------------

    private void blockArrived() {
        if (isTransferDue()) {
            wakeUps.offer(true);
        }
    }

    private boolean isTransferDue() {
        return blocks.dueBytes() * correction.share() >= triggerBytes;
    }

    void stop() {
        stopped = true;
        wakeUps.offer(true);
    }

    @Override
    public void run() {
        while (true) {
            try {
                wakeUps.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                return;
            }
            if (stopped) {
                return;
            }
            blocks.cool();
            synchronized (memoryManager) {
                release(); // by collections that nobody here asked for
            }
            synchronized (transferring) {
                if (isTransferDue()) {
                    transferIfWorthwhile();
                }
            }
            synchronized (memoryManager) {
                release();
                if (isStalled()) {
                    recharge();
                } else {
                    refillLandingZone(free());
                }
            }
        }
    }

    // -- Under pressure -------------------------------------------------------------------------------------------------

    /**
     * Frees storage memory without evicting anything: by taking blocks out of the accounting that are in H2, or soon
     * will be, by ceding the landing zone, by a transfer. The caller holds the memory manager's monitor.
     *
     * @param bytes      how much is needed
     * @param forStorage whether a block needs it, rather than execution
     * @return how much of it was freed, at most {@code bytes}
     */
    long makeRoom(long bytes, boolean forStorage) {
        assert Thread.holdsLock(memoryManager);
        long freed = release();
        if (freed < bytes) {
            long beyondItsShare = memoryManager.onHeapStorageMemoryUsed() - landingBytes;
            freed += cedeLandingZone(forStorage ? bytes - freed : Math.min(bytes - freed, beyondItsShare));
        }
        if (freed < bytes && blocks.dueBytes() > 0) {
            synchronized (transferring) {
                freed += release(); // by a transfer that we had to wait for
                if (freed < bytes && mayWait()) {
                    freed += release(blocks.uncharge());
                } else if (freed < bytes && transferIfWorthwhile()) {
                    freed += release();
                }
            }
        }
        if (freed > bytes) {
            refillLandingZone(freed - bytes);
        }
        return Math.min(freed, bytes);
    }

    // -- Parts of both --------------------------------------------------------------------------------------------------

    /**
     * Asks the VM to move what is due, unless it could not the last time and nothing has changed that would let it. A
     * collection that moves nothing is the dearest way to learn that H2 is full.
     */
    private boolean transferIfWorthwhile() {
        assert Thread.holdsLock(transferring);
        if (blocks.dueBytes() == 0) {
            return false;
        }
        if (stalled && blocks.removedFromH2() == removedWhenStalled
                && blocks.arrivedBytes() - arrivedWhenStalled < triggerBytes) {
            return false;
        }
        long dueBytes = blocks.dueBytes();
        int dueBlocks = blocks.dueBlocks();
        long arrived = blocks.arrivedBytes();
        long removed = blocks.removedFromH2();
        long movedBefore = movedWhenReleased;
        long start = System.nanoTime();
        heap.transfer();
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        transfers++;
        long moved = heap.movedBytes() - movedBefore;
        if (moved > 0) {
            LOG.debug("Moved {} bytes to H2 in {} ms; {} blocks of {} bytes were scheduled", moved, millis, dueBlocks, dueBytes);
        } else {
            stalls++;
            if (!stalled) {
                LOG.warn("H2 accepted none of {} cached partitions ({} bytes): they stay on the heap, where Spark may evict "
                        + "them as usual. Is H2 or its device full?", dueBlocks, dueBytes);
            }
        }
        stalled = moved == 0;
        arrivedWhenStalled = arrived;
        removedWhenStalled = removed;
        return true;
    }

    /** Whether a transfer is not worth it yet, and H2 has room for what is due even if the estimates are right. */
    private boolean mayWait() {
        assert Thread.holdsLock(transferring);
        return !isTransferDue() && !stalled && heap.capacityBytes() - heap.usedBytes() >= blocks.dueBytes();
    }

    private boolean isStalled() {
        synchronized (transferring) {
            return stalled;
        }
    }

    /** Puts back into the accounting what H2 did not take after all, as far as there is memory for it. */
    private void recharge() {
        assert Thread.holdsLock(memoryManager);
        cedeLandingZone(blocks.unchargedBytes());
        long bytes = blocks.charge(free());
        if (bytes > 0 && !memoryManager.acquireStorageMemory(LANDING_ZONE, bytes, MemoryMode.ON_HEAP)) {
            throw new IllegalStateException(bytes + " bytes of storage memory were free, and could not be acquired");
        }
    }

    private long release() {
        assert Thread.holdsLock(memoryManager);
        movedWhenReleased = heap.movedBytes();
        long bytes = blocks.takeMoved();
        correction.observe(blocks.takenBytes(), movedWhenReleased);
        return release(bytes);
    }

    private long release(long bytes) {
        if (bytes > 0) {
            memoryManager.releaseStorageMemory(bytes, MemoryMode.ON_HEAP);
        }
        return bytes;
    }

    /** Holds the landing zone, as far as there is free memory for it; for the start. */
    void prepare() {
        synchronized (memoryManager) {
            refillLandingZone(free());
        }
    }

    /** Gives the landing zone back; for the end. */
    void cede() {
        synchronized (memoryManager) {
            cedeLandingZone(landingHeld);
        }
    }

    private long free() {
        return memoryManager.maxOnHeapStorageMemory() - memoryManager.onHeapStorageMemoryUsed();
    }

    private long cedeLandingZone(long bytes) {
        long ceded = Math.max(0, Math.min(bytes, landingHeld));
        landingHeld -= ceded;
        if (ceded > 0) {
            memoryManager.releaseStorageMemory(ceded, MemoryMode.ON_HEAP);
        }
        return ceded;
    }

    /**
     * Takes what blocks leave of the share that is theirs.
     *
     * @param atMost bytes of storage memory known to be free, so that acquiring them evicts nothing
     */
    private void refillLandingZone(long atMost) {
        long bytes = Math.min(atMost, landingBytes - memoryManager.onHeapStorageMemoryUsed());
        if (bytes > 0 && memoryManager.acquireStorageMemory(LANDING_ZONE, bytes, MemoryMode.ON_HEAP)) {
            landingHeld += bytes;
        }
    }
}
