package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.medium.Site;
import org.terrace.persist.types.PersistentArray;
import org.terrace.persist.types.PersistentByteArray;
import org.terrace.persist.types.PersistentLongArray;

/** What a program does wrong, and what goes wrong in the VM, costs an exception and no data. */
@Timeout(60)
class MisuseTest {
    private static final HeapOptions SMALL = HeapOptions.defaults().maxSize(1 << 20).logSize(64 << 10);

    @TempDir
    Path directory;
    private Disk disk;

    @BeforeEach
    void newDisk() {
        disk = new Disk();
    }

    @AfterEach
    void disposeOfDisk() {
        disk.dispose();
    }

    /** Its accessors take any field. */
    private static final class Anything extends PersistentObject {
        static final PersistentClass<Anything> CLASS =
                PersistentClass.of(Anything.class, Anything::new).field("number", FieldType.LONG).build();

        Anything(Heap heap) {
            super(CLASS, heap);
        }

        private Anything(Heap heap, long offset) {
            super(heap, offset);
        }

        void set(long field, long value) {
            setLong(field, value);
        }

        void copy(long field, byte[] bytes) {
            putBytes(field, bytes, 0, bytes.length);
        }
    }

    @Test
    void nothingIsStoredOutsideOfAnObject() {
        try (Heap heap = Heap.open(disk.path("test.heap"), SMALL)) {
            Anything object = heap.root("object", Anything.class, () -> new Anything(heap));
            for (long field : new long[] { -8, 8, 1L << 40, Long.MIN_VALUE, Long.MAX_VALUE - 7, 4 }) {
                assertThrows(IndexOutOfBoundsException.class, () -> object.set(field, 1), () -> "field " + field);
                assertThrows(IndexOutOfBoundsException.class, () -> heap.atomic(() -> object.set(field, 1)));
            }
            assertThrows(IndexOutOfBoundsException.class, () -> object.copy(1, new byte[8]));
            heap.atomic(() -> object.set(0, 7));
            assertEquals(List.of(), heap.check());
        }
    }

    @Test
    void noArrayHasANegativeLength() {
        try (Heap heap = Heap.open(disk.path("test.heap"), SMALL)) {
            assertThrows(NegativeArraySizeException.class, () -> heap.atomic(() -> new PersistentArray<String>(heap, -1)));
            assertThrows(NegativeArraySizeException.class, () -> heap.atomic(() -> new PersistentByteArray(heap, -1)));
            assertThrows(NegativeArraySizeException.class, () -> heap.atomic(() -> new PersistentLongArray(heap, -5)));
            heap.collect();
            assertEquals(List.of(), heap.check());
        }
    }

    @ParameterizedTest
    @EnumSource(value = Site.class, names = { "COMMIT", "COMMIT_SYNC", "CHECKPOINT_PAGE", "CHECKPOINT_SYNC", "SUPERBLOCK" })
    void anErrorOfTheVmLosesNothing(Site site) {
        Path file = disk.path("test.heap");
        Heap heap = Heap.open(file, SMALL);
        Cell cell = heap.root("cell", Cell.class, () -> new Cell(heap, 0, null));
        heap.atomic(() -> cell.value(1));
        disk.failAt(site, new InternalError("a fault in mapped memory"));
        try {
            heap.atomic(() -> cell.value(2));
            heap.checkpoint();
            throw new AssertionError("nothing failed at " + site);
        } catch (InternalError expected) {
            // The heap can only be read from now on.
        }
        assertThrows(HeapException.class, () -> heap.atomic(() -> cell.value(3)));
        heap.close();
        try (Heap again = Heap.open(file, SMALL)) {
            long value = again.root("cell", Cell.class).value();
            assertTrue(value == 2 || value == 1 && site == Site.COMMIT, "value " + value);
            assertEquals(List.of(), again.check());
        }
    }

    @Test
    void rootsOfBlocksThatRunTogetherAreAllThere() throws Exception {
        int threads = 8;
        Path file = directory.resolve("roots.heap");
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try (Heap heap = Heap.open(file, SMALL.durability(Durability.PROCESS))) {
            List<Future<?>> all = new java.util.ArrayList<>();
            for (int t = 0; t < threads; t++) {
                int number = t;
                all.add(pool.submit(() -> {
                    for (int i = 0; i < 20; i++) {
                        String name = number + " " + i;
                        heap.atomic(Isolation.CALLER, () -> {
                            heap.setRoot(name, new Cell(heap, number, null));
                            return null;
                        });
                    }
                }));
            }
            for (Future<?> one : all) {
                one.get(50, TimeUnit.SECONDS);
            }
        } finally {
            pool.shutdownNow();
        }
        try (Heap heap = Heap.open(file, SMALL)) {
            for (int t = 0; t < threads; t++) {
                for (int i = 0; i < 20; i++) {
                    assertNotNull(heap.root(t + " " + i, Cell.class), t + " " + i);
                }
            }
        }
    }

    /** A closed file's descriptor may be another file's. */
    @Test
    void checkpointsAndFencesThatComeTooLateTouchNothing() throws Exception {
        for (int round = 0; round < 20; round++) {
            Path file = directory.resolve("close" + round + ".heap");
            Heap heap = Heap.open(file, SMALL);
            Cell cell = heap.root("cell", Cell.class, () -> new Cell(heap, 5, null));
            ExecutorService pool = Executors.newFixedThreadPool(2);
            Future<?> checkpoints = pool.submit(() -> untilClosed(heap::checkpoint));
            Future<?> fences = pool.submit(() -> untilClosed(() -> {
                cell.pwb();
                heap.psync();
            }));
            Thread.sleep(round);
            heap.close();
            checkpoints.get(30, TimeUnit.SECONDS);
            fences.get(30, TimeUnit.SECONDS);
            pool.shutdown();
            try (Heap again = Heap.open(file, SMALL)) {
                assertEquals(5, again.root("cell", Cell.class).value());
            }
        }
    }

    private static void untilClosed(Runnable operation) {
        try {
            while (true) {
                operation.run();
            }
        } catch (HeapException expected) {
            assertTrue(expected.getMessage().contains("closed"), expected::getMessage);
        }
    }
}
