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
 * Decides when cached partitions move to H2, and updates Spark's accounting of storage memory accordingly.
 *
 * <p>Transfers are requested at two places. A separate thread requests one as soon as the waiting partitions exceed a limit. It
 * does not delay the tasks that cache them. If tasks are faster and Spark runs out of storage memory nevertheless,
 * {@link #makeRoom} runs a transfer before Spark evicts. The second place makes the outcome independent of timing. As long as H2
 * accepts the partitions, none is evicted, and none is rejected because other cached partitions take the memory.
 *
 * <p><b>Below the limit</b> a transfer would be a major collection that moves little. In this case {@code makeRoom} takes
 * blocks out of the accounting before they are moved. If the heap fills up earlier, the VM moves them by itself. The
 * limit applies to the real size of blocks, see {@link SizeCorrection}.
 *
 * <p><b>The landing zone.</b> Spark protects cached blocks from execution memory (shuffles, sorts) up to a share of
 * its memory, {@code spark.memory.storageFraction}. Blocks in H2 take none of this memory, so execution could grow over all of
 * it. The next partition could not be unrolled then, because execution memory is never evicted. This class therefore acquires
 * the unused part of that share, the landing zone, and cedes it to blocks as they arrive.
 *
 * <p><b>Locks</b>, in the order in which they may be acquired: the memory manager's monitor, {@link #transferring}, the
 * monitor of {@link CachedBlocks}. A transfer stops the world but needs no monitor, so it may run under the first two.
 */
final class BlockMover implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(BlockMover.class);

    /** The block for which the landing zone acquires memory. Spark only prints it. */
    private static final BlockId LANDING_ZONE = new RDDBlockId(-1, 0);

    /** How often to look for blocks that other collections moved, and for RDDs that were not read for long, in milliseconds. */
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
     * @param triggerBytes real size of due blocks from which on a transfer is requested, in bytes
     * @param landingBytes memory that execution must leave to storage: the landing zone's size while there are no blocks
     * @param questions    asks the driver for the tiers of RDDs; null without a plan
     * @param counts       counts reads of partitions; null without a profile
     * @param mostHeapBytes limit for blocks of RDDs that belong on the heap by the plan, in bytes
     */
    BlockMover(Heap heap, MemoryManager memoryManager, int slots, long triggerBytes, long landingBytes,
               TierQuestions questions, AccessCounts counts, long mostHeapBytes) {
        this.heap = heap;
        this.memoryManager = memoryManager;
        this.triggerBytes = triggerBytes;
        this.landingBytes = landingBytes;
        this.blocks = new CachedBlocks(heap, slots, this::blockArrived, questions, counts, mostHeapBytes);
    }

    CachedBlocks blocks() {
        return blocks;
    }

    /** Number of transfers that this class requested. */
    long transfers() {
        return transfers;
    }

    /** Number of those transfers that moved nothing. */
    long stalls() {
        return stalls;
    }

    long landingHeld() {
        synchronized (memoryManager) {
            return landingHeld;
        }
    }

    // -- The separate thread --------------------------------------------------------------------------------------------

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
                release(); // blocks that other collections moved
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
     * Frees storage memory without evicting anything. It takes blocks out of the accounting that are in H2 or will be there soon,
     * cedes the landing zone, and runs a transfer. The caller holds the memory manager's monitor.
     *
     * @param bytes      number of bytes that are needed
     * @param forStorage whether they are for a block, rather than for execution
     * @return number of bytes that were freed, at most {@code bytes}
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
                freed += release(); // blocks of a transfer that another thread ran meanwhile
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

    // -- Shared by both -------------------------------------------------------------------------------------------------

    /**
     * Requests a transfer of the due blocks. Does nothing if the last transfer moved nothing and the conditions have not changed
     * since, because a collection that moves nothing is an expensive way to find out that H2 is full.
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
                LOG.warn("H2 accepted none of {} cached partitions ({} bytes). They stay on the heap, where Spark may evict "
                        + "them as usual. Check whether H2 or its device is full (-Xlog:gc+h2)", dueBlocks, dueBytes);
            }
        }
        stalled = moved == 0;
        arrivedWhenStalled = arrived;
        removedWhenStalled = removed;
        return true;
    }

    /** Whether a transfer can still wait, and H2 has space for the due blocks even if Spark's estimates are right. */
    private boolean mayWait() {
        assert Thread.holdsLock(transferring);
        return !isTransferDue() && !stalled && heap.capacityBytes() - heap.usedBytes() >= blocks.dueBytes();
    }

    private boolean isStalled() {
        synchronized (transferring) {
            return stalled;
        }
    }

    /** Takes blocks that H2 did not accept back into the accounting, as far as there is memory for them. */
    private void recharge() {
        assert Thread.holdsLock(memoryManager);
        cedeLandingZone(blocks.unchargedBytes());
        long bytes = blocks.charge(free());
        if (bytes > 0 && !memoryManager.acquireStorageMemory(LANDING_ZONE, bytes, MemoryMode.ON_HEAP)) {
            throw new IllegalStateException(bytes + " bytes of storage memory were free, but could not be acquired");
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

    /** Acquires the landing zone at the start, as far as there is free memory for it. */
    void prepare() {
        synchronized (memoryManager) {
            refillLandingZone(free());
        }
    }

    /** Releases the landing zone at the end. */
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
     * Acquires the part of the landing zone that blocks do not use.
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
