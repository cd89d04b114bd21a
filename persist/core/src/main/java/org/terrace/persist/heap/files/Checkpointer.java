// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap.files;

import java.util.BitSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapFullException;
import org.terrace.persist.events.HeapEvents;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.PageLimit;
import org.terrace.persist.heap.Space;
import org.terrace.persist.log.RedoLog;
import org.terrace.persist.medium.MediumFile;
import org.terrace.persist.medium.Site;

/**
 * Updates the heap file from memory, so that the space of the log can be reused. Commits continue meanwhile. Therefore the file
 * mixes pages of different times until the superblock defines the start of the replay, which restores a consistent state.
 */
final class Checkpointer {
    /** Limit for private copies of clean pages, as a multiple of the log size. The amount that a checkpoint writes grows with the log. */
    private static final long COPIES_PER_LOG = 4;
    private static final long UNLIMITED = -1;

    private final Space space;
    private final RedoLog log;
    private final PageWriter pages;
    private Superblock superblock;
    private boolean recovering;
    private final ReentrantLock lock = new ReentrantLock();
    /** A checkpoint was requested by a thread that does not wait for the lock. */
    private volatile boolean wanted;
    /** Pages that checkpoints wrote and that remain private. The next store to such a page causes no fault and no copy. */
    private BitSet copies = new BitSet();
    private final long maxCopies;
    /** Position of the page limit in the file, as the superblock states it. */
    private long limitAt = UNLIMITED;

    Checkpointer(Space space, RedoLog log, Superblock superblock) {
        this.space = space;
        this.log = log;
        this.pages = new PageWriter(space, Site.CHECKPOINT_PAGE, this::beforePages);
        this.superblock = superblock;
        this.maxCopies = COPIES_PER_LOG * superblock.logBytes() / Layout.PAGE_BYTES;
    }

    /**
     * Syncs the log before pages are written, because the file must not contain changes that are not in the log. Then writes the
     * limit of these changes to the file.
     */
    private void beforePages() {
        long end = log.end();
        log.sync(end, Site.CHECKPOINT_LOG_SYNC);
        if (limitAt != UNLIMITED) {
            limitPages(end);
        }
    }

    /**
     * Writes the limit of the pages. After the file has grown, a page will occupy the old place of the limit. Before that, the
     * superblock must name the new place.
     */
    private void limitPages(long position) {
        MediumFile file = space.file();
        long place = space.size();
        PageLimit.write(file, place, position, Site.PAGE_LIMIT);
        if (place != limitAt) {
            sync(Site.PAGE_LIMIT_SYNC);
            writeSuperblock(superblock.ofSize(place));
            PageLimit.write(file, limitAt, PageLimit.MOVED, Site.PAGE_LIMIT_MOVED);
            limitAt = place;
        }
    }

    private void writeSuperblock(Superblock next) {
        next.write(space.file(), Site.SUPERBLOCK);
        sync(Site.SUPERBLOCK_SYNC);
        superblock = next;
    }

    /**
     * Reserves space for the page limit and writes it. A heap of the previous version has no limit, and can be used without it if
     * there is no space.
     *
     * @param position position up to which the log is on stable storage, and up to which the pages contain all records
     */
    void beginLimit(long position) {
        MediumFile file = space.file();
        long place = space.size();
        try {
            if (file.size() < place + PageLimit.BYTES) {
                file.extend(place, place + PageLimit.BYTES);
            }
        } catch (HeapFullException e) {
            if (superblock.limited()) {
                throw e;
            }
            return;
        }
        limitAt = superblock.limited() ? superblock.fileBytes() : place;
        PageLimit.write(file, limitAt, position, Site.PAGE_LIMIT);
    }

    /** Sets whether superblocks state that a recovery has not ended. */
    void setRecovering(boolean on) {
        lock.lock();
        try {
            recovering = on;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Makes a checkpoint.
     *
     * @param life life of the records that come after it
     * @throws HeapFullException if the device has no space. The heap continues with the previous checkpoint
     */
    void run(long life, boolean clean) {
        lock.lock();
        try {
            makeCheckpoint(life, clean);
        } finally {
            unlock(life, clean);
        }
    }

    /**
     * Makes a checkpoint if the log needs it, unless another one is running or a backup holds the file. A thread with other tasks
     * does not wait. The previous checkpoint may have begun after the log's request, and may have freed enough.
     */
    void runUnlessHeld(long life) {
        wanted = true;
        while (wanted && lock.tryLock()) {
            try {
                wanted = false;
                if (log.needsCheckpoint()) {
                    makeCheckpoint(life, false);
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** Handles a request that was made while the lock was held. Otherwise it would be forgotten, and its requester would wait forever. */
    private void unlock(long life, boolean closing) {
        lock.unlock();
        if (wanted && !closing && !log.hasFailed()) {
            try {
                runUnlessHeld(life);
            } catch (HeapFullException e) {
                // The log has already informed the waiting threads.
                wanted = false;
            }
        }
    }

    private void makeCheckpoint(long life, boolean clean) {
        log.checkUsable();
        HeapEvents.Checkpoint event = HeapEvents.checkpoint();
        BitSet written = new BitSet();
        try {
            RedoLog.Applied applied = log.applied();
            long position = applied.position();
            // The size before the sync, because the file may grow meanwhile. An opening would reject a size that is not durable.
            long size = space.size();
            pages.write(written);
            // Needed even if no page was written, because the log must contain the position at which replay begins.
            log.sync(position, Site.CHECKPOINT_LOG_SYNC);
            sync(Site.CHECKPOINT_SYNC);
            boolean limited = limitAt != UNLIMITED;
            writeSuperblock(superblock.next(limited ? limitAt : size, position, life, clean, recovering, limited));
            long freed = position - log.start();
            log.release(applied);
            discard(written);
            if (event != null) {
                event.pages = written.cardinality();
                event.bytes = event.pages * Layout.PAGE_BYTES;
                event.freedInLog = freed;
                event.end(space.file().path());
            }
        } catch (HeapFullException e) {
            // The file stays as in the middle of a checkpoint, and replay still begins at the same position. The next checkpoint
            // continues from here.
            copies.or(written);
            log.checkpointFailed(e);
            throw e;
        } catch (HeapException e) {
            log.fail(e);
            throw e;
        } catch (Throwable e) {
            // Pages may already be marked clean although they are not in the file.
            log.fail(HeapException.of("a checkpoint failed", e));
            throw e;
        }
    }

    private void sync(Site site) {
        try {
            space.file().sync(site);
        } catch (HeapException e) {
            throw RedoLog.lasting(e);
        }
    }

    /** Releases the memory of pages that equal the file, but keeps the pages of this checkpoint unless there are too many. */
    private void discard(BitSet written) {
        BitSet kept = written.cardinality() <= maxCopies ? written : new BitSet();
        copies.or(written);
        copies.andNot(kept);
        space.discardIfClean(copies);
        copies = kept;
    }

    /** Makes a checkpoint, then prevents changes of the heap file and of the log after it while an action runs. */
    void hold(long life, Consumer<Superblock> action) {
        lock.lock();
        try {
            makeCheckpoint(life, false);
            try {
                action.accept(superblock);
            } finally {
                // Other threads may have filled the log meanwhile.
                wanted = true;
            }
        } finally {
            unlock(life, false);
        }
    }

    Superblock superblock() {
        lock.lock();
        try {
            return superblock;
        } finally {
            lock.unlock();
        }
    }
}
