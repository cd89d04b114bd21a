// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapMedium;
import org.terrace.persist.Promises;
import org.terrace.persist.log.LogFile;
import org.terrace.persist.log.LogReader;
import org.terrace.persist.log.LogRecord;
import org.terrace.persist.medium.Medium;
import org.terrace.persist.medium.MediumFile;

/**
 * A heap that nobody has open, as an opening would find it: the log is replayed in memory, the files stay as they are. Reads as
 * much as it can of a damaged one.
 */
public final class HeapImage implements AutoCloseable {
    private static final long MAX_DATA_BYTES = 1L << 46;

    private final Path path;
    private final MediumFile file;
    private final List<String> problems = new ArrayList<>();
    private Superblock superblock;
    private LogFile log;
    private Space space;
    private long records;
    private long replayedTo;

    private HeapImage(Path path) {
        this.path = path;
        this.file = Medium.MEDIUM.open(path, Medium.Mode.READ);
    }

    /**
     * Opens a heap, damaged or not.
     *
     * @throws HeapException if it cannot be read: it is missing, open elsewhere, or of another version
     */
    public static HeapImage open(Path path) {
        HeapImage image = new HeapImage(path);
        try {
            image.read();
        } catch (RuntimeException e) {
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
        HeapImage image = open(path);
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
            if (isPlausible() && readLog()) {
                Space mapped = new Space(file, new Layout(superblock.dataBytes()), true);
                replay(mapped);
                space = mapped;
            }
        } catch (CorruptHeapException e) {
            problems.add(e.getMessage());
        }
    }

    private void checkCopy(Superblock copy, long position) {
        if (copy == null) {
            add("the superblock at offset " + position + " is damaged: its magic or checksum is wrong. The other one is used, and"
                    + " the next opening for writing repairs it");
        }
    }

    /** One checkpoint writes both, and a crash can come between. */
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

    private boolean isPlausible() {
        long dataBytes = superblock.dataBytes();
        boolean plausible = dataBytes > 0 && dataBytes <= MAX_DATA_BYTES && dataBytes % Layout.PAGE_BYTES == 0
                && superblock.logBytes() > 0 && superblock.logPosition() >= 0 && superblock.logPosition() % Long.BYTES == 0;
        Layout layout = plausible ? new Layout(dataBytes) : null;
        if (!plausible || superblock.fileBytes() < layout.dataOffset() + Layout.BLOCK_BYTES
                || superblock.fileBytes() > layout.fileBytes()) {
            add("the superblock has sizes or positions that no heap has: " + superblock);
            return false;
        }
        return true;
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
            log = LogFile.open(logPath, superblock.uuid(), superblock.logBytes(), true);
        } catch (CorruptHeapException e) {
            problems.add(e.getMessage());
        }
        return log != null || superblock.clean();
    }

    private void replay(Space into) {
        replayedTo = superblock.logPosition();
        if (superblock.clean()) {
            return;
        }
        long[] position = {replayedTo};
        try {
            replayedTo = new LogReader(log, superblock.life()).replay(replayedTo, new CheckedReplay(into) {
                @Override
                public void record(long at, int length) {
                    position[0] = at;
                    records++;
                }
            });
        } catch (CorruptHeapException e) {
            throw e;
        } catch (HeapException | IndexOutOfBoundsException e) {
            throw new CorruptHeapException(log.path() + ": the record at offset "
                    + (LogFile.RING_OFFSET + position[0] % superblock.logBytes()) + " has a right checksum, and cannot be"
                    + " replayed: " + e.getMessage());
        }
    }

    private void add(String problem) {
        problems.add(path + ": " + problem);
    }

    /** What is wrong with superblocks and log, as sentences. */
    public List<String> problems() {
        return problems;
    }

    /** What an opening for writing could promise where the heap is now. */
    public Promises promises() {
        return MediumChoice.of(file, log, HeapMedium.AUTO);
    }

    /** Null if both are damaged. */
    public Superblock superblock() {
        return superblock;
    }

    /** The objects; null if the problems do not let them be read. */
    public Space space() {
        return space;
    }

    /** Records of the log that an opening replays. */
    public long records() {
        return records;
    }

    /** The log's position behind them. */
    public long replayedTo() {
        return replayedTo;
    }

    @Override
    public void close() {
        try {
            if (space != null) {
                space.unmap();
            }
            if (log != null) {
                log.close();
            }
        } finally {
            file.close();
        }
    }

    /** Operations of a record with a right checksum may still lead anywhere. */
    private abstract static class CheckedReplay implements LogRecord.Visitor {
        private final Space space;

        CheckedReplay(Space space) {
            this.space = space;
        }

        private void check(long from, long length, long limit, String what) {
            if (from < 0 || length < 0 || from > limit - length) {
                throw new HeapException("an operation changes " + length + " " + what + " from " + from + " on, of " + limit);
            }
        }

        @Override
        public void write(long offset, byte[] record, int at, int length) {
            check(offset, length, space.layout().fileBytes(), "bytes");
            space.write(offset, record, at, length);
        }

        @Override
        public void zero(long offset, long length) {
            check(offset, length, space.layout().fileBytes(), "bytes");
            space.zero(offset, length);
        }

        @Override
        public void allocate(long block, long count) {
            check(block, count, space.layout().blocks(), "blocks");
            space.allocate(block, count);
        }

        @Override
        public void free(long block, long count) {
            check(block, count, space.layout().blocks(), "blocks");
            space.free(block, count);
        }
    }
}
