// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.terrace.persist.medium.MediumFile;
import org.terrace.persist.medium.Site;

/**
 * The position in the log before which all records are whose changes the pages of a heap file may have. Two equal sectors have it,
 * where the superblock says that the file's pages end, and it is written before such pages are. A program that copies the file from
 * its beginning to its end reads it after all pages that it goes with. A log that was copied before ends before the limit.
 *
 * <p>A crash of the machine leaves any of the limits since the last sync. All of them are right, because the log is on stable storage
 * up to a limit before that is written.
 */
final class PageLimit {
    static final int BYTES = 2 * Layout.SECTOR_BYTES;
    /** No copy of the limit is valid. */
    static final long NONE = -1;
    /** The limit is in another place, and the superblock says so: only a copy can have this and the superblock from before. */
    static final long MOVED = Long.MAX_VALUE;

    private static final byte[] MAGIC = "TERRPAGE".getBytes(StandardCharsets.US_ASCII);
    private static final int PLACE_AT = 8;
    private static final int LIMIT_AT = 16;
    private static final int CRC_AT = 24;
    private static final int LENGTH = CRC_AT + Integer.BYTES;

    private PageLimit() {
    }

    /**
     * Writes one copy after the other: memory that persists may tear one, and the other is whole meanwhile.
     *
     * @param place the size of the file's pages
     */
    static void write(MediumFile file, long place, long limit, Site site) {
        ByteBuffer sector = ByteBuffer.allocate(Layout.SECTOR_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        sector.put(MAGIC).putLong(place).putLong(limit).putInt(crc(sector.array()));
        for (int copy = 0; copy < BYTES; copy += Layout.SECTOR_BYTES) {
            file.write(place + copy, sector.array(), 0, Layout.SECTOR_BYTES, site);
        }
    }

    /** The limit at a place that the file has, or {@link #NONE}. */
    static long read(MediumFile file, long place) {
        return Math.max(readCopy(file, place, 0), readCopy(file, place, Layout.SECTOR_BYTES));
    }

    /** @param copy where it begins, behind the place */
    static long readCopy(MediumFile file, long place, int copy) {
        byte[] bytes = new byte[LENGTH];
        file.read(place + copy, bytes, 0, LENGTH);
        ByteBuffer sector = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        boolean magic = Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length);
        boolean valid = magic && sector.getLong(PLACE_AT) == place && sector.getInt(CRC_AT) == crc(bytes);
        return valid ? sector.getLong(LIMIT_AT) : NONE;
    }

    private static int crc(byte[] sector) {
        CRC32C crc = new CRC32C();
        crc.update(sector, 0, CRC_AT);
        return (int) crc.getValue();
    }
}
