// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapException;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.transform.model.Everything.Colour;
import org.terrace.persist.transform.model.Everything.Point;
import org.terrace.persist.types.PersistentDeque;
import org.terrace.persist.types.PersistentHashMap;
import org.terrace.persist.types.PersistentHashSet;
import org.terrace.persist.types.PersistentIntArray;
import org.terrace.persist.types.PersistentList;
import org.terrace.persist.types.PersistentTreeMap;

/** Tests fields of each type, including null, across two openings. */
@Tag("model")
class TypesTest {
    private static final UUID ID = new UUID(1, 2);
    private static final Point POINT = new Point(3, 0.5, "pünkt", Colour.GREEN, Point.ORIGIN, Optional.of(9L));

    @TempDir
    Path directory;

    private Heap open() {
        return Heap.open(directory.resolve("types.heap"));
    }

    @Test
    void eachTypeIsKept() {
        try (Heap heap = open()) {
            Everything<String> e = heap.root("e", Everything.class, Everything::new);
            assertEquals(17, e.constant);
            assertEquals("set by the initializer", e.note);
            heap.atomic(() -> fill(e));
            check(e);
        }
        try (Heap heap = open()) {
            Everything<String> e = heap.root("e", Everything.class);
            check(e);
            assertNull(e.note);
            assertArrayEquals(new int[] {-5}, e.cache);
            assertEquals(17, e.constant);
            assertEquals(List.of(), heap.check());
            heap.atomic(() -> clear(e));
            assertNull(e.point);
            assertNull(e.comparable);
            assertNull(e.map);
            assertNull(e.boxedBoolean);
        }
    }

    @Test
    void aStoreFreesTheFormerCopy() {
        try (Heap heap = open()) {
            Everything<String> e = heap.root("e", Everything.class, Everything::new);
            Everything<String> other = heap.root("keeps pages in use", Everything.class, Everything::new);
            heap.atomic(() -> {
                fill(e);
                fill(other);
            });
            heap.atomic(() -> clear(e));
            long garbage = heap.collect().freed();
            heap.atomic(() -> fillCollections(e, new Node(1, "node")));
            heap.atomic(() -> clear(e));
            assertEquals(heap.collect().freed(), garbage, "only collections and what they refer to are left to a collection");
        }
    }

    private static void fill(Everything<String> e) {
        e.aBoolean = true;
        e.aByte = -1;
        e.aShort = -2;
        e.aChar = 'ß';
        e.anInt = -5;
        e.aLong = Long.MIN_VALUE;
        e.aFloat = -0.0f;
        e.aDouble = Double.NaN;
        e.boxedBoolean = true;
        e.boxedByte = 1;
        e.boxedShort = 2;
        e.boxedChar = 'x';
        e.boxedInt = 4;
        e.boxedLong = 5L;
        e.boxedFloat = 6f;
        e.boxedDouble = 7.0;
        e.text = "日本";
        e.colour = Colour.GREEN;
        e.instant = Instant.ofEpochSecond(12, 34);
        e.uuid = ID;
        e.bigInteger = BigInteger.TEN.pow(40);
        e.bigDecimal = new BigDecimal("1.50");
        e.optional = Optional.of("present");
        e.point = POINT;
        e.number = 8;
        e.characters = "characters";
        e.comparable = "comparable";
        Node node = new Node(1, "node");
        e.node = node;
        e.optionalNode = Optional.of(node);
        e.anything = node;
        fillCollections(e, node);
    }

    private static void fillCollections(Everything<String> e, Node node) {
        e.list = new PersistentList<>();
        e.list.addAll(List.of("a", "b"));
        e.set = new PersistentHashSet<>();
        e.set.add(POINT);
        e.map = new PersistentHashMap<>();
        e.map.put(POINT, node);
        e.sorted = new PersistentTreeMap<>();
        e.sorted.put("one", 1);
        e.deque = new PersistentDeque<>();
        e.deque.add(Optional.of(POINT));
        e.ints = new PersistentIntArray(Heap.current(), new int[] {1, 2, 3});
    }

    private static void check(Everything<String> e) {
        assertTrue(e.aBoolean);
        assertEquals(List.of((byte) -1, (short) -2, 'ß', -5, Long.MIN_VALUE, -0.0f, Double.NaN),
                List.of(e.aByte, e.aShort, e.aChar, e.anInt, e.aLong, e.aFloat, e.aDouble));
        assertEquals(List.of(true, (byte) 1, (short) 2, 'x', 4, 5L, 6f, 7.0), List.of(e.boxedBoolean, e.boxedByte, e.boxedShort,
                e.boxedChar, e.boxedInt, e.boxedLong, e.boxedFloat, e.boxedDouble));
        assertEquals(List.of("日本", Colour.GREEN, Instant.ofEpochSecond(12, 34), ID, BigInteger.TEN.pow(40),
                new BigDecimal("1.50"), Optional.of("present"), POINT, 8, "characters", "comparable"),
                List.of(e.text, e.colour, e.instant, e.uuid, e.bigInteger, e.bigDecimal, e.optional, e.point, e.number,
                        e.characters, e.comparable));
        assertEquals("green!", e.colour.shout());
        assertEquals("node", e.node.text);
        assertEquals(e.node, e.anything);
        assertEquals(Optional.of(e.node), e.optionalNode);
        assertEquals(List.of("a", "b"), e.list);
        assertTrue(e.set.contains(POINT));
        assertEquals(e.node, e.map.get(POINT));
        assertEquals("one", e.sorted.firstKey());
        assertEquals(Optional.of(POINT), e.deque.peek());
        assertArrayEquals(new int[] {1, 2, 3}, e.ints.toArray());
    }

    private static void clear(Everything<String> e) {
        e.boxedBoolean = null;
        e.boxedByte = null;
        e.boxedShort = null;
        e.boxedChar = null;
        e.boxedInt = null;
        e.boxedLong = null;
        e.boxedFloat = null;
        e.boxedDouble = null;
        e.text = null;
        e.node = null;
        e.colour = null;
        e.instant = null;
        e.uuid = null;
        e.bigInteger = null;
        e.bigDecimal = null;
        e.optional = null;
        e.optionalNode = null;
        e.point = null;
        e.anything = null;
        e.number = null;
        e.characters = null;
        e.comparable = null;
        e.list = null;
        e.set = null;
        e.map = null;
        e.sorted = null;
        e.deque = null;
        e.ints = null;
    }

    @Test
    void whatCannotBeKeptIsRefusedAtTheStore() {
        try (Heap heap = open()) {
            Everything<String> e = heap.root("e", Everything.class, Everything::new);
            heap.atomic(() -> e.text = "before");
            IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> heap.atomic(() -> {
                e.text = "during";
                e.map = new HashMap<>();
            }));
            assertTrue(refused.getMessage().startsWith(
                    "org.terrace.persist.transform.model.Everything.map cannot hold a java.util.HashMap: "),
                    refused.getMessage());
            assertTrue(refused.getMessage().contains("PersistentHashMap"), refused.getMessage());
            assertEquals("before", e.text);
            assertThrows(IllegalArgumentException.class, () -> e.list = new ArrayList<>());
            assertThrows(IllegalArgumentException.class, () -> e.anything = new Thread());
            record Plain(int x) {
            }
            assertThrows(IllegalArgumentException.class, () -> e.anything = new Plain(1));
            assertThrows(HeapException.class, () -> heap.setRoot("point", POINT));
        }
    }

    @Test
    void copiesAreFreedWithTheirObject() {
        try (Heap heap = open()) {
            Everything<String> e = heap.root("e", Everything.class, Everything::new);
            Everything<String> other = heap.root("keeps pages in use", Everything.class, Everything::new);
            heap.atomic(() -> {
                for (Everything<String> each : List.of(e, other)) {
                    each.point = POINT;
                    each.text = "text";
                    each.optional = Optional.of("optional");
                }
            });
            heap.atomic(() -> {
                heap.setRoot("e", null);
                heap.free(e);
            });
            assertTrue(PersistentObject.of(e).isFreed());
            assertEquals(0, heap.collect().freed());
        }
    }
}
