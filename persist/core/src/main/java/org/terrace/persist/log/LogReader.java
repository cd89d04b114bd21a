// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.log;

import java.util.Arrays;
import org.terrace.persist.CorruptHeapException;

/**
 * Reads back the records of one life, from a position to the first that is not whole. That is the end of the log, unless a record
 * behind it shows that it was whole once; see {@code docs/decisions/0021-where-a-log-ends.md}.
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
    /** By the search behind the end. */
    private long bytesChecked;

    /** @param limits what records of this heap may change */
    public LogReader(LogFile file, long life, LogRecord.Limits limits) {
        this.file = file;
        this.life = life;
        this.limits = limits;
    }

    /** The heap file may have changes of all records before this position. */
    public LogReader needing(long position) {
        needed = position;
        return this;
    }

    /** A damage ends the log, and is told by {@link #damage} only. */
    public LogReader salvaging(boolean on) {
        salvaging = on;
        return this;
    }

    /**
     * Shows the operations of every record from {@code start} on.
     *
     * @return the position behind the last record
     * @throws CorruptHeapException if a record cannot be replayed, or another one shows that it was whole once
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
     * Shows the operations of the records of a log that is in use, up to a position before which all has been written.
     *
     * @throws CorruptHeapException if the device gives something else back
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

    /** Records that were replayed. */
    public long records() {
        return records;
    }

    /** What ended the log before its time, or null; with {@link #salvaging} only. */
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
        // None is longer than half of the ring: a length that is damaged asks for no more memory than its writer had.
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
     * Where no record begins, one has ended that the checkpoint has written to the heap file, and the log has it: it is older than what
     * comes to its place. Or it is where the life began.
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

    /** @param ends only a record that ends at the position counts, otherwise any */
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
     * Behind the end there may be records that a crash of the machine kept while it lost the one before them; but none that was made
     * after a sync past the end, and none at all while the page cache is the same. A record of the ring's next round shows that the
     * heap needed those of this round no more: it is a copy from before.
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

    /** @param stored where the header at position {@code at} says that its record is */
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
        // Records of one life do not overlap: what takes longer to read than the ring, twice, is none of a log's.
        if (record != null && (kept || LogRecord.storedDurable(record) > end) || bytesChecked > 2 * file.capacity()) {
            damaged(file.path() + " is damaged at position " + end + ", byte " + file.offsetOf(end)
                    + " of the file: later records show that it was whole");
            return true;
        }
        return false;
    }
}
