// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.terrace.persist.Cell;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapBytes;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.medium.CrashStates;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.medium.Site;

/**
 * Tests crashes of the program or the machine at every moment of an opening, in which one life of the heap ends and another begins.
 * No data may be lost, and the log must never be mistaken for the log of another life. An older heap file must be rejected if the
 * log has later records. Until then it must contain all of its data.
 */
class OpeningCrashTest {
    private static final HeapOptions TINY = CrashScenario.TINY;
    private static final String HEAP = "test.heap";
    private static final String LOG = HEAP + ".log";

    private int states;
    private int refused;
    private String moment = "";

    /** The state in which the opening finds the heap. */
    private enum Found {
        CLOSED, KILLED, KILLED_WHILE_OPENED, CLOSED_OF_VERSION_BEFORE, KILLED_OF_VERSION_BEFORE;

        boolean isKilled() {
            return this != CLOSED && this != CLOSED_OF_VERSION_BEFORE;
        }
    }

    private static Disk prepare(Disk disk, Found found) {
        try (Heap heap = Heap.open(disk.path(HEAP), TINY)) {
            heap.root("a", Cell.class, () -> new Cell(heap, 0, null));
        }
        Disk killed;
        try (Heap heap = Heap.open(disk.path(HEAP), TINY)) {
            Cell cell = heap.root("a", Cell.class);
            for (int i = 0; i < 5; i++) {
                heap.atomic(() -> cell.value(cell.value() + 1));
            }
            killed = disk.copy();
        }
        Disk wanted = found.isKilled() ? killed : disk;
        (found.isKilled() ? disk : killed).dispose();
        if (found == Found.KILLED_WHILE_OPENED) {
            Disk before = wanted.copy();
            wanted.record();
            Heap.open(wanted.path(HEAP), TINY).close();
            // The log already names the new life, and the superblock does not.
            for (Disk.Event event : wanted.events()) {
                before.apply(event);
                if (event.site() == Site.LIFE) {
                    break;
                }
            }
            wanted.dispose();
            wanted = before;
        }
        if (found == Found.CLOSED_OF_VERSION_BEFORE || found == Found.KILLED_OF_VERSION_BEFORE) {
            HeapBytes.makeVersionBefore(bytes(wanted, HEAP), bytes(wanted, LOG));
        }
        return wanted;
    }

    private static ByteBuffer bytes(Disk disk, String file) {
        return ByteBuffer.wrap(disk.contentOf(file)).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static long open(Disk disk, String where) {
        try (Heap heap = Heap.open(disk.path(HEAP), TINY)) {
            assertEquals(List.of(), heap.check(), where);
            return heap.root("a", Cell.class).value();
        } catch (HeapException e) {
            throw new AssertionError(where + ": " + e.getMessage(), e);
        }
    }

    private void run(Disk disk, Found found, Site deleted) {
        byte[] older = disk.contentOf(HEAP).clone();
        Disk replay = disk.copy();
        if (deleted != null) {
            disk.delete(deleted);
        }
        disk.record();
        try (Heap heap = Heap.open(disk.path(HEAP), TINY)) {
            Cell cell = heap.root("a", Cell.class);
            disk.note("open");
            for (int i = 0; i < 3; i++) {
                heap.atomic(() -> cell.value(cell.value() + 1));
                disk.note(cell.value());
            }
        }
        boolean[] recorded = new boolean[1];
        long[] acknowledged = {5};
        for (Disk.Event event : disk.events()) {
            replay.apply(event);
            recorded[0] |= event.site() == Site.COMMIT;
            acknowledged[0] = event.note() instanceof Long value ? value : acknowledged[0];
            String where = moment + found + ", after " + event;
            Consumer<Disk> check = crashed -> check(crashed, found.isKilled() ? older : null, acknowledged[0], recorded[0], where);
            new CrashStates(replay).forEach(60, new Random(7), check);
            Disk killed = replay.copy();
            check.accept(killed);
            killed.dispose();
        }
        replay.dispose();
        disk.dispose();
    }

    /** @param older the heap file from before the opening, if its log is needed */
    private void check(Disk crashed, byte[] older, long acknowledged, boolean recorded, String where) {
        states++;
        Disk mixed = crashed.copy();
        long value = open(crashed, where);
        assertTrue(value >= acknowledged && value <= 8, where + ": " + value + ", acknowledged " + acknowledged);
        if (older != null) {
            System.arraycopy(older, 0, mixed.contentOf(HEAP), 0, older.length);
            try (Heap heap = Heap.open(mixed.path(HEAP), TINY)) {
                assertEquals(5, heap.root("a", Cell.class).value(), where);
                assertTrue(!recorded, where + ": a heap from before is opened, with a log that has gone on");
            } catch (CorruptHeapException e) {
                assertTrue(e.getMessage().contains("is not the log of its last opening"), e.getMessage());
                refused++;
            }
        }
        mixed.dispose();
    }

    private static Stream<Found> all() {
        return Stream.of(Found.values());
    }

    @TestFactory
    Stream<DynamicTest> everyMomentOfAnOpening() {
        return all().flatMap(found -> Stream.of(false, true).map(onLines -> DynamicTest.dynamicTest(
                found + (onLines ? " on memory that persists" : " on a disk"), () -> {
                    states = 0;
                    refused = 0;
                    run(prepare(onLines ? Disk.ofLines() : new Disk(), found), found, null);
                    assertTrue(states > 50, states + " states");
                    assertEquals(found.isKilled(), refused > 0, refused + " refused");
                    CrashTest.report("opening, " + found + (onLines ? ", lines" : ""), states);
                })));
    }

    /** Kills the program at each moment of an opening, without further syncs. The machine crashes during the next opening. */
    private void runAfterKills(Disk empty, Found found, Site deleted) {
        Disk disk = prepare(empty, found);
        Disk killed = disk.copy();
        if (deleted != null) {
            disk.delete(deleted);
        }
        disk.record();
        Heap.open(disk.path(HEAP), TINY).close();
        for (Disk.Event event : disk.events()) {
            killed.apply(event);
            moment = "killed after " + event + ", then ";
            // Other tests cover heap files from before this opening.
            run(killed.copy(), Found.CLOSED, deleted);
        }
        killed.dispose();
        disk.dispose();
    }

    @TestFactory
    Stream<DynamicTest> everyMomentAfterAKillAtEveryMoment() {
        return all().flatMap(found -> Stream.of(false, true).map(onLines -> DynamicTest.dynamicTest(
                found + (onLines ? " on memory that persists" : " on a disk"), () -> {
                    states = 0;
                    runAfterKills(onLines ? Disk.ofLines() : new Disk(), found, null);
                    CrashTest.report("opening after a kill, " + found + (onLines ? ", lines" : ""), states);
                })));
    }

    @TestFactory
    Stream<DynamicTest> everySiteIsNeeded() {
        Stream<DynamicTest> ofOne = all().flatMap(found -> Stream.of(Site.LIFE, Site.LIFE_SYNC).map(site -> needed(site, found,
                () -> run(prepare(new Disk(), found), found, site))));
        // A crash may restore the superblock of a heap that the previous version closed, which needs no log.
        Stream<Found> recovered = all().filter(found -> found != Found.CLOSED_OF_VERSION_BEFORE);
        return Stream.concat(ofOne, recovered.map(found -> needed(Site.RECOVERY_SYNC, found,
                () -> runAfterKills(new Disk(), found, Site.RECOVERY_SYNC))));
    }

    private static DynamicTest needed(Site site, Found found, Runnable run) {
        return DynamicTest.dynamicTest(site + ", " + found, () -> assertThrows(AssertionError.class, run::run));
    }
}
