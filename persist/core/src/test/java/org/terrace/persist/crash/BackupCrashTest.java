// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.crash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.terrace.persist.Cell;
import org.terrace.persist.DiskSetUp;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.heap.files.HeapCopy;
import org.terrace.persist.heap.files.HeapImage;
import org.terrace.persist.medium.CrashStates;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.medium.Medium;
import org.terrace.persist.medium.Site;

/**
 * Crashes the machine or the program at every moment of a backup and of a restore. The copy must be complete or missing, its source
 * must survive, and the replaced heap must be the old or the new one.
 */
class BackupCrashTest extends DiskSetUp {
    private static final HeapOptions TINY = CrashScenario.TINY;
    private static final String SOURCE = "source.heap";
    private static final String COPY = "copy.heap";
    /** The sum of the two cells of each heap, which transfers do not change. */
    private static final long SUM = 1000;

    private Site deleted;
    private int states;

    private static void create(Heap heap, long value) {
        heap.atomic(() -> {
            heap.setRoot("a", new Cell(heap, (int) value, null));
            heap.setRoot("b", new Cell(heap, (int) (SUM - value), null));
        });
    }

    private static void transfer(Heap heap) {
        heap.atomic(() -> {
            Cell a = heap.root("a", Cell.class);
            a.value(a.value() + 1);
            a.next(new Cell(heap, 0, a.next()));
            Cell b = heap.root("b", Cell.class);
            b.value(b.value() - 1);
        });
    }

    /** Opens a heap, which must be intact, and makes a transfer. Returns the previous value of the first cell. */
    private static long open(Disk disk, String file, String where) {
        try (Heap heap = Heap.open(disk.path(file), TINY)) {
            assertEquals(List.of(), heap.check(), where);
            long a = heap.root("a", Cell.class).value();
            assertEquals(SUM, a + heap.root("b", Cell.class).value(), where);
            transfer(heap);
            return a;
        } catch (HeapException e) {
            throw new AssertionError(where + ": " + e.getMessage(), e);
        }
    }

    private static boolean exists(Disk disk, String file) {
        return Medium.MEDIUM.exists(disk.path(file));
    }

    private interface Oracle {
        void check(Disk crashed, boolean acknowledged, long begun, String where);
    }

    /** A note of the test in the recording. */
    private static final String ACKNOWLEDGED = "acknowledged";

    /** Runs an action, then checks the states that crashes of the machine and of the program could leave at each moment of it. */
    private void crashEverywhere(Runnable action, Oracle oracle) {
        Disk replay = disk.copy();
        if (deleted != null) {
            disk.delete(deleted);
        }
        disk.record();
        action.run();
        disk.note(ACKNOWLEDGED);
        boolean acknowledged = false;
        long begun = 0;
        Set<Long> seen = new HashSet<>();
        for (Disk.Event event : disk.events()) {
            replay.apply(event);
            acknowledged |= ACKNOWLEDGED.equals(event.note());
            begun = event.note() instanceof Long transfer ? transfer : begun;
            boolean isAcknowledged = acknowledged;
            long hasBegun = begun;
            String where = "after " + event;
            Consumer<Disk> check = crashed -> {
                if (seen.add(hash(crashed, isAcknowledged, hasBegun))) {
                    states++;
                    oracle.check(crashed, isAcknowledged, hasBegun, where);
                }
            };
            new CrashStates(replay).forEach(30, new Random(7), check);
            Disk killed = replay.copy();
            check.accept(killed);
            killed.dispose();
        }
        replay.dispose();
    }

    private static long hash(Disk disk, boolean acknowledged, long begun) {
        long hash = Boolean.hashCode(acknowledged) + 31 * Long.hashCode(begun);
        for (String file : List.of(SOURCE, SOURCE + ".log", COPY, COPY + ".log", COPY + ".new")) {
            hash = 31 * hash + (exists(disk, file) ? disk.hashOf(file) : 0);
        }
        return hash;
    }

    /** Makes transfers between the pages that a backup copies. */
    private void backUpInUse(Durability durability) {
        try (Heap heap = Heap.open(disk.path(SOURCE), TINY.durability(durability))) {
            create(heap, 0);
            for (int i = 0; i < 3; i++) {
                transfer(heap);
            }
            heap.checkpoint();
            long[] transfers = {3};
            disk.at(Site.CONVERT_PAGE, () -> {
                disk.note(transfers[0] + 1);
                transfer(heap);
                transfers[0]++;
            });
            crashEverywhere(() -> heap.backup(disk.path(COPY)), (crashed, acknowledged, begun, where) -> {
                // Checked before the copy is opened, because an opening makes its name durable.
                assertTrue(!acknowledged || crashed.isNameDurable(COPY), where + ": the copy's name can be lost");
                long copied = exists(crashed, COPY) ? open(crashed, COPY, where) : -1;
                assertTrue(copied >= 0 || !acknowledged, where + ": the copy was acknowledged, and is not there");
                assertTrue(copied < 0 || copied >= 3 && copied <= transfers[0], where + ": " + copied + " transfers are copied");
                long source = open(crashed, SOURCE, where);
                assertTrue(source >= Math.max(3, copied), where + ": the heap has " + source + ", its copy " + copied);
                assertTrue(source <= Math.max(3, begun), where + ": the heap has " + source + " transfers of " + begun);
                if (copied < 0) {
                    backUpAgain(crashed, where);
                }
            });
            disk.at(Site.CONVERT_PAGE, () -> { });
            assertTrue(transfers[0] > 5, transfers[0] + " transfers");
        }
    }

    /** Checks that leftovers do not prevent the next copy. */
    private static void backUpAgain(Disk crashed, String where) {
        try (Heap heap = Heap.open(crashed.path(SOURCE), TINY)) {
            heap.backup(crashed.path(COPY));
        }
        open(crashed, COPY, where + ", copied again");
    }

    @Test
    void aBackupOfAHeapInUseSurvivesACrashAtEveryMoment() {
        backUpInUse(Durability.SYNC);
        assertTrue(states > 50, states + " states");
        System.out.println("crash states opened, backup: " + states);
    }

    private void writeCopy(String from, String to) {
        try (HeapImage image = HeapImage.openIntact(disk.path(from))) {
            HeapCopy.write(image, disk.path(to));
        }
    }

    /** Copies a heap that was not closed, like the commands backup and restore. */
    private void copyCrashed() {
        try (Heap heap = Heap.open(disk.path(SOURCE), TINY)) {
            create(heap, 0);
            heap.checkpoint();
            transfer(heap);
            Disk killed = disk.copy();
            disk.dispose();
            disk = killed;
        }
        byte[] before = disk.contentOf(SOURCE).clone();
        byte[] logBefore = disk.contentOf(SOURCE + ".log").clone();
        crashEverywhere(() -> writeCopy(SOURCE, COPY), (crashed, acknowledged, begun, where) -> {
            assertArrayEquals(before, crashed.contentOf(SOURCE), where);
            assertArrayEquals(logBefore, crashed.contentOf(SOURCE + ".log"), where);
            boolean there = exists(crashed, COPY);
            assertTrue(there || !acknowledged, where + ": the copy was acknowledged, and is not there");
            assertTrue(!acknowledged || crashed.isNameDurable(COPY), where + ": the copy's name can be lost");
            if (there) {
                assertEquals(1, open(crashed, COPY, where), where);
            }
            assertEquals(1, open(crashed, SOURCE, where), where);
        });
    }

    @Test
    void aCopyOfAClosedHeapSurvivesACrashAtEveryMoment() {
        copyCrashed();
        assertTrue(states > 20, states + " states");
        System.out.println("crash states opened, copy: " + states);
    }

    private void restoreOver() {
        try (Heap heap = Heap.open(disk.path(COPY), TINY)) {
            create(heap, 100);
            heap.backup(disk.path(SOURCE));
            transfer(heap);
        }
        byte[] before = disk.contentOf(SOURCE).clone();
        crashEverywhere(() -> {
            try (HeapImage image = HeapImage.openIntact(disk.path(SOURCE))) {
                HeapCopy.replace(image, disk.path(COPY));
            }
        }, (crashed, acknowledged, begun, where) -> {
            assertArrayEquals(before, crashed.contentOf(SOURCE), where);
            assertTrue(!acknowledged || crashed.isNameDurable(COPY), where + ": the old heap can come back");
            long found = open(crashed, COPY, where);
            assertTrue(found == 100 || found == 101 && !acknowledged, where + ": the heap has " + found);
        });
    }

    @Test
    void aRestoreOverAHeapSurvivesACrashAtEveryMoment() {
        restoreOver();
        assertTrue(states > 20, states + " states");
        System.out.println("crash states opened, restore: " + states);
    }

    /** The sync of the log keeps the heap from being older than its copy. Only a heap that does not sync each commit can show that. */
    @TestFactory
    Stream<DynamicTest> everySiteIsNeeded() {
        List<Site> ofCopies = List.of(Site.CONVERT_PAGE, Site.CONVERT_SYNC, Site.NAME_SYNC);
        return Stream.of(needed("backup", Site.COMMIT_SYNC, () -> backUpInUse(Durability.PROCESS)),
                ofCopies.stream().flatMap(site -> needed("backup", site, () -> backUpInUse(Durability.PROCESS))),
                ofCopies.stream().flatMap(site -> needed("copy", site, this::copyCrashed)),
                ofCopies.stream().flatMap(site -> needed("restore", site, this::restoreOver))).flatMap(tests -> tests);
    }

    private Stream<DynamicTest> needed(String what, Site site, Runnable scenario) {
        return Stream.of(DynamicTest.dynamicTest(site + " of a " + what, () -> failsWithout(site, scenario)));
    }

    private void failsWithout(Site site, Runnable scenario) {
        // Otherwise dynamic tests would share one disk.
        disk.dispose();
        disk = new Disk();
        scenario.run();
        disk.dispose();
        disk = new Disk();
        deleted = site;
        try {
            assertThrows(AssertionError.class, scenario::run);
        } finally {
            deleted = null;
        }
    }
}
