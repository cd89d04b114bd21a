package org.terrace.persist.heap;

import org.terrace.persist.HeapException;
import org.terrace.persist.log.RedoLog;
import org.terrace.persist.medium.Site;

/**
 * Brings the heap file up to date, so that the log's space can be used again. Commits go on meanwhile: the file is a mix of
 * states until the superblock says from where to replay, and replay makes it one state again.
 */
final class Checkpointer {
    private static final int BATCH_BYTES = 1 << 20;

    private final Space space;
    private final RedoLog log;
    private final byte[] batch = new byte[BATCH_BYTES];
    private Superblock superblock;

    Checkpointer(Space space, RedoLog log, Superblock superblock) {
        this.space = space;
        this.log = log;
        this.superblock = superblock;
    }

    /** @param epoch of the records that come after it */
    synchronized void run(int epoch, boolean clean) {
        log.checkUsable();
        try {
            // Of the file as the sync finds it: it may grow meanwhile, and a size that is not durable would be refused.
            long size = space.size();
            long position = log.appliedUpTo();
            LongStack written = writeDirtyPages();
            space.file().sync(Site.CHECKPOINT_SYNC);
            Superblock next = superblock.next(size, position, epoch, clean);
            next.write(space.file(), Site.SUPERBLOCK);
            space.file().sync(Site.SUPERBLOCK_SYNC);
            superblock = next;
            log.release(position);
            discard(written);
        } catch (Throwable e) {
            // Pages may be called clean by now that are not in the file.
            log.fail(HeapException.of("a checkpoint failed", e));
            throw e;
        }
    }

    /** Ranges written, as pairs of offset and length. */
    private LongStack writeDirtyPages() {
        LongStack written = new LongStack();
        for (long offset = space.nextDirty(0); offset >= 0;) {
            int length = 0;
            long next = offset;
            while (next == offset + length && length < BATCH_BYTES) {
                space.takePage(next, batch, length);
                length += Layout.PAGE_BYTES;
                next = space.nextDirty(offset + length);
            }
            // What the copy contains may not be in the file before it is in the log.
            log.sync(log.end(), Site.CHECKPOINT_LOG_SYNC);
            space.file().write(offset, batch, 0, length, Site.CHECKPOINT_PAGE);
            written.push(offset);
            written.push(length);
            offset = next;
        }
        return written;
    }

    private void discard(LongStack written) {
        for (int i = 0; i < written.size(); i += 2) {
            for (long page = written.get(i); page < written.get(i) + written.get(i + 1); page += Layout.PAGE_BYTES) {
                space.discardIfClean(page);
            }
        }
    }

    synchronized Superblock superblock() {
        return superblock;
    }
}
