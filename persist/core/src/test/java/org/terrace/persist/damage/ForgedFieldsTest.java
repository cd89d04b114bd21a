// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.damage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Cell;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapBytes;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.Internals;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.types.PersistentArray;
import org.terrace.persist.types.PersistentByteArray;
import org.terrace.persist.types.PersistentDeque;
import org.terrace.persist.types.PersistentDoubleArray;
import org.terrace.persist.types.PersistentHashMap;
import org.terrace.persist.types.PersistentHashSet;
import org.terrace.persist.types.PersistentIntArray;
import org.terrace.persist.types.PersistentList;
import org.terrace.persist.types.PersistentLongArray;
import org.terrace.persist.types.PersistentSkipListMap;
import org.terrace.persist.types.PersistentString;
import org.terrace.persist.types.PersistentTreeMap;
import org.terrace.persist.types.PersistentTreeSet;

/**
 * Tests forged lengths, sizes and references with correct checksums. Reading them must throw {@link CorruptHeapException}. It must
 * never load from outside of the heap, loop forever, or allocate an array of arbitrary size.
 */
class ForgedFieldsTest {
    private static final HeapOptions OPTIONS = HeapBytes.OPTIONS.logSize(256 << 10);
    private static final int HEADER = 8;
    private static final int SIZE = 0;

    @TempDir
    Path directory;
    private Path closed;
    private final List<DynamicTest> cases = new ArrayList<>();

    @BeforeEach
    void create() {
        closed = directory.resolve("closed.heap");
        try (Heap heap = Heap.open(closed, OPTIONS)) {
            heap.atomic(() -> {
                heap.setRoot("bytes", new PersistentByteArray(heap, new byte[1000]));
                heap.setRoot("ints", new PersistentIntArray(heap, new int[] {1, 2}));
                heap.setRoot("longs", new PersistentLongArray(heap, new long[] {1, 2}));
                heap.setRoot("doubles", new PersistentDoubleArray(heap, new double[] {1, 2}));
                heap.setRoot("string", new PersistentString(heap, "text"));
                heap.setRoot("cell", new Cell(heap, 1, null));
                PersistentArray<String> array = new PersistentArray<>(heap, 3);
                array.set(0, "a string that is stored as a copy");
                heap.setRoot("array", array);
                PersistentList<Object> list = new PersistentList<>(heap);
                list.add("another string that is a copy");
                list.add(Optional.of("x"));
                list.add(java.time.Instant.EPOCH);
                heap.setRoot("list", list);
                PersistentDeque<Integer> deque = new PersistentDeque<>(heap);
                PersistentHashMap<Integer, Integer> map = new PersistentHashMap<>(heap);
                PersistentTreeMap<Integer, Integer> tree = new PersistentTreeMap<>(heap);
                PersistentSkipListMap<Integer, Integer> skip = new PersistentSkipListMap<>(heap);
                for (int i = 0; i < 100; i++) {
                    deque.add(i);
                    map.put(i, i);
                    tree.put(i, i);
                    skip.put(i, i);
                }
                heap.setRoot("deque", deque);
                heap.setRoot("map", map);
                heap.setRoot("tree", tree);
                heap.setRoot("skip", skip);
                heap.setRoot("hash set", new PersistentHashSet<>(heap));
                heap.setRoot("tree set", new PersistentTreeSet<>(heap));
            });
        }
    }

    private static PersistentObject object(Heap heap, String root) {
        return heap.root(root, PersistentObject.class);
    }

    private static int at(PersistentObject object) {
        return (int) Internals.offset(object);
    }

    /** The offset of an object that is reached from a root through these fields. */
    private static ToIntFunction<Heap> reached(String root, int... fields) {
        return heap -> {
            PersistentObject object = object(heap, root);
            for (int field : fields) {
                object = Internals.part(object, field);
            }
            return at(object);
        };
    }

    @SuppressWarnings("unchecked")
    private static <T> Consumer<Heap> with(String root, Consumer<T> use) {
        return heap -> use.accept((T) heap.root(root, PersistentObject.class));
    }

    private interface Change {
        void to(HeapBytes bytes, int at);
    }

    private static Change number(int field, int value) {
        return (bytes, at) -> bytes.heap.putInt(at + HEADER + field, value);
    }

    /** Makes a field refer to its own object. */
    private static Change toItself(int field) {
        return (bytes, at) -> bytes.heap.putLong(at + HEADER + field, at);
    }

    private void forge(String what, ToIntFunction<Heap> where, Change change, Consumer<Heap> use) {
        cases.add(DynamicTest.dynamicTest(what, () -> {
            int at;
            try (Heap heap = Heap.open(closed, OPTIONS.readOnly())) {
                at = where.applyAsInt(heap);
            }
            HeapBytes bytes = new HeapBytes(closed);
            change.to(bytes, at);
            Path forged = directory.resolve("forged.heap");
            bytes.writeTo(forged);
            for (HeapOptions options : List.of(OPTIONS.readOnly(), OPTIONS)) {
                CorruptHeapException e = assertTimeoutPreemptively(Duration.ofSeconds(20),
                        () -> assertThrows(CorruptHeapException.class, () -> openAndUse(forged, options, use)), what);
                assertTrue(e.getMessage().contains("forged.heap") && e.getMessage().matches("(?s).* offset \\d+.*"),
                        e.getMessage());
            }
        }));
    }

    private static void openAndUse(Path forged, HeapOptions options, Consumer<Heap> use) {
        try (Heap heap = Heap.open(forged, options)) {
            use.accept(heap);
        }
    }

    @TestFactory
    List<DynamicTest> lengthsOfArrays() {
        for (int length : new int[] {-1, 1_000_000, Integer.MAX_VALUE}) {
            String name = " with length " + length;
            forge("byte array" + name, reached("bytes"), number(0, length), with("bytes", PersistentByteArray::toArray));
            forge("byte array's element" + name, reached("bytes"), number(0, length),
                    ForgedFieldsTest.<PersistentByteArray>with("bytes", b -> b.get(900_000)));
            forge("int array" + name, reached("ints"), number(0, length), with("ints", PersistentIntArray::toArray));
            forge("long array" + name, reached("longs"), number(0, length), with("longs", PersistentLongArray::toArray));
            forge("double array" + name, reached("doubles"), number(0, length), with("doubles", PersistentDoubleArray::toArray));
            forge("string" + name, reached("string"), number(0, length), with("string", PersistentString::toString));
            forge("array" + name, reached("array", 0), number(0, length),
                    ForgedFieldsTest.<PersistentArray<?>>with("array", PersistentArray::toArray));
            forge("copy of a string" + name, reached("array", 0, 8), number(0, length),
                    ForgedFieldsTest.<PersistentArray<?>>with("array", a -> a.get(0)));
            forge("list" + name, reached("list"), number(SIZE, length == 1_000_000 ? 3_000_000 : length),
                    ForgedFieldsTest.<PersistentList<?>>with("list", PersistentList::toArray));
            forge("map" + name, reached("map"), number(SIZE, length == 1_000_000 ? 3_000_000 : length),
                    ForgedFieldsTest.<PersistentHashMap<?, ?>>with("map", m -> m.keySet().toArray()));
            forge("buckets" + name, reached("map"), number(8, length),
                    ForgedFieldsTest.<PersistentHashMap<?, ?>>with("map", m -> {
                        for (int i = 0; i < 100; i++) {
                            m.get(i);
                        }
                        m.forEach((k, v) -> { });
                    }));
        }
        return cases;
    }

    /** Forges sizes in headers with correct check bytes. */
    @TestFactory
    List<DynamicTest> sizesInHeaders() {
        int blocks = 4;
        for (long size : new long[] {0xffffff, 1 << 20, 0}) {
            forge("header with " + size + " blocks", reached("bytes"),
                    (bytes, at) -> bytes.changeHeader(at, (blocks ^ size) << 32), with("bytes", PersistentByteArray::toArray));
        }
        forge("object without room for its class", reached("cell"),
                (bytes, at) -> bytes.changeHeader(at, (bytes.heap.getLong(at) >>> 32 & 0xffffff ^ 16) << 32),
                ForgedFieldsTest.<Cell>with("cell", Cell::value));
        forge("reference to the last word of the heap", reached("list", 8, 8),
                (bytes, at) -> {
                    int end = bytes.heap.capacity() - 8;
                    long header = bytes.heap.getLong((int) bytes.heap.getLong(at + HEADER + 8));
                    bytes.heap.putLong(end, header);
                    bytes.changeHeader(end, (header >>> 32 & 0xffffff ^ 8) << 32);
                    bytes.heap.putLong(at + HEADER + 8, end);
                }, ForgedFieldsTest.<PersistentList<?>>with("list", l -> l.get(0)));
        return cases;
    }

    @TestFactory
    List<DynamicTest> circles() {
        forge("chain of a hash map", h -> at(entryOf(object(h, "map"))), toItself(16),
                ForgedFieldsTest.<PersistentHashMap<?, ?>>with("map", m -> m.forEach((k, v) -> { })));
        forge("chain of a hash map, a key that is missing", h -> at(entryOf(object(h, "map"))), toItself(16),
                ForgedFieldsTest.<PersistentHashMap<?, ?>>with("map", m -> {
                    for (int i = 100; i < 1000; i++) {
                        m.containsKey(i);
                    }
                }));
        forge("skip list", reached("skip", 8, 16), toItself(16),
                ForgedFieldsTest.<Map<?, ?>>with("skip", m -> m.forEach((k, v) -> { })));
        forge("skip list, a search", reached("skip", 8, 16), toItself(16), ForgedFieldsTest.<Map<?, ?>>with("skip", m -> {
            for (int i = 0; i < 100; i++) {
                m.get(i);
            }
        }));
        for (int side : new int[] {16, 24}) {
            forge("tree, child at " + side, reached("tree", 8), toItself(side),
                    ForgedFieldsTest.<Map<?, ?>>with("tree", m -> m.forEach((k, v) -> { })));
            forge("tree, child at " + side + ", a search", reached("tree", 8), toItself(side),
                    ForgedFieldsTest.<Map<?, ?>>with("tree", m -> m.get(side == 16 ? -1 : 1000)));
        }
        forge("chunks of a deque", reached("deque", 8), toItself(8),
                ForgedFieldsTest.<PersistentDeque<?>>with("deque", d -> d.forEach(e -> { })));
        forge("chunks of a deque, backwards", reached("deque", 16), toItself(0),
                ForgedFieldsTest.<PersistentDeque<?>>with("deque", d -> d.descendingIterator().forEachRemaining(e -> { })));
        forge("value in itself", reached("list", 8, 8, 16), toItself(0),
                ForgedFieldsTest.<PersistentList<?>>with("list", l -> l.get(1)));
        return cases;
    }

    /** An entry in the first segment of the table. */
    private static PersistentObject entryOf(PersistentObject map) {
        PersistentObject segment = Internals.part(Internals.part(map, 16), 8);
        for (int i = 1;; i++) {
            PersistentObject entry = Internals.part(segment, 8 * i);
            if (entry != null) {
                return entry;
            }
        }
    }

    @TestFactory
    List<DynamicTest> partsThatAreOthers() {
        forge("slots of a deque's chunk", reached("deque", 8), number(24, -7),
                ForgedFieldsTest.<PersistentDeque<?>>with("deque", d -> d.forEach(e -> { })));
        forge("chunk of a deque without elements", reached("deque", 8), number(24, 24),
                ForgedFieldsTest.<PersistentDeque<?>>with("deque", d -> d.forEach(e -> { })));
        forge("first chunk that is none", reached("deque"), toItself(8),
                ForgedFieldsTest.<PersistentDeque<?>>with("deque", PersistentDeque::peekFirst));
        forge("array without its elements", reached("array"), (bytes, at) -> bytes.heap.putLong(at + HEADER, 0),
                ForgedFieldsTest.<PersistentArray<?>>with("array", PersistentArray::size));
        forge("map of a hash set", reached("hash set"), toItself(0), heap -> object(heap, "hash set"));
        forge("map of a tree set", reached("tree set"), toItself(0), heap -> object(heap, "tree set"));
        forge("kind of a value", reached("list", 8, 8, 8), (bytes, at) -> bytes.heap.put(at + HEADER + 4, (byte) 10),
                ForgedFieldsTest.<PersistentList<?>>with("list", l -> l.get(0)));
        forge("value that is too short", reached("list", 8, 8, 24), number(0, 3),
                ForgedFieldsTest.<PersistentList<?>>with("list", l -> l.get(2)));
        return cases;
    }

    /** The checksums of the texts are correct. {@link #forge} opens the heap, which reads the descriptors. */
    @TestFactory
    List<DynamicTest> descriptorsOfClasses() {
        String cell = Cell.class.getName();
        for (String forged : new String[] {"next REFERENCE 9", "next REFERENCE 0", "flag DOUBLE 8", "value INT -8"}) {
            String name = forged.substring(0, forged.indexOf(' '));
            String right = Internals.encoded(Cell.CLASS).lines().filter(line -> line.startsWith(name)).findFirst().orElseThrow();
            // The text is padded with spaces, where former names would follow.
            String padded = forged + " ".repeat(right.length() - forged.length());
            forge(forged, h -> 0, (bytes, at) -> bytes.replaceInClass(bytes.classNamed(cell), right + "\n", padded + "\n"),
                    heap -> { });
        }
        for (int number : new int[] {-1, 3, 1 << 16, Integer.MAX_VALUE}) {
            forge("class number " + number, h -> 0,
                    (bytes, at) -> bytes.heap.putInt(bytes.classNamed(cell) + HEADER + 8, number), heap -> { });
        }
        return cases;
    }

    /** The VM may throw some time after the access, so the code runs in a separate thread. */
    private static Throwable endOfThread(Runnable code) throws InterruptedException {
        Throwable[] end = new Throwable[1];
        Thread thread = new Thread(() -> {
            code.run();
            LockSupport.parkNanos(1);
        });
        thread.setUncaughtExceptionHandler((t, e) -> end[0] = e);
        thread.start();
        thread.join();
        return end[0];
    }

    /** Truncating an open file must end the reading thread with an error of the VM, but not the VM itself. */
    @Test
    void aFileThatIsTruncatedWhileItIsOpen() throws IOException, InterruptedException {
        Path file = directory.resolve("truncated.heap");
        try (Heap heap = Heap.open(file, OPTIONS)) {
            heap.setRoot("large", new PersistentByteArray(heap, 3 << 20));
        }
        try (Heap heap = Heap.open(file, OPTIONS.readOnly());
                FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            PersistentByteArray large = heap.root("large", PersistentByteArray.class);
            assertEquals(3 << 20, large.toArray().length);
            channel.truncate(2 << 20);
            assertEquals(InternalError.class, endOfThread(large::toArray).getClass());
            assertEquals(InternalError.class, endOfThread(() -> {
                for (int i = 0; i < large.length(); i += 100) {
                    large.get(i);
                }
            }).getClass());
        }
        assertThrows(CorruptHeapException.class, () -> Heap.open(file, OPTIONS).close());
    }
}
