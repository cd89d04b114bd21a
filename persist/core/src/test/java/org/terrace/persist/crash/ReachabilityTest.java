// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.crash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.terrace.persist.Cell;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.Internals;
import org.terrace.persist.crash.Ways.Way;
import org.terrace.persist.medium.CrashStates;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.types.PersistentByteArray;
import org.terrace.persist.types.PersistentHashMap;
import org.terrace.persist.types.PersistentList;

/**
 * Tests that every object referenced by a root or a valid object is valid. After a crash, it must exist with all acknowledged
 * changes, no matter how it was created and stored. {@code -Dpersist.ways=N} sets the number of tested combinations, out of about
 * 8,000. The seed selects them.
 */
class ReachabilityTest {
    private static final HeapOptions OPTIONS = Internals.withoutBackground(
            HeapOptions.defaults().maxSize(1 << 20).logSize(64 << 10).threads(1));
    private static final String HEAP = "test.heap";
    private static final int WAYS = Integer.getInteger("persist.ways", 300);
    private static final long SEED = Long.getLong("persist.seed", 20211026);

    private static List<Way> ways() {
        return Way.chosen(WAYS, SEED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SYNC", "PROCESS", "SYNC, lines"})
    void whatIsStoredInAnyWaySurvivesACrash(String level) {
        Disk prepared = level.endsWith("lines") ? Disk.ofLines() : new Disk();
        HeapOptions options = OPTIONS.durability(level.startsWith("SYNC") ? Durability.SYNC : Durability.PROCESS);
        Heap.open(prepared.path(HEAP), options).close();
        int states = 0;
        for (Way way : ways()) {
            Disk disk = prepared.copy();
            try {
                states += crashAfter(way, disk, options, level);
            } catch (RuntimeException | Error e) {
                throw new AssertionError(level + ", " + way + ": " + e, e);
            } finally {
                disk.dispose();
            }
        }
        prepared.dispose();
        System.out.println("crash states opened, ways to store, " + level + ": " + states);
    }

    private static int crashAfter(Way way, Disk disk, HeapOptions options, String level) {
        Disk stored;
        Disk changed;
        String[] shown = new String[2];
        try (Heap heap = Heap.open(disk.path(HEAP), options)) {
            way.prepare(heap, "w");
            way.make(heap, "w");
            heap.psync();
            shown[0] = way.show(heap, "w");
            stored = disk.copy();
            way.change(heap, "w", 1);
            way.change(heap, "w", 2);
            shown[1] = way.show(heap, "w");
            changed = disk.copy();
            assertEquals(List.of(), heap.check());
            heap.collect();
            assertEquals(shown[1], way.show(heap, "w"), "after a collection");
        }
        return reopen(way, stored, shown[0], options, level) + reopen(way, changed, shown[1], options, level);
    }

    /** Checks the state after a crash of the process, and at {@code SYNC} also states after a crash of the machine. */
    private static int reopen(Way way, Disk disk, String shown, HeapOptions options, String level) {
        int[] states = {1};
        if (level.startsWith("SYNC")) {
            new CrashStates(disk).forEach(4, new Random(SEED), crashed -> {
                states[0]++;
                check(way, crashed, shown, options);
            });
        }
        check(way, disk, shown, options);
        disk.dispose();
        return states[0];
    }

    private static void check(Way way, Disk disk, String shown, HeapOptions options) {
        try (Heap heap = Heap.open(disk.path(HEAP), options)) {
            assertEquals(shown, way.show(heap, "w"));
            assertEquals(List.of(), heap.check());
            assertEquals(List.of(), heap.checkCollections());
        }
    }

    /** The heap must contain everything that the store made reachable, or the state before the store. */
    @Test
    void aCrashAtAnyMomentLeavesAllThatAStoreMadeReachableOrNothing() {
        int states = 0;
        List<Way> ways = ways();
        for (int i = 0; i < Math.min(ways.size(), Math.max(4, WAYS / 100)); i++) {
            Way way = ways.get(i);
            states += new CrashScenario(OPTIONS, heap -> way.show(heap, "w")).describe(way.toString()).seed(SEED + i).budget(150)
                    .prepare(heap -> way.prepare(heap, "w"))
                    .then(heap -> {
                        way.make(heap, "w");
                        heap.psync();
                    })
                    .then(heap -> way.change(heap, "w", 1)).run();
        }
        CrashTest.report("stores of references", states);
    }

    /** The program creates the object outside of blocks and changes it until it is stored. */
    @Test
    void whatWasStoredBeforeAnObjectIsReachableIsDurableWithIt() {
        Disk disk = new Disk();
        Disk left;
        try (Heap heap = Heap.open(disk.path(HEAP), OPTIONS)) {
            Cell cell = new Cell(heap, 1, null);
            PersistentList<String> list = new PersistentList<>(heap);
            cell.other(list);
            list.add("in a block");
            cell.value(2);
            heap.checkpoint();
            cell.small(3);
            cell.next(new Cell(heap, 4, null));
            heap.atomic(() -> cell.next().small(6));
            cell.next().value(5);
            cell.flag(true);
            heap.setRoot("cell", cell);
            left = disk.copy();
        }
        try (Heap heap = Heap.open(left.path(HEAP), OPTIONS)) {
            Cell cell = heap.root("cell", Cell.class);
            assertEquals(List.of(2L, 3, true, List.of("in a block"), 5L, 6),
                    List.of(cell.value(), cell.small(), cell.flag(), cell.other(), cell.next().value(),
                            cell.next().small()));
        }
        disk.dispose();
        left.dispose();
    }

    /** An object that was validated by hand must not stop the publication of objects behind it. */
    @Test
    void validationByHandReachesWhatTheObjectRefersTo() {
        Disk disk = new Disk();
        Disk left;
        try (Heap heap = Heap.open(disk.path(HEAP), OPTIONS)) {
            PersistentHashMap<String, Object> map = new PersistentHashMap<>(heap);
            map.pwb();
            map.validate();
            heap.pfence();
            heap.setRoot("map", map);
            map.put("k", "acknowledged");
            left = disk.copy();
        }
        try (Heap heap = Heap.open(left.path(HEAP), OPTIONS)) {
            assertEquals(Map.of("k", "acknowledged"), heap.root("map", PersistentHashMap.class));
            assertEquals(List.of(), heap.check());
        }
        disk.dispose();
        left.dispose();
    }

    @Test
    void aBlockThatIsRolledBackLeavesTheObjectAsItWas() {
        Disk disk = new Disk();
        Disk left;
        try (Heap heap = Heap.open(disk.path(HEAP), OPTIONS)) {
            Cell cell = new Cell(heap, 1, null);
            try {
                heap.atomic(() -> {
                    heap.setRoot("cell", cell);
                    cell.value(2);
                    throw new IllegalStateException();
                });
            } catch (IllegalStateException e) {
                assertEquals(1, cell.value());
            }
            cell.value(3);
            heap.setRoot("cell", cell);
            left = disk.copy();
        }
        try (Heap heap = Heap.open(left.path(HEAP), OPTIONS)) {
            assertEquals(3, heap.root("cell", Cell.class).value());
        }
        disk.dispose();
        left.dispose();
    }

    /** The structure is deeper than any stack, and several times larger than the log. */
    @Test
    void aLargeStructureIsPublishedByOneStore() {
        HeapOptions options = Internals.withoutBackground(HeapOptions.defaults().maxSize(64 << 20).logSize(256 << 10).threads(1));
        Disk disk = new Disk();
        Disk left;
        byte[] bytes = new byte[700_000];
        new Random(7).nextBytes(bytes);
        int length = 20_000;
        try (Heap heap = Heap.open(disk.path(HEAP), options)) {
            Cell first = null;
            for (int i = 0; i < length; i++) {
                first = new Cell(heap, i, first);
            }
            PersistentByteArray array = new PersistentByteArray(heap, bytes.length);
            array.set(0, bytes, 0, bytes.length);
            first.other(array);
            heap.setRoot("first", first);
            left = disk.copy();
            disk.record();
            heap.setRoot("again", first);
            heap.root("first", Cell.class).next(first);
            heap.psync();
            long logged = disk.events().stream().filter(e -> e.bytes() != null).mapToLong(e -> e.bytes().length).sum();
            assertTrue(logged < 1000, "what is valid already was written once more: " + logged + " bytes");
        }
        try (Heap heap = Heap.open(left.path(HEAP), options)) {
            Cell cell = heap.root("first", Cell.class);
            assertArrayEquals(bytes, ((PersistentByteArray) cell.other()).toArray());
            for (int i = length - 1; i >= 0; i--) {
                assertEquals(i, cell.value());
                cell = cell.next();
            }
            assertEquals(List.of(), heap.check());
        }
        disk.dispose();
        left.dispose();
    }
}
