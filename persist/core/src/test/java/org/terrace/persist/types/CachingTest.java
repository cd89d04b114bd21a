// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.terrace.persist.Durability;
import org.terrace.persist.FreedObjectException;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.Isolation;
import org.terrace.persist.RawObjects;

/** Tests that cached values always match the heap. */
class CachingTest {
    @TempDir
    Path directory;
    private Heap heap;

    @BeforeEach
    void open() {
        heap = Heap.open(directory.resolve("test.heap"), HeapOptions.defaults().maxSize(16 << 20).durability(Durability.PROCESS));
    }

    @AfterEach
    void close() {
        heap.close();
    }

    @SuppressWarnings("unchecked")
    private PersistentMap<Object, Object> map(String kind) {
        return heap.root(kind, PersistentMap.class, () -> switch (kind) {
            case "hash" -> new PersistentHashMap<>(heap);
            case "tree" -> new PersistentTreeMap<>(heap);
            default -> new PersistentSkipListMap<>(heap);
        });
    }

    @SuppressWarnings("unchecked")
    private PersistentList<Object> list() {
        return heap.root("list", PersistentList.class, () -> new PersistentList<>(heap));
    }

    @ParameterizedTest
    @ValueSource(strings = { "hash", "tree", "skip" })
    void getsGiveTheSameObjectUntilItChanges(String kind) {
        PersistentMap<Object, Object> map = map(kind);
        map.put("key", "value");
        assertNotSame(map.get("key"), map.get("key"), "not cached, it is another copy each time");
        map.caching(Caching.CACHED);
        Object value = map.get("key");
        assertSame(value, map.get("key"));
        PersistentMap<Object, Object> other = map(kind);
        assertNotSame(map, other);
        assertSame(value, other.get("key"), "one cache for all proxies");
        other.put("key", "another");
        assertEquals("another", map.get("key"));
        other.remove("key");
        assertNull(map.get("key"));
        map.put("key", "again");
        assertEquals("again", other.get("key"));
        other.clear();
        assertNull(map.get("key"));
        other.put("key", 1);
        assertEquals(1, map.get("key"));
        map.entrySet().iterator().next().setValue(2);
        assertEquals(2, map.get("key"));
        map.keySet().remove("key");
        assertNull(map.get("key"));
        map.caching(Caching.NONE);
        map.put("key", "value");
        assertNotSame(other.get("key"), other.get("key"));
        assertNotSame(map.get("key"), map.get("key"));
    }

    @ParameterizedTest
    @EnumSource(Caching.class)
    void eagerlyAllIsThereAtOnce(Caching caching) {
        PersistentMap<Object, Object> map = map("hash");
        PersistentList<Object> list = list();
        for (int i = 0; i < 100; i++) {
            map.put(i, new String("value " + i));
            list.add("value " + i);
        }
        map.caching(caching);
        list.caching(caching);
        for (int i = 0; i < 100; i++) {
            assertEquals("value " + i, map.get(i));
            assertEquals("value " + i, list.get(i));
            if (caching != Caching.NONE) {
                assertSame(map.get(i), map.get(i));
                assertSame(list.get(i), list.get(i));
            }
        }
        assertThrows(IndexOutOfBoundsException.class, () -> list.get(100));
        assertNull(map.get(100));
    }

    @Test
    void aRollbackLeavesWhatWasCommitted() {
        for (String kind : List.of("hash", "tree", "skip")) {
            PersistentMap<Object, Object> map = map(kind);
            map.put("key", "value");
            map.caching(Caching.EAGER);
            assertThrows(IllegalStateException.class, () -> heap.atomic(() -> {
                map.put("key", "of the block");
                assertEquals("of the block", map.get("key"));
                map.put("new", 1);
                assertEquals(1, map.get("new"));
                map.clear();
                assertNull(map.get("key"));
                throw new IllegalStateException();
            }));
            assertEquals("value", map.get("key"));
            assertNull(map.get("new"));
            heap.atomic(() -> {
                map.put("key", "committed");
                assertEquals("committed", map.get("key"));
            });
            assertEquals("committed", map.get("key"));
        }
    }

    @Test
    void elementsOfAListMove() {
        PersistentList<Object> list = list();
        List<Object> model = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            list.add("element " + i);
            model.add("element " + i);
        }
        list.caching(Caching.EAGER);
        List<java.util.function.Consumer<List<Object>>> changes = List.of(l -> l.add(0, "first"), l -> l.remove(3),
                l -> l.set(5, "set"), l -> l.remove(l.size() - 1), l -> l.add("last"), l -> l.subList(2, 7).clear(),
                l -> l.sort((Comparator<Object>) (Comparator<?>) Comparator.reverseOrder()), l -> l.replaceAll(e -> e + "!"),
                l -> l.listIterator().add("by an iterator"), l -> l.removeIf(e -> e.toString().length() == 11), List::clear);
        for (java.util.function.Consumer<List<Object>> change : changes) {
            change.accept(list());
            change.accept(model);
            assertEquals(model.size(), list.size());
            for (int i = 0; i < model.size(); i++) {
                assertEquals(model.get(i), list.get(i));
            }
        }
    }

    @Test
    void freedCollectionsAndObjectsAreNotFoundInACache() {
        PersistentMap<Object, Object> map = map("hash");
        PersistentByteArray object = heap.atomic(() -> new PersistentByteArray(heap, 3));
        map.put("object", object);
        map.caching(Caching.EAGER);
        assertSame(map.get("object"), map.get("object"));
        heap.free(object);
        assertThrows(FreedObjectException.class, () -> map.get("object"));
        heap.collect();
        assertNull(map.get("object"));
        map.put("key", 1);
        assertEquals(1, map.get("key"));
        heap.atomic(() -> {
            heap.setRoot("hash", null);
            heap.free(map);
        });
        assertThrows(FreedObjectException.class, () -> map.get("key"));
        for (int i = 0; i < 500; i++) {
            PersistentHashMap<Object, Object> next = heap.atomic(() -> new PersistentHashMap<>(heap));
            assertNull(next.get("key"), "another map in the room of one that was cached");
            next.put("key", i);
            next.caching(Caching.CACHED);
            assertEquals(i, next.get("key"));
            heap.free(next);
        }
        PersistentMap<Object, Object> tree = map("tree");
        tree.put("key", 1);
        tree.caching(Caching.EAGER);
        heap.close();
        assertThrows(HeapException.class, () -> tree.get("key"));
    }

    @Test
    void aCollectionMakesNullWhatACachedOptionalHad() {
        PersistentMap<Object, Object> map = map("hash");
        PersistentByteArray object = heap.atomic(() -> new PersistentByteArray(heap, 3));
        map.put("key", Optional.of(object));
        map.caching(Caching.CACHED);
        assertEquals(Optional.of(object), map.get("key"));
        heap.free(object);
        heap.collect();
        assertEquals(Optional.empty(), map.get("key"));
    }

    @Test
    void whatCannotBeLoadedLeavesTheCachingAsItWas() {
        PersistentByteArray object = heap.atomic(() -> new PersistentByteArray(heap, 3));
        PersistentMap<Object, Object> map = map("hash");
        map.put("key", "value");
        map.put("freed", object);
        PersistentList<Object> list = list();
        list.addAll(List.of("value", object));
        heap.free(object);
        assertThrows(FreedObjectException.class, () -> map.caching(Caching.EAGER));
        assertThrows(FreedObjectException.class, () -> list.caching(Caching.EAGER));
        assertNotSame(list.get(0), list.get(0));
        assertNotSame(map.get("key"), map.get("key"));
    }

    @Test
    void aFreedCollectionLeavesNothingInMemory() {
        PersistentMap<Object, Object> map = map("hash");
        map.put("key", 1);
        map.caching(Caching.EAGER);
        assertThrows(IllegalStateException.class, () -> heap.atomic(() -> {
            heap.free(map);
            throw new IllegalStateException();
        }));
        assertEquals(1, map.get("key"));
        assertNotNull(RawObjects.of(heap).attachment(map));
        heap.atomic(() -> {
            heap.setRoot("hash", null);
            heap.free(map);
        });
        assertNull(RawObjects.of(heap).attachment(map));
    }

    /** Two caches of one map would not notify each other of changes. */
    @Test
    @Timeout(300)
    void threadsThatChooseAtOnceShareACache() throws Exception {
        for (int round = 0; round < 50; round++) {
            List<PersistentMap<Object, Object>> proxies = List.of(map("hash"), map("hash"));
            proxies.get(0).put("key", "before");
            List<Thread> threads = new ArrayList<>();
            heap.atomic(() -> {
                proxies.forEach(proxy -> threads.add(new Thread(() -> {
                    proxy.caching(Caching.CACHED);
                    proxy.get("key");
                })));
                threads.forEach(Thread::start);
                while (threads.stream().anyMatch(thread -> thread.getState() != Thread.State.TIMED_WAITING)) {
                    Thread.onSpinWait();
                }
            });
            for (Thread thread : threads) {
                thread.join();
            }
            proxies.get(0).put("key", "first");
            assertEquals("first", proxies.get(1).get("key"));
            proxies.get(1).put("key", "second");
            assertEquals("second", proxies.get(0).get("key"));
            proxies.get(0).caching(Caching.NONE);
        }
    }

    /** Otherwise transient keys would fill the memory. */
    @Test
    void whatACommitHasOvertakenIsNotKept() {
        ValueCache cache = new ValueCache(1);
        long before = cache.epoch("key");
        cache.collected();
        cache.put("key", "stale", before);
        assertEquals(0, cache.size());
        cache.put("key", "value", cache.epoch("key"));
        assertEquals(1, cache.size());
        assertEquals("value", cache.get("key"));
    }

    @Test
    void itIsChosenOutsideOfBlocks() {
        PersistentMap<Object, Object> map = map("hash");
        assertThrows(IllegalStateException.class, () -> heap.atomic(() -> map.caching(Caching.CACHED)));
        assertThrows(IllegalStateException.class, () -> heap.read(() -> {
            map.caching(Caching.CACHED);
            return null;
        }));
    }

    /**
     * Each block sets all keys to the same number. Under the lock of the blocks all values are equal, and without it no value goes
     * back.
     */
    @ParameterizedTest
    @EnumSource(Isolation.class)
    void readersBesideCommitsSeeEachOfThem(Isolation isolation) throws Exception {
        int keys = 8;
        int blocks = 1500;
        List<Map<Object, Object>> maps = List.of(map("hash"), map("tree"), map("skip"));
        maps.forEach(map -> ((PersistentMap<?, ?>) map).caching(Caching.CACHED));
        ReentrantLock lock = new ReentrantLock();
        AtomicBoolean done = new AtomicBoolean();
        ExecutorService readers = Executors.newFixedThreadPool(2);
        try {
            List<Future<Integer>> all = new ArrayList<>();
            for (int t = 0; t < 2; t++) {
                all.add(readers.submit(() -> {
                    int[] last = new int[keys];
                    int reads = 0;
                    for (; !done.get() || reads < 100; reads++) {
                        Map<Object, Object> map = maps.get(reads % maps.size());
                        lock.lock();
                        try {
                            assertEquals(map.get(0), map.get(keys - 1));
                        } finally {
                            lock.unlock();
                        }
                        if (isolation == Isolation.CALLER) {
                            // Reads concurrent with such a block require the caller's lock.
                            continue;
                        }
                        Object alone = maps.get(0).get(reads % keys);
                        int now = alone == null ? 0 : (Integer) alone;
                        int before = last[reads % keys];
                        assertTrue(now >= before, () -> "went back from " + before + " to " + now);
                        last[reads % keys] = now;
                    }
                    return reads;
                }));
            }
            for (int i = 1; i <= blocks; i++) {
                int number = i;
                lock.lock();
                try {
                    heap.atomic(isolation, () -> {
                        for (int k = 0; k < keys; k++) {
                            for (Map<Object, Object> map : maps) {
                                map.put(k, number);
                            }
                        }
                        return null;
                    });
                    assertEquals(number, maps.get(i % maps.size()).get(i % keys));
                } finally {
                    lock.unlock();
                }
            }
            done.set(true);
            for (Future<Integer> one : all) {
                one.get(120, TimeUnit.SECONDS);
            }
        } finally {
            done.set(true);
            readers.shutdownNow();
        }
    }
}
