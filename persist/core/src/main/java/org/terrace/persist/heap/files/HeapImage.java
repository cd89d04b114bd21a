// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap.files;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapMedium;
import org.terrace.persist.Promises;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.PageLimit;
import org.terrace.persist.heap.Space;
import org.terrace.persist.log.LogFile;
import org.terrace.persist.log.LogReader;
import org.terrace.persist.medium.Medium;
import org.terrace.persist.medium.MediumFile;

/**
 * The state of a closed heap as an opening would find it. The log is replayed in memory, and the files are not changed. As much as
 * possible of a damaged heap is read.
 */
public final class HeapImage implements AutoCloseable {
    private final Path named;
    private final Path path;
    private final boolean salvaging;
    private final MediumFile file;
    private final List<String> problems = new ArrayList<>();
    private Superblock superblock;
    private LogFile log;
    private Space space;
    private long records;
    private long replayedTo;

    private HeapImage(Path named, boolean salvaging) {
        this.named = named;
        this.path = Medium.MEDIUM.withoutLinks(named);
        this.salvaging = salvaging;
        this.file = Medium.MEDIUM.open(path, Medium.Mode.READ);
    }

    /**
     * Opens a heap, even if it is damaged.
     *
     * @throws HeapException if it cannot be read because it is missing, open elsewhere, or has another version
     */
    public static HeapImage open(Path path) {
        return open(path, false);
    }

    private static HeapImage open(Path path, boolean salvaging) {
        HeapImage image = new HeapImage(path, salvaging);
        try {
            image.read();
        } catch (RuntimeException | Error e) {
            image.close();
            throw e;
        }
        return image;
    }

    /**
     * Opens a heap whose objects can be read.
     *
     * @throws CorruptHeapException if superblocks or log are damaged
     */
    public static HeapImage openIntact(Path path) {
        return readable(open(path));
    }

    /**
     * Like {@link #openIntact}, but if the log is damaged in the middle, it is read up to the damage. The damage is one of the
     * problems.
     */
    public static HeapImage salvage(Path path) {
        return readable(open(path, true));
    }

    private static HeapImage readable(HeapImage image) {
        if (image.space == null) {
            image.close();
            throw new CorruptHeapException(String.join("; ", image.problems));
        }
        return image;
    }

    private void read() {
        try {
            superblock = Superblock.read(file);
            Superblock first = Superblock.read(file, 0);
            Superblock second = Superblock.read(file, Layout.PAGE_BYTES);
            checkCopy(first, 0);
            checkCopy(second, Layout.PAGE_BYTES);
            checkAgreement(first, second);
            checkLimit();
            if (readLog()) {
                space = new Space(file, new Layout(superblock.dataBytes()), true);
                replay(space);
            }
        } catch (CorruptHeapException e) {
            problems.add(e.getMessage());
            unmap();
        }
    }

    /** A mapping retains the file's lock even after the file is closed. */
    private void unmap() {
        if (space != null) {
            space.unmap();
            space = null;
        }
    }

    private void checkCopy(Superblock copy, long position) {
        if (copy == null) {
            add("the superblock at offset " + position + " is damaged: its magic or checksum is wrong. The other one is used, and"
                    + " the next opening for writing repairs it");
        }
    }

    /** One checkpoint writes both superblocks, and a crash can happen between the two writes. */
    private void checkAgreement(Superblock first, Superblock second) {
        if (first == null || second == null) {
            return;
        }
        long distance = Math.abs(first.sequence() - second.sequence());
        boolean sameHeap = first.uuid().equals(second.uuid()) && first.dataBytes() == second.dataBytes()
                && first.logBytes() == second.logBytes();
        if (!sameHeap || distance > 1 || distance == 0 && !Objects.equals(first, second)) {
            add("the superblocks at offsets 0 and " + Layout.PAGE_BYTES + " do not belong together: " + first + " and " + second);
        }
    }

    private void checkLimit() {
        for (int copy = 0; superblock.limited() && copy < PageLimit.BYTES; copy += Layout.SECTOR_BYTES) {
            if (PageLimit.readCopy(file, superblock.fileBytes(), copy) == PageLimit.NONE) {
                add("the limit of the pages at offset " + (superblock.fileBytes() + copy) + " is damaged: its magic or checksum is wrong."
                        + " The other one is used, and the next opening for writing repairs it");
            }
        }
    }

    /** False if the log is needed and cannot be read. */
    private boolean readLog() {
        Path logPath = Store.logPath(path);
        if (superblock.clean() && !Medium.MEDIUM.exists(logPath)) {
            return true;
        }
        try {
            if (!Medium.MEDIUM.exists(logPath)) {
                throw new CorruptHeapException(logPath + " is missing, and the heap was not closed: what the log held is lost");
            }
            log = Store.openLog(named, path, superblock, true);
            problems.addAll(log.problems());
        } catch (CorruptHeapException e) {
            problems.add(e.getMessage());
        }
        return log != null || superblock.clean();
    }

    private void replay(Space into) {
        replayedTo = superblock.logPosition();
        long limit = limit();
        if (superblock.clean()) {
            return;
        }
        LogReader reader = new LogReader(log, superblock.life(), into.layout().recordLimits()).salvaging(salvaging)
                .needing(limit);
        replayedTo = reader.replay(replayedTo, into);
        records = reader.records();
        if (reader.damage() != null) {
            problems.add(reader.damage());
        }
    }

    private long limit() {
        try {
            return superblock.pageLimit(file);
        } catch (CorruptHeapException e) {
            if (!salvaging) {
                throw e;
            }
            problems.add(e.getMessage());
            return 0;
        }
    }

    private void add(String problem) {
        problems.add(path + ": " + problem);
    }

    /** Problems of superblocks and log, as sentences. */
    public List<String> problems() {
        return problems;
    }

    /** The guarantees of an opening for writing at the heap's current location. */
    public Promises promises() {
        return MediumChoice.of(file, log, HeapMedium.AUTO);
    }

    /** The superblock, or null if both copies are damaged. */
    public Superblock superblock() {
        return superblock;
    }

    /** The objects, or null if the problems prevent reading them. */
    public Space space() {
        return space;
    }

    /** Number of log records that an opening replays. */
    public long records() {
        return records;
    }

    /** Position in the log behind these records. */
    public long replayedTo() {
        return replayedTo;
    }

    @Override
    public void close() {
        try {
            unmap();
            if (log != null) {
                log.close();
            }
        } finally {
            file.close();
        }
    }
}
