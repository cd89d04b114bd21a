// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.log;

import java.util.Arrays;
import org.terrace.persist.CorruptHeapException;

/**
 * Reads the records of one life from a position to the first incomplete record. That is the end of the log, unless a later record
 * shows that this record was complete once. See {@code docs/decisions/0021-where-a-log-ends.md}.
 */
public final class LogReader {
    private static final int WINDOW_BYTES = 1 << 16;

    private final LogFile file;
    private final long life;
    private final LogRecord.Limits limits;
    private final byte[] header = new byte[LogRecord.HEADER_BYTES];
    private boolean salvaging;
    private long needed;
    private String damage;
    private long records;
    /** Bytes that the search behind the end has checked. */
    private long bytesChecked;

    /** @param limits the ranges that records of this heap may change */
    public LogReader(LogFile file, long life, LogRecord.Limits limits) {
        this.file = file;
        this.life = life;
        this.limits = limits;
    }

    /** Requires all records before this position, because the heap file may contain their changes. */
    public LogReader needing(long position) {
        needed = position;
        return this;
    }

    /** Treats damage as the end of the log, which only {@link #damage} reports. */
    public LogReader salvaging(boolean on) {
        salvaging = on;
        return this;
    }

    /**
     * Passes the operations of every record from {@code start} on to a visitor.
     *
     * @return the position behind the last record
     * @throws CorruptHeapException if a record cannot be replayed, or another one shows that it was complete once
     */
    public long replay(long start, LogRecord.Visitor visitor) {
        long position = start;
        for (byte[] record = recordAt(position, start); record != null; record = recordAt(position, start)) {
            if (!visit(record, position, visitor)) {
                return position;
            }
            records++;
            position += record.length;
        }
        checkWholeUpTo(position, start);
        if (records == 0 && damage == null) {
            checkStart(start);
        }
        if (position < needed && damage == null) {
            damaged(file.path() + " ends at position " + position + ", before changes that its heap file may have: the heap file is newer"
                    + " than the log, as in copies made while a program had them open");
        }
        return position;
    }

    /**
     * Passes the operations of records in an open log to a visitor, up to a position that has been written.
     *
     * @throws CorruptHeapException if the device returns other data
     */
    public void replay(long start, long end, LogRecord.Visitor visitor) {
        for (long position = start; position < end;) {
            byte[] record = recordAt(position, start);
            if (record == null) {
                throw new CorruptHeapException(file.path() + " is damaged at position " + position + ": it was whole before");
            }
            visit(record, position, visitor);
            position += record.length;
        }
    }

    /** Number of replayed records. */
    public long records() {
        return records;
    }

    /** The damage at which the log ended early, or null. Used only with {@link #salvaging}. */
    public String damage() {
        return damage;
    }

    private boolean visit(byte[] bytes, long position, LogRecord.Visitor visitor) {
        LogRecord record = new LogRecord(bytes);
        String problem = record.problem(limits);
        if (problem != null) {
            damaged(file.path() + ": the record at offset " + file.offsetOf(position)
                    + " has a right checksum, and cannot be replayed: " + problem);
            return false;
        }
        record.visit(visitor);
        return true;
    }

    private void damaged(String what) {
        damage = what + ". Restore heap and log from a backup; or look at what was committed before that: \"heap backup --salvage\""
                + " makes another heap of it, and HeapOptions.salvage() opens it read-only";
        if (!salvaging) {
            throw new CorruptHeapException(damage);
        }
    }

    private byte[] recordAt(long position, long start) {
        if (position + LogRecord.HEADER_BYTES > start + file.capacity()) {
            return null;
        }
        file.read(position, header, header.length);
        int length = LogRecord.storedLength(header);
        // No record is longer than half of the ring. This limits the memory that a damaged length requires.
        if (!isHeaderOf(header, position) || length > file.capacity() / 2 || position + length > start + file.capacity()) {
            return null;
        }
        byte[] record = Arrays.copyOf(header, length);
        file.read(position, record, length);
        bytesChecked += length;
        return LogRecord.checksum(record, length) == LogRecord.storedChecksum(record) ? record : null;
    }

    private boolean isHeaderOf(byte[] bytes, long position) {
        return LogRecord.storedPosition(bytes) == position && LogRecord.storedLife(bytes) == life
                && LogRecord.storedLength(bytes) >= LogRecord.HEADER_BYTES && LogRecord.storedLength(bytes) % Long.BYTES == 0;
    }

    /**
     * Checks the start of a replay that found no record. Either the life began at this position, or the last checkpointed record
     * ends there. That record is still in the log, because it is overwritten later than the space behind it.
     */
    private void checkStart(long start) {
        long first = file.startOf(life);
        if (start == first || first == LogHeader.NOT_TOLD && !hasRecordBefore(start, false)) {
            return;
        }
        if (start < first || !hasRecordBefore(start, true)) {
            damaged(file.path() + " ends before position " + start + ", from which its heap needs it: the heap file is newer than the log,"
                    + " as in copies made while a program had them open, or its superblock is damaged");
        }
    }

    /** @param ends whether only a record that ends at the position counts */
    private boolean hasRecordBefore(long position, boolean ends) {
        byte[] window = new byte[WINDOW_BYTES];
        long limit = Math.max(0, position - file.capacity());
        int overlap = LogRecord.HEADER_BYTES - Long.BYTES;
        for (long to = position; to > limit; to -= window.length - overlap) {
            int length = (int) Math.min(window.length, to - limit);
            file.read(to - length, window, length);
            for (int i = length - LogRecord.HEADER_BYTES; i >= 0; i -= Long.BYTES) {
                long at = to - length + i;
                if (LogRecord.lifeAt(window, i) == life && LogRecord.positionAt(window, i) == at) {
                    byte[] record = recordAt(at, at);
                    if (record != null && (!ends || at + record.length == position)) {
                        return true;
                    }
                }
            }
            if (length < window.length) {
                return false;
            }
        }
        return false;
    }

    /**
     * Checks the space behind the end of the log. A crash of the machine may lose a record and keep later ones. Records that were
     * written after a sync past the end cannot be among them. No such record is possible while the page cache is the same. A record
     * of the ring's next round shows that the heap no longer needed the records of this round. Then the heap file is an older copy.
     */
    private void checkWholeUpTo(long end, long start) {
        boolean kept = file.isKept(life);
        byte[] window = new byte[WINDOW_BYTES];
        long limit = start + file.capacity();
        bytesChecked = 0;
        for (long at = end; at + LogRecord.HEADER_BYTES <= limit; at += window.length - LogRecord.HEADER_BYTES) {
            int length = (int) Math.min(window.length, limit - at);
            file.read(at, window, length);
            for (int i = 0; i + LogRecord.HEADER_BYTES <= length; i += Long.BYTES) {
                if (LogRecord.lifeAt(window, i) == life && shows(LogRecord.positionAt(window, i), at + i, end, kept)) {
                    return;
                }
            }
        }
    }

    /** @param stored the position that the header at position {@code at} contains */
    private boolean shows(long stored, long at, long end, boolean kept) {
        if (stored < at || (stored - at) % file.capacity() != 0) {
            return false;
        }
        byte[] record = recordAt(stored, stored);
        if (record != null && stored > at) {
            damaged(file.path() + " has overwritten position " + end + ", from which its heap needs it: the heap file is a copy from"
                    + " before, or its last writes were lost");
            return true;
        }
        // Records of one life do not overlap. If the candidates have more than twice the bytes of the ring, they are not records of
        // a valid log.
        if (record != null && (kept || LogRecord.storedDurable(record) > end) || bytesChecked > 2 * file.capacity()) {
            damaged(file.path() + " is damaged at position " + end + ", byte " + file.offsetOf(end)
                    + " of the file: later records show that it was whole");
            return true;
        }
        return false;
    }
}
