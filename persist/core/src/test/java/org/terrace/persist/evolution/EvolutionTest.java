// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.evolution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.terrace.persist.FieldType.BOOLEAN;
import static org.terrace.persist.FieldType.BYTE;
import static org.terrace.persist.FieldType.CHAR;
import static org.terrace.persist.FieldType.DOUBLE;
import static org.terrace.persist.FieldType.FLOAT;
import static org.terrace.persist.FieldType.INT;
import static org.terrace.persist.FieldType.LONG;
import static org.terrace.persist.FieldType.REFERENCE;
import static org.terrace.persist.FieldType.SHORT;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Cell;
import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass.Builder;
import org.terrace.persist.evolution.Thing.Version;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.types.PersistentByteArray;
import org.terrace.persist.types.PersistentHashMap;
import org.terrace.persist.types.PersistentList;

/** Tests heaps that are opened by programs whose classes have other fields than in the previous program. */
class EvolutionTest extends EvolutionSetUp {
    @TempDir
    Path directory;

    @Test
    void addedFieldsAreZeroAndTheOthersKeepTheirValues() {
        write(ONE_FIELD, "x", 7);
        Version second = Thing.define(MORE_FIELDS);
        assertTrue(converts(() -> assertReads(second, "added", 0L, "x", 7, "more", 0.0, "next", null, "none", null)));
        assertTrue(!converts(() -> assertReads(second, "x", 7)), "converted twice");
    }

    @Test
    void aNewFieldWithANameThatAnotherOneHadLongAgoTakesNothingOfIt() {
        write(b -> b.field("a", INT), "a", 7);
        assertReads(Thing.define(b -> b.field("b", INT, "a")), "b", 7);
        Version third = Thing.define(b -> b.field("a", INT).field("c", INT, "b"));
        assertReads(third, "a", 0, "c", 7);
    }

    @Test
    void aNewFieldWithAFormerNameOfADroppedOneIsZero() {
        write(b -> b.field("a", INT), "a", 7);
        assertReads(Thing.define(b -> b.field("b", INT, "a")), "b", 7);
        assertReads(Thing.define(b -> b.field("a", INT).dropped("b")), "a", 0);
    }

    @Test
    void referencesFromEverywhereLeadToTheObjectsThatMoved() {
        Version first = Thing.define(ONE_FIELD);
        int count = 500;
        try (Heap heap = open()) {
            PersistentList<Thing> list = heap.root("list", PersistentList.class, () -> new PersistentList<Thing>(heap));
            PersistentHashMap<Integer, Thing> map =
                    heap.root("map", PersistentHashMap.class, () -> new PersistentHashMap<>(heap));
            heap.atomic(() -> {
                for (int i = 0; i < count; i++) {
                    Thing thing = first.create(heap);
                    first.set(thing, "x", i);
                    first.set(thing, "next", i == 0 ? null : list.get(i - 1));
                    list.add(thing);
                    map.put(i, thing);
                }
                first.set(list.get(0), "next", list.get(count - 1));
                Cell cell = new Cell(heap, 1, null);
                cell.other(list.get(5));
                heap.setRoot("cell", cell);
                heap.setRoot("thing", list.get(count - 1));
            });
        }
        Version second = Thing.define(MORE_FIELDS);
        try (Heap heap = open()) {
            PersistentList<?> list = heap.root("list", PersistentList.class);
            PersistentHashMap<?, ?> map = heap.root("map", PersistentHashMap.class);
            for (int i = 0; i < count; i++) {
                Thing thing = (Thing) list.get(i);
                assertEquals(i, second.get(thing, "x"));
                assertEquals(list.get((i + count - 1) % count), second.get(thing, "next"));
                assertEquals(thing, map.get(i));
            }
            assertEquals(list.get(5), heap.root("cell", Cell.class).other());
            assertEquals(list.get(count - 1), root(heap));
            assertEquals(List.of(), heap.check());
            assertEquals(0, heap.collect().freed());
        }
    }

    @Test
    void objectsThatMoveKeepTheirHashCodes() {
        Version first = Thing.define(ONE_FIELD);
        int count = 100;
        try (Heap heap = open()) {
            PersistentHashMap<Thing, Integer> map =
                    heap.root("map", PersistentHashMap.class, () -> new PersistentHashMap<>(heap));
            heap.atomic(() -> {
                for (int i = 0; i < count; i++) {
                    Thing thing = first.create(heap);
                    first.set(thing, "x", i);
                    map.put(thing, i);
                }
            });
        }
        // The object is moved twice, and once it has enough space.
        for (int fields : new int[] {3, 6, 7}) {
            Version grown = Thing.define(b -> {
                ONE_FIELD.accept(b);
                for (int i = 0; i < fields; i++) {
                    b.field("f" + i, LONG);
                }
            });
            try (Heap heap = open()) {
                PersistentHashMap<?, ?> map = heap.root("map", PersistentHashMap.class);
                assertEquals(count, map.size());
                for (Object key : new ArrayList<>(map.keySet())) {
                    assertEquals(grown.get((Thing) key, "x"), map.get(key));
                }
                Thing made = heap.atomic(() -> grown.create(heap));
                assertEquals(made.hashCode(), made.hashCode());
                heap.atomic(() -> heap.free(made));
            }
        }
    }

    @Test
    void typesWidenWithoutLoss() {
        FieldType[] types = {BYTE, SHORT, CHAR, INT, FLOAT, LONG, DOUBLE};
        Object[][] values = {{(byte) -128, (byte) 127}, {(short) -32768, (short) 32767}, {'\0', '\uffff'},
            {Integer.MIN_VALUE, Integer.MAX_VALUE}, {Float.MIN_VALUE, -Float.MAX_VALUE}, {Long.MIN_VALUE, Long.MAX_VALUE},
            {Double.MIN_VALUE, -Double.MAX_VALUE}};
        int lossless = 0;
        for (int from = 0; from < types.length; from++) {
            for (FieldType to : types) {
                for (Object value : values[from]) {
                    lossless += widens(types[from], to, value) ? 1 : 0;
                }
            }
            for (FieldType other : new FieldType[] {BOOLEAN, REFERENCE}) {
                widens(types[from], other, values[from][0]);
            }
        }
        widens(BOOLEAN, INT, true);
        widens(REFERENCE, LONG, null);
        // Each type converts to itself. In addition, byte has 5 targets, short and char 4 each, int 2, and float 1.
        assertEquals(2 * (7 + 5 + 4 + 4 + 2 + 1), lossless);
    }

    /** Returns whether the heap is converted. Otherwise it must be rejected and unchanged. */
    private boolean widens(FieldType from, FieldType to, Object value) {
        disk.dispose();
        disk = new Disk();
        Version first = write(b -> b.field("before", BYTE).field("x", from), "before", (byte) 3, "x", value);
        Version second = Thing.define(b -> b.field("before", BYTE).field("x", to));
        if (!from.widensTo(to)) {
            String message = refusal();
            assertTrue(message.contains("field x of class " + Thing.class.getName()), message);
            assertTrue(message.contains("is " + from + " in the heap and " + to + " in the program"), message);
            assertTrue(message.contains("declare it " + from), message);
            Thing.define(b -> b.field("before", BYTE).field("x", from));
            assertReads(first, "before", (byte) 3, "x", value);
            return false;
        }
        try (Heap heap = open()) {
            assertEquals((byte) 3, second.get(root(heap), "before"));
            Object read = second.get(root(heap), "x");
            assertEquals(exact(value), exact(read), from + " to " + to);
        }
        return true;
    }

    private static java.math.BigDecimal exact(Object value) {
        if (value instanceof Character c) {
            return java.math.BigDecimal.valueOf(c);
        }
        return value instanceof Float || value instanceof Double ? new java.math.BigDecimal(((Number) value).doubleValue())
                : java.math.BigDecimal.valueOf(((Number) value).longValue());
    }

    @Test
    void aRenamedFieldHasItsValuesForTheOlderProgramToo() {
        Version first = write(ONE_FIELD, "x", 7);
        Version second = Thing.define(b -> b.field("y", INT, "z", "x").field("next", REFERENCE));
        assertTrue(!converts(() -> assertReads(second, "y", 7)), "a name alone moves nothing");
        Thing.define(ONE_FIELD);
        try (Heap heap = open()) {
            assertEquals(7, first.get(root(heap), "x"));
            heap.atomic(() -> first.set(root(heap), "x", 8));
        }
        // The heap contains the new name, so the former name is no longer needed.
        Version third = Thing.define(b -> b.field("added", LONG).field("y", LONG).field("next", REFERENCE));
        assertReads(third, "y", 8L, "added", 0L);
        Version fourth = Thing.define(b -> b.field("x", INT).field("y", LONG));
        assertReads(fourth, "x", 0, "y", 8L);
    }

    @Test
    void fieldsThatAProgramLacksKeepTheirValues() {
        write(MORE_FIELDS, "added", 1L, "x", 7, "more", 2.5);
        Version older = Thing.define(ONE_FIELD);
        try (Heap heap = open()) {
            heap.atomic(() -> older.set(root(heap), "x", 8));
            heap.atomic(() -> older.set(root(heap), "next", older.create(heap)));
        }
        Version again = Thing.define(MORE_FIELDS);
        assertReads(again, "added", 1L, "x", 8, "more", 2.5);
        try (Heap heap = open()) {
            Thing made = (Thing) again.get(root(heap), "next");
            assertEquals(0L, again.get(made, "added"));
            assertEquals(0, again.get(made, "x"));
        }
    }

    @Test
    void anOlderProgramWhoseFieldsAreWhereTheyWereConvertsNothing() {
        Version second = write(b -> b.field("x", INT).field("next", REFERENCE).field("added", LONG), "x", 7, "added", 5L);
        Version older = Thing.define(ONE_FIELD);
        assertTrue(!converts(() -> assertReads(older, "x", 7)));
        try (Heap heap = open()) {
            heap.atomic(() -> older.set(root(heap), "next", older.create(heap)));
        }
        Thing.define(b -> b.field("x", INT).field("next", REFERENCE).field("added", LONG));
        assertTrue(!converts(() -> assertReads(second, "x", 7, "added", 5L)));
        try (Heap heap = open()) {
            assertEquals(0L, second.get((Thing) second.get(root(heap), "next"), "added"));
        }
    }

    @Test
    void droppedFieldsLoseTheirValuesAndKeepNothingAlive() {
        Version first = Thing.define(b -> b.field("x", INT).field("gone", REFERENCE).field("y", LONG));
        try (Heap heap = open()) {
            heap.atomic(() -> {
                Thing thing = first.create(heap);
                first.set(thing, "x", 7);
                first.set(thing, "y", 9L);
                first.set(thing, "gone", new PersistentByteArray(heap, 100));
                heap.setRoot("thing", thing);
            });
        }
        Version lacking = Thing.define(b -> b.field("x", INT).field("y", LONG));
        assertReads(lacking, "x", 7, "y", 9L);
        assertTrue(holdsBytes());
        Version dropping = Thing.define(b -> b.field("x", INT).field("y", LONG).dropped("gone"));
        assertReads(dropping, "x", 7, "y", 9L);
        assertTrue(!holdsBytes());
        Version back = Thing.define(b -> b.field("x", INT).field("y", LONG).field("gone", REFERENCE));
        assertReads(back, "x", 7, "y", 9L, "gone", null);
    }

    /** The live objects are the directory, a root, the object, two classes, and possibly the array. */
    private boolean holdsBytes() {
        try (Heap heap = open()) {
            long live = heap.collect().live();
            assertTrue(live == 5 || live == 6, live + " objects");
            return live == 6;
        }
    }

    @Test
    void namesThatMeanTwoFieldsAreRefused() {
        for (Consumer<Builder<Thing>> wrong : List.<Consumer<Builder<Thing>>>of(
                b -> b.field("x", INT).field("x", INT), b -> b.field("x", INT, "y").field("y", INT),
                b -> b.field("x", INT, "z").field("y", INT, "z"), b -> b.field("x", INT).dropped("x"),
                b -> b.field("*identity", LONG), b -> b.field("x y", INT), b -> b.formerly("a b"))) {
            assertThrows(IllegalArgumentException.class, () -> Thing.define(wrong));
        }
    }
}
