// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.terrace.persist.crash.CrashScenario;
import org.terrace.persist.evolution.Thing;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.types.PersistentByteArray;
import org.terrace.persist.types.PersistentList;

/**
 * Tests explicit persistence: write-backs of single fields, validation, and updates of references. Also tests {@code recover()}
 * after a crash.
 */
class LowLevelTest {
    private static final HeapOptions OPTIONS = CrashScenario.TINY;

    private Disk disk;
    private Heap heap;
    private Pair root;

    @BeforeEach
    void open() {
        disk = new Disk();
        heap = Heap.open(disk.path("test.heap"), OPTIONS);
        root = heap.root("pair", Pair.class, () -> new Pair(heap, 1));
        Pair.RECOVERED.clear();
        Pair.failing = false;
        Pair.failingWithError = false;
    }

    @AfterEach
    void close() {
        heap.close();
        disk.dispose();
    }

    private void crash() {
        crash(OPTIONS);
    }

    /** Simulates a crash, after which only synced data exists, because there was no checkpoint. */
    private void crash(HeapOptions options) {
        Disk left = disk.copy();
        heap.close();
        disk.dispose();
        disk = left;
        heap = Heap.open(disk.path("test.heap"), options);
        root = heap.root("pair", Pair.class);
    }

    @Test
    void whatWasFlushedIsThereAndWhatWasNotIsNot() {
        Pair other = heap.root("other", Pair.class, () -> new Pair(heap, 5));
        root.storeHalf(7);
        root.nextByHand(other);
        crash();
        assertEquals(7, root.value());
        assertNull(root.next());
        root.nextByHand(heap.root("other", Pair.class));
        root.flushNext();
        heap.psync();
        crash();
        assertEquals(5, root.next().value());
    }

    @Test
    void anObjectIsDeadUntilItIsValidated() {
        Pair made = new Pair(heap, 9);
        made.pwb();
        root.nextByHand(made);
        root.pwb();
        heap.psync();
        crash(OPTIONS.clearingLostReferences());
        assertNull(root.next());
        Pair again = new Pair(heap, 10);
        again.pwb();
        again.validate();
        root.nextByHand(again);
        root.pwb();
        heap.psync();
        crash();
        assertEquals(10, root.next().value());
        assertEquals(List.of(), heap.check());
    }

    @Test
    void anUpdatePublishesAWholeObject() {
        root.updateNext(new Pair(heap, 9));
        heap.psync();
        crash();
        assertEquals(9, root.next().value());
        assertEquals(9, root.next().copy());
        root.updateNext(null);
        heap.psync();
        crash();
        assertNull(root.next());
    }

    @Test
    void anUpdatePublishesAnObjectOfManyLines() {
        Cell cell = heap.root("cell", Cell.class, () -> new Cell(heap, 1, null));
        KnownDefectsTest.Wide wide = new KnownDefectsTest.Wide(heap);
        wide.fill();
        long sum = wide.sum();
        cell.updateOther(wide);
        heap.psync();
        crash();
        assertEquals(sum, ((KnownDefectsTest.Wide) heap.root("cell", Cell.class).other()).sum());
    }

    @Test
    void anUpdateFreesTheOldObjectWithIt() {
        root.updateNextAndFree(new Pair(heap, 9));
        Pair first = root.next();
        root.updateNextAndFree(new Pair(heap, 10));
        assertTrue(first.isFreed());
        Pair second = root.next();
        root.updateNextAndFree(second);
        assertFalse(second.isFreed());
        heap.psync();
        crash();
        assertEquals(10, root.next().value());
        root.updateNextAndFree(null);
        heap.psync();
        crash();
        assertNull(root.next());
        assertEquals(0, heap.collect().freed());
    }

    @Test
    void anUpdateInABlockIsPartOfIt() {
        heap.atomic(() -> root.updateNext(new Pair(heap, 9)));
        Pair first = root.next();
        assertThrows(IllegalStateException.class, () -> heap.atomic(() -> {
            root.updateNextAndFree(new Pair(heap, 10));
            assertTrue(first.isFreed());
            throw new IllegalStateException();
        }));
        assertFalse(first.isFreed());
        heap.atomic(() -> root.updateNextAndFree(new Pair(heap, 11)));
        assertTrue(first.isFreed());
        crash();
        assertEquals(11, root.next().value());
    }

    @Test
    void anUpdateFreesACollectionWithItsParts() {
        Cell cell = heap.root("cell", Cell.class, () -> new Cell(heap, 1, null));
        heap.atomic(() -> {
            PersistentList<String> list = new PersistentList<>(heap);
            list.addAll(List.of("a", "b", "c"));
            cell.other(list);
        });
        cell.updateOtherAndFree(new Cell(heap, 2, null));
        heap.psync();
        assertEquals(2, ((Cell) cell.other()).value());
        long live = heap.collect().live();
        cell.updateOtherAndFree(null);
        assertEquals(live - 1, heap.collect().live());
        assertEquals(List.of(), heap.check());
    }

    @Test
    void aProxyComputesTransientFields() {
        assertEquals(2, heap.root("pair", Pair.class).doubled());
        assertEquals(-1, heap.atomic(() -> new Pair(heap, 4)).doubled());
        heap.atomic(() -> root.next(new Pair(heap, 8)));
        assertEquals(16, root.next().doubled());
    }

    @Test
    void everyLiveObjectIsToldOnceOfACrash() {
        heap.atomic(() -> {
            root.next(new Pair(heap, 2));
            root.next().next(new Pair(heap, 3));
            new Pair(heap, 77);
        });
        new Pair(heap, 78);
        root.storeHalf(5);
        crash();
        assertEquals(List.of(2L, 3L, 5L), Pair.RECOVERED.stream().sorted().toList());
        assertEquals(5, root.copy());
        Pair.RECOVERED.clear();
        heap.close();
        heap = Heap.open(disk.path("test.heap"), OPTIONS);
        assertEquals(List.of(), Pair.RECOVERED);
        // Without a collection, recover() is also called for garbage.
        heap.atomic(() -> new Pair(heap, 79));
        crash(OPTIONS.collectAfterCrash(false));
        assertEquals(3, Pair.RECOVERED.size());
    }

    @Test
    void aReadOnlyOpeningTellsNobody() {
        root.storeHalf(5);
        crash(OPTIONS.readOnly());
        assertEquals(List.of(), Pair.RECOVERED);
        assertEquals(1, root.copy());
        heap.close();
        heap = Heap.open(disk.path("test.heap"), OPTIONS);
        assertEquals(List.of(5L), Pair.RECOVERED);
    }

    @Test
    void aRecoveryThatFailsIsDoneAgain() {
        root.storeHalf(5);
        Disk left = disk.copy();
        Pair.failing = true;
        HeapException e = assertThrows(HeapException.class, () -> Heap.open(left.path("test.heap"), OPTIONS));
        assertTrue(e.getMessage().contains("recover() of " + Pair.class.getName()), e.getMessage());
        assertTrue(e.getMessage().contains("not yet"), e.getMessage());
        Pair.failing = false;
        try (Heap again = Heap.open(left.path("test.heap"), OPTIONS)) {
            assertEquals(List.of(5L), Pair.RECOVERED);
            assertEquals(5, again.root("pair", Pair.class).copy());
        }
        left.dispose();
    }

    /** The failed opening must not leave the heap open with locked files. */
    @Test
    void aRecoveryThatFailsWithAnErrorIsDoneAgain() {
        root.storeHalf(5);
        Disk left = disk.copy();
        Pair.failingWithError = true;
        assertThrows(AssertionError.class, () -> Heap.open(left.path("test.heap"), OPTIONS));
        Pair.failingWithError = false;
        try (Heap again = Heap.open(left.path("test.heap"), OPTIONS)) {
            assertEquals(5, again.root("pair", Pair.class).copy());
        }
        left.dispose();
    }

    @Test
    void moreThanTheLogHoldsCanBeFenced() {
        byte[] bytes = new byte[(int) OPTIONS.logSize() * 3 / 2];
        new java.util.Random(7).nextBytes(bytes);
        PersistentByteArray large = new PersistentByteArray(heap, bytes.length);
        large.set(0, bytes, 0, bytes.length);
        large.pwb();
        large.validate();
        heap.psync();
        heap.setRoot("large", large);
        crash();
        byte[] found = new byte[bytes.length];
        heap.root("large", PersistentByteArray.class).get(0, found, 0, found.length);
        assertArrayEquals(bytes, found);
    }

    @Test
    void aCrashIsToldAfterAConversion() {
        Thing.Version first = Thing.define(b -> b.field("x", FieldType.INT));
        heap.atomic(() -> heap.setRoot("thing", first.create(heap)));
        root.storeHalf(5);
        Thing.define(b -> b.field("more", FieldType.LONG).field("x", FieldType.INT).field("most", FieldType.LONG));
        crash();
        assertEquals(List.of(5L), Pair.RECOVERED);
        assertEquals(5, root.copy());
    }

    @Test
    void recoveryRestoresAnInvariantAfterACrashAtEveryMoment() {
        CrashScenario scenario = new CrashScenario(OPTIONS, h -> {
            Pair pair = h.root("pair", Pair.class);
            assertEquals(pair.value(), pair.copy());
            return pair.value() + " " + (pair.next() == null ? "" : pair.next().value() + "/" + pair.next().copy());
        });
        scenario.describe("recovery").prepare(h -> h.root("pair", Pair.class, () -> new Pair(h, 0)));
        for (int i = 1; i <= 3; i++) {
            int number = i;
            scenario.then(h -> h.root("pair", Pair.class).store(number));
            scenario.then(h -> {
                h.root("pair", Pair.class).updateNextAndFree(new Pair(h, number));
                h.psync();
            });
        }
        int states = scenario.run();
        assertTrue(states > 100);
        System.out.println("crash states opened, recovery: " + states);
    }
}
