// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.terrace.persist.crash.CrashScenario;
import org.terrace.persist.crash.CrashTest;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.medium.Site;
import org.terrace.persist.types.PersistentByteArray;
import org.terrace.persist.types.PersistentHashMap;

/** Tests for the defects that were found in the published code of J-NVM. Each test is named after the defect. */
class KnownDefectsTest {
    private static final HeapOptions OPTIONS = HeapOptions.defaults().maxSize(16 << 20).logSize(4 << 20).threads(2);

    private Disk disk;
    private Heap heap;

    @BeforeEach
    void open() {
        disk = new Disk();
        heap = Heap.open(disk.path("test.heap"), OPTIONS);
    }

    @AfterEach
    void close() {
        heap.close();
        disk.dispose();
    }

    private void reopen() {
        heap.close();
        heap = Heap.open(disk.path("test.heap"), OPTIONS);
    }

    /** Simulates a kill of the process. */
    private void killAndReopen() {
        Disk left = disk.copy();
        heap.close();
        disk.dispose();
        disk = left;
        heap = Heap.open(disk.path("test.heap"), OPTIONS);
    }

    @SuppressWarnings("unchecked")
    private PersistentHashMap<String, Integer> map() {
        return heap.root("map", PersistentHashMap.class, () -> new PersistentHashMap<>(heap));
    }

    private Cell cell() {
        return heap.root("cell", Cell.class, () -> new Cell(heap, 0, null));
    }

    @Test
    void defect01TailEntriesVanishWhenTheSizeIsNotAMultipleOfTen() {
        for (int size = 1; size <= 33; size++) {
            map().put("key " + size, size);
            reopen();
            assertEquals(size, map().size());
            for (int i = 1; i <= size; i++) {
                assertEquals(i, map().get("key " + i));
            }
        }
    }

    @Test
    void defect02TheFirstRemovalAfterReopeningOverwritesTheLength() {
        for (int i = 0; i < 25; i++) {
            map().put("key " + i, i);
        }
        reopen();
        assertEquals(7, map().remove("key 7"));
        assertEquals(24, map().size());
        reopen();
        assertEquals(24, map().size());
        assertEquals(24, map().entrySet().stream().count());
    }

    @Test
    void defect03WhatTheLogUsesIsHandedOutAgainAfterRecovery() {
        cell();
        killAndReopen();
        for (int i = 0; i < 2000; i++) {
            heap.atomic(() -> cell().next(new Cell(heap, 5, cell().next())));
        }
        killAndReopen();
        int length = 0;
        for (Cell c = cell().next(); c != null; c = c.next()) {
            assertEquals(5, c.value());
            length++;
        }
        assertEquals(2000, length);
        assertEquals(List.of(), heap.check());
    }

    @Test
    void defect04AKillInsideTheFirstBlockReplaysAnUncommittedWrite() {
        cell();
        reopen();
        Disk[] left = new Disk[1];
        heap.atomic(() -> {
            cell().value(99);
            left[0] = disk.copy();
        });
        try (Heap killed = Heap.open(left[0].path("test.heap"), OPTIONS)) {
            assertEquals(0, killed.root("cell", Cell.class).value());
        }
        left[0].dispose();
    }

    @Test
    void defect05NothingOrdersTheCommitBeforeItsChanges() {
        // A checkpoint must sync the log before it writes to the heap file. MutationTest removes that sync.
        assertThrows(AssertionError.class, () -> CrashTest.scenario(CrashScenario.TINY.durability(Durability.PROCESS),
                List.of("push a", "add to a and b", "checkpoint", "push b")).losingAcknowledged()
                        .delete(Site.CHECKPOINT_LOG_SYNC).run());
    }

    @Test
    void defect06BlocksInsideBlocksLoseWrites() {
        heap.atomic(() -> {
            cell().value(1);
            heap.atomic(() -> cell().small(2));
            heap.atomic(() -> {
                cell().flag(true);
                heap.atomic(() -> cell().next(new Cell(heap, 3, null)));
            });
        });
        killAndReopen();
        assertEquals(1, cell().value());
        assertEquals(2, cell().small());
        assertTrue(cell().flag());
        assertEquals(3, cell().next().value());
    }

    @Test
    void defect07AnExceptionLeavesRecordingOn() {
        cell();
        assertThrows(IllegalStateException.class, () -> heap.atomic(() -> {
            cell().value(1);
            throw new IllegalStateException();
        }));
        assertTrue(!heap.isInBlock());
        heap.atomic(() -> cell().small(2));
        killAndReopen();
        assertEquals(0, cell().value());
        assertEquals(2, cell().small());
    }

    @Test
    void defect08TwoProxiesOfOneObjectLoseAnUpdate() {
        Cell one = cell();
        Cell other = heap.root("cell", Cell.class);
        heap.atomic(() -> {
            one.value(one.value() + 1);
            other.value(other.value() + 1);
            assertEquals(2, one.value());
        });
        killAndReopen();
        assertEquals(2, cell().value());
    }

    @Test
    void defect09ConcurrentBlocksEndTheVm() throws InterruptedException {
        map();
        inThreads(4, t -> {
            for (int i = 0; i < 100; i++) {
                map().put(t + " " + i, i);
                if (i % 3 == 0) {
                    map().remove(t + " " + i / 2);
                }
            }
        });
        Map<String, Integer> expected = new HashMap<>();
        for (int t = 0; t < 4; t++) {
            for (int i = 0; i < 100; i++) {
                expected.put(t + " " + i, i);
                if (i % 3 == 0) {
                    expected.remove(t + " " + i / 2);
                }
            }
        }
        assertEquals(expected, map());
        killAndReopen();
        assertEquals(expected, map());
        assertEquals(List.of(), heap.check());
    }

    private static void inThreads(int count, Consumer<Integer> body) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        List<Throwable> failures = java.util.Collections.synchronizedList(new ArrayList<>());
        for (int t = 0; t < count; t++) {
            int number = t;
            Thread thread = new Thread(() -> body.accept(number));
            thread.setUncaughtExceptionHandler((which, failure) -> failures.add(failure));
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(List.of(), failures);
    }

    @Test
    void defect10ALogOfOneHundredEntriesOverflows() {
        heap.atomic(() -> {
            for (int i = 0; i < 5000; i++) {
                cell().next(new Cell(heap, i, cell().next()));
            }
        });
        killAndReopen();
        assertEquals(4999, cell().next().value());
        assertEquals(List.of(), heap.check());
    }

    @Test
    void defect11MapsNeverGrow() {
        heap.atomic(() -> {
            for (int i = 0; i < 5000; i++) {
                map().put("key " + i, i);
            }
        });
        reopen();
        assertEquals(5000, map().size());
        for (int i = 0; i < 5000; i++) {
            assertEquals(i, map().get("key " + i));
        }
    }

    @Test
    void defect12AHeapWhoseTopWasNotWrittenIsFormattedSilently() {
        // The file grows, then a crash loses its new length, because EXTEND is never synced by itself.
        CrashScenario scenario = new CrashScenario(OPTIONS.maxSize(4 << 20).withoutBackground().threads(1),
                CrashTest::dump).budget(24);
        scenario.prepare(h -> h.setRoot("a", h.atomic(() -> new Cell(h, 1, null))));
        for (int i = 0; i < 2; i++) {
            scenario.then(h -> h.atomic(() -> {
                Cell a = h.root("a", Cell.class);
                a.next(new Cell(h, 2, a.next()));
                a.next().other(new PersistentByteArray(h, 700_000));
            }));
        }
        assertTrue(scenario.run() > 0);
    }

    @Test
    void defect13OneMissingClassMakesTheHeapUnopenable() {
        heap.atomic(() -> {
            heap.setRoot("cell", new Cell(heap, 1, new Cell(heap, 2, null)));
            heap.setRoot("kept", new Cell(heap, 3, null));
        });
        heap.close();
        String name = Cell.class.getName();
        disk.renameClass("test.heap", name, name.replace("Cell", "Gone"));
        heap = Heap.open(disk.path("test.heap"), OPTIONS);
        assertEquals(List.of(), heap.check());
        List<String> told = new ArrayList<>();
        OpaqueObject opaque = LoggedWarnings.during(told, () -> heap.root("cell", OpaqueObject.class));
        LoggedWarnings.during(told, () -> heap.root("cell", OpaqueObject.class));
        assertEquals(1, told.size(), told::toString);
        assertTrue(told.get(0).contains(name.replace("Cell", "Gone")) && told.get(0).contains("formerly("), told.get(0));
        assertTrue(opaque.toString().contains(name.replace("Cell", "Gone")), opaque::toString);
        assertEquals(name.replace("Cell", "Gone"), opaque.className());
        HeapException e = assertThrows(HeapException.class, () -> heap.root("cell", Cell.class));
        assertTrue(e.getMessage().contains("Gone"), e.getMessage());
        heap.collect();
        heap.atomic(() -> {
            heap.free(opaque);
            heap.setRoot("cell", null);
        });
        reopen();
        assertNull(heap.root("cell", OpaqueObject.class));
        assertNotNull(heap.root("kept", OpaqueObject.class));
    }

    @Test
    void defect14RecursiveRecoveryOverflowsTheStackOnALongList() {
        for (int i = 0; i < 10; i++) {
            heap.atomic(() -> {
                for (int k = 0; k < 10_000; k++) {
                    cell().next(new Cell(heap, k, cell().next()));
                }
            });
        }
        killAndReopen();
        assertEquals(List.of(), heap.check());
        int length = 0;
        for (Cell c = cell().next(); c != null; c = c.next()) {
            length++;
        }
        assertEquals(100_000, length);
    }

    @Test
    void defect15SelfReferencesBooleansAndObjectsOverOneBlockFail() {
        heap.atomic(() -> {
            Cell cell = cell();
            cell.next(cell);
            cell.flag(true);
            cell.other(new Wide(heap));
        });
        killAndReopen();
        assertEquals(cell(), cell().next());
        assertTrue(cell().flag());
        Wide wide = (Wide) cell().other();
        heap.atomic(wide::fill);
        killAndReopen();
        assertEquals(Wide.FIELDS * (Wide.FIELDS - 1L) / 2, ((Wide) cell().other()).sum());
    }

    /** A class larger than one block, whose constructor has no parameters of its own. */
    static final class Wide extends PersistentObject {
        static final int FIELDS = 50;
        static final PersistentClass<Wide> CLASS;

        static {
            PersistentClass.Builder<Wide> builder = PersistentClass.of(Wide.class, Wide::new);
            for (int i = 0; i < FIELDS; i++) {
                builder.field("f" + i, FieldType.LONG);
            }
            CLASS = builder.build();
        }

        Wide(Heap heap) {
            super(CLASS, heap);
        }

        private Wide(Heap heap, long offset) {
            super(heap, offset);
        }

        void fill() {
            for (int i = 0; i < FIELDS; i++) {
                setLong(CLASS.offset("f" + i), i);
            }
        }

        long sum() {
            long sum = 0;
            for (int i = 0; i < FIELDS; i++) {
                sum += getLong(CLASS.offset("f" + i));
            }
            return sum;
        }
    }

    @Test
    void defect16NullReferencesThrow() {
        heap.atomic(() -> cell().next(new Cell(heap, 1, null)));
        heap.atomic(() -> cell().next(null));
        assertNull(cell().next());
        map().put("null", null);
        assertTrue(map().containsKey("null"));
        assertNull(map().get("null"));
    }

    @Test
    void defect17AMapsPutFlushesNothing() {
        map();
        disk.record();
        map().put("key", 1);
        assertEquals(1, disk.events().stream().filter(event -> event.site() == Site.COMMIT_SYNC).count());
    }

    @Test
    void defect18TheFileIsNeverSyncedAndErrorsEndTheProcess() {
        cell();
        disk.failAt(Site.COMMIT_SYNC);
        Cell cell = cell();
        assertThrows(HeapException.class, () -> heap.atomic(() -> cell.value(1)));
        assertEquals(List.of(), heap.check());
        assertThrows(HeapException.class, heap::close);
        killAndReopen();
        assertEquals(List.of(), heap.check());
    }

    @Test
    void defect19LookUpByStringsNeverMatchesAfterARestart() {
        map().put("é", 1);
        map().put("日本", 2);
        map().put("", 3);
        killAndReopen();
        assertEquals(1, map().get("é"));
        assertEquals(2, map().get("日本"));
        assertEquals(3, map().get(""));
        assertNull(map().get("e"));
    }

    @Test
    void defect20HalfOfTheMapInterfaceIsMissing() {
        map().putAll(Map.of("a", 1, "b", 2));
        assertEquals(3, map().merge("a", 2, Integer::sum));
        assertEquals(5, map().computeIfAbsent("c", key -> 5));
        assertTrue(map().values().remove(2));
        assertEquals(new TreeMap<>(Map.of("a", 3, "c", 5)), new TreeMap<>(map()));
    }

    @Test
    void defect21AFullHeapEndsTheVm() {
        heap.close();
        disk.dispose();
        disk = new Disk();
        heap = Heap.open(disk.path("test.heap"), OPTIONS.maxSize(256 << 10));
        assertThrows(HeapFullException.class, () -> {
            for (int i = 0;; i++) {
                map().put("key " + i, i);
            }
        });
        int size = map().size();
        assertEquals(size, map().entrySet().stream().count());
        map().clear();
        map().put("again", 1);
        assertEquals(List.of(), heap.check());
    }

    @Test
    void defect22AFreedProxyReadsAWildAddress() {
        Cell cell = heap.atomic(() -> new Cell(heap, 1, null));
        heap.atomic(() -> heap.free(cell));
        assertThrows(FreedObjectException.class, cell::value);
        assertThrows(FreedObjectException.class, () -> heap.atomic(() -> cell.value(2)));
        assertThrows(FreedObjectException.class, () -> heap.atomic(() -> cell().next(cell)));
    }
}
