// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.terrace.persist.medium.Site;
import org.terrace.persist.types.PersistentByteArray;

/** The levels of durability, group commit, and what errors of the device do. */
class DurabilityTest extends DiskSetUp {
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

    @Test
    void anErrorOfTheLogLeavesAHeapThatCanBeRead() {
        try (Heap heap = open(OPTIONS)) {
            Cell cell = heap.root("cell", Cell.class, () -> new Cell(heap, 1, null));
            assertTrue(heap.isWritable());
            disk.failAt(Site.COMMIT_SYNC);
            HeapException e = assertThrows(HeapException.class, () -> heap.atomic(() -> cell.value(2)));
            assertFalse(heap.isWritable());
            assertTrue(e.getMessage().contains("Input/output error"), e.getMessage());
            e = assertThrows(HeapException.class, () -> heap.atomic(() -> cell.value(3)));
            assertTrue(e.getMessage().contains("open it again") && e.getMessage().contains("Input/output error"), e.getMessage());
            assertEquals(2, cell.value());
        }
        try (Heap heap = open(OPTIONS)) {
            assertEquals(2, heap.root("cell", Cell.class).value());
            assertEquals(List.of(), heap.check());
        }
    }

    @Test
    void anErrorOfACheckpointLeavesAHeapThatCanBeRead() {
        for (Site site : List.of(Site.CHECKPOINT_PAGE, Site.CHECKPOINT_SYNC, Site.SUPERBLOCK, Site.SUPERBLOCK_SYNC)) {
            try (Heap heap = open(OPTIONS)) {
                Cell cell = heap.root("cell", Cell.class, () -> new Cell(heap, 1, null));
                heap.atomic(() -> cell.value(site.ordinal()));
                disk.failAt(site);
                assertThrows(HeapException.class, heap::checkpoint, site.name());
                assertThrows(HeapException.class, () -> heap.atomic(() -> cell.value(99)), site.name());
                assertEquals(site.ordinal(), cell.value());
            }
            try (Heap heap = open(OPTIONS)) {
                assertEquals(site.ordinal(), heap.root("cell", Cell.class).value(), site.name());
            }
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
