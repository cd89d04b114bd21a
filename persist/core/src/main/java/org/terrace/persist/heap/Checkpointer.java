// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.util.BitSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapFullException;
import org.terrace.persist.events.HeapEvents;
import org.terrace.persist.log.RedoLog;
import org.terrace.persist.medium.MediumFile;
import org.terrace.persist.medium.Site;

/**
 * Brings the heap file up to date, so that the log's space can be used again. Commits go on meanwhile: the file is a mix of
 * states until the superblock says from where to replay, and replay makes it one state again.
 */
final class Checkpointer {
    /** So many times the log's bytes may private copies have that equal the file: what a checkpoint writes grows with the log. */
    private static final long COPIES_PER_LOG = 4;
    private static final long UNLIMITED = -1;

    private final Space space;
    private final RedoLog log;
    private final PageWriter pages;
    private Superblock superblock;
    private boolean recovering;
    private final ReentrantLock lock = new ReentrantLock();
    /** Somebody wants a checkpoint who does not wait for the lock. */
    private volatile boolean wanted;
    /** Pages that checkpoints wrote, and that are private still: the next store to such a page costs no fault and no copy. */
    private BitSet copies = new BitSet();
    private final long maxCopies;
    /** Where the file has the limit of its pages, and the superblock says so. */
    private long limitAt = UNLIMITED;

    Checkpointer(Space space, RedoLog log, Superblock superblock) {
        this.space = space;
        this.log = log;
        this.pages = new PageWriter(space, Site.CHECKPOINT_PAGE, this::beforePages);
        this.superblock = superblock;
        this.maxCopies = COPIES_PER_LOG * superblock.logBytes() / Layout.PAGE_BYTES;
    }

    /** What the copy of a page contains may not be in the file before it is in the log, and the file tells how far that may be. */
    private void beforePages() {
        long end = log.end();
        log.sync(end, Site.CHECKPOINT_LOG_SYNC);
        if (limitAt != UNLIMITED) {
            limitPages(end);
        }
    }

    /** The place of the limit becomes one of a page when the file has grown: no superblock may say by then that it is there. */
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
     * Makes room for the limit of the pages. A heap of the version before that has none can also be used without it.
     *
     * @param position of the log, up to which it is on stable storage, and before which all records are in the pages
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

    /** Whether superblocks say that a recovery has not ended. */
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
     * @param life of the records that come after it
     * @throws HeapFullException if the device has no room for it: the heap goes on with the one before
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
     * Makes one if the log needs it, unless another is being made or a backup holds the file: a thread that has other duties
     * does not wait. The one before may have begun after the log had asked, and freed enough.
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

    /** What was wanted while the lock was held would be forgotten otherwise, and who waits for it would wait for ever. */
    private void unlock(long life, boolean closing) {
        lock.unlock();
        if (wanted && !closing && !log.hasFailed()) {
            try {
                runUnlessHeld(life);
            } catch (HeapFullException e) {
                // Who waits for it has been told.
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
            // Of the file as the sync finds it: it may grow meanwhile, and a size that is not durable would be refused.
            long size = space.size();
            pages.write(written);
            // Also if no page had to be written: replay needs a log that reaches to where it begins.
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
            // The file stays as in the middle of a checkpoint, and replay begins where it did. The next one goes on from here.
            copies.or(written);
            log.checkpointFailed(e);
            throw e;
        } catch (HeapException e) {
            log.fail(e);
            throw e;
        } catch (Throwable e) {
            // Pages may be called clean by now that are not in the file.
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

    /** Gives back the memory of pages that are equal to the file, but keeps what this checkpoint wrote if that is not too much. */
    private void discard(BitSet written) {
        BitSet kept = written.cardinality() <= maxCopies ? written : new BitSet();
        copies.or(written);
        copies.andNot(kept);
        space.discardIfClean(copies);
        copies = kept;
    }

    /** Keeps the heap file and the log behind its superblock as they are during an action; with a checkpoint before. */
    void hold(long life, Consumer<Superblock> action) {
        lock.lock();
        try {
            makeCheckpoint(life, false);
            try {
                action.accept(superblock);
            } finally {
                // For those that have filled the log.
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
