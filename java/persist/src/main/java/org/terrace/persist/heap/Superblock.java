package org.terrace.persist.heap;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.HeapException;
import org.terrace.persist.medium.MediumFile;
import org.terrace.persist.medium.Site;

/**
 * The state of the heap file as of a checkpoint.
 *
 * @param sequence one more with each superblock written
 * @param dataBytes largest size of the data area
 * @param fileBytes size of the file at the checkpoint
 * @param logPosition where replay starts
 * @param logBytes capacity of the log's ring
 * @param epoch one more with each opening for writing
 * @param clean the log need not be read
 */
public record Superblock(UUID uuid, long sequence, long dataBytes, long fileBytes, long logPosition, long logBytes, int epoch,
        boolean clean) {
    private static final byte[] MAGIC = "TERRHEAP".getBytes(StandardCharsets.US_ASCII);
    private static final int BYTE_ORDER = 0x01020304;
    private static final int CRC_AT = Layout.SECTOR_BYTES - Integer.BYTES;

    /** Writes both copies, without a sync. */
    public void write(MediumFile file, Site site) {
        byte[] sector = encode();
        file.write(0, sector, 0, sector.length, site);
        file.write(Layout.PAGE_BYTES, sector, 0, sector.length, site);
    }

    private byte[] encode() {
        ByteBuffer sector = ByteBuffer.allocate(Layout.SECTOR_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        sector.put(MAGIC).putInt(Layout.FORMAT_VERSION).putInt(BYTE_ORDER);
        sector.putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits());
        sector.putLong(sequence).putLong(dataBytes).putLong(fileBytes).putLong(logPosition).putLong(logBytes);
        sector.putInt(epoch).putInt(clean ? 1 : 0);
        sector.putInt(CRC_AT, crc(sector.array()));
        return sector.array();
    }

    private static int crc(byte[] sector) {
        CRC32C crc = new CRC32C();
        crc.update(sector, 0, CRC_AT);
        return (int) crc.getValue();
    }

    /** The newer valid copy. */
    public static Superblock read(MediumFile file) {
        if (file.size() < Layout.BITMAP_OFFSET) {
            throw new CorruptHeapException(file.path() + " is not a persistent heap: it has " + file.size()
                    + " bytes, a heap more than " + Layout.BITMAP_OFFSET);
        }
        Superblock first = read(file, 0);
        Superblock second = read(file, Layout.PAGE_BYTES);
        if (first == null && second == null) {
            throw new CorruptHeapException(file.path() + ": both superblocks are damaged; restore the heap from a backup");
        }
        Superblock newest = second == null || first != null && first.sequence >= second.sequence ? first : second;
        if (file.size() < newest.fileBytes) {
            throw new CorruptHeapException(file.path() + " was truncated: it has " + file.size() + " bytes, and had "
                    + newest.fileBytes + " at its last checkpoint; restore the heap from a backup");
        }
        return newest;
    }

    private static Superblock read(MediumFile file, long position) {
        byte[] bytes = new byte[Layout.SECTOR_BYTES];
        file.read(position, bytes, 0, bytes.length);
        ByteBuffer sector = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        boolean magic = Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length);
        if (magic && sector.getInt(12) == Integer.reverseBytes(BYTE_ORDER)) {
            throw new HeapException(file.path() + " was written on a big-endian machine, which this one cannot read");
        }
        if (!magic || sector.getInt(CRC_AT) != crc(bytes)) {
            return null;
        }
        int version = sector.getInt(8);
        if (version != Layout.FORMAT_VERSION) {
            throw new HeapException(file.path() + " has format version " + version + "; this library reads version "
                    + Layout.FORMAT_VERSION + ": open it with the version of the library that wrote it");
        }
        return new Superblock(new UUID(sector.getLong(16), sector.getLong(24)), sector.getLong(32), sector.getLong(40),
                sector.getLong(48), sector.getLong(56), sector.getLong(64), sector.getInt(72), sector.getInt(76) == 1);
    }

    /** The superblock of the next checkpoint. */
    public Superblock next(long newFileBytes, long newLogPosition, int newEpoch, boolean isClean) {
        return new Superblock(uuid, sequence + 1, dataBytes, newFileBytes, newLogPosition, logBytes, newEpoch, isClean);
    }
}
