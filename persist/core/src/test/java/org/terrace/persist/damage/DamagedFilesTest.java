// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.damage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Cell;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.crash.CrashScenario;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.tools.Stat;
import org.terrace.persist.types.PersistentByteArray;

/** Tests damaged files. They must cause a clear error, and must not be changed. */
class DamagedFilesTest {
    private static final HeapOptions OPTIONS = CrashScenario.TINY;
    private static final long SEED = Long.getLong("persist.seed", 20211026);

    @TempDir
    Path directory;
    private Path file;
    private Path log;
    private Disk disk;

    @BeforeEach
    void create() {
        file = directory.resolve("test.heap");
        log = directory.resolve("test.heap.log");
        disk = new Disk();
        try (Heap heap = Heap.open(file, OPTIONS)) {
            heap.root("a", Cell.class, () -> new Cell(heap, 1, new Cell(heap, 2, null)));
        }
    }

    @AfterEach
    void disposeOfDisk() {
        disk.dispose();
    }

    private String refused() throws IOException {
        byte[] heapBefore = Files.readAllBytes(file);
        byte[] logBefore = Files.exists(log) ? Files.readAllBytes(log) : new byte[0];
        HeapException e = assertThrows(HeapException.class, () -> Heap.open(file, OPTIONS));
        assertArrayEquals(heapBefore, Files.readAllBytes(file));
        assertArrayEquals(logBefore, Files.exists(log) ? Files.readAllBytes(log) : new byte[0]);
        assertTrue(e.getMessage().contains("test.heap"), e.getMessage());
        return e.getMessage();
    }

    private static void assertSays(String part, String message) {
        assertTrue(message.contains(part), message);
    }

    private void patchSuperblocks(int at, int value, boolean withCrc) throws IOException {
        byte[] content = Files.readAllBytes(file);
        ByteBuffer buffer = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
        for (int start : new int[] {0, 4096}) {
            buffer.putInt(start + at, value);
            CRC32C crc = new CRC32C();
            crc.update(content, start, 508);
            if (withCrc) {
                buffer.putInt(start + 508, (int) crc.getValue());
            }
        }
        Files.write(file, content);
    }

    @Test
    void anEmptyFileAndRandomBytesAreNoHeap() throws IOException {
        Files.write(file, new byte[0]);
        assertSays("not a persistent heap", refused());
        byte[] random = new byte[100_000];
        new Random(SEED).nextBytes(random);
        Files.write(file, random);
        assertSays("superblocks are damaged", refused());
    }

    @Test
    void anotherVersionIsRefused() throws IOException {
        byte[] content = Files.readAllBytes(file);
        for (int version : new int[] {1, 4}) {
            patchSuperblocks(8, version, true);
            assertSays("format version " + version, refused());
        }
        Files.write(file, content);
        byte[] logContent = Files.readAllBytes(log);
        logContent[8] = 1;
        Files.write(log, logContent);
        assertSays("test.heap.log has format version 1", refused());
    }

    /**
     * The version is raised because older programs, which do not support inline values in entries, must report the version and not
     * damage.
     */
    @Test
    void theVersionBeforeIsRaisedByAnOpeningForWriting() throws IOException {
        patchSuperblocks(8, 2, true);
        assertEquals(2, Stat.of(file).get("formatVersion"));
        Heap.open(file, OPTIONS.readOnly()).close();
        assertEquals(2, Stat.of(file).get("formatVersion"));
        Heap.open(file, OPTIONS).close();
        assertEquals(3, Stat.of(file).get("formatVersion"));
    }

    @Test
    void anotherByteOrderIsRefused() throws IOException {
        patchSuperblocks(12, 0x04030201, false);
        assertSays("big-endian", refused());
    }

    @Test
    void aTruncatedHeapIsRefused() throws IOException {
        byte[] content = Files.readAllBytes(file);
        for (int length : new int[] {1, 4096, 8192, 12288, content.length / 2, content.length - 1}) {
            Files.write(file, java.util.Arrays.copyOf(content, length));
            refused();
        }
    }

    @Test
    void aTruncatedOrForeignLogIsRefused() throws IOException {
        byte[] content = Files.readAllBytes(log);
        Files.write(log, java.util.Arrays.copyOf(content, content.length - 1));
        assertSays("truncated", refused());
        Path other = directory.resolve("other.heap");
        Heap.open(other, OPTIONS).close();
        Files.write(log, Files.readAllBytes(directory.resolve("other.heap.log")));
        assertSays("not the redo log of heap", refused());
    }

    @Test
    void aMissingLogIsReplacedAfterACleanCloseOnly() throws IOException {
        Files.delete(log);
        try (Heap heap = Heap.open(file, OPTIONS)) {
            assertEquals(2, heap.root("a", Cell.class).next().value());
        }
        patchSuperblocks(80, 0, true);
        Files.delete(log);
        assertSays("is missing", refused());
    }

    @Test
    void aLogWithoutItsHeapIsNotOverwritten() throws IOException {
        try (Heap heap = Heap.open(file, OPTIONS)) {
            heap.setRoot("b", heap.root("a", Cell.class));
        }
        Files.delete(file);
        HeapException e = assertThrows(HeapException.class, () -> Heap.open(file, OPTIONS));
        assertSays("test.heap.log exists", e.getMessage());
    }

    @Test
    void aMissingDirectoryAndAFileWithoutPermissionAreNamed() throws IOException {
        Path nowhere = directory.resolve("nowhere/test.heap");
        HeapException e = assertThrows(HeapException.class, () -> Heap.open(nowhere, OPTIONS));
        assertSays("No such file or directory", e.getMessage());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r--r--"));
        if (!Files.isWritable(file)) {
            assertSays("Permission denied", refused());
        }
        try (Heap heap = Heap.open(file, OPTIONS.readOnly())) {
            assertEquals(1, heap.root("a", Cell.class).value());
        }
    }

    @Test
    void oneDamagedSuperblockIsRepairedFromTheOther() throws IOException {
        for (int start : new int[] {0, 4096}) {
            byte[] content = Files.readAllBytes(file);
            content[start + 40] ^= 1;
            Files.write(file, content);
            try (Heap heap = Heap.open(file, OPTIONS)) {
                assertEquals(1, heap.root("a", Cell.class).value());
            }
        }
    }

    /** Flips single bits of the metadata of a small heap. By default a random fifth of the bits is tested. */
    @Test
    void aFlippedBitInMetadataIsDetected() {
        byte[] clean = prepareOnDisk();
        Random random = new Random(SEED);
        int flips = 0;
        int share = Integer.getInteger("persist.flips", 20);
        for (int at : metadata(clean)) {
            for (int bit = 0; bit < 8; bit++) {
                if (random.nextInt(100) < share) {
                    flips++;
                    flip(at, bit);
                }
            }
        }
        System.out.println("bits flipped: " + flips);
    }

    private byte[] prepareOnDisk() {
        try (Heap heap = Heap.open(disk.path("test.heap"), OPTIONS)) {
            Cell cell = heap.root("a", Cell.class, () -> new Cell(heap, 1, new Cell(heap, 2, null)));
            heap.atomic(() -> cell.other(new PersistentByteArray(heap, 600)));
        }
        return disk.contentOf("test.heap");
    }

    /** Offsets of superblocks, used bitmap words, and headers and names of objects. These are all nonzero bytes except fields. */
    private static List<Integer> metadata(byte[] content) {
        List<Integer> bytes = new java.util.ArrayList<>();
        for (int i = 0; i < 84; i++) {
            bytes.add(i);
            bytes.add(4096 + i);
        }
        for (int i = 8192; i < 8200; i++) {
            bytes.add(i);
        }
        for (int i = 12288; i < content.length; i++) {
            if (content[i] != 0) {
                bytes.add(i);
            }
        }
        return bytes;
    }

    private void flip(int at, int bit) {
        Disk damaged = disk.copy();
        damaged.contentOf("test.heap")[at] ^= 1 << bit;
        String where = "seed " + SEED + ", byte " + at + " bit " + bit;
        try (Heap heap = Heap.open(damaged.path("test.heap"), OPTIONS)) {
            boolean detected = !heap.check().isEmpty();
            Cell a = heap.root("a", Cell.class);
            boolean unharmed = a.value() == 1 && a.next().value() == 2 && a.small() == 0 && !a.flag() && a.other() != null;
            boolean field = a.value() != 1 || a.next().value() != 2;
            assertTrue(detected || unharmed || field, where + " is not detected");
        } catch (HeapException e) {
            assertTrue(e.getMessage() != null, where);
        } finally {
            damaged.dispose();
        }
    }

    /** Its records are intact and lie where the records of the restored heap would be. */
    @Test
    void theLogOfALaterLifeIsNotReplayedIntoARestoredHeap() {
        Path path = disk.path("test.heap");
        try (Heap heap = Heap.open(path, OPTIONS)) {
            heap.root("a", Cell.class, () -> new Cell(heap, 1, null));
        }
        byte[] backup = disk.contentOf("test.heap").clone();
        try (Heap heap = Heap.open(path, OPTIONS)) {
            for (int i = 0; i < 10; i++) {
                Cell a = heap.root("a", Cell.class);
                heap.atomic(() -> a.value(100));
            }
        }
        System.arraycopy(backup, 0, disk.contentOf("test.heap"), 0, backup.length);
        Disk killed;
        try (Heap heap = Heap.open(path, OPTIONS)) {
            assertEquals(1, heap.root("a", Cell.class).value());
            killed = disk.copy();
        }
        try (Heap heap = Heap.open(killed.path("test.heap"), OPTIONS)) {
            assertEquals(1, heap.root("a", Cell.class).value());
        }
        killed.dispose();
    }

    @Test
    void aDamagedLogIsRefusedWhenLaterRecordsProveIt() {
        Disk[] killed = new Disk[1];
        try (Heap heap = Heap.open(disk.path("test.heap"), OPTIONS)) {
            Cell cell = heap.root("a", Cell.class, () -> new Cell(heap, 1, null));
            for (int i = 0; i < 10; i++) {
                heap.atomic(() -> cell.value(cell.value() + 1));
            }
            killed[0] = disk.copy();
        }
        byte[] content = killed[0].contentOf("test.heap.log");
        content[4096 + 200] ^= 1;
        HeapException e = assertThrows(CorruptHeapException.class, () -> Heap.open(killed[0].path("test.heap"), OPTIONS));
        assertSays("is damaged at position", e.getMessage());
        killed[0].dispose();
    }
}
