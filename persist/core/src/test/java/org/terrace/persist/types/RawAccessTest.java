// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.Durability;
import org.terrace.persist.FreedObjectException;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.RawObjects;

/** Tests the safety of hash maps that read entries without proxies, and plain values without a lock. */
@Timeout(300)
class RawAccessTest {
    private static final int BUCKETS = 16;

    @TempDir
    Path directory;
    private Heap heap;
    private PersistentHashMap<Long, Object> map;

    @BeforeEach
    void open() {
        heap = Heap.open(directory.resolve("test.heap"), HeapOptions.defaults().maxSize(16 << 20)
                .durability(Durability.PROCESS));
        map = heap.atomic(() -> new PersistentHashMap<Long, Object>(heap));
    }

    @AfterEach
    void close() {
        heap.close();
    }

    /** The array with the first entry of each bucket, or 0. */
    private long segment() {
        RawObjects raw = RawObjects.of(heap);
        long table = raw.getLong(raw.referenceTo(map), PersistentHashMap.CLASS.offset("table"));
        return References.get(raw, table, 0);
    }

    private void assertDamageIsFound() {
        assertThrows(CorruptHeapException.class, () -> map.get(3L));
        assertThrows(CorruptHeapException.class, () -> heap.atomic(() -> map.get(3L)));
        assertThrows(CorruptHeapException.class, () -> map.containsKey(3L));
        assertThrows(CorruptHeapException.class, () -> map.put(3L, 4L));
        assertThrows(CorruptHeapException.class, () -> map.entrySet().iterator().next());
    }

    @ParameterizedTest
    @ValueSource(longs = { 12345, 8, 1L << 60, -8, Long.MIN_VALUE, 16L << 20 })
    void aReferenceToNowhereIsRefused(long reference) {
        map.put(3L, 3L);
        heap.atomic(() -> {
            for (int i = 0; i < BUCKETS; i++) {
                References.set(RawObjects.of(heap), segment(), i, reference);
            }
        });
        assertDamageIsFound();
    }

    @Test
    void anObjectOfAnotherClassIsNoEntry() {
        map.put(3L, 3L);
        heap.atomic(() -> {
            RawObjects raw = RawObjects.of(heap);
            for (int i = 0; i < BUCKETS; i++) {
                References.set(raw, segment(), i, raw.referenceTo(map));
            }
        });
        assertDamageIsFound();
    }

    @Test
    void anArrayEndsWhereItsObjectEnds() {
        RawObjects raw = RawObjects.of(heap);
        assertThrows(CorruptHeapException.class, () -> References.get(raw, segment(), BUCKETS + 1));
        assertThrows(CorruptHeapException.class, () -> References.get(raw, segment(), -1));
        assertThrows(CorruptHeapException.class, () -> References.get(raw, raw.referenceTo(map), 0));
    }

    @Test
    void aNumberInTheRoomOfABooleanIsRefused() {
        PersistentList<Object> list = heap.atomic(() -> new PersistentList<>(heap));
        list.add(true);
        RawObjects raw = RawObjects.of(heap);
        long value = ReferenceVector.get(raw, raw.getLong(raw.referenceTo(list), PersistentList.CLASS.offset("elements")), 0);
        long first = raw.getLong(value, 0);
        int longTag = 7;
        heap.atomic(() -> raw.putLong(value, 0, first & ~0xff_0000_0000L | (long) longTag << 32));
        assertThrows(CorruptHeapException.class, () -> list.get(0));
    }

    @Test
    void mapsThatAreFreedOrClosedSaySo() {
        map.put(3L, 3L);
        PersistentHashMap<Long, Long> other = heap.atomic(() -> new PersistentHashMap<Long, Long>(heap));
        other.put(3L, 3L);
        heap.free(other);
        assertThrows(FreedObjectException.class, () -> other.get(3L));
        assertThrows(FreedObjectException.class, () -> other.put(3L, 4L));
        heap.close();
        HeapException closed = assertThrows(HeapException.class, () -> map.get(3L));
        assertTrue(closed.getMessage().contains("closed"), closed::getMessage);
    }

    @Test
    void aBlockSeesWhatItPutAndNobodyElseDoes() throws Exception {
        map.put(3L, 3L);
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            heap.atomic(() -> {
                map.put(3L, 4L);
                assertEquals(4L, map.get(3L));
                map.remove(3L);
                assertNull(map.get(3L));
                try {
                    // A plain value must be read without waiting for this block.
                    assertEquals(3L, other.submit(() -> map.get(3L)).get(20, TimeUnit.SECONDS));
                } catch (InterruptedException | ExecutionException | TimeoutException e) {
                    throw new AssertionError(e);
                }
            });
        } finally {
            other.shutdownNow();
        }
        assertNull(map.get(3L));
    }

    /** A value replaces another one, of the same size or not, and a rollback restores the old one. */
    @Test
    void valuesOfAllSizesTakeEachOthersPlace() {
        Object[] values = { 1L, 2, 2.5, "short", "eleven char", "a longer string than fits", "\u20ac", true, null, -1L, map };
        for (Object before : values) {
            for (Object after : values) {
                map.put(3L, before);
                assertThrows(IllegalStateException.class, () -> heap.atomic(() -> {
                    map.put(3L, after);
                    throw new IllegalStateException();
                }));
                assertEquals(before == map, map.get(3L) == map || map.get(3L) instanceof PersistentHashMap);
                if (before != map) {
                    assertEquals(before, map.put(3L, after));
                }
            }
        }
        map.put(3L, null);
        assertEquals(List.of(), heap.check());
    }

    /** Each block removes keys and puts them again, which reuses free entries and values. */
    @Test
    void aGetBesideCommitsSeesNoHalfOfOne() throws Exception {
        long keys = 200;
        int blocks = 3_000;
        for (long k = 0; k < keys; k++) {
            map.put(k, 0L);
        }
        ExecutorService readers = Executors.newFixedThreadPool(2);
        try {
            AtomicBoolean done = new AtomicBoolean();
            List<Future<Long>> all = new ArrayList<>();
            for (int t = 0; t < 2; t++) {
                all.add(readers.submit(() -> {
                    long[] last = new long[(int) keys];
                    long gets = 0;
                    for (long k = 0; !done.get() || gets < keys; k = (k + 1) % keys, gets++) {
                        long now = (Long) map.get(k);
                        long before = last[(int) k];
                        assertTrue(now >= before, () -> "a value went back from " + before + " to " + now);
                        last[(int) k] = now;
                    }
                    return gets;
                }));
            }
            for (int i = 1; i <= blocks; i++) {
                long value = i;
                heap.atomic(() -> {
                    for (long k = 0; k < 20; k++) {
                        long key = (value * 7 + k * 10) % keys;
                        map.remove(key);
                    }
                    for (long k = 19; k >= 0; k--) {
                        map.put((value * 7 + k * 10) % keys, value);
                    }
                });
            }
            done.set(true);
            for (Future<Long> one : all) {
                one.get(120, TimeUnit.SECONDS);
            }
        } finally {
            readers.shutdownNow();
        }
    }
}
