// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.terrace.persist.Cell;
import org.terrace.persist.DiskSetUp;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.medium.CrashStates;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.medium.Site;
import org.terrace.persist.types.PersistentByteArray;

/** Tests a power loss while the log is full of records that were not synced. The disk may keep any subset of them. */
class LogFullPowerLossTest extends DiskSetUp {
    private static final HeapOptions OPTIONS = HeapOptions.defaults().maxSize(256 << 10).logSize(16 << 10)
            .durability(Durability.PROCESS).threads(1);
    private static final long SEED = Long.getLong("persist.seed", 5);
    private static final int STATES = 300;

    private static void commit(Heap heap, Cell cell) {
        byte[] bytes = new byte[1900];
        java.util.Arrays.fill(bytes, (byte) 7);
        heap.atomic(() -> {
            PersistentByteArray old = (PersistentByteArray) cell.other();
            cell.value(cell.value() + 1);
            cell.other(new PersistentByteArray(heap, bytes));
            if (old != null) {
                heap.free(old);
            }
        });
    }

    /** Starts a thread that commits until it waits for a checkpoint, which the backup prevents. */
    private static Thread fillLog(Heap heap, Cell cell, AtomicBoolean stop) {
        Thread thread = new Thread(() -> {
            while (!stop.get()) {
                commit(heap, cell);
            }
        });
        thread.start();
        long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (thread.getState() != Thread.State.WAITING) {
            assertTrue(System.nanoTime() < deadline && thread.isAlive(), "the log does not fill");
            Thread.onSpinWait();
        }
        return thread;
    }

    private int openCrashed() {
        AtomicInteger opened = new AtomicInteger();
        Disk lost = disk.copy();
        new CrashStates(lost).forEach(STATES, new Random(SEED), crashed -> {
            try (Heap found = Heap.open(crashed.path("test.heap"), OPTIONS)) {
                assertEquals(List.of(), found.check());
                opened.incrementAndGet();
            }
        });
        lost.dispose();
        return opened.get();
    }

    @Test
    void anyStateOpens() throws InterruptedException {
        AtomicReference<Thread> filling = new AtomicReference<>();
        AtomicBoolean stop = new AtomicBoolean();
        try (Heap heap = Heap.open(disk.path("test.heap"), OPTIONS)) {
            Cell cell = heap.root("a", Cell.class, () -> new Cell(heap, 0, null));
            for (int i = 0; i < 20; i++) {
                commit(heap, cell);
            }
            disk.at(Site.CONVERT_PAGE, () -> {
                if (filling.get() == null) {
                    filling.set(fillLog(heap, cell, stop));
                    try {
                        assertTrue(openCrashed() > STATES / 2);
                    } finally {
                        stop.set(true);
                    }
                }
            });
            heap.backup(disk.path("copy.heap"));
            filling.get().join(Duration.ofMinutes(1).toMillis());
            assertFalse(filling.get().isAlive());
        }
    }
}
