// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.ObjectHeader;
import org.terrace.persist.medium.Site;
import org.terrace.persist.types.PersistentArray;
import org.terrace.persist.types.PersistentByteArray;
import org.terrace.persist.types.PersistentHashMap;
import org.terrace.persist.types.PersistentList;
import org.terrace.persist.types.PersistentLongArray;
import org.terrace.persist.types.PersistentString;
import org.terrace.persist.types.PersistentTreeMap;

/** Tests misuse by a program and errors of the VM. They must cause exceptions and lose no data. */
@Timeout(300)
class MisuseTest extends DiskSetUp {
    private static final HeapOptions SMALL = HeapOptions.defaults().maxSize(1 << 20).logSize(64 << 10);

    @TempDir
    Path directory;

    /** A class whose accessors take any field offset. */
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
    void failureAtomicMethodsThatChangeNothingRunWhereNothingMayBeChanged() {
        try (Heap heap = Heap.open(disk.path("read.heap"), SMALL)) {
            heap.root("cell", Cell.class, () -> new Cell(heap, 5, null));
        }
        try (Heap heap = Heap.open(disk.path("read.heap"), SMALL.readOnly())) {
            Cell cell = heap.root("cell", Cell.class);
            assertEquals(Long.valueOf(5), heap.blocks().method(() -> heap.blocks().method(cell::value)));
            assertEquals(Long.valueOf(5), heap.read(() -> heap.blocks().method(cell::value)));
            HeapException e = assertThrows(HeapException.class, () -> heap.blocks().method(() -> {
                cell.value(6);
                return null;
            }));
            assertTrue(e.getMessage().contains("read-only"), e.getMessage());
            assertEquals(Long.valueOf(5), heap.blocks().method(cell::value));
        }
    }

    /** The rollback resets the modification count, so the next change produces the same count again. */
    @Test
    void anIterationOutlastsAMethodThatMayChangeNothing() {
        try (Heap heap = Heap.open(disk.path("method.heap"), SMALL)) {
            for (int turn = 0; turn < 30; turn++) {
                Map<Integer, Integer> map = heap.atomic(() -> new PersistentTreeMap<>(heap));
                heap.atomic(() -> IntStream.range(0, 100).forEach(i -> map.put(10 * i, i)));
                List<Iterator<Integer>> begun = new ArrayList<>();
                assertThrows(IllegalStateException.class, () -> heap.read(() -> heap.blocks().method(() -> {
                    map.put(505, -1);
                    begun.add(map.keySet().iterator());
                    begun.get(0).next();
                    return null;
                })));
                map.put(506, -1);
                List<Integer> rest = new ArrayList<>();
                begun.get(0).forEachRemaining(rest::add);
                assertEquals(List.copyOf(map.keySet()).subList(1, 101), rest);
            }
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

    /** The message must not read the object. */
    @Test
    void collectionsAndStringsThatAreFreedSaySo() {
        try (Heap heap = Heap.open(disk.path("test.heap"), SMALL)) {
            PersistentHashMap<String, Integer> map = heap.atomic(() -> new PersistentHashMap<>(heap));
            PersistentList<String> list = heap.atomic(() -> new PersistentList<>(heap));
            PersistentString string = heap.atomic(() -> new PersistentString(heap, "text"));
            heap.atomic(() -> List.of(map, list, string).forEach(heap::free));
            assertThrows(FreedObjectException.class, () -> map.get("key"));
            assertThrows(FreedObjectException.class, () -> list.get(0));
            assertThrows(FreedObjectException.class, string::length);
            assertThrows(FreedObjectException.class, () -> heap.free(string));
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
            // The heap is now read-only.
        }
        assertThrows(HeapException.class, () -> heap.atomic(() -> cell.value(3)));
        assertThrows(HeapException.class, heap::close);
        try (Heap again = Heap.open(file, SMALL)) {
            long value = again.root("cell", Cell.class).value();
            assertTrue(value == 2 || value == 1 && site == Site.COMMIT, "value " + value);
            assertEquals(List.of(), again.check());
        }
    }

    /** The space of the freed objects is free, or inside an array that looks like an object, or a pool page. */
    @Test
    void referencesToFreedObjectsAreClearedWhereverTheyLead() {
        int count = 60;
        try (Heap heap = Heap.open(disk.path("test.heap"), SMALL.threads(2))) {
            heap.atomic(() -> {
                for (int i = 0; i < count; i++) {
                    Cell cell = new Cell(heap, i, heap.root("cells", Cell.class));
                    cell.other(new PersistentByteArray(heap, 600));
                    heap.setRoot("cells", cell);
                }
            });
            heap.atomic(() -> {
                for (Cell c = heap.root("cells", Cell.class); c != null; c = c.next()) {
                    heap.free(c.other());
                }
            });
            byte[] looksLikeObjects = new byte[20_000];
            ByteBuffer words = ByteBuffer.wrap(looksLikeObjects).order(ByteOrder.LITTLE_ENDIAN);
            while (words.hasRemaining()) {
                words.putLong(ObjectHeader.of(Layout.FIRST_USER_CLASS, true, 0, 3 * Layout.BLOCK_BYTES));
            }
            PersistentByteArray array = heap.root("array", PersistentByteArray.class,
                    () -> new PersistentByteArray(heap, looksLikeObjects));
            heap.atomic(() -> {
                for (int i = 0; i < 100; i++) {
                    heap.setRoot("more", new Cell(heap, i, heap.root("more", Cell.class)));
                }
            });
            List<String> problems = heap.check();
            // A few references lead to the start of another object.
            assertTrue(problems.size() > count * 3 / 4, problems::toString);
            assertTrue(problems.stream().allMatch(p -> p.startsWith("the reference at offset ") && p.contains("no valid object")),
                    problems::toString);
            assertEquals(problems.size(), heap.collect().cleared());
            assertEquals(List.of(), heap.check());
            int left = count;
            int cleared = 0;
            for (Cell c = heap.root("cells", Cell.class); c != null; c = c.next()) {
                assertEquals(--left, c.value());
                cleared += c.other() == null ? 1 : 0;
            }
            assertEquals(0, left);
            assertEquals(problems.size(), cleared);
            assertArrayEquals(looksLikeObjects, array.toArray());
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
                one.get(120, TimeUnit.SECONDS);
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

    /** The descriptor of a closed file may be reused for another file. */
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
            checkpoints.get(120, TimeUnit.SECONDS);
            fences.get(120, TimeUnit.SECONDS);
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
