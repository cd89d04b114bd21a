// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap.files;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.zip.CRC32C;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.HeapException;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.PageLimit;
import org.terrace.persist.medium.Medium;
import org.terrace.persist.medium.MediumFile;
import org.terrace.persist.medium.Site;

/**
 * The state of the heap file at a checkpoint.
 *
 * @param version version of the format
 * @param sequence number that increases by one with each superblock written
 * @param dataBytes maximum size of the data area
 * @param fileBytes size of the file at the checkpoint
 * @param logPosition position at which replay starts
 * @param logBytes capacity of the log's ring
 * @param life random number that identifies one opening for writing. Log records belong to one life
 * @param clean whether the log need not be read
 * @param recovering whether {@code recover()} of the objects has not been completed after a crash
 * @param lifeInLog whether the log contains the life. False if the previous version began the life
 * @param limited whether the {@link PageLimit} is at the end of the file. False if the previous version wrote the superblock
 */
public record Superblock(int version, UUID uuid, long sequence, long dataBytes, long fileBytes, long logPosition, long logBytes,
        long life, boolean clean, boolean recovering, boolean lifeInLog, boolean limited) {
    private static final long MAX_DATA_BYTES = 1L << 46;
    private static final long MAX_LOG_BYTES = 1L << 46;
    private static final long MAX_LOG_POSITION = 1L << 62;
    private static final byte[] MAGIC = "TERRHEAP".getBytes(StandardCharsets.US_ASCII);
    private static final int BYTE_ORDER = 0x01020304;
    private static final int CLEAN = 1;
    private static final int RECOVERING = 2;
    private static final int LIFE_IN_LOG = 4;
    private static final int LIMITED = 8;
    private static final int CRC_AT = Layout.SECTOR_BYTES - Integer.BYTES;
    private static final String REMEDY = "Copy it again while no program has it open, or restore the heap from a backup; or look at what"
            + " it has: \"heap backup --salvage\" makes another heap of it, and HeapOptions.salvage() opens it read-only";

    /**
     * Writes both copies without a sync. The copy that an opening would not use is written first. Persistent memory may tear a
     * copy, and the other is intact meanwhile.
     */
    public void write(MediumFile file, Site site) {
        byte[] sector = encode();
        long stale = isFirstNewer(read(file, 0), read(file, Layout.PAGE_BYTES)) ? Layout.PAGE_BYTES : 0;
        file.write(stale, sector, 0, sector.length, site);
        file.write(Layout.PAGE_BYTES - stale, sector, 0, sector.length, site);
    }

    private static boolean isFirstNewer(Superblock first, Superblock second) {
        return second == null || first != null && first.sequence >= second.sequence;
    }

    private byte[] encode() {
        ByteBuffer sector = ByteBuffer.allocate(Layout.SECTOR_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        sector.put(MAGIC).putInt(version).putInt(BYTE_ORDER);
        sector.putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits());
        sector.putLong(sequence).putLong(dataBytes).putLong(fileBytes).putLong(logPosition).putLong(logBytes);
        sector.putLong(life).putInt((clean ? CLEAN : 0) | (recovering ? RECOVERING : 0) | (lifeInLog ? LIFE_IN_LOG : 0)
                | (limited ? LIMITED : 0));
        sector.putInt(CRC_AT, crc(sector.array()));
        return sector.array();
    }

    private static int crc(byte[] sector) {
        CRC32C crc = new CRC32C();
        crc.update(sector, 0, CRC_AT);
        return (int) crc.getValue();
    }

    /**
     * Checks that a temporary file may be overwritten. An interrupted creation or conversion leaves a useless file, but a user may
     * have given a heap this name.
     *
     * @param foreign whether a heap is not such a leftover
     * @throws HeapException if the file exists and is such a heap
     */
    static void checkNoHeap(Path temporary, Predicate<Superblock> foreign) {
        if (!Medium.MEDIUM.exists(temporary)) {
            return;
        }
        try (MediumFile file = Medium.MEDIUM.open(temporary, Medium.Mode.READ)) {
            if (foreign.test(read(file))) {
                throw new HeapException(temporary + " is a heap, and would be overwritten: give it another name");
            }
        } catch (CorruptHeapException e) {
            // It is an incomplete leftover.
        }
    }

    /** Reads the newer valid copy. */
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
        Superblock newest = isFirstNewer(first, second) ? first : second;
        if (!newest.isPlausible()) {
            throw new CorruptHeapException(file.path() + ": the superblock has sizes or positions that no heap has: " + newest
                    + "; restore the heap from a backup");
        }
        long needed = newest.fileBytes + (newest.limited ? PageLimit.BYTES : 0);
        if (file.size() < needed) {
            throw new CorruptHeapException(file.path() + " was truncated: it has " + file.size() + " bytes, and had "
                    + needed + " at its last checkpoint; restore the heap from a backup");
        }
        return newest;
    }

    /** A correct checksum does not guarantee correct numbers. */
    private boolean isPlausible() {
        if (dataBytes <= 0 || dataBytes > MAX_DATA_BYTES || dataBytes % Layout.PAGE_BYTES != 0) {
            return false;
        }
        Layout layout = new Layout(dataBytes);
        return fileBytes >= layout.dataOffset() + Layout.BLOCK_BYTES && fileBytes <= layout.fileBytes()
                && logBytes > 0 && logBytes <= MAX_LOG_BYTES && logBytes % Long.BYTES == 0
                && logPosition >= 0 && logPosition <= MAX_LOG_POSITION && logPosition % Long.BYTES == 0;
    }

    /** The copy at this position, or null if it is damaged. */
    static Superblock read(MediumFile file, long position) {
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
        if (version < Layout.OLDEST_VERSION || version > Layout.FORMAT_VERSION) {
            throw new HeapException(file.path() + " has format version " + version + "; this library reads versions "
                    + Layout.OLDEST_VERSION + " to " + Layout.FORMAT_VERSION + ": open it with the version of the library that wrote it");
        }
        int state = sector.getInt(80);
        return new Superblock(version, new UUID(sector.getLong(16), sector.getLong(24)), sector.getLong(32),
                sector.getLong(40), sector.getLong(48), sector.getLong(56), sector.getLong(64), sector.getLong(72), (state & CLEAN) != 0,
                (state & RECOVERING) != 0, (state & LIFE_IN_LOG) != 0, (state & LIMITED) != 0);
    }

    /**
     * The upper bound of the log positions whose changes the file's pages may contain, or 0 if it is unknown.
     *
     * @throws CorruptHeapException if the superblock and the pages are from different times
     */
    long pageLimit(MediumFile file) {
        if (!limited) {
            return 0;
        }
        long limit = PageLimit.read(file, fileBytes);
        if (limit == PageLimit.NONE || limit == PageLimit.MOVED) {
            throw new CorruptHeapException(file.path() + " does not say at byte " + fileBytes + " up to where its pages have the changes of"
                    + " its log: it is a copy that was made while a program had it open, and made it longer, or it is damaged there. "
                    + REMEDY);
        }
        if (clean && limit > logPosition) {
            throw new CorruptHeapException(file.path() + " says that it was closed, and its pages may have later changes: it is a copy"
                    + " that was made while a program opened and changed it. " + REMEDY);
        }
        return limit;
    }

    /** The superblock of the next checkpoint, in the newest version. */
    public Superblock next(long newFileBytes, long newLogPosition, long newLife, boolean isClean, boolean isRecovering,
            boolean isLimited) {
        return new Superblock(Layout.FORMAT_VERSION, uuid, sequence + 1, dataBytes, newFileBytes, newLogPosition, logBytes,
                newLife, isClean, isRecovering, true, isLimited);
    }

    /** The same superblock for a file that has grown. */
    Superblock ofSize(long newFileBytes) {
        return new Superblock(version, uuid, sequence + 1, dataBytes, newFileBytes, logPosition, logBytes, life, clean, recovering,
                lifeInLog, limited);
    }
}
