// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.log;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.HeapException;
import org.terrace.persist.medium.Medium;
import org.terrace.persist.medium.MediumFile;
import org.terrace.persist.medium.Site;

/**
 * The file of the redo log. It consists of two headers and a ring that is addressed by ever-increasing positions.
 *
 * <p>Each header names one life. When a life begins, one header is written before the superblock of that life, while the other
 * still names the previous life. The other header is written after that superblock and before the first record of the life.
 * Therefore the log names the life in its heap's superblock after a crash at any time. It names a previous life only while all
 * records of that life are still present.
 */
public final class LogFile implements AutoCloseable {
    public static final int RING_OFFSET = 4096;
    private static final int ZEROS_BYTES = 1 << 20;

    private final MediumFile file;
    private final UUID heap;
    private final long capacity;
    private final boolean mapped;
    /** The headers in the file, or null for a damaged one. */
    private final LogHeader[] headers;

    private LogFile(MediumFile file, UUID heap, long capacity, boolean mapped, LogHeader[] headers) {
        this.file = file;
        this.heap = heap;
        this.capacity = capacity;
        this.mapped = mapped;
        this.headers = headers;
    }

    /**
     * Checks that a file may be overwritten. An interrupted creation may leave a log without a heap and without records. Any other
     * file is kept.
     *
     * @throws HeapException if the file exists and is anything else
     */
    public static void checkUnused(Path path) {
        if (!Medium.MEDIUM.exists(path)) {
            return;
        }
        try (MediumFile file = Medium.MEDIUM.open(path, Medium.Mode.READ)) {
            byte[] start = new byte[RING_OFFSET + LogRecord.HEADER_BYTES];
            boolean readable = file.size() >= start.length;
            if (readable) {
                file.read(0, start, 0, start.length);
            }
            if (!readable || !LogHeader.hasMagic(start) || !isZero(start, RING_OFFSET)) {
                throw new HeapException(path + " exists, and its heap does not: put the heap back beside its log,"
                        + " or remove the log");
            }
        }
    }

    private static boolean isZero(byte[] bytes, int from) {
        for (int i = from; i < bytes.length; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return true;
    }

    /** Creates the log of a heap, filled with zeros. It appears under its name only when it is complete. */
    public static LogFile create(Path path, UUID heap, long capacity) {
        Path temporary = path.resolveSibling(path.getFileName() + ".new");
        MediumFile file = Medium.MEDIUM.open(temporary, Medium.Mode.CREATE);
        try {
            file.extend(0, RING_OFFSET + capacity);
            byte[] zeros = new byte[(int) Math.min(ZEROS_BYTES, capacity)];
            for (long at = 0; at < capacity; at += zeros.length) {
                int part = (int) Math.min(zeros.length, capacity - at);
                file.write(RING_OFFSET + at, zeros, 0, part, Site.CREATE_LOG);
            }
            LogHeader[] headers = new LogHeader[LogHeader.COPIES];
            for (int copy = 0; copy < LogHeader.COPIES; copy++) {
                headers[copy] = new LogHeader(LogHeader.VERSION, heap, capacity, 0, null, LogHeader.NOT_TOLD);
                headers[copy].write(file, copy, Site.CREATE_LOG);
            }
            file.sync(Site.CREATE_LOG_SYNC);
            Medium.MEDIUM.publish(temporary, path);
            return new LogFile(file, heap, capacity, false, headers);
        } catch (RuntimeException | Error e) {
            file.close();
            throw e;
        }
    }

    public static LogFile open(Path path, UUID heap, long capacity, boolean readOnly) {
        if (!Medium.MEDIUM.exists(path)) {
            throw new HeapException(path + " is missing: it is the redo log of the heap, and belongs beside it under this name");
        }
        MediumFile file = Medium.MEDIUM.open(path, readOnly ? Medium.Mode.READ : Medium.Mode.WRITE);
        try {
            return new LogFile(file, heap, capacity, false, headers(file, heap, capacity));
        } catch (RuntimeException | Error e) {
            file.close();
            throw e;
        }
    }

    private static LogHeader[] headers(MediumFile file, UUID heap, long capacity) {
        if (file.size() - RING_OFFSET < capacity) {
            throw new CorruptHeapException(file.path() + " has " + file.size() + " bytes, " + (RING_OFFSET + capacity)
                    + " are needed: it was truncated, or is not the log of this heap");
        }
        LogHeader[] headers = new LogHeader[LogHeader.COPIES];
        boolean whole = false;
        boolean foreign = false;
        for (int copy = 0; copy < LogHeader.COPIES; copy++) {
            headers[copy] = LogHeader.read(file, copy);
            whole |= headers[copy] != null;
            foreign |= headers[copy] != null && !headers[copy].isOf(heap, capacity);
        }
        if (!whole || foreign) {
            throw new CorruptHeapException(file.path() + " is not the redo log of heap " + heap
                    + ", or its header is damaged: put the log that belongs to the heap beside it");
        }
        return headers;
    }

    /** Problems of the headers that do not prevent an opening, as sentences. */
    public List<String> problems() {
        List<String> problems = new ArrayList<>();
        for (int copy = 0; copy < LogHeader.COPIES; copy++) {
            if (headers[copy] == null && (copy == 0 || headers[0].tellsLife())) {
                problems.add(path() + " is not the redo log of heap " + heap + ", or its header at offset "
                        + LogHeader.positionOf(copy) + " is damaged. The other one is used, and the next opening for writing"
                        + " repairs it");
            }
        }
        return problems;
    }

    /** Whether the log contains all records of this life that its heap may need. */
    public boolean isOfLife(long life) {
        return headerOf(life) != null;
    }

    /** Whether the log has the old version of the header, which contains no life. */
    public boolean tellsNoLife() {
        return headers[0] != null && !headers[0].tellsLife();
    }

    private LogHeader headerOf(long life) {
        for (LogHeader header : headers) {
            if (header != null && header.isOfLife(life)) {
                return header;
            }
        }
        return null;
    }

    /** The position of the first record of this life, or {@link LogHeader#NOT_TOLD}. */
    long startOf(long life) {
        LogHeader header = headerOf(life);
        return header == null ? LogHeader.NOT_TOLD : header.start();
    }

    /** Whether the current page cache has held all records of this life. If so, no record was lost while a later one was kept. */
    boolean isKept(long life) {
        LogHeader header = headerOf(life);
        return header != null && header.cache() != null && header.cache().equals(Medium.MEDIUM.pageCache(file.system()));
    }

    /**
     * Durably writes the header for a new life beside the header of the superblock's life. Must be called before the superblock of
     * the new life is written.
     *
     * @param start position of its first record
     * @param former the life in the superblock. If its heap was not closed, superblock and log are on stable storage
     */
    public void beginLife(long life, long start, long former) {
        // The header of the previous version contains no life. It is needed until the second header names the former life.
        boolean secondIsNeeded = headers[1] != null && headers[1].isOfLife(former);
        boolean firstIsNeeded = !secondIsNeeded && headers[0] != null && (headers[0].isOfLife(former) || tellsNoLife());
        // A kill during stores to a mapping may leave later stores without earlier ones. A system call has no such effect.
        writeHeader(firstIsNeeded ? 1 : 0, new LogHeader(LogHeader.VERSION, heap, capacity, life,
                mapped ? null : Medium.MEDIUM.pageCache(file.system()), start));
    }

    /**
     * Writes both headers for this life. Must be called after its superblock and before its first record, which may overwrite a
     * record of the previous life.
     */
    public void endFormerLife(long life) {
        LogHeader header = headerOf(life);
        for (int copy = 0; copy < LogHeader.COPIES; copy++) {
            if (headers[copy] != header) {
                writeHeader(copy, header);
            }
        }
    }

    private void writeHeader(int copy, LogHeader header) {
        header.write(file, copy, Site.LIFE);
        file.sync(Site.LIFE_SYNC);
        headers[copy] = header;
    }

    /** This log on persistent memory, which the file must support. */
    public LogFile mapped() {
        return new LogFile(Medium.MEDIUM.mapped(file), heap, capacity, true, headers);
    }

    /** Whether the log is in persistent memory, so that writes need no sync. */
    boolean isMapped() {
        return mapped;
    }

    public MediumFile file() {
        return file;
    }

    public Path path() {
        return file.path();
    }

    public long capacity() {
        return capacity;
    }

    /** The file offset of a position. */
    long offsetOf(long position) {
        return RING_OFFSET + position % capacity;
    }

    /** The number of bytes from a position to the end of the ring, at most the length. */
    private int first(long position, int length) {
        return (int) Math.min(length, capacity - position % capacity);
    }

    void read(long position, byte[] into, int length) {
        int first = first(position, length);
        file.read(offsetOf(position), into, 0, first);
        if (first < length) {
            file.read(RING_OFFSET, into, first, length - first);
        }
    }

    void write(long position, byte[] bytes, int length) {
        int first = first(position, length);
        file.write(offsetOf(position), bytes, 0, first, Site.COMMIT);
        if (first < length) {
            file.write(RING_OFFSET, bytes, first, length - first, Site.COMMIT);
        }
    }

    public void sync(Site site) {
        file.sync(site);
    }

    @Override
    public void close() {
        file.close();
    }
}
