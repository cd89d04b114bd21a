// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.RawObjects;
import org.terrace.persist.heap.files.HeapImage;
import org.terrace.persist.heap.liveness.Census;

/** Tests entries of hash maps with inline keys and values or separate ones, and entries of older heaps, which have only separate ones. */
class EntriesTest {
    private static final double OTHER_NAN = Double.longBitsToDouble(0x7ff8000000000123L);
    /** Values that are inline or separate. All values before the first long string are inline. */
    private static final List<Object> VALUES = List.of(0L, -1L, Long.MIN_VALUE, 0, -1, Integer.MAX_VALUE, 0.0, -0.0, Double.NaN,
            Double.MIN_VALUE, 1.5f, Float.NaN, (short) -2, (byte) -3, 'c', '\uffff', true, false, "", "a", "\u00e4\u00ff\u0000",
            "8 chars.", "9 chars..", "\u20ac", new UUID(1, 2), Bytes.of(new byte[] {1}), "org.terrace");

    @TempDir
    Path directory;
    private Heap heap;
    private PersistentHashMap<Object, Object> map;

    @BeforeEach
    void open() {
        heap = Heap.open(directory.resolve("test.heap"), HeapOptions.defaults().maxSize(16 << 20).durability(Durability.PROCESS));
        map = heap.root("map", PersistentHashMap.class, () -> new PersistentHashMap<>(heap));
    }

    @AfterEach
    void close() {
        assertEquals(List.of(), heap.check());
        assertEquals(List.of(), heap.checkCollections());
        heap.close();
        Map<String, Long> before = objects();
        open();
        heap.collect();
        heap.close();
        assertEquals(objects(), before, "what a map does not need any more is free");
    }

    /** Number of objects of the library's classes in the closed heap. */
    private Map<String, Long> objects() {
        try (HeapImage image = HeapImage.openIntact(directory.resolve("test.heap"))) {
            Map<String, Long> objects = new TreeMap<>();
            new Census(image.space()).classes().forEach((name, count) -> {
                if (name.startsWith("org.terrace")) {
                    objects.put(name, count.objects());
                }
            });
            return objects;
        }
    }

    private void reopen() {
        heap.close();
        open();
    }

    /** Stores an entry like a program from before inline entries. */
    private void putAsBefore(Object key, Object value) {
        heap.atomic(() -> {
            RawObjects raw = RawObjects.of(heap);
            int hash = StableHash.of(key);
            long table = raw.getLong(raw.referenceTo(map), PersistentHashMap.CLASS.offset("table"));
            int bucket = hash & 15;
            long entry = raw.allocate(HashEntry.CLASS, 0);
            raw.putLong(entry, MapEntry.KEY, Boxed.store(raw, key));
            raw.putLong(entry, MapEntry.VALUE, Boxed.store(raw, value));
            raw.putLong(entry, HashEntry.NEXT, ReferenceVector.get(raw, table, bucket));
            raw.putInt(entry, HashEntry.HASH, hash);
            ReferenceVector.set(raw, table, bucket, entry);
            map.changeSize(1);
        });
    }

    @Test
    void everyKeyAndValueComesBack() {
        Map<Object, Object> model = new HashMap<>();
        for (Object key : VALUES) {
            for (Object value : VALUES) {
                map.put(List.of(key, value).toString(), value);
                model.put(List.of(key, value).toString(), value);
                assertEquals(model.put(key, value), map.put(key, value));
                assertEquals(value, map.get(key));
            }
        }
        assertEquals(model, map);
        reopen();
        assertEquals(model, map);
        map.put(null, null);
        assertNull(map.get(null));
        assertTrue(map.containsKey(null));
        model.forEach((key, value) -> assertEquals(value, map.remove(key)));
        assertEquals(1, map.size());
    }

    @Test
    void equalNumbersAreOneKeyAndOthersAreNot() {
        map.put(Double.NaN, "nan");
        assertEquals("nan", map.get(OTHER_NAN));
        map.put("bits", OTHER_NAN);
        assertEquals(Double.doubleToRawLongBits(OTHER_NAN), Double.doubleToRawLongBits((Double) map.get("bits")));
        map.put(0.0, "zero");
        assertNull(map.get(-0.0));
        map.put(1L, "long");
        assertNull(map.get(1));
        assertNull(map.get((short) 1));
        assertNull(map.get('\u0001'));
        assertNull(map.get("\u0001"));
    }

    @Test
    void entriesOfOlderHeapsAreReadReplacedAndRemoved() {
        Map<Object, Object> model = new LinkedHashMap<>();
        Object[] olds = { 1L, "short", "a string that is not short", null };
        int number = 0;
        for (Object old : olds) {
            for (Object key : List.of(number, "key " + number, "a longer key " + number)) {
                putAsBefore(key, old);
                model.put(key, old);
                number++;
            }
        }
        reopen();
        assertEquals(model, map);
        Random random = new Random(1);
        for (int i = 0; i < 200; i++) {
            List<Object> keys = new ArrayList<>(model.keySet());
            Object key = keys.get(random.nextInt(keys.size()));
            Object value = random.nextInt(5) == 0 ? null : VALUES.get(random.nextInt(VALUES.size()));
            if (i % 10 == 9) {
                assertEquals(model.remove(key), map.remove(key));
                putAsBefore(key, "old again");
                model.put(key, "old again");
            } else {
                assertEquals(model.put(key, value), map.put(key, value));
            }
            assertEquals(model.get(key), map.get(key));
        }
        assertEquals(model, map);
        reopen();
        assertEquals(model, map);
    }

    /** If the new value needs another class of entry, another entry replaces the old one. */
    @Test
    void anIterationGoesOnWhileValuesAreReplaced() {
        for (long i = 0; i < 500; i++) {
            map.put(i, i);
        }
        Map<Object, Object> seen = new HashMap<>();
        Random random = new Random(2);
        int removed = 0;
        for (Iterator<Map.Entry<Object, Object>> i = map.entrySet().iterator(); i.hasNext();) {
            Map.Entry<Object, Object> entry = i.next();
            Object value = entry.getValue();
            assertNull(seen.put(entry.getKey(), value));
            for (int n = 0; n < 20; n++) {
                map.replace((long) random.nextInt(500), random.nextBoolean() ? "a string that is not short" : (Object) n);
            }
            entry.setValue(random.nextBoolean() ? "a string that does not fit" : (Object) 5);
            if (random.nextInt(3) == 0) {
                i.remove();
                removed++;
            }
        }
        assertEquals(500, seen.size());
        assertEquals(500 - removed, map.size());
        map.values().forEach(value -> assertTrue(value instanceof String || value instanceof Integer));
    }

    @Test
    void aRollbackBringsTheOldEntryBack() {
        for (Object before : VALUES) {
            for (Object after : VALUES) {
                map.put("key", before);
                assertThrows(IllegalStateException.class, () -> heap.atomic(() -> {
                    map.put("key", after);
                    assertEquals(after, map.get("key"));
                    map.remove("key");
                    throw new IllegalStateException();
                }));
                assertEquals(before, map.get("key"));
            }
        }
    }
}
