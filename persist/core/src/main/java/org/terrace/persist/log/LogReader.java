// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.log;

import java.util.Arrays;
import org.terrace.persist.CorruptHeapException;

/** Reads back the records of one life, from a position to the first that is not whole. */
public final class LogReader {
    private final LogFile file;
    private final long life;
    private final byte[] header = new byte[LogRecord.HEADER_BYTES];
    private long records;

    public LogReader(LogFile file, long life) {
        this.file = file;
        this.life = life;
    }

    /**
     * Shows the operations of every record from {@code start} on.
     *
     * @return the position behind the last record
     * @throws CorruptHeapException if a later record proves that the log was longer
     */
    public long replay(long start, LogRecord.Visitor visitor) {
        long position = start;
        for (byte[] record = recordAt(position, start); record != null; record = recordAt(position, start)) {
            visitor.record(position, record.length);
            records++;
            new LogRecord(record).visit(visitor);
            position += record.length;
        }
        checkNothingDurableBehind(position, start);
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
            new LogRecord(record).visit(visitor);
            position += record.length;
        }
    }

    /** Records that were replayed. */
    public long records() {
        return records;
    }

    private byte[] recordAt(long position, long start) {
        if (position + LogRecord.HEADER_BYTES > start + file.capacity()) {
            return null;
        }
        file.read(position, header, header.length);
        int length = LogRecord.storedLength(header);
        if (!isHeaderOf(header, position) || position + length > start + file.capacity()) {
            return null;
        }
        byte[] record = Arrays.copyOf(header, length);
        file.read(position, record, length);
        return LogRecord.checksum(record, length) == LogRecord.storedChecksum(record) ? record : null;
    }

    private boolean isHeaderOf(byte[] bytes, long position) {
        return LogRecord.storedPosition(bytes) == position && LogRecord.storedLife(bytes) == life
                && LogRecord.storedLength(bytes) >= LogRecord.HEADER_BYTES && LogRecord.storedLength(bytes) % Long.BYTES == 0;
    }

    /** Records behind a torn one are normal, as no sync had ended; but not if one says that a sync had. */
    private void checkNothingDurableBehind(long end, long start) {
        byte[] window = new byte[1 << 16];
        long limit = start + file.capacity();
        for (long at = end; at + LogRecord.HEADER_BYTES <= limit; at += window.length - LogRecord.HEADER_BYTES) {
            int length = (int) Math.min(window.length, limit - at);
            file.read(at, window, length);
            for (int i = 0; i + LogRecord.HEADER_BYTES <= length; i += Long.BYTES) {
                if (LogRecord.positionAt(window, i) == at + i) {
                    byte[] record = recordAt(at + i, start);
                    if (record != null && LogRecord.storedDurable(record) > end) {
                        throw new CorruptHeapException(file.path() + " is damaged at position " + end
                                + ": later records show that it was whole; restore heap and log from a backup");
                    }
                }
            }
        }
    }
}
