// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.log;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.HeapException;
import org.terrace.persist.medium.Medium;
import org.terrace.persist.medium.MediumFile;
import org.terrace.persist.medium.Site;

/** The file of the redo log: a header, and a ring that is addressed by positions that only grow. */
public final class LogFile implements AutoCloseable {
    public static final int RING_OFFSET = 4096;
    private static final byte[] MAGIC = "TERRELOG".getBytes(StandardCharsets.US_ASCII);
    private static final int VERSION = 2;
    private static final int BYTE_ORDER = 0x01020304;
    private static final int HEADER_BYTES = 44;
    private static final int ZEROS_BYTES = 1 << 20;

    private final MediumFile file;
    private final long capacity;

    private LogFile(MediumFile file, long capacity) {
        this.file = file;
        this.capacity = capacity;
    }

    /**
     * An interrupted creation may leave a log without a heap, which has no records. Any other file stays.
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
            if (!readable || !Arrays.equals(start, 0, MAGIC.length, MAGIC, 0, MAGIC.length) || !isZero(start, RING_OFFSET)) {
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

    /** Creates the log of a heap, full of zeros, under its name only when whole. */
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
            byte[] header = header(heap, capacity);
            file.write(0, header, 0, header.length, Site.CREATE_LOG);
            file.sync(Site.CREATE_LOG_SYNC);
            Medium.MEDIUM.publish(temporary, path);
        } catch (RuntimeException | Error e) {
            file.close();
            throw e;
        }
        return new LogFile(file, capacity);
    }

    public static LogFile open(Path path, UUID heap, long capacity, boolean readOnly) {
        if (!Medium.MEDIUM.exists(path)) {
            throw new HeapException(path + " is missing: it is the redo log of the heap, and belongs beside it under this name");
        }
        MediumFile file = Medium.MEDIUM.open(path, readOnly ? Medium.Mode.READ : Medium.Mode.WRITE);
        try {
            check(file, heap, capacity);
        } catch (RuntimeException | Error e) {
            file.close();
            throw e;
        }
        return new LogFile(file, capacity);
    }

    private static void check(MediumFile file, UUID heap, long capacity) {
        if (file.size() < RING_OFFSET + capacity) {
            throw new CorruptHeapException(file.path() + " has " + file.size() + " bytes, " + (RING_OFFSET + capacity)
                    + " are needed: it was truncated, or is not the log of this heap");
        }
        byte[] actual = new byte[HEADER_BYTES];
        file.read(0, actual, 0, HEADER_BYTES);
        int version = ByteBuffer.wrap(actual).order(ByteOrder.LITTLE_ENDIAN).getInt(MAGIC.length);
        if (Arrays.equals(actual, 0, MAGIC.length, MAGIC, 0, MAGIC.length) && version != VERSION) {
            throw new HeapException(file.path() + " has format version " + version + "; this library reads version " + VERSION
                    + ": open the heap with the version of the library that wrote it");
        }
        if (!Arrays.equals(actual, header(heap, capacity))) {
            throw new CorruptHeapException(file.path() + " is not the redo log of heap " + heap
                    + ", or its header is damaged: put the log that belongs to the heap beside it");
        }
    }

    private static byte[] header(UUID heap, long capacity) {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        header.put(MAGIC).putInt(VERSION).putInt(BYTE_ORDER);
        header.putLong(heap.getMostSignificantBits()).putLong(heap.getLeastSignificantBits()).putLong(capacity);
        CRC32C crc = new CRC32C();
        crc.update(header.array(), 0, header.position());
        return header.putInt((int) crc.getValue()).array();
    }

    /** This log on memory that persists; the file must allow it. */
    public LogFile mapped() {
        return new LogFile(Medium.MEDIUM.mapped(file), capacity);
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

    void read(long position, byte[] into, int length) {
        long at = position % capacity;
        int first = (int) Math.min(length, capacity - at);
        file.read(RING_OFFSET + at, into, 0, first);
        if (first < length) {
            file.read(RING_OFFSET, into, first, length - first);
        }
    }

    void write(long position, byte[] bytes, int length) {
        long at = position % capacity;
        int first = (int) Math.min(length, capacity - at);
        file.write(RING_OFFSET + at, bytes, 0, first, Site.COMMIT);
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
