// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.terrace.persist.FreedObjectException;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.PersistentObject;

/** Tests programs that free the objects in a collection, and then remove or replace the elements. */
class FreedElementsTest {
    private static final int COUNT = 40;

    @TempDir
    Path directory;

    static Stream<Arguments> collections() {
        return Stream.of(Arguments.of("list", (Function<Heap, Object>) PersistentList::new),
                Arguments.of("deque", (Function<Heap, Object>) PersistentDeque::new),
                Arguments.of("array", (Function<Heap, Object>) heap -> new PersistentArray<>(heap, COUNT)),
                Arguments.of("hash map", (Function<Heap, Object>) PersistentHashMap::new),
                Arguments.of("tree map", (Function<Heap, Object>) PersistentTreeMap::new),
                Arguments.of("skip-list map", (Function<Heap, Object>) PersistentSkipListMap::new));
    }

    /** Fills a collection with objects and copies of strings alternately. */
    @SuppressWarnings("unchecked")
    private static List<PersistentObject> fill(Heap heap, Object collection) {
        List<PersistentObject> objects = new ArrayList<>();
        heap.atomic(() -> {
            for (int i = 0; i < COUNT; i++) {
                Object value = i % 2 == 0 ? new PersistentByteArray(heap, 100) : "copy " + i;
                if (collection instanceof Map<?, ?>) {
                    ((Map<Object, Object>) collection).put("key " + i, value);
                } else if (collection instanceof PersistentArray<?>) {
                    ((PersistentArray<Object>) collection).set(i, value);
                } else {
                    ((Collection<Object>) collection).add(value);
                }
                if (value instanceof PersistentObject object) {
                    objects.add(object);
                }
            }
        });
        return objects;
    }

    private static void clear(Object collection) {
        if (collection instanceof Map<?, ?> map) {
            map.clear();
            assertTrue(map.isEmpty());
        } else {
            ((Collection<?>) collection).clear();
            ((Collection<?>) collection).forEach(element -> assertEquals(null, element));
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("collections")
    void aCollectionOfThemIsClearedAndFreed(String name, Function<Heap, Object> make) {
        try (Heap heap = Heap.open(directory.resolve("freed.heap"), HeapOptions.defaults().maxSize(8 << 20))) {
            PersistentObject collection = heap.root("it", PersistentObject.class, () -> (PersistentObject) make.apply(heap));
            fill(heap, collection).forEach(heap::free);
            clear(collection);
            assertEquals(List.of(), heap.check());
            List<PersistentObject> objects = fill(heap, collection);
            heap.atomic(() -> {
                objects.forEach(heap::free);
                heap.setRoot("it", null);
                heap.free(collection);
            });
            assertEquals(List.of(), heap.check());
            assertEquals(0, heap.collect().cleared(), "no reference to a freed object is left");
        }
    }

    /** Replaces element {@code i} of {@link #fill}. A deque returns its first remaining element. */
    @SuppressWarnings("unchecked")
    private static Object replace(Object collection, int i, Object value) {
        if (collection instanceof Map<?, ?>) {
            return ((Map<Object, Object>) collection).put("key " + i, value);
        } else if (collection instanceof PersistentArray<?>) {
            return ((PersistentArray<Object>) collection).set(i, value);
        }
        return ((List<Object>) collection).set(i, value);
    }

    private static Object get(Object collection, int i) {
        return collection instanceof Map<?, ?> map ? map.get("key " + i)
                : collection instanceof PersistentArray<?> array ? array.get(i) : ((List<?>) collection).get(i);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("collections")
    void theyAreReplacedAndRemovedLikeNull(String name, Function<Heap, Object> make) {
        try (Heap heap = Heap.open(directory.resolve("freed.heap"), HeapOptions.defaults().maxSize(8 << 20))) {
            PersistentObject collection = heap.root("it", PersistentObject.class, () -> (PersistentObject) make.apply(heap));
            fill(heap, collection).forEach(heap::free);
            if (collection instanceof PersistentDeque<?> deque) {
                assertEquals("copy 1", deque.poll());
                assertEquals("copy " + (COUNT - 1), deque.pollLast());
                assertEquals("copy " + (COUNT - 3), deque.removeLast());
                deque.clear();
            } else {
                // The replacement is a number, stored in the space of another number, or a string.
                assertEquals(null, replace(collection, 0, 5L));
                assertEquals(5L, get(collection, 0));
                assertEquals(null, replace(collection, 2, "new"));
                assertEquals("new", replace(collection, 2, "newer"));
                assertThrows(FreedObjectException.class, () -> get(collection, 4), "it was an object of the program's");
                removeTwo(collection);
                clear(collection);
            }
            assertEquals(List.of(), heap.check());
            assertEquals(List.of(), heap.checkCollections());
        }
    }

    private static void removeTwo(Object collection) {
        if (collection instanceof Map<?, ?> map) {
            assertEquals(null, map.remove("key 6"));
            assertEquals("copy 7", map.remove("key 7"));
            assertEquals(COUNT - 2, map.size());
        } else if (collection instanceof List<?> list) {
            assertEquals(null, list.remove(6));
            assertEquals("copy 7", list.remove(6));
            assertEquals(COUNT - 2, list.size());
        }
        if (collection instanceof NavigableMap<?, ?> sorted) {
            assertEquals("key 0", sorted.pollFirstEntry().getKey());
            assertEquals("key 1", sorted.pollFirstEntry().getKey());
            Map.Entry<?, ?> third = sorted.pollFirstEntry();
            assertEquals("key 10", third.getKey());
            assertEquals(null, third.getValue());
        }
    }

    /** Copies are read before they are freed. Objects of the program are not freed. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("collections")
    void whatIsReturnedCanBeUsed(String name, Function<Heap, Object> make) {
        List<Object> copies = List.of("short", "a string that is longer than any entry of a map has room for", 1, 2L, 3.0, 4.0f,
                (byte) 5, (short) 6, 'c', true, Bytes.of(new byte[] {1, 2}), Optional.of("inside"), new UUID(1, 2),
                Instant.ofEpochSecond(1, 2), BigInteger.TEN.pow(40), new BigDecimal("1.50"), TimeUnit.DAYS);
        try (Heap heap = Heap.open(directory.resolve("freed.heap"), HeapOptions.defaults().maxSize(8 << 20))) {
            PersistentObject collection = heap.root("it", PersistentObject.class, () -> (PersistentObject) make.apply(heap));
            PersistentByteArray object = heap.atomic(() -> new PersistentByteArray(heap, new byte[] {7}));
            for (Object value : copies) {
                assertEquals(value, heap.atomic(() -> putAndTake(collection, value, object)));
                assertEquals(value, putAndTake(collection, value, object));
            }
            assertEquals(object, putAndTake(collection, object, object));
            assertArrayEquals(new byte[] {7}, object.toArray(), "an object of the program's is freed by the program only");
            assertEquals(List.of(), heap.check());
        }
    }

    /** Puts a value, removes it, and lets other values reuse its space. */
    @SuppressWarnings("unchecked")
    private static Object putAndTake(Object collection, Object value, Object other) {
        Object taken;
        if (collection instanceof PersistentDeque<?>) {
            PersistentDeque<Object> deque = (PersistentDeque<Object>) collection;
            deque.add(value);
            taken = deque.poll();
            deque.add("another");
            deque.clear();
            return taken;
        }
        if (collection instanceof PersistentList<?>) {
            ((PersistentList<Object>) collection).add(null);
        }
        assertEquals(null, replace(collection, 0, value));
        taken = replace(collection, 0, other);
        if (collection instanceof PersistentArray<?>) {
            replace(collection, 0, null);
            return taken;
        }
        replace(collection, 0, value);
        Object removed = collection instanceof List<?> list ? list.remove(0) : ((Map<?, ?>) collection).remove("key 0");
        assertEquals(taken, removed);
        return removed;
    }
}
