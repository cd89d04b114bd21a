// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.Collections;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.Durability;
import org.terrace.persist.FreedObjectException;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.RawObjects;
import org.terrace.persist.medium.Disk;

/**
 * Tests properties of sorted maps that Guava's tests do not cover: unusual keys, many entries, and iterations during changes and
 * rollbacks.
 */
class SortedMapsTest {
    /** Lengths around the word boundaries of a stored string. The first word has three characters, the following ones eight. */
    private static final int[] LENGTHS = {0, 1, 2, 3, 4, 10, 11, 12, 18, 19, 20};
    private static final int ENTRIES = 300;

    private final Disk disk = new Disk();
    private Heap heap;

    enum Kind {
        TREE(PersistentTreeMap::new), SKIP_LIST(PersistentSkipListMap::new);

        private final Function<Heap, PersistentSortedMap<?, ?>> maker;

        Kind(Function<Heap, PersistentSortedMap<?, ?>> maker) {
            this.maker = maker;
        }
    }

    /** A key whose comparisons are counted. Its order can be reversed, as by another version of a program. */
    private record Counted(int number) implements Comparable<Counted> {
        private static int comparisons;
        private static boolean turned;
        private static int countdown;
        private static Runnable atTheEnd;

        static {
            Records.define(MethodHandles.lookup());
        }

        @Override
        public int compareTo(Counted other) {
            comparisons++;
            if (--countdown == 0) {
                atTheEnd.run();
            }
            return turned ? Integer.compare(other.number, number) : Integer.compare(number, other.number);
        }
    }

    @BeforeEach
    void open() {
        Counted.turned = false;
        heap = Heap.open(disk.path("test.heap"), HeapOptions.defaults().maxSize(16 << 20).durability(Durability.PROCESS));
    }

    @AfterEach
    void close() {
        assertEquals(List.of(), heap.check());
        assertEquals(List.of(), heap.checkCollections());
        heap.close();
        disk.dispose();
    }

    @SuppressWarnings("unchecked")
    private <K, V> PersistentSortedMap<K, V> make(Kind kind) {
        return heap.root("map", PersistentSortedMap.class, () -> kind.maker.apply(heap));
    }

    /** Creates a map with the keys 0, 10, 20 ... */
    private NavigableMap<Integer, Integer> filled(Kind kind) {
        NavigableMap<Integer, Integer> map = make(kind);
        heap.atomic(() -> {
            List<Integer> numbers = IntStream.range(0, ENTRIES).boxed().collect(Collectors.toList());
            Collections.shuffle(numbers, new Random(1));
            numbers.forEach(i -> map.put(10 * i, i));
        });
        return map;
    }

    private static List<String> oddStrings() {
        List<String> strings = new ArrayList<>(List.of("\ud800", "\udc00", "\ud83d\ude00", "\ud83d", "\ud83da", "\ue000", "\uffff",
                "\uff00", "\u00ff\uffff", "A", "Z", "\u00c4", "\u00e4", "ss", "\u00df"));
        for (int length : LENGTHS) {
            for (String before : List.of("a", "\u0000", "\u20ac")) {
                for (String end : List.of("", "\u0000", "a", "b", "\u007f", "\u0080", "\u00ff", "\u0100", "\ud800", "\uffff")) {
                    strings.add(before.repeat(length) + end);
                }
            }
        }
        return strings.stream().distinct().collect(Collectors.toList());
    }

    /** Checks without a lock, and in a block that has stored some of the values. */
    private void assertOrderIsOfCompareTo(List<?> values) {
        RawObjects raw = RawObjects.of(heap);
        List<Long> stored = heap.atomic(() -> values.stream().map(value -> Boxed.store(raw, value)).collect(Collectors.toList()));
        Runnable comparison = () -> {
            for (int i = 0; i < values.size(); i++) {
                for (Object other : values) {
                    int expected = Integer.signum(Boxed.compare(other, values.get(i)));
                    int n = i;
                    assertEquals(expected, Integer.signum(Boxed.compare(raw, other, stored.get(i))),
                            () -> other + " and the stored " + values.get(n));
                }
            }
        };
        comparison.run();
        heap.atomic(() -> {
            for (int i = 0; i < values.size(); i += 2) {
                stored.set(i, Boxed.store(raw, values.get(i)));
            }
            comparison.run();
        });
    }

    @Test
    void storedValuesAreOrderedAsByCompareTo() {
        assertOrderIsOfCompareTo(oddStrings());
        assertOrderIsOfCompareTo(List.of(0L, 1L, -1L, 255L, 256L, -256L, 1L << 32, -1L << 32, Long.MIN_VALUE, Long.MAX_VALUE));
        assertOrderIsOfCompareTo(List.of(0, 1, -1, 255, 256, -256, 1 << 16, Integer.MIN_VALUE, Integer.MAX_VALUE));
        assertOrderIsOfCompareTo(List.of(0.0, -0.0, Double.NaN, 1.5, Double.NEGATIVE_INFINITY));
        assertOrderIsOfCompareTo(List.of(Bytes.of(new byte[] {1}), Bytes.of(new byte[] {-1}), Bytes.of(new byte[0])));
    }

    @ParameterizedTest
    @EnumSource
    void oddStringsAreFoundWithTheirNeighbours(Kind kind) {
        NavigableMap<String, String> map = make(kind);
        TreeMap<String, String> model = new TreeMap<>();
        List<String> strings = oddStrings();
        Collections.shuffle(strings, new Random(2));
        for (int i = 0; i < strings.size(); i++) {
            if (i % 3 != 0) {
                assertNull(map.put(strings.get(i), "value"));
                model.put(strings.get(i), "value");
            }
        }
        assertEquals(List.copyOf(model.keySet()), List.copyOf(map.keySet()));
        for (String s : strings) {
            assertEquals(model.get(s), map.get(s));
            assertEquals(model.lowerKey(s), map.lowerKey(s));
            assertEquals(model.floorKey(s), map.floorKey(s));
            assertEquals(model.ceilingKey(s), map.ceilingKey(s));
            assertEquals(model.higherKey(s), map.higherKey(s));
            assertEquals(model.headMap(s, true).size(), map.headMap(s, true).size());
        }
        Collections.shuffle(strings, new Random(3));
        for (String s : strings) {
            assertEquals(model.remove(s), map.remove(s));
            assertEquals(model.firstEntry(), map.firstEntry());
            assertEquals(model.lastEntry(), map.lastEntry());
        }
        assertTrue(map.isEmpty());
    }

    @ParameterizedTest
    @EnumSource
    void keysThatCannotBeComparedAreRefused(Kind kind) {
        for (Object there : List.of("text", "\u20ac", 1L, 1, 1.5, Bytes.of(new byte[] {1}))) {
            PersistentSortedMap<Object, Object> map = make(kind);
            map.clear();
            map.put(there, "value");
            for (Object key : List.of("text", 1L, 1, 1.5, Bytes.of(new byte[] {1}))) {
                if (key.getClass() != there.getClass()) {
                    assertThrows(ClassCastException.class, () -> map.get(key));
                    assertThrows(ClassCastException.class, () -> map.put(key, "value"));
                    assertThrows(ClassCastException.class, () -> map.ceilingKey(key));
                    assertThrows(ClassCastException.class, () -> map.lowerKey(key));
                    assertThrows(ClassCastException.class, () -> map.remove(key));
                }
            }
            assertThrows(ClassCastException.class, () -> map.get(new Object()));
            assertThrows(NullPointerException.class, () -> map.get(null));
            assertEquals("{" + there + "=value}", map.toString());
        }
    }

    @ParameterizedTest
    @EnumSource
    void aKeyThatTheProgramHasFreedIsToldOf(Kind kind) {
        PersistentSortedMap<PersistentString, Integer> map = make(kind);
        List<PersistentString> keys = heap.atomic(() -> {
            List<PersistentString> made = List.of(new PersistentString(heap, "a"), new PersistentString(heap, "b"),
                    new PersistentString(heap, "c"));
            made.forEach(key -> map.put(key, 1));
            return made;
        });
        assertEquals(1, map.get(keys.get(2)));
        heap.free(keys.get(1));
        assertThrows(FreedObjectException.class, () -> map.tailMap(keys.get(0), false).firstKey());
        assertThrows(FreedObjectException.class, () -> map.forEach((key, value) -> assertEquals(1, value)));
        heap.setRoot("map", null);
        heap.collect();
    }

    @ParameterizedTest
    @EnumSource
    void anIterationGoesFromEntryToEntry(Kind kind) {
        PersistentSortedMap<Counted, Integer> map = make(kind);
        heap.atomic(() -> {
            for (int i = 0; i < ENTRIES; i++) {
                map.put(new Counted(i * 7919 % ENTRIES), i);
            }
        });
        Counted.comparisons = 0;
        assertEquals(ENTRIES, map.keySet().stream().count());
        assertEquals(0, Counted.comparisons);
        if (kind == Kind.TREE) {
            assertEquals(ENTRIES, map.descendingMap().values().stream().count());
            assertEquals(0, Counted.comparisons);
        }
        assertEquals(ENTRIES - 1, map.tailMap(new Counted(1), true).values().stream().count());
        assertTrue(Counted.comparisons < ENTRIES / 3, () -> "a search for each: " + Counted.comparisons);
    }

    @ParameterizedTest
    @EnumSource
    void iterationsEndWhenEntriesComeOrGo(Kind kind) {
        NavigableMap<Integer, Integer> map = filled(kind);
        List<Runnable> changes = List.of(() -> map.put(5, 5), () -> map.remove(100), () -> map.pollFirstEntry(),
                () -> map.subMap(200, 300).clear());
        for (Runnable change : changes) {
            for (NavigableMap<Integer, Integer> view : List.of(map, map.descendingMap(), map.subMap(50, true, 2000, true))) {
                Iterator<Integer> keys = view.keySet().iterator();
                keys.next();
                change.run();
                assertTrue(keys.hasNext());
                assertThrows(ConcurrentModificationException.class, keys::next);
                assertThrows(ConcurrentModificationException.class, keys::remove);
                map.clear();
                filled(kind);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void iterationsGoOnWhileValuesAreReplaced(Kind kind) {
        NavigableMap<Integer, Integer> map = filled(kind);
        for (NavigableMap<Integer, Integer> view : List.of(map, map.descendingMap())) {
            List<Integer> seen = new ArrayList<>();
            for (Map.Entry<Integer, Integer> entry : view.entrySet()) {
                seen.add(entry.getKey());
                entry.setValue(-1);
                map.put(view.lastKey(), seen.size());
            }
            assertEquals(List.copyOf(view.keySet()), seen);
            assertEquals(ENTRIES, seen.size());
        }
    }

    @ParameterizedTest
    @EnumSource
    void iteratorsRemoveInEachDirection(Kind kind) {
        Random random = new Random(4);
        for (boolean down : new boolean[] {false, true}) {
            for (boolean inBlock : new boolean[] {false, true}) {
                NavigableMap<Integer, Integer> map = filled(kind);
                TreeMap<Integer, Integer> model = new TreeMap<>(map);
                while (!model.isEmpty()) {
                    int low = 10 * random.nextInt(ENTRIES);
                    boolean inclusive = random.nextBoolean();
                    Runnable pass = () -> removeSome(part(map, low, inclusive, down), part(model, low, inclusive, down), random);
                    if (inBlock) {
                        heap.atomic(pass);
                    } else {
                        pass.run();
                    }
                    assertEquals(model, map);
                    assertEquals(List.copyOf(model.keySet()), List.copyOf(map.keySet()));
                }
            }
        }
    }

    private static NavigableMap<Integer, Integer> part(NavigableMap<Integer, Integer> map, int low, boolean inclusive, boolean down) {
        NavigableMap<Integer, Integer> part = map.subMap(low, inclusive, low + 500, !inclusive);
        return down ? part.descendingMap() : part;
    }

    private static void removeSome(NavigableMap<Integer, Integer> map, NavigableMap<Integer, Integer> model, Random random) {
        Iterator<Map.Entry<Integer, Integer>> entries = map.entrySet().iterator();
        assertThrows(IllegalStateException.class, entries::remove);
        for (Iterator<Map.Entry<Integer, Integer>> i = model.entrySet().iterator(); i.hasNext();) {
            assertEquals(i.next(), entries.next());
            if (random.nextInt(3) != 0) {
                i.remove();
                entries.remove();
                assertThrows(IllegalStateException.class, entries::remove);
            }
        }
        assertFalse(entries.hasNext());
    }

    @ParameterizedTest
    @EnumSource
    void rangesAreThoseOfATreeMap(Kind kind) {
        NavigableMap<Integer, Integer> map = filled(kind);
        TreeMap<Integer, Integer> model = new TreeMap<>(map);
        Random random = new Random(5);
        for (int i = 0; i < 300; i++) {
            int low = random.nextInt(10 * ENTRIES);
            int high = low + random.nextInt(10 * ENTRIES - low);
            boolean from = random.nextBoolean();
            boolean to = random.nextBoolean();
            NavigableMap<Integer, Integer> expected = model.subMap(low, from, high, to);
            NavigableMap<Integer, Integer> part = map.subMap(low, from, high, to);
            if (random.nextBoolean()) {
                expected = expected.descendingMap();
                part = part.descendingMap();
            }
            assertEquals(expected.size(), part.size());
            assertEquals(List.copyOf(expected.entrySet()), List.copyOf(part.entrySet()));
            assertEquals(expected.firstEntry(), part.firstEntry());
            assertEquals(expected.lastEntry(), part.lastEntry());
            int key = random.nextInt(10 * ENTRIES);
            assertEquals(expected.higherEntry(key), part.higherEntry(key));
            assertEquals(expected.floorEntry(key), part.floorEntry(key));
            if (i % 20 == 19) {
                expected.clear();
                part.clear();
            } else if (i % 5 == 4) {
                assertEquals(expected.pollFirstEntry(), part.pollFirstEntry());
                assertEquals(expected.pollLastEntry(), part.pollLastEntry());
            }
        }
        assertEquals(model, map);
    }

    private static final class Rollback extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** The rollback resets the modification count, so the next change produces the same count again. */
    @ParameterizedTest
    @EnumSource
    void anIterationOutlastsABlockThatIsRolledBack(Kind kind) {
        for (int turn = 0; turn < 30; turn++) {
            NavigableMap<Integer, Integer> map = filled(kind);
            List<Integer> rest = new ArrayList<>();
            List<Iterator<Integer>> begun = new ArrayList<>();
            int inBlock = 10 * turn + 505;
            assertThrows(Rollback.class, () -> heap.atomic(() -> {
                map.put(inBlock, -1);
                begun.add(map.keySet().iterator());
                for (int i = 0; i < 20; i++) {
                    begun.get(0).next();
                }
                throw new Rollback();
            }));
            map.put(inBlock + 1, -1);
            begun.get(0).forEachRemaining(rest::add);
            assertEquals(List.copyOf(map.tailMap(200).keySet()), rest);
            map.clear();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatWasRolledBackIsNotRemovedByItsIterator(Kind kind) {
        NavigableMap<Integer, Integer> map = filled(kind);
        List<Iterator<Integer>> begun = new ArrayList<>();
        assertThrows(Rollback.class, () -> heap.atomic(() -> {
            map.put(-1, -1);
            begun.add(map.keySet().iterator());
            assertEquals(-1, begun.get(0).next());
            throw new Rollback();
        }));
        map.put(1, 1);
        List<Integer> keys = List.copyOf(map.keySet());
        assertThrows(ConcurrentModificationException.class, begun.get(0)::remove);
        assertEquals(keys, List.copyOf(map.keySet()));
    }

    /** The root of a tree is found in any order. */
    @ParameterizedTest
    @EnumSource
    void ofKeysInAnotherOrderThanTheyWereStoredTheRightOneIsTakenOrNone(Kind kind) {
        int refused = 0;
        for (int turn = 0; turn < 20; turn++) {
            PersistentSortedMap<Counted, Integer> map = make(kind);
            for (int i = 0; i < 10; i++) {
                map.put(new Counted(i), i);
            }
            Counted.turned = true;
            List<Integer> expected = new ArrayList<>(map.values());
            try {
                assertEquals(expected.get(0), map.pollFirstEntry().getValue());
                expected.remove(0);
            } catch (ConcurrentModificationException e) {
                refused++;
            }
            assertEquals(expected, List.copyOf(map.values()));
            map.clear();
            Counted.turned = false;
        }
        assertTrue(refused > 0);
    }

    /** A comparison runs code of the program. If it removes a key, it either fails the current change, or comes before it. */
    @ParameterizedTest
    @EnumSource
    void aComparisonThatChangesTheMapLosesNothing(Kind kind) {
        int refused = 0;
        for (boolean adds : new boolean[] {true, false}) {
            for (int turn = 0; turn < 200; turn++) {
                PersistentSortedMap<Counted, Integer> map = make(kind);
                map.clear();
                heap.atomic(() -> IntStream.range(0, 20).forEach(i -> map.put(new Counted(2 * i), i)));
                TreeMap<Counted, Integer> model = new TreeMap<>(map);
                List<Integer> removed = new ArrayList<>();
                Counted.atTheEnd = () -> removed.add(map.remove(new Counted(18)));
                Counted.countdown = 1 + turn % 12;
                try {
                    Integer before = adds ? map.put(new Counted(19), -1) : map.remove(new Counted(20));
                    assertEquals(adds ? null : 10, before);
                    if (adds) {
                        model.put(new Counted(19), -1);
                    } else {
                        model.remove(new Counted(20));
                    }
                    // A comparison in the middle of a change may not find this key.
                    if (removed.contains(9)) {
                        model.remove(new Counted(18));
                    }
                } catch (ConcurrentModificationException | FreedObjectException e) {
                    refused++;
                }
                Counted.countdown = 0;
                assertEquals(List.copyOf(model.entrySet()), List.copyOf(map.entrySet()));
                assertEquals(model.size(), map.size());
                model.forEach((key, value) -> assertEquals(value, map.get(key)));
            }
        }
        assertTrue(refused > 0);
    }

    @ParameterizedTest
    @EnumSource
    void anIterationEndsWhereAFreedKeyWasCollected(Kind kind) {
        PersistentSortedMap<PersistentString, Integer> map = make(kind);
        PersistentString last = heap.atomic(() -> {
            List<PersistentString> made = List.of(new PersistentString(heap, "a"), new PersistentString(heap, "b"),
                    new PersistentString(heap, "c"));
            made.forEach(key -> map.put(key, 1));
            return made.get(2);
        });
        heap.free(last);
        heap.collect();
        Iterator<Integer> values = map.descendingMap().values().iterator();
        if (kind == Kind.SKIP_LIST) {
            assertThrows(FreedObjectException.class, values::next);
        } else {
            values.forEachRemaining(value -> assertEquals(1, value));
        }
        heap.setRoot("map", null);
        heap.collect();
    }

    @Test
    void aTreeThatLeadsBackToItselfIsFound() {
        PersistentSortedMap<Integer, Integer> map = make(Kind.TREE);
        map.put(0, 0);
        RawObjects raw = RawObjects.of(heap);
        long root = raw.getLong(raw.referenceTo(map), PersistentTreeMap.CLASS.offset("root"));
        heap.atomic(() -> raw.putLong(root, TreeEntry.CLASS.offset("left"), root));
        assertThrows(CorruptHeapException.class, map::firstKey);
        assertThrows(FreedObjectException.class, map::clear);
        heap.atomic(() -> raw.putLong(root, TreeEntry.CLASS.offset("left"), 0));
        assertEquals(0, map.firstKey());
    }

    @ParameterizedTest
    @EnumSource
    void aLinkToSomethingElseIsFound(Kind kind) {
        NavigableMap<Integer, Integer> map = filled(kind);
        RawObjects raw = RawObjects.of(heap);
        int start = kind == Kind.TREE ? PersistentTreeMap.CLASS.offset("root") : PersistentSkipListMap.CLASS.offset("head");
        long reference = raw.referenceTo((PersistentSortedMap<?, ?>) map);
        long right = raw.getLong(reference, start);
        heap.atomic(() -> raw.putLong(reference, start, reference));
        assertThrows(CorruptHeapException.class, () -> map.get(100));
        assertThrows(CorruptHeapException.class, () -> map.put(5, 5));
        assertThrows(CorruptHeapException.class, () -> map.keySet().iterator());
        heap.atomic(() -> raw.putLong(reference, start, right));
        assertEquals(10, map.get(100));
    }
}
