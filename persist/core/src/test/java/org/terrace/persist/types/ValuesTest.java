// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Durability;
import org.terrace.persist.ForeignThread;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;

/** Tests that values in collections, strings and arrays are unchanged after the heap is opened again. */
class ValuesTest {
    private static final List<Object> VALUES = Arrays.asList("", "plain", "é\u00ff", "日本 \ud83d\ude00", "\ud800 alone", true,
            (byte) -1,
            Short.MIN_VALUE, '\uffff', Integer.MIN_VALUE, Long.MAX_VALUE, -0.0f, Double.NaN, Instant.ofEpochSecond(-5, 7),
            UUID.fromString("00112233-4455-6677-8899-aabbccddeeff"), BigInteger.TEN.pow(40).negate(), new BigDecimal("-1.250"),
            TimeUnit.DAYS, Bytes.copyOf(new byte[0]), Bytes.copyOf(new byte[] {9, 0, -1, 7}, 1, 2), null);

    @TempDir
    Path directory;

    private Heap open() {
        return Heap.open(directory.resolve("values.heap"),
                HeapOptions.defaults().maxSize(8 << 20).logSize(1 << 20).durability(Durability.PROCESS));
    }

    @Test
    void numbersAreStoredAsInEarlierHeaps() throws java.io.IOException {
        try (Heap heap = open()) {
            PersistentList<Object> list = heap.root("list", PersistentList.class, () -> new PersistentList<>(heap));
            list.addAll(List.of(0x1122334455667788L, 0x99aabbcc, -2.5e-300));
        }
        String file = HexFormat.of().formatHex(Files.readAllBytes(directory.resolve("values.heap")));
        // Length in little-endian order, tag, and the number in big-endian order.
        assertTrue(file.contains("08000000" + "07" + "1122334455667788"), "a Long");
        assertTrue(file.contains("04000000" + "06" + "99aabbcc" + "00000000000000"), "an Integer");
        assertTrue(file.contains("08000000" + "09" + HexFormat.of().toHexDigits(Double.doubleToRawLongBits(-2.5e-300))), "a Double");
    }

    @Test
    @SuppressWarnings("unchecked")
    void everyKindOfValueComesBack() {
        try (Heap heap = open()) {
            PersistentList<Object> list = heap.root("list", PersistentList.class, () -> new PersistentList<>(heap));
            list.addAll(VALUES);
            PersistentHashMap<Object, Object> map = heap.root("map", PersistentHashMap.class, () -> new PersistentHashMap<>(heap));
            VALUES.forEach(value -> map.put(value, value));
        }
        try (Heap heap = open()) {
            assertEquals(VALUES, heap.root("list", PersistentList.class));
            PersistentHashMap<Object, Object> map = heap.root("map", PersistentHashMap.class);
            for (Object value : VALUES) {
                assertTrue(map.containsKey(value), String.valueOf(value));
                assertEquals(value, map.get(value));
            }
            assertFalse(map.containsKey("absent"));
            assertEquals(List.of(), heap.check());
        }
    }

    @Test
    void bytesAreEqualAndOrderedByContent() {
        byte[] array = {1, (byte) 200};
        Bytes bytes = Bytes.copyOf(array);
        array[0] = 2;
        bytes.toArray()[0] = 3;
        assertEquals(Bytes.copyOf(new byte[] {1, (byte) 200}), bytes);
        assertEquals("01c8", bytes.toString());
        assertThrows(IndexOutOfBoundsException.class, () -> Bytes.copyOf(array, 1, 2));
        try (Heap heap = open()) {
            PersistentTreeSet<Bytes> set = heap.atomic(() -> new PersistentTreeSet<>(heap));
            Bytes prefix = Bytes.copyOf(new byte[] {1});
            Bytes small = Bytes.copyOf(new byte[] {1, 100});
            set.addAll(List.of(bytes, small, prefix, small));
            assertEquals(List.of(prefix, small, bytes), List.copyOf(set));
        }
    }

    @Test
    void otherClassesAreRefusedAndNothingIsChanged() {
        try (Heap heap = open()) {
            PersistentList<Object> list = heap.atomic(() -> new PersistentList<>(heap));
            IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> list.add(LocalDate.EPOCH));
            assertTrue(e.getMessage().contains("LocalDate"), e.getMessage());
            assertEquals(0, list.size());
        }
    }

    @Test
    @SuppressWarnings("unchecked")
    void arraysComeBack() {
        double[] doubles = new double[1000];
        Arrays.setAll(doubles, i -> i / 3.0);
        try (Heap heap = open()) {
            heap.atomic(() -> {
                heap.setRoot("longs", new PersistentLongArray(heap, new long[] {1, -2, Long.MAX_VALUE}));
                heap.setRoot("ints", new PersistentIntArray(heap, 5));
                heap.setRoot("doubles", new PersistentDoubleArray(heap, doubles));
                PersistentArray<Object> objects = new PersistentArray<>(heap, 3);
                objects.set(1, "one");
                heap.setRoot("objects", objects);
                heap.setRoot("string", new PersistentString(heap, "日本"));
            });
            heap.atomic(() -> heap.root("ints", PersistentIntArray.class).set(4, 44));
        }
        try (Heap heap = open()) {
            assertArrayEquals(new long[] {1, -2, Long.MAX_VALUE}, heap.root("longs", PersistentLongArray.class).toArray());
            assertArrayEquals(new int[] {0, 0, 0, 0, 44}, heap.root("ints", PersistentIntArray.class).toArray());
            assertArrayEquals(doubles, heap.root("doubles", PersistentDoubleArray.class).toArray());
            PersistentArray<Object> objects = heap.root("objects", PersistentArray.class);
            assertEquals(Arrays.asList(null, "one", null), Arrays.asList(objects.toArray()));
            assertThrows(IndexOutOfBoundsException.class, () -> objects.get(3));
            assertThrows(UnsupportedOperationException.class, () -> objects.add("four"));
            assertEquals("日本", heap.root("string", PersistentString.class).toString());
            heap.atomic(() -> {
                heap.setRoot("objects", null);
                heap.free(objects);
            });
            assertEquals(List.of(), heap.check());
        }
    }

    @Test
    void whatACollectionHoldsIsFreedWithIt() {
        try (Heap heap = open()) {
            List<org.terrace.persist.PersistentObject> all = List.of(heap.atomic(() -> new PersistentList<Object>(heap)),
                    heap.atomic(() -> new PersistentHashSet<Object>(heap)), heap.atomic(() -> new PersistentTreeSet<Object>(heap)),
                    heap.atomic(() -> new PersistentSkipListSet<Object>(heap)),
                    heap.atomic(() -> new PersistentDeque<Object>(heap)));
            for (org.terrace.persist.PersistentObject collection : all) {
                @SuppressWarnings("unchecked")
                PersistentCollection<Object> filled = (PersistentCollection<Object>) collection;
                for (int i = 0; i < 500; i++) {
                    filled.add("value " + i);
                }
                filled.removeIf(value -> value.hashCode() % 3 == 0);
                heap.free(filled);
            }
            // The collection frees only pool pages that are empty now. No object remains.
            heap.collect();
            assertEquals(0, heap.collect().freed());
            assertEquals(List.of(), heap.check());
        }
    }

    @Test
    void anEmptyMapIsFreedHoweverLargeItsTable() {
        try (Heap heap = open()) {
            PersistentHashMap<Integer, Object> map = heap.atomic(() -> new PersistentHashMap<>(heap));
            int chunk = 1000;
            for (int i = 0; i < 70_000; i += chunk) {
                int from = i;
                heap.atomic(() -> java.util.stream.IntStream.range(from, from + chunk).forEach(k -> map.put(k, null)));
            }
            for (int i = 0; i < 70_000; i += chunk) {
                int from = i;
                heap.atomic(() -> java.util.stream.IntStream.range(from, from + chunk).forEach(map::remove));
            }
            heap.free(map);
            assertEquals(List.of(), heap.check());
        }
    }

    @Test
    void aThreadWhoseContextLacksTheLibraryReadsAll() throws Exception {
        try (Heap heap = open()) {
            heap.root("map", PersistentHashMap.class, () -> new PersistentHashMap<>(heap)).put("key", "value");
        }
        List<URL> urls = new ArrayList<>();
        for (String path : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(Path.of(path).toUri().toURL());
        }
        Thread thread = Thread.currentThread();
        ClassLoader context = thread.getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            thread.setContextClassLoader(ClassLoader.getPlatformClassLoader());
            Class<?> foreign = Class.forName(ForeignThread.class.getName(), true, loader);
            assertEquals(Map.of("key", "value"), ((Callable<?>) foreign.getConstructor(Path.class)
                    .newInstance(directory.resolve("values.heap"))).call());
        } finally {
            thread.setContextClassLoader(context);
        }
    }
}
