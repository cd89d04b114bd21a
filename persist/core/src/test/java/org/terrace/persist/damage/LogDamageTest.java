// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.damage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Cell;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.DiskSetUp;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapBytes;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.crash.CrashScenario;
import org.terrace.persist.medium.CrashStates;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.medium.Site;
import org.terrace.persist.tools.Fsck;
import org.terrace.persist.tools.HeapToolOutput;
import org.terrace.persist.types.PersistentByteArray;

/**
 * Tests that a log with damage in the middle is distinguished from a log after a kill or a crash of the machine, at each level of
 * durability.
 */
class LogDamageTest extends DiskSetUp {
    private static final HeapOptions SYNC = CrashScenario.TINY.logSize(64 << 10);
    private static final HeapOptions PROCESS = SYNC.durability(Durability.PROCESS);
    private static final String HEAP = "test.heap";
    private static final String LOG = HEAP + ".log";
    private static final long SEED = Long.getLong("persist.seed", 20211026);
    private static final int RING = HeapBytes.RING;
    private static final int COMMITS = 30;

    @TempDir
    Path directory;

    /** Makes commits with records of several lengths, and returns the disk as a kill would leave it. */
    private Disk killed(HeapOptions options) {
        Heap heap = Heap.open(disk.path(HEAP), options);
        Cell cell = heap.root("a", Cell.class, () -> new Cell(heap, 0, null));
        heap.atomic(() -> cell.other(new PersistentByteArray(heap, 1)));
        heap.checkpoint();
        for (int i = 1; i <= COMMITS; i++) {
            byte[] bytes = new byte[i * 7];
            heap.atomic(() -> {
                cell.value(cell.value() + 1);
                cell.other(new PersistentByteArray(heap, bytes));
            });
        }
        Disk killed = disk.copy();
        heap.close();
        return killed;
    }

    private static ByteBuffer bytes(Disk disk, String file) {
        return ByteBuffer.wrap(disk.contentOf(file)).order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * The records that an opening replays.
     *
     * @param at offsets of the records, and the end of the last one
     * @param before the value in the heap without this record and the following ones
     */
    private record Records(int[] at, long[] before) {
        static Records of(Disk killed) {
            ByteBuffer log = bytes(killed, LOG);
            int first = (int) (RING + bytes(killed, HEAP).getLong(56));
            List<Integer> at = new ArrayList<>(List.of(first));
            List<Long> before = new ArrayList<>();
            for (int next = first; log.getLong(next + 8) == next - RING; at.add(next)) {
                Disk shortened = killed.copy();
                Arrays.fill(shortened.contentOf(LOG), next, log.capacity(), (byte) 0);
                before.add(open(shortened, PROCESS));
                shortened.dispose();
                next += log.getInt(next + 4);
            }
            assertTrue(at.size() > COMMITS);
            return new Records(at.stream().mapToInt(i -> i).toArray(), before.stream().mapToLong(i -> i).toArray());
        }

        int last() {
            return before.length - 1;
        }

        int containing(int byteOfLog) {
            int index = 0;
            while (at[index + 1] <= byteOfLog) {
                index++;
            }
            return index;
        }
    }

    private static long open(Disk disk, HeapOptions options) {
        try (Heap heap = Heap.open(disk.path(HEAP), options)) {
            assertEquals(List.of(), heap.check());
            return heap.root("a", Cell.class).value();
        }
    }

    private static String refused(Disk disk, HeapOptions options, String where) {
        byte[] heapBefore = disk.contentOf(HEAP).clone();
        byte[] logBefore = disk.contentOf(LOG).clone();
        String message = assertThrows(CorruptHeapException.class, () -> open(disk, options), where).getMessage();
        assertEquals(message, assertThrows(CorruptHeapException.class, () -> open(disk, options.readOnly()), where).getMessage());
        assertArrayEquals(heapBefore, disk.contentOf(HEAP), where);
        assertArrayEquals(logBefore, disk.contentOf(LOG), where);
        return message;
    }

    private static void assertRefusedAt(Records records, int index, Disk damaged, String where) {
        String message = refused(damaged, PROCESS, where);
        String place = "is damaged at position " + (records.at[index] - RING) + ", byte " + records.at[index] + " of the file";
        assertTrue(message.contains("test.heap.log") && message.contains(place), where + ": " + message);
        assertTrue(message.contains("from a backup") && message.contains("salvage"), message);
        assertEquals(records.before[index], open(damaged, PROCESS.salvage()), where);
    }

    /**
     * Flips one bit in each byte of the records' headers, and in some bytes of their operations.
     *
     * @param found offset up to which the following records reveal a damage
     */
    private static void flipEverywhere(Disk killed, Function<Records, Long> found) {
        Records records = Records.of(killed);
        assertEquals(COMMITS, open(killed.copy(), PROCESS));
        Random random = new Random(SEED);
        for (int index = 0; index <= records.last(); index++) {
            int start = records.at[index];
            for (int at = start; at < records.at[index + 1]; at += at < start + 40 ? 1 : 7) {
                Disk damaged = killed.copy();
                int bit = random.nextInt(8);
                damaged.contentOf(LOG)[at] ^= 1 << bit;
                String where = "seed " + SEED + ", byte " + at + " bit " + bit + " of record " + index;
                if (records.at[index + 1] <= found.apply(records)) {
                    assertRefusedAt(records, index, damaged, where);
                } else {
                    assertEquals(records.before[index], open(damaged, PROCESS), where);
                }
                damaged.dispose();
            }
        }
    }

    @Test
    void aFlippedBitIsFoundWithoutAnySync() {
        flipEverywhere(killed(PROCESS), records -> (long) records.at[records.last()]);
    }

    /** The exception is the last write, whose stores may be incomplete in any order after a kill. */
    @Test
    void soOnMemoryThatPersists() {
        disk.dispose();
        disk = Disk.ofLines();
        Disk killed = killed(PROCESS);
        flipEverywhere(killed, records -> {
            long durable = bytes(killed, LOG).getLong(records.at[records.last()] + 16) + RING;
            assertTrue(durable >= records.at[records.last() - 2]);
            return durable;
        });
    }

    @Test
    void aSectorOfOtherBytesIsFound() {
        Disk killed = killed(PROCESS);
        Records records = Records.of(killed);
        for (int sector = records.at[0] / 512 + 1; (sector + 1) * 512 <= records.at[records.last()]; sector++) {
            Disk damaged = killed.copy();
            Arrays.fill(damaged.contentOf(LOG), sector * 512, (sector + 1) * 512, (byte) 77);
            assertRefusedAt(records, records.containing(sector * 512), damaged, "sector " + sector);
            damaged.dispose();
        }
    }

    /** A crash of the machine may have kept a later sector and lost an earlier one. Only SYNC excludes that. */
    @Test
    void afterACrashOfTheMachineOnlyWhatWasSyncedProvesADamage() {
        Disk killed = killed(PROCESS);
        Records records = Records.of(killed);
        int[] seen = new int[1];
        new CrashStates(killed).forEach(400, new Random(SEED), crashed -> {
            long value = open(crashed, PROCESS);
            assertTrue(value >= 0 && value <= COMMITS);
            seen[0] += value > 0 && value < COMMITS ? 1 : 0;
        });
        assertTrue(seen[0] > 20, seen[0] + " states between");
        disk.dispose();
        disk = new Disk();
        Disk synced = killed(SYNC);
        new CrashStates(synced).forEach(1, new Random(SEED), crashed -> {
            crashed.contentOf(LOG)[records.at[5] + 50] ^= 1;
            assertTrue(refused(crashed, PROCESS, "synced").contains("later records show that it was whole"));
        });
    }

    /** Only the system call in progress may end early. */
    @Test
    void aKillTearsTheLastWriteOnly() {
        Heap heap = Heap.open(disk.path(HEAP), PROCESS.logSize(16 << 10));
        Cell cell = heap.root("a", Cell.class, () -> new Cell(heap, 0, null));
        heap.checkpoint();
        Disk replay = disk.copy();
        disk.record();
        // The loop also covers the end of the ring, and records of previous rounds behind the torn one.
        for (int i = 0; i < 4 * COMMITS; i++) {
            heap.atomic(() -> cell.value(cell.value() + 1));
            if (i == 2 * COMMITS) {
                heap.atomic(() -> cell.other(new PersistentByteArray(heap, new byte[5000])));
            }
        }
        int torn = 0;
        long before = 0;
        for (Disk.Event event : disk.events()) {
            if (event.site() == Site.COMMIT) {
                for (int length = 1; length < event.bytes().length; length += event.bytes().length > 1000 ? 499 : 37) {
                    Disk killed = replay.copy();
                    killed.apply(new Disk.Event(event.kind(), event.file(), event.position(),
                            Arrays.copyOf(event.bytes(), length), event.site(), null));
                    long value = open(killed, PROCESS);
                    assertTrue(value == before || value == before + 1, value + " after " + before);
                    before = value;
                    torn++;
                    killed.dispose();
                }
            }
            replay.apply(event);
        }
        assertTrue(torn > 200, torn + " torn writes");
        heap.close();
        replay.dispose();
    }

    /** The heap file is from an earlier checkpoint of the same life. */
    @Test
    void aLogThatHasOverwrittenWhatAHeapFromBeforeNeedsIsRefused() {
        Heap heap = Heap.open(disk.path(HEAP), PROCESS.logSize(16 << 10));
        Cell cell = heap.root("a", Cell.class, () -> new Cell(heap, 0, null));
        heap.checkpoint();
        byte[] older = disk.contentOf(HEAP).clone();
        int reopened = 0;
        int refused = 0;
        for (int i = 1; i <= 400; i++) {
            heap.atomic(() -> cell.value(cell.value() + 1));
            if (i % 20 == 0) {
                Disk killed = disk.copy();
                System.arraycopy(older, 0, killed.contentOf(HEAP), 0, older.length);
                try {
                    assertEquals(i, open(killed, PROCESS));
                    reopened++;
                } catch (CorruptHeapException e) {
                    assertTrue(e.getMessage().contains("has overwritten position"), e.getMessage());
                    refused++;
                }
                killed.dispose();
            }
        }
        heap.close();
        assertTrue(reopened > 2 && refused > 2, reopened + " opened, " + refused + " refused");
    }

    @Test
    void whatIsBeforeADamageIsCopiedByTheCommand() throws IOException {
        Path file = directory.resolve("damaged.heap");
        Path to = directory.resolve("copy.heap");
        HeapBytes bytes;
        try (Heap heap = Heap.open(file, HeapBytes.OPTIONS.durability(Durability.PROCESS))) {
            Cell cell = heap.root("a", Cell.class, () -> new Cell(heap, 0, null));
            heap.checkpoint();
            for (int i = 0; i < 100; i++) {
                heap.atomic(() -> cell.value(cell.value() + 1));
            }
            bytes = new HeapBytes(file);
        }
        int length = bytes.log.getInt(bytes.firstRecord() + 4);
        int damaged = bytes.firstRecord() + 40 * length + 50;
        bytes.log.put(damaged, (byte) (bytes.log.get(damaged) ^ 77));
        bytes.writeTo(file);
        List<String> problems = Fsck.check(file, 1);
        assertTrue(problems.get(0).contains("later records show that it was whole") && problems.get(0).contains("--salvage"),
                problems.toString());
        assertEquals(1, HeapToolOutput.of("backup", file, to).status());
        HeapToolOutput salvaged = HeapToolOutput.of("backup", "--salvage", file, to);
        assertEquals(0, salvaged.status());
        assertTrue(salvaged.text().contains("is damaged at position"), salvaged.text());
        assertEquals(List.of(), Fsck.check(to, 1));
        try (Heap heap = Heap.open(to, HeapBytes.OPTIONS)) {
            assertEquals(40, heap.root("a", Cell.class).value());
        }
        try (Heap heap = Heap.open(file, HeapBytes.OPTIONS.salvage())) {
            assertEquals(40, heap.root("a", Cell.class).value());
            assertThrows(HeapException.class, () -> heap.atomic(() -> heap.root("a", Cell.class).value(1)));
        }
    }

    /** The checksum is correct and the numbers are wrong. They must be rejected before they are used. */
    @Test
    void numbersOfRecordsAreBounded() {
        Disk killed = killed(PROCESS);
        Records records = Records.of(killed);
        int at = records.at[3];
        int operation = at + 40;
        Map<String, Consumer<ByteBuffer>> changes = new LinkedHashMap<>();
        changes.put("more operations", log -> log.putInt(at + 32, 1000));
        changes.put("no operations", log -> log.putInt(at + 32, 0));
        changes.put("negative operations", log -> log.putInt(at + 32, -1));
        changes.put("a write out of the heap", log -> log.putLong(operation, 1L << 56 | 1L << 50));
        changes.put("a write into the superblock", log -> log.putLong(operation, 1L << 56 | 40));
        changes.put("a write into the bitmap", log -> log.putLong(operation, 1L << 56 | 8192));
        changes.put("a longer write", log -> log.putLong(operation, 1L << 56 | 12288).putLong(operation + 8, 2000));
        changes.put("a write of 4 GB and a little", log -> log.putLong(operation + 8, log.getLong(operation + 8) + (1L << 32)));
        changes.put("a write of a negative length", log -> log.putLong(operation + 8, -8));
        changes.put("zeros out of the heap", log -> log.putLong(operation, 2L << 56 | 12288).putLong(operation + 8, 1L << 40));
        changes.put("blocks that are not there", log -> log.putLong(operation, 3L << 56 | 1).putLong(operation + 8, 1L << 40));
        changes.put("negative blocks", log -> log.putLong(operation, 4L << 56 | 1).putLong(operation + 8, Long.MIN_VALUE));
        changes.put("an unknown kind", log -> log.putLong(operation, 9L << 56 | 12288));
        changes.forEach((what, change) -> {
            Disk damaged = killed.copy();
            ByteBuffer log = bytes(damaged, LOG);
            change.accept(log);
            log.putInt(at, HeapBytes.crc(log, at + 4, at + log.getInt(at + 4)));
            String message = refused(damaged, PROCESS, what);
            assertTrue(message.contains("test.heap.log: the record at offset " + at + " has a right checksum, and cannot be"
                    + " replayed: "), what + ": " + message);
            assertEquals(records.before[3], open(damaged, PROCESS.salvage()), what);
            damaged.dispose();
        });
        // A length must not lead out of the ring, or require more memory than a record can have.
        for (int length : new int[] {Integer.MIN_VALUE, -8, 0, 8, 41, 12 << 10, Integer.MAX_VALUE & -8, Integer.MAX_VALUE}) {
            Disk damaged = killed.copy();
            bytes(damaged, LOG).putInt(at + 4, length);
            assertRefusedAt(records, 3, damaged, "length " + length);
            damaged.dispose();
        }
    }

    @Test
    void numbersOfSuperblocksAreBounded() {
        Disk killed = killed(PROCESS);
        Map<Integer, List<Long>> values = Map.of(
                40, List.of(0L, -4096L, 4097L, 1L << 47, Long.MAX_VALUE, Long.MIN_VALUE),
                48, List.of(0L, -1L, 4096L, Long.MAX_VALUE, Long.MIN_VALUE),
                56, List.of(-8L, 13L, Long.MAX_VALUE & -8, Long.MIN_VALUE),
                64, List.of(0L, -4096L, 13L, Long.MAX_VALUE & -8, Long.MIN_VALUE, (1L << 46) + 8));
        values.forEach((at, wrong) -> wrong.forEach(value -> {
            Disk damaged = killed.copy();
            ByteBuffer heap = bytes(damaged, HEAP);
            for (int copy : new int[] {0, 4096}) {
                heap.putLong(copy + at, value);
                HeapBytes.sealSuperblock(heap, copy);
            }
            String message = refused(damaged, PROCESS, at + ": " + value);
            assertTrue(message.contains("test.heap: the superblock has sizes or positions that no heap has"), message);
            damaged.dispose();
        }));
        // A size that a heap may have is compared with its log.
        Disk damaged = killed.copy();
        for (int copy : new int[] {0, 4096}) {
            bytes(damaged, HEAP).putLong(copy + 64, 1L << 46);
            HeapBytes.sealSuperblock(bytes(damaged, HEAP), copy);
        }
        assertTrue(refused(damaged, PROCESS, "capacity").contains("are needed"));
    }

    @Test
    void headersOfTheLogAreBoundedAndRepaired() {
        Disk killed = killed(PROCESS);
        for (int header : new int[] {0, 512}) {
            Disk damaged = killed.copy();
            bytes(damaged, LOG).putLong(header + 32, Long.MAX_VALUE);
            assertEquals(1, Fsck.check(damaged.path(HEAP), 1).size());
            assertTrue(Fsck.check(damaged.path(HEAP), 1).get(0).contains("its header at offset " + header + " is damaged"));
            assertEquals(COMMITS, open(damaged, PROCESS));
            assertEquals(List.of(), Fsck.check(damaged.path(HEAP), 1));
            damaged.dispose();
        }
        Disk damaged = killed.copy();
        for (int header : new int[] {0, 512}) {
            bytes(damaged, LOG).putLong(header + 32, 1L << 40);
            bytes(damaged, LOG).putInt(header + 72, HeapBytes.crc(bytes(damaged, LOG), header, header + 72));
        }
        assertTrue(refused(damaged, PROCESS, "capacity").contains("is not the redo log of heap"));
        Arrays.fill(damaged.contentOf(LOG), 0, 1024, (byte) 0);
        assertTrue(refused(damaged, PROCESS, "no header").contains("its header is damaged"));
    }

    /**
     * The search for records behind the end must take no longer than reading the whole ring. These logs have an excessive number of
     * candidates.
     */
    @Test
    void theSearchBehindADamageIsBounded() {
        HeapOptions options = PROCESS.logSize(16 << 20).maxSize(1 << 20);
        Heap heap = Heap.open(disk.path(HEAP), options);
        heap.root("a", Cell.class, () -> new Cell(heap, 0, null));
        Disk killed = disk.copy();
        heap.close();
        ByteBuffer log = bytes(killed, LOG);
        long life = bytes(killed, HEAP).getLong(72);
        for (int at = RING + (1 << 16); at + 64 < log.capacity(); at += 48) {
            log.putInt(at + 4, 4 << 20).putLong(at + 8, at - RING).putLong(at + 24, life);
        }
        String message = assertTimeoutPreemptively(Duration.ofMinutes(2), () -> refused(killed, options, "candidates"));
        assertTrue(message.contains("is damaged"), message);
        killed.dispose();
    }
}
