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
 * An upper bound of the log positions whose changes the pages of a heap file may contain. It is stored in two equal sectors behind
 * the pages, at the size that the superblock states. It is written before the pages to which it applies. A program that copies the
 * file from beginning to end reads the limit after these pages. If the log was copied earlier, it ends before the limit, which
 * reveals the inconsistency.
 *
 * <p>After a crash of the machine, the file may contain any limit since the last sync. All of them are correct, because the log is
 * synced up to a limit before that limit is written.
 */
public final class PageLimit {
    public static final int BYTES = 2 * Layout.SECTOR_BYTES;
    /** The value if no copy of the limit is valid. */
    public static final long NONE = -1;
    /**
     * A mark at the old place after the limit has moved and the superblock names the new place. Only an inconsistent copy has both
     * this mark and the old superblock.
     */
    public static final long MOVED = Long.MAX_VALUE;

    private static final byte[] MAGIC = "TERRPAGE".getBytes(StandardCharsets.US_ASCII);
    private static final int PLACE_AT = 8;
    private static final int LIMIT_AT = 16;
    private static final int CRC_AT = 24;
    private static final int LENGTH = CRC_AT + Integer.BYTES;

    private PageLimit() {
    }

    /**
     * Writes one copy after the other. Persistent memory may tear one copy, and the other is intact meanwhile.
     *
     * @param place the size of the file's pages
     */
    public static void write(MediumFile file, long place, long limit, Site site) {
        ByteBuffer sector = ByteBuffer.allocate(Layout.SECTOR_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        sector.put(MAGIC).putLong(place).putLong(limit).putInt(crc(sector.array()));
        for (int copy = 0; copy < BYTES; copy += Layout.SECTOR_BYTES) {
            file.write(place + copy, sector.array(), 0, Layout.SECTOR_BYTES, site);
        }
    }

    /** The limit at this place in the file, or {@link #NONE}. */
    public static long read(MediumFile file, long place) {
        return Math.max(readCopy(file, place, 0), readCopy(file, place, Layout.SECTOR_BYTES));
    }

    /** @param copy offset of the copy from the place */
    public static long readCopy(MediumFile file, long place, int copy) {
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
