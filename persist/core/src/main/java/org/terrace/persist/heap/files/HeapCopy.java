// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap.files;

import java.nio.file.Path;
import java.util.function.Consumer;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapFullException;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.PageLimit;
import org.terrace.persist.heap.Space;
import org.terrace.persist.log.LogFile;
import org.terrace.persist.log.LogReader;
import org.terrace.persist.log.RedoLog;
import org.terrace.persist.medium.Medium;
import org.terrace.persist.medium.MediumFile;
import org.terrace.persist.medium.Memory;
import org.terrace.persist.medium.Site;

/**
 * Writes copies of heaps. A copy is a closed heap that needs no log. It appears under its name once it is complete and on stable
 * storage.
 *
 * <p>A heap in use is copied in the state that a crash would leave, and the copy is recovered. The file does not change between
 * checkpoints. The log records after the last checkpoint bring the copy to the state of a commit.
 */
public final class HeapCopy {
    private static final int COPIED_BLOCKS = 256;

    private HeapCopy() {
    }

    /**
     * Resolves the path for a new file.
     *
     * @throws HeapException if the file or its log exists
     */
    private static Path unused(Path named) {
        Path to = Medium.MEDIUM.withoutLinks(named);
        for (Path path : new Path[] {to, Store.logPath(to)}) {
            if (Medium.MEDIUM.exists(path)) {
                throw new HeapException(path + " exists: remove it, or choose another name for the copy");
            }
        }
        return to;
    }

    /** Copies a heap that does not change meanwhile. */
    public static void write(HeapImage image, Path to) {
        Superblock superblock = image.superblock();
        write(to, image.space(), superblock, image.space().size(), !superblock.clean() || superblock.recovering());
    }

    static void write(Path to, Space space, Superblock superblock, long size, boolean recovering) {
        publish(unused(to), space.file(), superblock, copy -> fill(copy, space, superblock, size, recovering), () -> { });
    }

    /**
     * Replaces a heap that is not open by a copy.
     *
     * @throws HeapException if the heap is open
     */
    public static void replace(HeapImage image, Path named) {
        Superblock superblock = image.superblock();
        Path heap = Medium.MEDIUM.withoutLinks(named);
        // The lock on the old file excludes others until the new file has its name.
        try (MediumFile old = Medium.MEDIUM.open(heap, Medium.Mode.WRITE)) {
            publish(heap, old, superblock, copy -> fill(copy, image.space(), superblock, image.space().size(),
                    !superblock.clean() || superblock.recovering()), () -> removeForeignLog(heap, superblock));
        }
    }

    private static void fill(MediumFile copy, Space space, Superblock superblock, long size, boolean recovering) {
        copyUsed(space, copy, size);
        writeClosed(copy, superblock, size, superblock.logPosition(), recovering);
    }

    /** Writes the superblock of a copy, which needs no log up to this position. */
    static void writeClosed(MediumFile copy, Superblock before, long size, long position, boolean recovering) {
        PageLimit.write(copy, size, position, Site.CONVERT_PAGE);
        before.next(size, position, before.life(), true, recovering, true).write(copy, Site.CONVERT_PAGE);
    }

    /** Removes the log of another heap, which would prevent an opening. A closed heap does not need a log. */
    private static void removeForeignLog(Path heap, Superblock superblock) {
        Path log = Store.logPath(heap);
        if (!Medium.MEDIUM.exists(log)) {
            return;
        }
        try {
            LogFile.open(log, superblock.uuid(), superblock.logBytes(), true).close();
        } catch (CorruptHeapException e) {
            try {
                java.nio.file.Files.delete(log);
            } catch (java.io.IOException unremovable) {
                throw new HeapException(log + " is of the heap that was replaced, and must be removed: "
                        + unremovable.getMessage(), unremovable);
            }
        } catch (HeapException e) {
            throw new HeapException(heap + " was replaced, but it is not known whether " + log + " is of the heap that was there"
                    + " before: remove it if it is. " + e.getMessage(), e);
        }
    }

    /** @param checkpoint the last checkpoint. No other may run before this method returns */
    static void writeOnline(Path to, Space live, Superblock checkpoint, RedoLog log, LogFile logFile) {
        publish(unused(to), live.file(), checkpoint, copy -> {
            copyFile(live.file(), copy, live.layout());
            long end = log.end();
            // Otherwise a crash could leave the heap older than its copy.
            log.sync(end, Site.COMMIT_SYNC);
            Space target = new Space(copy, live.layout());
            try {
                UnloggedJournal journal = new UnloggedJournal(target);
                new LogReader(logFile, checkpoint.life(), target.layout().recordLimits())
                        .replay(checkpoint.logPosition(), end, target);
                journal.writePages();
                writeClosed(copy, checkpoint, target.size(), end, true);
            } finally {
                target.unmap();
            }
        }, () -> { });
    }

    /** @param access file whose owner and permissions the copy gets */
    private static void publish(Path to, MediumFile access, Superblock copied, Consumer<MediumFile> content, Runnable afterwards) {
        Path temporary = to.resolveSibling(to.getFileName() + ".new");
        Superblock.checkNoHeap(temporary, left -> !left.uuid().equals(copied.uuid()));
        try (MediumFile copy = Medium.MEDIUM.open(temporary, Medium.Mode.CREATE)) {
            Medium.MEDIUM.copyAccess(access, copy);
            content.accept(copy);
            copy.sync(Site.CONVERT_SYNC);
            Medium.MEDIUM.publish(temporary, to);
            Medium.MEDIUM.syncNames(to, Site.NAME_SYNC);
            afterwards.run();
        } catch (HeapFullException e) {
            empty(temporary, e);
            throw new HeapFullException(to + " cannot be written: " + e.getMessage());
        } catch (Throwable e) {
            empty(temporary, e);
            throw e;
        }
    }

    /** Truncates an incomplete copy, which is useless and may be large. */
    static void empty(Path temporary, Throwable reason) {
        try {
            if (Medium.MEDIUM.exists(temporary)) {
                Medium.MEDIUM.open(temporary, Medium.Mode.CREATE).close();
            }
        } catch (RuntimeException e) {
            reason.addSuppressed(e);
        }
    }

    /** Copies a heap file without the changes that are only in memory. */
    static void copyFile(MediumFile file, MediumFile copy, Layout layout) {
        Space from = new Space(file, layout, true);
        try {
            copyUsed(from, copy, from.size());
        } finally {
            from.unmap();
        }
    }

    /** Copies the bitmap, and the data of batches in which a block is used. */
    private static void copyUsed(Space from, MediumFile copy, long size) {
        Layout layout = from.layout();
        long blocks = (size - layout.dataOffset()) / Layout.BLOCK_BYTES;
        long bitmapEnd = Math.min(layout.dataOffset(),
                Layout.roundUp(Layout.bitmapWordOf(blocks) + Long.BYTES, Layout.PAGE_BYTES));
        copy.extend(layout.dataOffset(), size + PageLimit.BYTES);
        copy.extend(Layout.BITMAP_OFFSET, bitmapEnd);
        byte[] batch = new byte[COPIED_BLOCKS * Layout.BLOCK_BYTES];
        for (long at = Layout.BITMAP_OFFSET; at < bitmapEnd; at += batch.length) {
            copy(from, copy, at, (int) Math.min(batch.length, bitmapEnd - at), batch);
        }
        for (long block = 0; block < blocks; block += COPIED_BLOCKS) {
            long used = 0;
            for (long b = block; b < block + COPIED_BLOCKS && b < blocks; b += Long.SIZE) {
                used |= from.getLong(Layout.bitmapWordOf(b));
            }
            if (used != 0) {
                int length = (int) Math.min(COPIED_BLOCKS, blocks - block) * Layout.BLOCK_BYTES;
                copy(from, copy, layout.offsetOf(block), length, batch);
            }
        }
    }

    private static void copy(Space from, MediumFile to, long offset, int length, byte[] batch) {
        Memory.copy(from.base() + offset, batch, 0, length);
        to.write(offset, batch, 0, length, Site.CONVERT_PAGE);
    }
}
