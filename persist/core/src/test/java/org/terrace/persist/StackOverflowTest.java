// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.medium.Site;
import org.terrace.persist.types.PersistentHashMap;
import org.terrace.persist.types.PersistentList;

/** Tests stack overflows at each depth of a call into the library. No lock may stay held, and no operation may be partial. */
class StackOverflowTest {
    private static final int OVERFLOWS = Integer.getInteger("persist.overflows", 40);
    private static final int STACK_BYTES = 512 << 10;
    private static final long SEED = Long.getLong("persist.seed", 1);

    @TempDir
    Path directory;

    private interface Operation {
        IntConsumer on(Heap heap, Map<Object, Object> map, List<Object> list, Cell cell);
    }

    @TestFactory
    List<DynamicTest> operations() {
        return List.of(
                test("get", (heap, map, list, cell) -> i -> map.get("key" + i % 50)),
                test("put", (heap, map, list, cell) -> i -> map.put("a key that is no inline one " + i, Optional.of("v" + i))),
                test("remove", (heap, map, list, cell) -> i -> {
                    map.put(i, i);
                    map.remove(i);
                }),
                test("two puts in a block", (heap, map, list, cell) -> i -> heap.atomic(() -> {
                    map.put("one", i);
                    map.put("other", i);
                })),
                test("overflow caught in a block", (heap, map, list, cell) -> i -> heap.atomic(() -> {
                    try {
                        map.put("one", i);
                        map.put("other", i);
                    } catch (StackOverflowError e) {
                        list.add(i);
                        throw e;
                    }
                })),
                test("list", (heap, map, list, cell) -> i -> {
                    list.add(i);
                    list.remove(list.size() - 1);
                }),
                test("caller's blocks", (heap, map, list, cell) -> i -> heap.atomic(Isolation.CALLER, () -> {
                    cell.value(i);
                    cell.other(new Cell(heap, i, null));
                    return null;
                })),
                test("objects in a block", (heap, map, list, cell) -> i -> heap.atomic(() -> {
                    Cell made = null;
                    for (int k = 0; k < 20; k++) {
                        made = new Cell(heap, k, made);
                    }
                    cell.next(made);
                })),
                test("by hand", (heap, map, list, cell) -> i -> {
                    Cell made = new Cell(heap, i, null);
                    made.validate();
                    made.pwb();
                    heap.psync();
                    heap.free(made);
                }),
                test("roots", (heap, map, list, cell) -> i -> heap.setRoot("root" + i % 40, cell)),
                test("checkpoint", (heap, map, list, cell) -> i -> heap.checkpoint()),
                test("collection", (heap, map, list, cell) -> i -> heap.collect()),
                test("check", (heap, map, list, cell) -> i -> heap.check()),
                test("iteration", (heap, map, list, cell) -> i -> map.values().forEach(Object::hashCode)));
    }

    /** Another thread completes the write, so the heap continues with all acknowledged changes. */
    @Test
    void aWriteOfTheLogThatLacksStackIsMadeByAnotherThread() {
        Disk disk = new Disk();
        HeapOptions options = HeapOptions.defaults().maxSize(1 << 20).logSize(1 << 16);
        Disk killed;
        try (Heap heap = Heap.open(disk.path("a.heap"), options)) {
            Cell cell = heap.root("cell", Cell.class, () -> new Cell(heap, 0, null));
            disk.failAt(Site.COMMIT, new StackOverflowError());
            heap.atomic(() -> cell.value(1));
            heap.atomic(() -> cell.value(2));
            assertTrue(heap.isWritable());
            killed = disk.copy();
        }
        try (Heap heap = Heap.open(killed.path("a.heap"), options)) {
            assertEquals(2, heap.root("cell", Cell.class).value());
        } finally {
            killed.dispose();
            disk.dispose();
        }
    }

    /** If the first sync has lost pages, a second sync would report success. */
    @Test
    void aSyncOfTheLogIsNotRepeated() {
        Disk disk = new Disk();
        Heap heap = Heap.open(disk.path("a.heap"), HeapOptions.defaults().maxSize(1 << 20).logSize(1 << 16));
        Cell cell = heap.root("cell", Cell.class, () -> new Cell(heap, 0, null));
        disk.failAt(Site.COMMIT_SYNC, new StackOverflowError());
        assertThrows(StackOverflowError.class, () -> heap.atomic(() -> cell.value(1)));
        assertFalse(heap.isWritable());
        assertThrows(HeapException.class, heap::close);
        disk.dispose();
    }

    private DynamicTest test(String name, Operation operation) {
        return DynamicTest.dynamicTest(name, () -> run(name, operation));
    }

    private void run(String name, Operation operation) throws Exception {
        Path file = directory.resolve(name.replaceAll("[^a-z]", "") + ".heap");
        HeapOptions options = HeapOptions.defaults().maxSize(16 << 20).logSize(1 << 20).durability(Durability.PROCESS).threads(1);
        Heap heap = Heap.open(file, options);
        PersistentHashMap<Object, Object> map = heap.root("map", PersistentHashMap.class, () -> new PersistentHashMap<>(heap));
        PersistentList<Object> list = heap.root("list", PersistentList.class, () -> new PersistentList<>(heap));
        Cell cell = heap.root("cell", Cell.class, () -> new Cell(heap, 0, null));
        for (int i = 0; i < 50; i++) {
            map.put("key" + i, "value " + i);
        }
        IntConsumer use = operation.on(heap, map, list, cell);
        FutureTask<Integer> overflows = new FutureTask<>(() -> overflow(use, new Random(SEED + name.hashCode())));
        new Thread(null, overflows, "deep", STACK_BYTES).start();
        assertEquals(OVERFLOWS, overflows.get(120, TimeUnit.SECONDS));
        FutureTask<List<String>> other = new FutureTask<>(() -> {
            map.put("after", "x");
            assertEquals(map.get("one"), map.get("other"));
            List<String> problems = heap.check();
            return problems.isEmpty() ? heap.checkCollections() : problems;
        });
        Thread thread = new Thread(other);
        thread.setDaemon(true);
        thread.start();
        try {
            assertEquals(List.of(), other.get(60, TimeUnit.SECONDS));
        } catch (ExecutionException e) {
            throw new AssertionError(causesOf(e), e);
        }
        assertTrue(heap.isWritable());
        heap.close();
        try (Heap again = Heap.open(file, options)) {
            assertEquals("x", again.root("map", PersistentHashMap.class).get("after"));
        }
    }

    /** The causes with their first stack frames, in the order of their occurrence. */
    private static String causesOf(Throwable thrown) {
        String text = "";
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            String places = Arrays.stream(t.getStackTrace()).limit(8).map(StackTraceElement::getMethodName)
                    .collect(Collectors.joining(" < "));
            text = t.getClass().getSimpleName() + " in " + places + " | " + text;
        }
        return text;
    }

    /** Calls the code at depths around the end of the stack, which differ by one frame or randomly. */
    private static int overflow(IntConsumer use, Random random) {
        int overflows = 0;
        for (int depth = 0, call = 0; overflows < OVERFLOWS && call < 1_000_000; call++) {
            try {
                descend(depth, use, call);
                depth += overflows == 0 ? 50 : 1;
            } catch (StackOverflowError e) {
                overflows++;
                depth = Math.max(0, depth - (random.nextInt(4) == 0 ? random.nextInt(400) : 0));
            }
        }
        return overflows;
    }

    private static void descend(int depth, IntConsumer use, int call) {
        if (depth == 0) {
            use.accept(call);
        } else {
            descend(depth - 1, use, call);
        }
    }
}
