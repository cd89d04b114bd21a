// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.log;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.terrace.persist.HeapException;
import org.terrace.persist.medium.MediumFile;
import org.terrace.persist.medium.PageCache;
import org.terrace.persist.medium.Site;

/**
 * One of the two headers of a log. See {@code docs/internals/persist-format.md}.
 *
 * @param version version of the format
 * @param capacity size of the ring in bytes
 * @param life the life whose records the ring may contain, or 0 for none. Not in the previous version
 * @param cache the page cache that has held all records of this life since its first, or null if unknown
 * @param start position of the first record of this life, or {@link #NOT_TOLD} from earlier versions of the library
 */
record LogHeader(int version, UUID heap, long capacity, long life, PageCache cache, long start) {
    static final long NOT_TOLD = -1;
    static final int VERSION = 3;
    /** This version has one header without a life. */
    static final int OLDEST_VERSION = 2;
    static final int COPIES = 2;

    private static final int SECTOR_BYTES = 512;
    private static final byte[] MAGIC = "TERRELOG".getBytes(StandardCharsets.US_ASCII);
    private static final int BYTE_ORDER = 0x01020304;
    private static final int OLDEST_CRC_AT = 40;
    private static final int CRC_AT = 72;
    /**
     * From here on, the header has a separate checksum over everything before it. Earlier versions do not rewrite this part, so it
     * becomes stale.
     */
    private static final int START_AT = 80;
    private static final int START_CRC_AT = 88;
    private static final int BYTES = START_CRC_AT + Integer.BYTES;
    private static final UUID NOT_KNOWN = new UUID(0, 0);

    static int positionOf(int copy) {
        return copy * SECTOR_BYTES;
    }

    static boolean hasMagic(byte[] bytes) {
        return Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length);
    }

    /**
     * Reads a header. Null if it is damaged or missing.
     *
     * @throws HeapException if the first header has an unknown version
     */
    static LogHeader read(MediumFile file, int copy) {
        byte[] bytes = new byte[BYTES];
        file.read(positionOf(copy), bytes, 0, BYTES);
        ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (!hasMagic(bytes)) {
            return null;
        }
        int version = header.getInt(8);
        boolean known = version >= OLDEST_VERSION && version <= VERSION;
        if (!known && copy > 0) {
            // A crash may leave a partial header where the previous version had none.
            return null;
        }
        if (!known) {
            throw new HeapException(file.path() + " has format version " + version + "; this library reads versions "
                    + OLDEST_VERSION + " to " + VERSION + ": open the heap with the version of the library that wrote it");
        }
        int crcAt = version == OLDEST_VERSION ? OLDEST_CRC_AT : CRC_AT;
        if (header.getInt(12) != BYTE_ORDER || header.getInt(crcAt) != crc(bytes, crcAt)) {
            return null;
        }
        UUID heap = new UUID(header.getLong(16), header.getLong(24));
        if (version == OLDEST_VERSION) {
            return new LogHeader(version, heap, header.getLong(32), 0, null, NOT_TOLD);
        }
        UUID boot = new UUID(header.getLong(48), header.getLong(56));
        return new LogHeader(version, heap, header.getLong(32), header.getLong(40),
                boot.equals(NOT_KNOWN) ? null : new PageCache(boot, header.getLong(64)),
                header.getInt(START_CRC_AT) == crcOfStart(bytes) ? header.getLong(START_AT) : NOT_TOLD);
    }

    void write(MediumFile file, int copy, Site site) {
        ByteBuffer header = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        header.put(MAGIC).putInt(VERSION).putInt(BYTE_ORDER);
        header.putLong(heap.getMostSignificantBits()).putLong(heap.getLeastSignificantBits()).putLong(capacity).putLong(life);
        UUID boot = cache == null ? NOT_KNOWN : cache.boot();
        header.putLong(boot.getMostSignificantBits()).putLong(boot.getLeastSignificantBits());
        header.putLong(cache == null ? 0 : cache.device());
        header.putInt(crc(header.array(), CRC_AT));
        header.putLong(START_AT, start);
        header.putInt(START_CRC_AT, crcOfStart(header.array()));
        file.write(positionOf(copy), header.array(), 0, BYTES, site);
    }

    private static int crc(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    /**
     * The checksum of the start without the other checksum. A CRC over a message and the CRC of that message is the same for all
     * messages. It could not distinguish the starts of two lives.
     */
    private static int crcOfStart(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, CRC_AT);
        crc.update(bytes, START_AT, Long.BYTES);
        return (int) crc.getValue();
    }

    boolean tellsLife() {
        return version > OLDEST_VERSION;
    }

    boolean isOf(UUID otherHeap, long otherCapacity) {
        return heap.equals(otherHeap) && capacity == otherCapacity;
    }

    boolean isOfLife(long other) {
        return tellsLife() && life == other;
    }
}
