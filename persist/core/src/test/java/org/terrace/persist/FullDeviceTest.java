// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.terrace.persist.crash.CrashScenario;
import org.terrace.persist.crash.CrashTest;
import org.terrace.persist.log.LogFile;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.medium.Site;
import org.terrace.persist.types.PersistentByteArray;

/**
 * Tests a device without space even for overwriting existing data, like a copy-on-write file system. The heap must continue once
 * there is space, and a kill at any time must not lose acknowledged changes.
 */
@Timeout(300)
class FullDeviceTest extends DiskSetUp {
    private static final HeapOptions OPTIONS = HeapOptions.defaults().maxSize(1 << 20).logSize(64 << 10).threads(1);
    private static final List<HeapOptions> LEVELS = List.of(OPTIONS, OPTIONS.durability(Durability.group(Duration.ofHours(1))),
            OPTIONS.durability(Durability.PROCESS));

    private Heap open(HeapOptions options) {
        return Heap.open(disk.path("test.heap"), options);
    }

    private static Cell cell(Heap heap) {
        return heap.root("cell", Cell.class, () -> new Cell(heap, 0, null));
    }

    private static byte[] content(int length, int seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** The value after a kill of the process at this moment. */
    private long valueAfterKill() {
        Disk killed = disk.copy();
        try (Heap heap = Heap.open(killed.path("test.heap"), OPTIONS)) {
            assertEquals(List.of(), heap.check());
            return cell(heap).value();
        } finally {
            killed.dispose();
        }
    }

    @Test
    void theHeapGoesOnOnceThereIsRoomForItsLog() {
        for (HeapOptions options : LEVELS) {
            try (Heap heap = open(options)) {
                Cell cell = cell(heap);
                heap.atomic(() -> cell.value(1));
                disk.limitWrites(30);
                NotDurableException made = assertThrows(NotDurableException.class, () -> heap.atomic(() -> cell.value(2)));
                assertTrue(made.getMessage().contains("test.heap.log") && made.getMessage().contains("do not repeat"), made.getMessage());
                assertEquals(2, cell.value());
                assertEquals(1, valueAfterKill());
                for (int i = 0; i < 3; i++) {
                    HeapFullException refused = assertThrows(HeapFullException.class, () -> heap.atomic(() -> cell.value(3)));
                    assertTrue(refused.getMessage().contains("No space left") && refused.getMessage().contains("nothing was changed"),
                            refused.getMessage());
                    assertEquals(2, cell.value());
                    assertEquals(2L, heap.<Long>read(cell::value));
                    assertTrue(heap.isWritable());
                }
                disk.limitWrites(Long.MAX_VALUE);
                heap.atomic(() -> cell.value(4));
                assertEquals(4, valueAfterKill());
                assertEquals(List.of(), heap.check());
            }
            assertEquals(4, valueAfterKill());
        }
    }

    @Test
    void whatIsMadeAndNotDurableBecomesSoWithASync() throws Exception {
        try (Heap heap = open(OPTIONS)) {
            Cell cell = cell(heap);
            disk.limitWrites(0);
            assertThrows(NotDurableException.class, () -> heap.atomic(() -> cell.value(2)));
            assertThrows(NotDurableException.class, heap::psync);
            CompletableFuture<Void> durable = heap.whenDurable();
            assertFalse(durable.isDone());
            disk.limitWrites(Long.MAX_VALUE);
            assertEquals(0, valueAfterKill());
            heap.psync();
            durable.get(60, TimeUnit.SECONDS);
            assertEquals(2, valueAfterKill());
        }
    }

    /** The space may end in the log, in a page, or in a superblock. */
    @Test
    void aCheckpointWithoutRoomIsMadeAgain() {
        for (HeapOptions options : List.of(OPTIONS, OPTIONS.withoutBackground())) {
            for (int room = 0; room < 20_000; room += 700) {
                int value = room;
                try (Heap heap = open(options)) {
                    Cell cell = cell(heap);
                    heap.atomic(() -> {
                        cell.value(value);
                        cell.other(new PersistentByteArray(heap, content(9000, value)));
                    });
                    disk.limitWrites(room);
                    try {
                        heap.checkpoint();
                    } catch (HeapFullException e) {
                        assertTrue(heap.isWritable());
                    }
                    assertEquals(value, valueAfterKill());
                    disk.limitWrites(Long.MAX_VALUE);
                    heap.atomic(() -> cell.value(value + 1));
                    heap.checkpoint();
                    assertEquals(value + 1, valueAfterKill());
                    assertEquals(List.of(), heap.check());
                    assertEquals(9000, ((PersistentByteArray) cell.other()).toArray().length);
                }
            }
        }
    }

    /** Without a checkpoint, the log fills up. Threads with changes get an exception and do not wait. */
    @Test
    void aFullLogRefusesChangesUntilACheckpointHasRoom() {
        for (HeapOptions options : List.of(OPTIONS, OPTIONS.withoutBackground())) {
            try (Heap heap = open(options)) {
                Cell cell = cell(heap);
                disk.at(Site.CHECKPOINT_PAGE, () -> {
                    throw new HeapFullException("write failed: No space left on device");
                });
                long[] committed = {cell.value()};
                HeapFullException e = assertThrows(HeapFullException.class, () -> {
                    for (int i = 0; i < 1000; i++) {
                        long next = committed[0] + 1;
                        heap.atomic(() -> {
                            cell.value(next);
                            cell.other(new PersistentByteArray(heap, content(1000, (int) next)));
                        });
                        committed[0] = next;
                    }
                });
                assertTrue(e.getMessage().contains("No space left"), e.getMessage());
                assertEquals(committed[0], cell.value());
                assertEquals(committed[0], valueAfterKill());
                disk.at(Site.CHECKPOINT_PAGE, () -> { });
                for (int i = 0; i < 200; i++) {
                    heap.atomic(() -> cell.other(new PersistentByteArray(heap, content(1000, 7))));
                }
                heap.atomic(() -> cell.value(committed[0] + 1));
                assertEquals(committed[0] + 1, valueAfterKill());
                assertEquals(List.of(), heap.check());
            }
        }
    }

    @Test
    void aClosingWithoutRoomLosesNothingThatWasAcknowledged() {
        for (int room = 0; room < 12_000; room += 500) {
            Heap heap = open(OPTIONS);
            Cell cell = cell(heap);
            int value = room + 1;
            heap.atomic(() -> cell.value(value));
            disk.limitWrites(room);
            try {
                heap.close();
            } catch (HeapException e) {
                assertTrue(e.getMessage().contains("without its last checkpoint") && e.getMessage().contains("make room"), e.getMessage());
            }
            heap.close();
            disk.limitWrites(Long.MAX_VALUE);
            assertEquals(value, valueAfterKill());
        }
        Heap heap = open(OPTIONS);
        Cell cell = cell(heap);
        heap.atomic(() -> cell.value(-1));
        disk.limitWrites(0);
        assertThrows(NotDurableException.class, () -> heap.atomic(() -> cell.value(-2)));
        assertThrows(HeapException.class, heap::close);
        disk.limitWrites(Long.MAX_VALUE);
        assertEquals(-1, valueAfterKill());
    }

    /** Even without pages to write, the log must contain the start of the replay. */
    @Test
    void aCheckpointOfPagesThatWereWrittenBeforeSyncsTheLog() {
        try (Heap heap = open(OPTIONS)) {
            Cell cell = cell(heap);
            cell.value(3);
            heap.checkpoint();
            cell.pwb();
            heap.pfence();
            heap.checkpoint();
            assertEquals(3, valueAfterKill());
            cell.pwb();
            heap.pfence();
            disk.limitWrites(0);
            assertThrows(HeapFullException.class, heap::checkpoint);
            assertEquals(3, valueAfterKill());
            disk.limitWrites(Long.MAX_VALUE);
        }
    }

    /** The heap had been killed. The log is replayed once there is space for a new life. */
    @Test
    void anOpeningWithoutRoomChangesNothing() {
        Disk killed;
        try (Heap heap = open(OPTIONS)) {
            Cell cell = cell(heap);
            heap.atomic(() -> cell.value(5));
            killed = disk.copy();
        }
        int refused = 0;
        for (int room = 0; room < 30_000; room += 250) {
            Disk copy = killed.copy();
            copy.limitWrites(room);
            try (Heap heap = Heap.open(copy.path("test.heap"), OPTIONS)) {
                copy.limitWrites(Long.MAX_VALUE);
                assertEquals(5, cell(heap).value());
            } catch (HeapFullException e) {
                assertTrue(e.getMessage().contains("make room"), e.getMessage());
                refused++;
            }
            copy.limitWrites(Long.MAX_VALUE);
            try (Heap heap = Heap.open(copy.path("test.heap"), OPTIONS)) {
                assertEquals(5, cell(heap).value());
                assertEquals(List.of(), heap.check());
            }
            copy.dispose();
        }
        killed.dispose();
        assertTrue(refused > 0);
    }

    /** The background thread tries again, and no thread gets an exception. */
    @Test
    void anIntervalWithoutRoomIsSyncedLater() {
        List<String> told = new CopyOnWriteArrayList<>();
        LoggedWarnings.during(told, () -> {
            try (Heap heap = open(OPTIONS.durability(Durability.group(Duration.ofMillis(1))))) {
                Cell cell = cell(heap);
                disk.limitWrites(0);
                assertThrows(NotDurableException.class, () -> heap.atomic(() -> cell.value(2)));
                CompletableFuture<Void> durable = heap.whenDurable();
                while (told.isEmpty()) {
                    Thread.yield();
                }
                assertFalse(durable.isDone());
                disk.limitWrites(Long.MAX_VALUE);
                durable.join();
                assertEquals(2, valueAfterKill());
            }
            return null;
        });
        assertTrue(told.get(0).contains("No space left") && told.get(0).contains("tries again"), told.get(0));
    }

    /** A sync that finds no space has failed, because the system may have discarded pages. */
    @Test
    void aSyncWithoutRoomEndsTheWriting() {
        for (Site site : List.of(Site.COMMIT_SYNC, Site.CHECKPOINT_SYNC, Site.SUPERBLOCK_SYNC)) {
            Heap heap = open(OPTIONS);
            Cell cell = cell(heap);
            heap.atomic(() -> cell.value(site.ordinal()));
            disk.failAt(site, new HeapFullException("sync failed: No space left on device; make room on its device"));
            HeapException e = assertThrows(HeapException.class, () -> {
                heap.atomic(() -> cell.value(site.ordinal()));
                heap.checkpoint();
            });
            assertFalse(e instanceof HeapFullException || e instanceof NotDurableException, e.toString());
            assertTrue(e.getMessage().contains("make room, and open it again"), e.getMessage());
            assertFalse(heap.isWritable());
            assertThrows(HeapException.class, heap::close);
            assertEquals(site.ordinal(), valueAfterKill());
        }
    }

    /** From the exceptions alone, each thread knows its successful changes. */
    @ParameterizedTest
    @ValueSource(strings = {"HEAP", "CALLER"})
    void threadsAreToldTheTruth(Isolation isolation) throws Exception {
        int threads = 4;
        int rounds = 60;
        long[] made = new long[threads];
        long[] acknowledged = new long[threads];
        AtomicBoolean ended = new AtomicBoolean();
        try (Heap heap = open(OPTIONS.maxSize(8 << 20))) {
            List<Thread> all = new ArrayList<>();
            List<Throwable> errors = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                int own = t;
                Cell cell = heap.root("cell" + t, Cell.class, () -> new Cell(heap, 0, null));
                Thread thread = new Thread(() -> {
                    for (int i = 0; !ended.get() || acknowledged[own] == 0; i++) {
                        byte[] bytes = content(500 + i % 3000, i);
                        try {
                            heap.atomic(isolation, () -> {
                                cell.value(cell.value() + 1);
                                cell.other(new PersistentByteArray(heap, bytes));
                                return null;
                            });
                            made[own]++;
                            acknowledged[own] = made[own];
                        } catch (NotDurableException e) {
                            made[own]++;
                        } catch (HeapFullException e) {
                            Thread.yield();
                        }
                    }
                });
                thread.setUncaughtExceptionHandler((of, e) -> {
                    synchronized (errors) {
                        errors.add(e);
                    }
                });
                thread.start();
                all.add(thread);
            }
            Random random = new Random(1);
            for (int round = 0; round < rounds; round++) {
                disk.limitWrites(random.nextInt(100_000));
                Thread.sleep(random.nextInt(20));
                disk.limitWrites(Long.MAX_VALUE);
                Thread.sleep(random.nextInt(5));
                if (round % 4 == 0) {
                    heap.collect();
                }
            }
            ended.set(true);
            for (Thread thread : all) {
                thread.join();
            }
            assertEquals(List.of(), errors);
            heap.psync();
            assertEquals(List.of(), heap.check());
            assertTrue(heap.isWritable());
            for (int t = 0; t < threads; t++) {
                assertTrue(acknowledged[t] > 0);
                assertEquals(made[t], heap.root("cell" + t, Cell.class).value());
            }
        }
        try (Heap heap = open(OPTIONS.maxSize(8 << 20))) {
            for (int t = 0; t < threads; t++) {
                assertEquals(made[t], heap.root("cell" + t, Cell.class).value());
            }
        }
    }

    /** The space ends at a random byte of each operation. The operation must be complete or have no effect, and nothing may be damaged. */
    @Test
    void everyOperationIsDoneOrNotWhenTheRoomEnds() {
        Random random = new Random(Long.getLong("persist.seed", 1));
        int full = 0;
        int notDurable = 0;
        for (Map.Entry<String, java.util.function.Consumer<Heap>> operation : CrashTest.OPERATIONS.entrySet()) {
            for (int k = 0; k < 12; k++) {
                Disk own = new Disk();
                HeapOptions options = (k % 2 == 0 ? CrashScenario.TINY : CrashScenario.TINY.durability(Durability.PROCESS));
                try (Heap heap = Heap.open(own.path("test.heap"), options)) {
                    for (String before : List.of("push a", "push a", "push b", "bytes of a", "put into map")) {
                        CrashTest.OPERATIONS.get(before).accept(heap);
                    }
                    own.limitWrites(random.nextInt(k % 3 == 0 ? 40 : 4000));
                    for (int i = 0; i < 4; i++) {
                        try {
                            operation.getValue().accept(heap);
                        } catch (NotDurableException e) {
                            notDurable++;
                        } catch (HeapFullException e) {
                            full++;
                        }
                        assertTrue(heap.isWritable(), operation.getKey());
                        assertEquals(List.of(), heap.check(), operation.getKey());
                    }
                    assertOpens(own, null);
                    own.limitWrites(Long.MAX_VALUE);
                    heap.psync();
                    String dump = CrashTest.dump(heap);
                    assertOpens(own, dump);
                    operation.getValue().accept(heap);
                    heap.checkpoint();
                    assertEquals(List.of(), heap.check(), operation.getKey());
                    assertOpens(own, CrashTest.dump(heap));
                } finally {
                    own.dispose();
                }
            }
        }
        assertTrue(full > 0 && notDurable > 0, full + " " + notDurable);
    }

    private static void assertOpens(Disk disk, String dump) {
        Disk killed = disk.copy();
        killed.limitWrites(Long.MAX_VALUE);
        try (Heap heap = Heap.open(killed.path("test.heap"), CrashScenario.TINY)) {
            assertEquals(List.of(), heap.check());
            if (dump != null) {
                assertEquals(dump, CrashTest.dump(heap));
            }
        } finally {
            killed.dispose();
        }
    }

    /** Crashes at every moment before, during and after the lack of space. */
    @ParameterizedTest
    @ValueSource(ints = {30, 300, 5000})
    void crashesAroundTheEndOfTheRoomLoseNothingAcknowledged(int room) {
        CrashScenario scenario = CrashTest.scenario(CrashScenario.TINY, List.of("add to a", "large bytes of a"));
        for (String name : List.of("add to a and b", "large bytes of a", "push a")) {
            // One operation and everything until its acknowledgement.
            scenario.then(heap -> {
                scenario.disk().limitWrites(room);
                boolean made = isMade(heap, name);
                for (int i = 0; i < 2; i++) {
                    try {
                        heap.checkpoint();
                    } catch (HeapFullException e) {
                        assertTrue(heap.isWritable());
                    }
                }
                scenario.disk().limitWrites(Long.MAX_VALUE);
                if (made) {
                    heap.psync();
                } else {
                    CrashTest.OPERATIONS.get(name).accept(heap);
                }
            });
            scenario.then(CrashTest.OPERATIONS.get("add to a"));
            scenario.then(CrashTest.OPERATIONS.get("checkpoint"));
        }
        CrashTest.report("room for " + room + " bytes", scenario.run());
    }

    /** A real file system. The log has holes, like a sparse copy. */
    @Test
    void aFullFileSystemInMemory() throws Exception {
        Path directory = Files.createTempDirectory("full");
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", directory.toString()) == 0, "needs the right to mount");
        try {
            Path file = directory.resolve("test.heap");
            Path filler = directory.resolve("filler");
            HeapOptions options = OPTIONS.durability(Durability.PROCESS);
            try (Heap heap = Heap.open(file, options)) {
                cell(heap);
            }
            punch(directory.resolve("test.heap.log"));
            try (Heap heap = Heap.open(file, options)) {
                Cell cell = cell(heap);
                for (int round = 0; round < 3; round++) {
                    fill(filler);
                    int refused = 0;
                    long made = cell.value();
                    // A page may have space left for some records.
                    for (int i = 0; refused == 0 && i < 10_000; i++) {
                        long next = made + 1;
                        try {
                            heap.atomic(() -> cell.value(next));
                            made = next;
                        } catch (NotDurableException e) {
                            made = next;
                        } catch (HeapFullException e) {
                            refused++;
                        }
                        assertEquals(made, cell.value());
                    }
                    assertEquals(1, refused);
                    Files.delete(filler);
                    heap.psync();
                    heap.atomic(() -> cell.value(cell.value() + 1));
                    assertEquals(made + 1, cell.value());
                    assertEquals(List.of(), heap.check());
                }
                fill(filler);
                assertThrows(HeapException.class, () -> {
                    for (int i = 0; i < 10_000; i++) {
                        heap.atomic(() -> cell.value(cell.value() + 1));
                    }
                });
                Files.delete(filler);
            }
            try (Heap heap = Heap.open(file, options)) {
                assertTrue(cell(heap).value() >= 6);
            }
        } finally {
            assertEquals(0, run("umount", directory.toString()));
            Files.delete(directory);
        }
    }

    private static int run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        return process.exitValue();
    }

    /** Replaces the contents of a closed heap's log by a hole. They are not needed. */
    private static void punch(Path log) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "rw")) {
            long length = file.length();
            file.setLength(LogFile.RING_OFFSET);
            file.setLength(length);
        }
    }

    private static void fill(Path filler) throws IOException {
        try (OutputStream out = Files.newOutputStream(filler)) {
            byte[] page = new byte[4096];
            assertThrows(IOException.class, () -> {
                while (true) {
                    out.write(page);
                }
            });
        }
    }

    private static boolean isMade(Heap heap, String operation) {
        try {
            CrashTest.OPERATIONS.get(operation).accept(heap);
            return true;
        } catch (NotDurableException e) {
            return true;
        } catch (HeapFullException e) {
            return false;
        }
    }
}
