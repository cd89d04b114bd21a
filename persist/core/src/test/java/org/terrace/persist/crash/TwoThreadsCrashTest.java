// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.terrace.persist.Cell;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.Internals;
import org.terrace.persist.Isolation;
import org.terrace.persist.medium.CrashStates;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.medium.Site;
import org.terrace.persist.types.PersistentByteArray;
import org.terrace.persist.types.PersistentHashMap;

/** Tests crashes of the machine at each write of two threads that commit concurrently, with checkpoints in the background. */
class TwoThreadsCrashTest {
    private static final HeapOptions OPTIONS = HeapOptions.defaults().maxSize(256 << 10).logSize(16 << 10).threads(1);
    private static final int THREADS = 2;
    private static final int COMMITS = 40;
    private static final long SEED = Long.getLong("persist.seed", 20211026);

    /** Recorded when the thread's commit of this number was acknowledged. */
    private record Acknowledged(int thread, int number) {
    }

    /** Recorded before the commit. */
    private record Begun(int thread, int number) {
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void eachThreadFindsWhatWasAcknowledgedToIt(Isolation isolation) throws InterruptedException {
        crashEverywhere(new Disk(), isolation, "two threads, " + isolation);
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void soOnMemoryThatPersists(Isolation isolation) throws InterruptedException {
        crashEverywhere(Disk.ofLines(), isolation, "lines, two threads, " + isolation);
    }

    private static void crashEverywhere(Disk disk, Isolation isolation, String what) throws InterruptedException {
        try (Heap heap = Heap.open(disk.path("test.heap"), OPTIONS)) {
            for (int t = 0; t < THREADS; t++) {
                Cell cell = heap.root("cell" + t, Cell.class, () -> new Cell(heap, 0, null));
                heap.atomic(() -> cell.other(new PersistentHashMap<Integer, String>(heap)));
            }
        }
        Disk replay = disk.copy();
        disk.record();
        run(disk, isolation);
        int[] acknowledged = new int[THREADS];
        int[] begun = new int[THREADS];
        Random random = new Random(SEED);
        int[] opened = new int[1];
        for (Disk.Event event : disk.events()) {
            replay.apply(event);
            if (event.note() instanceof Acknowledged a) {
                acknowledged[a.thread] = a.number;
            } else if (event.note() instanceof Begun b) {
                begun[b.thread] = b.number;
            }
            new CrashStates(replay).forEach(Math.max(3, Integer.getInteger("persist.states", 400) / 100), random,
                    crashed -> check(crashed, acknowledged, begun, opened, event));
        }
        CrashTest.report(what, opened[0]);
        replay.dispose();
        disk.dispose();
    }

    private static void run(Disk disk, Isolation isolation) throws InterruptedException {
        try (Heap heap = Heap.open(disk.path("test.heap"), OPTIONS)) {
            Thread[] threads = new Thread[THREADS];
            for (int t = 0; t < THREADS; t++) {
                int thread = t;
                threads[t] = new Thread(() -> commits(heap, disk, thread, isolation));
                threads[t].start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static void commits(Heap heap, Disk disk, int thread, Isolation isolation) {
        Cell cell = heap.root("cell" + thread, Cell.class);
        PersistentHashMap<Integer, String> map = (PersistentHashMap<Integer, String>) cell.other();
        for (int i = 1; i <= COMMITS; i++) {
            int number = i;
            disk.note(new Begun(thread, number));
            heap.atomic(isolation, () -> {
                cell.value(number);
                map.put(number % 10, "value " + number);
                map.remove((number + 5) % 10);
                return null;
            });
            disk.note(new Acknowledged(thread, number));
        }
    }

    @SuppressWarnings("unchecked")
    private static void check(Disk crashed, int[] acknowledged, int[] begun, int[] opened, Disk.Event event) {
        opened[0]++;
        String where = "seed " + SEED + ", after " + event;
        try (Heap heap = Heap.open(crashed.path("test.heap"), Internals.withoutBackground(OPTIONS))) {
            assertEquals(List.of(), heap.check(), where);
            for (int t = 0; t < THREADS; t++) {
                Cell cell = heap.root("cell" + t, Cell.class);
                long value = cell.value();
                assertTrue(value >= acknowledged[t] && value <= begun[t],
                        where + ": thread " + t + " is at " + value + ", acknowledged " + acknowledged[t] + ", begun " + begun[t]);
                PersistentHashMap<Integer, String> map = (PersistentHashMap<Integer, String>) cell.other();
                assertEquals(Math.min(value, 5), map.size(), where);
                for (long k = value; k > Math.max(0, value - 5); k--) {
                    assertEquals("value " + k, map.get((int) (k % 10)), where);
                }
            }
        }
    }

    @Test
    void commitsDuringACheckpointDoNotOverwriteWhatItStillNeeds() {
        Disk disk = new Disk();
        Heap heap = Heap.open(disk.path("test.heap"), OPTIONS);
        Cell cell = heap.root("cell0", Cell.class, () -> new Cell(heap, 0, null));
        heap.checkpoint();
        Disk replay = disk.copy();
        disk.record();
        Thread committing = Thread.currentThread();
        AtomicInteger done = new AtomicInteger();
        // The checkpoint continues once the commits wait for space, as they should, or have filled the log again.
        disk.at(Site.SUPERBLOCK, () -> {
            int from = done.get();
            while (committing.getState() != Thread.State.WAITING && done.get() < from + 12 && done.get() < COMMITS) {
                sleep();
            }
        });
        for (int i = 1; i <= COMMITS; i++) {
            int number = i;
            disk.note(new Begun(0, number));
            heap.atomic(() -> {
                cell.value(number);
                if (cell.other() != null) {
                    heap.free(cell.other());
                }
                byte[] bytes = new byte[2500];
                java.util.Arrays.fill(bytes, (byte) number);
                cell.other(new PersistentByteArray(heap, bytes));
            });
            disk.note(new Acknowledged(0, number));
            done.set(number);
        }
        heap.close();
        long acknowledged = 0;
        for (Disk.Event event : disk.events()) {
            replay.apply(event);
            acknowledged = event.note() instanceof Acknowledged a ? a.number : acknowledged;
            long atLeast = acknowledged;
            new CrashStates(replay).forEach(4, new Random(SEED), crashed -> checkBytes(crashed, atLeast, event));
        }
        replay.dispose();
        disk.dispose();
    }

    private static void sleep() {
        try {
            Thread.sleep(1);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void checkBytes(Disk crashed, long atLeast, Disk.Event event) {
        String where = "seed " + SEED + ", after " + event;
        try (Heap heap = Heap.open(crashed.path("test.heap"), Internals.withoutBackground(OPTIONS))) {
            assertEquals(List.of(), heap.check(), where);
            Cell cell = heap.root("cell0", Cell.class);
            assertTrue(cell.value() >= atLeast, where + ": " + cell.value() + ", acknowledged " + atLeast);
            if (cell.value() > 0) {
                for (byte b : ((PersistentByteArray) cell.other()).toArray()) {
                    assertEquals((byte) cell.value(), b, where);
                }
            }
        }
    }

    @Test
    void aHeapReopenedBetweenCrashesKeepsItsOrder() {
        // Torn records of one life must not become valid in the next. Random life numbers distinguish them.
        Disk disk = new Disk();
        Heap.open(disk.path("test.heap"), OPTIONS).close();
        Random random = new Random(SEED);
        long before = 0;
        long after = 0;
        for (int life = 0; life < 60; life++) {
            String where = "seed " + SEED + ", life " + life;
            Heap heap = Heap.open(disk.path("test.heap"), Internals.withoutBackground(OPTIONS).durability(Durability.PROCESS));
            Cell cell = heap.root("cell", Cell.class, () -> new Cell(heap, 0, null));
            assertTrue(cell.value() >= before && cell.value() <= after, where + ": " + cell.value());
            assertEquals(List.of(), heap.check(), where);
            // An opening makes a checkpoint, so the found state is durable. A first root that was just created may be lost.
            before = cell.value();
            for (int i = random.nextInt(6); i >= 0; i--) {
                heap.atomic(() -> cell.value(cell.value() + 1));
            }
            after = cell.value();
            Disk left = chosen(disk, random);
            heap.close();
            disk.dispose();
            disk = left;
        }
        disk.dispose();
    }

    private static Disk chosen(Disk disk, Random random) {
        Disk[] chosen = new Disk[1];
        new CrashStates(disk).forEach(1 + random.nextInt(20), random, crashed -> {
            if (chosen[0] != null) {
                chosen[0].dispose();
            }
            chosen[0] = crashed.copy();
        });
        return chosen[0];
    }
}
