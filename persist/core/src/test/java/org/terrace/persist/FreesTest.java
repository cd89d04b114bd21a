// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests two threads that free one object. Exactly one of them must succeed. */
class FreesTest extends DiskSetUp {
    private static final HeapOptions OPTIONS = HeapOptions.defaults().maxSize(4 << 20).logSize(1 << 20).durability(Durability.PROCESS);

    @ParameterizedTest
    @ValueSource(strings = {"by hand", "CALLER", "HEAP", "by hand and CALLER"})
    @Timeout(120)
    void oneOfTwoFrees(String how) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (Heap heap = Heap.open(disk.path("test.heap"), OPTIONS)) {
            CyclicBarrier together = new CyclicBarrier(2);
            for (int round = 0; round < 4000; round++) {
                Cell cell = heap.atomic(() -> new Cell(heap, 1, null));
                Future<Boolean> one = threads.submit(() -> frees(together, cell, way(heap, how.replace("by hand and ", ""))));
                Future<Boolean> other = threads.submit(() -> frees(together, cell, way(heap, how.replace(" and CALLER", ""))));
                assertEquals(1, (one.get() ? 1 : 0) + (other.get() ? 1 : 0), how);
                Set<PersistentObject> made = new HashSet<>();
                heap.atomic(() -> {
                    for (int i = 0; i < 3; i++) {
                        made.add(new Cell(heap, 1, null));
                    }
                });
                assertEquals(3, made.size());
                heap.atomic(() -> made.forEach(heap::free));
            }
            assertEquals(List.of(), heap.check());
        } finally {
            threads.shutdownNow();
        }
    }

    private static Consumer<Cell> way(Heap heap, String how) {
        return how.equals("by hand") ? heap::free : cell -> heap.atomic(Isolation.valueOf(how), () -> {
            heap.free(cell);
            return null;
        });
    }

    private static boolean frees(CyclicBarrier together, Cell cell, Consumer<Cell> way) throws Exception {
        together.await();
        try {
            way.accept(cell);
            return true;
        } catch (FreedObjectException e) {
            return false;
        }
    }

    @Test
    void aBlockThatIsRolledBackLeavesTheObjectToOthers() {
        try (Heap heap = Heap.open(disk.path("test.heap"), OPTIONS)) {
            Cell cell = heap.atomic(() -> new Cell(heap, 1, null));
            assertThrows(IllegalStateException.class, () -> heap.atomic(Isolation.CALLER, () -> {
                heap.free(cell);
                throw new IllegalStateException();
            }));
            heap.free(cell);
            assertThrows(FreedObjectException.class, () -> heap.free(cell));
        }
    }
}
