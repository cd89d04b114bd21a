// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.types.PersistentByteArray;

/** Tests a heap in a real file: roots, blocks, reopening, locking. */
class HeapTest {
    private static final HeapOptions SMALL = HeapOptions.defaults().maxSize(16 << 20).logSize(256 << 10);

    @TempDir
    Path directory;
    private Path file;

    @BeforeEach
    void nameFile() {
        file = directory.resolve("test.heap");
    }

    @Test
    void whatARootReachesIsThereAfterReopening() {
        try (Heap heap = Heap.open(file, SMALL)) {
            heap.atomic(() -> heap.setRoot("list", new Cell(heap, 1, new Cell(heap, 2, null))));
            assertEquals(List.of(), heap.check());
        }
        try (Heap heap = Heap.open(file, SMALL)) {
            Cell first = heap.root("list", Cell.class);
            assertEquals(1, first.value());
            assertEquals(2, first.next().value());
            assertNull(first.next().next());
            assertNull(heap.root("other", Cell.class));
            assertEquals(List.of(), heap.check());
        }
    }

    @Test
    void anAbortedBlockChangesNothing() {
        try (Heap heap = Heap.open(file, SMALL)) {
            Cell cell = heap.root("cell", Cell.class, () -> new Cell(heap, 1, null));
            assertThrows(ArithmeticException.class, () -> heap.atomic(() -> {
                cell.value(2);
                heap.setRoot("more", new Cell(heap, 3, null));
                assertEquals(2, cell.value());
                throw new ArithmeticException();
            }));
            assertEquals(1, cell.value());
            assertNull(heap.root("more", Cell.class));
            heap.atomic(() -> cell.value(4));
            assertEquals(4, cell.value());
        }
    }

    @Test
    void aBlockInsideAnotherIsPartOfIt() {
        try (Heap heap = Heap.open(file, SMALL)) {
            Cell cell = heap.root("cell", Cell.class, () -> new Cell(heap, 1, null));
            heap.atomic(() -> {
                cell.value(2);
                heap.atomic(() -> cell.small(7));
                cell.flag(true);
            });
            assertEquals(2, cell.value());
            assertEquals(7, cell.small());
            assertTrue(cell.flag());
            HeapException e = assertThrows(HeapException.class, () -> heap.atomic(() -> {
                cell.value(3);
                assertThrows(IllegalStateException.class, () -> heap.atomic(() -> {
                    cell.small(8);
                    throw new IllegalStateException("inner");
                }));
            }));
            assertTrue(e.getMessage().contains("inner"), e.getMessage());
            assertEquals(2, cell.value());
            heap.atomic(() -> {
                cell.value(3);
                assertThrows(IllegalStateException.class, () -> heap.atomic(() -> {
                    throw new IllegalStateException("before any change");
                }));
            });
            assertEquals(3, cell.value());
        }
    }

    @Test
    void aFreedObjectThrowsInEveryProxy() {
        try (Heap heap = Heap.open(file, SMALL)) {
            Cell cell = heap.root("cell", Cell.class, () -> new Cell(heap, 1, null));
            Cell again = heap.root("cell", Cell.class);
            assertEquals(cell, again);
            heap.atomic(() -> {
                heap.setRoot("cell", null);
                heap.free(cell);
                assertThrows(FreedObjectException.class, cell::value);
            });
            assertThrows(FreedObjectException.class, again::value);
            assertThrows(FreedObjectException.class, () -> heap.atomic(() -> heap.free(again)));
            Cell reused = heap.atomic(() -> new Cell(heap, 5, null));
            assertNotEquals(again, reused);
            assertThrows(FreedObjectException.class, again::value);
        }
    }

    @Test
    void aSecondHeapOnTheFileIsRefused() {
        try (Heap heap = Heap.open(file, SMALL)) {
            HeapException e = assertThrows(HeapException.class, () -> Heap.open(file, SMALL));
            assertTrue(e.getMessage().contains("test.heap") && e.getMessage().contains("close"), e.getMessage());
            assertFalse(heap.check().size() > 0);
        }
    }

    @Test
    void aRootOfAnotherClassIsRefused() {
        try (Heap heap = Heap.open(file, SMALL)) {
            heap.root("cell", Cell.class, () -> new Cell(heap, 1, null));
            HeapException e = assertThrows(HeapException.class, () -> heap.root("cell", OpaqueObject.class));
            assertTrue(e.getMessage().contains("Cell"), e.getMessage());
        }
    }

    @Test
    void aClosedHeapThrowsInsteadOfEndingTheVm() {
        Heap heap = Heap.open(file, SMALL);
        Cell cell = heap.root("cell", Cell.class, () -> new Cell(heap, 1, null));
        heap.close();
        heap.close();
        HeapException e = assertThrows(HeapException.class, cell::value);
        assertTrue(e.getMessage().contains("closed"), e.getMessage());
        assertThrows(HeapException.class, () -> heap.atomic(() -> { }));
    }

    @Test
    void theHeapGrowsAndACheckpointKeepsIt() {
        try (Heap heap = Heap.open(file, SMALL.durability(Durability.PROCESS))) {
            for (int i = 0; i < 300; i++) {
                int n = i;
                heap.atomic(() -> {
                    Cell list = heap.root("list", Cell.class);
                    for (int k = 0; k < 100; k++) {
                        list = new Cell(heap, 100 * n + k, list);
                    }
                    heap.setRoot("list", list);
                });
            }
            heap.checkpoint();
            assertEquals(30000, sumOfOnes(heap));
        }
        try (Heap heap = Heap.open(file, SMALL)) {
            assertEquals(30000, sumOfOnes(heap));
            assertEquals(List.of(), heap.check());
        }
    }

    @Test
    void arraysLargerThanTheMappedFileFit() {
        byte[] bytes = new byte[3_000_000];
        new java.util.Random(1).nextBytes(bytes);
        HeapOptions large = HeapOptions.defaults().maxSize(64 << 20).logSize(16 << 20).durability(Durability.PROCESS);
        try (Heap heap = Heap.open(file, large)) {
            Cell cell = heap.root("cell", Cell.class, () -> new Cell(heap, 1, null));
            for (int i = 0; i < 12; i++) {
                heap.atomic(() -> cell.next(new Cell(heap, 1, cell.next())));
                heap.atomic(() -> cell.next().other(new PersistentByteArray(heap, bytes)));
            }
            assertEquals(List.of(), heap.check());
        }
        try (Heap heap = Heap.open(file, large)) {
            int count = 0;
            for (Cell c = heap.root("cell", Cell.class).next(); c != null; c = c.next()) {
                assertArrayEquals(bytes, ((PersistentByteArray) c.other()).toArray());
                count++;
            }
            assertEquals(12, count);
        }
    }

    private static int sumOfOnes(Heap heap) {
        int count = 0;
        for (Cell cell = heap.root("list", Cell.class); cell != null; cell = cell.next()) {
            assertEquals(29999 - count, cell.value());
            count++;
        }
        return count;
    }

    @Test
    void aFullHeapThrowsAndStaysUsable() {
        HeapOptions tiny = HeapOptions.defaults().maxSize(64 << 10).logSize(64 << 10).durability(Durability.PROCESS);
        try (Heap heap = Heap.open(file, tiny)) {
            Cell root = heap.root("list", Cell.class, () -> new Cell(heap, 0, null));
            HeapFullException e = assertThrows(HeapFullException.class, () -> {
                while (true) {
                    heap.atomic(() -> root.next(new Cell(heap, 1, root.next())));
                }
            });
            assertTrue(e.getMessage().contains("maxSize"), e.getMessage());
            assertEquals(List.of(), heap.check());
            heap.atomic(() -> {
                Cell gone = root.next();
                root.next(gone.next());
                heap.free(gone);
            });
            heap.atomic(() -> root.next(new Cell(heap, 2, root.next())));
            assertEquals(2, root.next().value());
        }
    }

    @Test
    void aCollectionFreesWhatNoRootReaches() {
        try (Heap heap = Heap.open(file, SMALL)) {
            Cell kept = heap.root("kept", Cell.class, () -> new Cell(heap, 1, null));
            Cell lost = heap.atomic(() -> new Cell(heap, 2, kept));
            assertEquals(1, heap.collect().freed());
            assertThrows(FreedObjectException.class, lost::value);
            assertEquals(1, kept.value());
            assertEquals(0, heap.collect().freed());
            assertEquals(List.of(), heap.check());
        }
    }

    @Test
    void openingAndClosingOftenTakesNoMoreRoom() {
        for (int i = 0; i < 20; i++) {
            try (Heap heap = Heap.open(file, HeapOptions.defaults().maxSize(64 << 10).logSize(64 << 10))) {
                Cell cell = heap.root("cell", Cell.class, () -> new Cell(heap, 0, null));
                heap.atomic(() -> cell.next(new Cell(heap, 1, cell.next())));
                heap.atomic(() -> cell.other(new PersistentByteArray(heap, 100)));
                assertEquals(List.of(), heap.check());
            }
        }
        try (Heap heap = Heap.open(file, SMALL)) {
            int length = 0;
            for (Cell c = heap.root("cell", Cell.class).next(); c != null; c = c.next()) {
                length++;
            }
            assertEquals(20, length);
        }
    }

    @Test
    void whatExcludesBlocksIsRefusedInsideThem() {
        try (Heap heap = Heap.open(file, SMALL)) {
            for (Runnable action : List.<Runnable>of(heap::check, heap::collect, heap::pfence, heap::close)) {
                assertThrows(IllegalStateException.class, () -> heap.atomic(Isolation.CALLER, () -> {
                    action.run();
                    return null;
                }));
                assertThrows(IllegalStateException.class, () -> heap.read(() -> {
                    action.run();
                    return null;
                }));
            }
            assertThrows(IllegalStateException.class, () -> heap.read(() -> {
                heap.setRoot("cell", null);
                return null;
            }));
        }
    }

    @Test
    void aReadOnlyHeapReadsAndRefusesBlocks() {
        try (Heap heap = Heap.open(file, SMALL)) {
            heap.root("cell", Cell.class, () -> new Cell(heap, 9, null));
        }
        try (Heap heap = Heap.open(file, SMALL.readOnly()); Heap second = Heap.open(file, SMALL.readOnly())) {
            assertEquals(9, heap.root("cell", Cell.class).value());
            assertEquals(9, second.root("cell", Cell.class).value());
            HeapException e = assertThrows(HeapException.class, () -> heap.setRoot("cell", null));
            assertTrue(e.getMessage().contains("read-only"), e.getMessage());
        }
    }
}
