// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.terrace.persist.medium.Site;
import org.terrace.persist.types.PersistentByteArray;

/** Tests the levels of durability, group commit, and errors of the device. */
public class DurabilityTest extends DiskSetUp {
    private static final HeapOptions OPTIONS = HeapOptions.defaults().maxSize(1 << 20).logSize(64 << 10);

    private Heap open(HeapOptions options) {
        return Heap.open(disk.path("test.heap"), options);
    }

    private long count(Site site) {
        return disk.events().stream().filter(event -> event.site() == site).count();
    }

    @Test
    void eachCommitSyncsAtSyncAndNoneAtProcess() {
        try (Heap heap = open(OPTIONS)) {
            Cell cell = heap.root("cell", Cell.class, () -> new Cell(heap, 0, null));
            disk.record();
            for (int i = 0; i < 10; i++) {
                heap.atomic(() -> cell.value(cell.value() + 1));
            }
            assertEquals(10, count(Site.COMMIT_SYNC));
        }
        try (Heap heap = open(OPTIONS.durability(Durability.PROCESS))) {
            Cell cell = heap.root("cell", Cell.class);
            disk.record();
            for (int i = 0; i < 10; i++) {
                heap.atomic(() -> cell.value(cell.value() + 1));
            }
            assertEquals(0, count(Site.COMMIT_SYNC));
            assertEquals(10, count(Site.COMMIT));
        }
    }

    @Test
    @Timeout(300)
    void aGroupIsSyncedWithoutAnotherCommit() throws InterruptedException {
        try (Heap heap = open(OPTIONS.durability(Durability.group(Duration.ofMillis(1))))) {
            disk.record();
            heap.root("cell", Cell.class, () -> new Cell(heap, 0, null));
            while (count(Site.INTERVAL_SYNC) == 0) {
                Thread.sleep(1);
            }
        }
    }

    @Test
    void aBlockThatChangesNothingWritesNothing() {
        try (Heap heap = open(OPTIONS)) {
            Cell cell = heap.root("cell", Cell.class, () -> new Cell(heap, 3, null));
            disk.record();
            assertEquals(3L, heap.<Long>atomic(Isolation.HEAP, cell::value));
            assertEquals(List.of(), disk.events());
        }
    }

    @Test
    void threadsThatCommitTogetherLoseNothing() throws InterruptedException {
        int threads = 4;
        int commits = 200;
        try (Heap heap = open(OPTIONS)) {
            List<Thread> all = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                String root = "cell" + t;
                Thread thread = new Thread(() -> {
                    Cell cell = heap.root(root, Cell.class, () -> new Cell(heap, 0, null));
                    for (int i = 0; i < commits; i++) {
                        heap.atomic(Isolation.CALLER, () -> {
                            cell.value(cell.value() + 1);
                            cell.other(new Cell(heap, i(cell), null));
                            return null;
                        });
                    }
                });
                thread.start();
                all.add(thread);
            }
            for (Thread thread : all) {
                thread.join();
            }
            assertEquals(List.of(), heap.check());
        }
        try (Heap heap = open(OPTIONS)) {
            for (int t = 0; t < threads; t++) {
                assertEquals(commits, heap.root("cell" + t, Cell.class).value());
                assertEquals(commits, ((Cell) heap.root("cell" + t, Cell.class).other()).value());
            }
        }
    }

    private static int i(Cell cell) {
        return (int) cell.value();
    }

    private static void assertClosesWith(String cause, Heap heap) {
        HeapException e = assertThrows(HeapException.class, heap::close);
        assertTrue(e.getMessage().contains(cause) && e.getCause() instanceof HeapException, e.getMessage());
        heap.close();
    }

    @Test
    void anErrorOfTheLogLeavesAHeapThatCanBeRead() {
        Heap failing = open(OPTIONS);
        Cell cell = failing.root("cell", Cell.class, () -> new Cell(failing, 1, null));
        assertTrue(failing.isWritable());
        disk.failAt(Site.COMMIT_SYNC);
        HeapException e = assertThrows(HeapException.class, () -> failing.atomic(() -> cell.value(2)));
        assertFalse(failing.isWritable());
        assertTrue(e.getMessage().contains("Input/output error"), e.getMessage());
        for (Executable call : List.<Executable>of(() -> failing.atomic(() -> cell.value(3)), failing::psync, failing::checkpoint,
                failing::pfence, () -> failing.free(cell), () -> failing.setRoot("cell", null),
                () -> failing.backup(disk.path("copy.heap")))) {
            e = assertThrows(HeapException.class, call);
            assertTrue(e.getMessage().contains("open it again") && e.getMessage().contains("Input/output error"), e.getMessage());
        }
        assertEquals(2, cell.value());
        assertClosesWith("Input/output error", failing);
        try (Heap heap = open(OPTIONS)) {
            assertEquals(2, heap.root("cell", Cell.class).value());
            assertEquals(List.of(), heap.check());
        }
    }

    @Test
    void anErrorOfACheckpointLeavesAHeapThatCanBeRead() {
        for (Site site : List.of(Site.CHECKPOINT_PAGE, Site.CHECKPOINT_SYNC, Site.SUPERBLOCK, Site.SUPERBLOCK_SYNC)) {
            Heap failing = open(OPTIONS);
            Cell cell = failing.root("cell", Cell.class, () -> new Cell(failing, 1, null));
            failing.atomic(() -> cell.value(site.ordinal()));
            disk.failAt(site);
            assertThrows(HeapException.class, failing::checkpoint, site.name());
            assertThrows(HeapException.class, () -> failing.atomic(() -> cell.value(99)), site.name());
            assertEquals(site.ordinal(), cell.value());
            assertClosesWith(site.name(), failing);
            try (Heap heap = open(OPTIONS)) {
                assertEquals(site.ordinal(), heap.root("cell", Cell.class).value(), site.name());
            }
        }
    }

    /** The background thread gets the error after all commits have returned. */
    @ParameterizedTest
    @EnumSource(value = Site.class, names = {"INTERVAL_SYNC", "COMMIT", "CHECKPOINT_LOG_SYNC", "CHECKPOINT_PAGE", "SUPERBLOCK_SYNC"})
    @Timeout(120)
    void anErrorInTheBackgroundIsToldByTheClosing(Site site) throws Exception {
        boolean group = site == Site.INTERVAL_SYNC;
        Heap heap = open(OPTIONS.durability(group ? Durability.group(Duration.ofMillis(1)) : Durability.PROCESS));
        Cell cell = heap.root("cell", Cell.class, () -> new Cell(heap, 1, null));
        heap.psync();
        disk.failAt(site);
        byte[] bytes = new byte[1000];
        java.util.Arrays.fill(bytes, (byte) 1);
        CompletableFuture<Void> durable;
        try {
            do {
                heap.atomic(() -> cell.other(new PersistentByteArray(heap, bytes)));
                durable = heap.whenDurable();
            } while (heap.isWritable());
        } catch (HeapException e) {
            durable = heap.whenDurable();
        }
        CompletableFuture<Void> last = durable;
        ExecutionException e = assertThrows(ExecutionException.class, last::get);
        assertTrue(e.getMessage().contains(site.name()), e.getMessage());
        assertClosesWith(site.name(), heap);
        try (Heap again = open(OPTIONS)) {
            assertEquals(List.of(), again.check());
        }
    }

    @Test
    @Timeout(120)
    void whatIsDurableIsTold() throws Exception {
        for (Durability level : List.of(Durability.SYNC, Durability.group(Duration.ofMillis(1)), Durability.PROCESS)) {
            CompletableFuture<Void> last;
            try (Heap heap = open(OPTIONS.durability(level))) {
                Cell cell = heap.root("cell", Cell.class, () -> new Cell(heap, 0, null));
                heap.atomic(() -> cell.value(1));
                CompletableFuture<Void> first = heap.whenDurable();
                if (level == Durability.SYNC) {
                    assertTrue(first.isDone());
                } else if (level == Durability.PROCESS) {
                    assertFalse(first.isDone());
                    heap.checkpoint();
                }
                first.get();
                heap.atomic(() -> cell.value(2));
                if (level == Durability.SYNC) {
                    // This commit, for an allocation outside of blocks, is not synced by any thread.
                    new PersistentByteArray(heap, 20_000);
                    assertTrue(heap.whenDurable().isDone());
                }
                last = heap.whenDurable();
            }
            last.get();
        }
    }

    @Test
    void aFullDeviceAbortsTheBlockAndTheHeapGoesOn() {
        HeapOptions larger = OPTIONS.maxSize(64 << 20);
        try (Heap heap = open(larger)) {
            Cell cell = heap.root("cell", Cell.class, () -> new Cell(heap, 1, null));
            disk.limitRoom(0);
            HeapFullException e = assertThrows(HeapFullException.class, () -> heap.atomic(() -> {
                cell.value(2);
                for (int i = 0; i < 1000; i++) {
                    cell.other(new PersistentByteArray(heap, 20_000));
                }
            }));
            assertTrue(e.getMessage().contains("test.heap") && e.getMessage().contains("No space left"), e.getMessage());
            assertEquals(1, cell.value());
            assertTrue(heap.isWritable());
            heap.atomic(() -> cell.value(3));
            assertEquals(List.of(), heap.check());
            disk.limitRoom(Long.MAX_VALUE);
            for (int i = 0; i < 100; i++) {
                heap.atomic(() -> cell.other(new PersistentByteArray(heap, 20_000)));
            }
        }
        try (Heap heap = open(larger)) {
            assertEquals(3, heap.root("cell", Cell.class).value());
        }
    }

    @Test
    void aBlockLargerThanTheLogIsRefusedWhole() {
        try (Heap heap = open(OPTIONS)) {
            Cell cell = heap.root("cell", Cell.class, () -> new Cell(heap, 1, null));
            byte[] bytes = new byte[60_000];
            java.util.Arrays.fill(bytes, (byte) 1);
            HeapException e = assertThrows(HeapException.class, () -> heap.atomic(() -> {
                cell.value(2);
                cell.other(new PersistentByteArray(heap, bytes));
            }));
            assertTrue(e.getMessage().contains("logSize"), e.getMessage());
            assertEquals(1, cell.value());
            assertEquals(0, heap.collect().freed());
        }
    }
}
