// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Spliterator;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.medium.Disk;

/** Tests that spliterators of collections and views report the characteristics of those in {@code java.util}, and conform to them. */
class SpliteratorsTest {
    /** More elements than the first part of a split has. */
    private static final int ELEMENTS = 3000;

    private final Disk disk = new Disk();
    private final Heap heap = Heap.open(disk.path("test.heap"),
            HeapOptions.defaults().maxSize(64 << 20).durability(Durability.PROCESS));
    /** Pairs of a collection and its counterpart. */
    private final Map<String, List<Collection<?>>> pairs = new LinkedHashMap<>();

    @AfterEach
    void close() {
        heap.close();
        disk.dispose();
    }

    private void pair(String name, Collection<?> ours, Collection<?> theirs) {
        pairs.put(name, List.of(ours, theirs));
    }

    private void pairsOfSets(String name, NavigableSet<Integer> ours, NavigableSet<Integer> theirs) {
        pair(name, ours, theirs);
        pair(name + " descending", ours.descendingSet(), theirs.descendingSet());
        pair(name + " sub", ours.subSet(10, 2000), theirs.subSet(10, 2000));
        pair(name + " descending tail", ours.descendingSet().tailSet(2000), theirs.descendingSet().tailSet(2000));
    }

    private void pairsOfMaps(String name, Map<Integer, Integer> ours, Map<Integer, Integer> theirs) {
        pair(name + " keys", ours.keySet(), theirs.keySet());
        pair(name + " values", ours.values(), theirs.values());
        pair(name + " entries", ours.entrySet(), theirs.entrySet());
    }

    private void pairsOfSorted(NavigableMap<Integer, Integer> ours) {
        NavigableMap<Integer, Integer> theirs = new TreeMap<>(ours);
        String name = ours.getClass().getSimpleName();
        pairsOfMaps(name, ours, theirs);
        pairsOfSets(name + " key set", ours.navigableKeySet(), theirs.navigableKeySet());
        pairsOfMaps(name + " descending", ours.descendingMap(), theirs.descendingMap());
        pairsOfMaps(name + " head", ours.headMap(2000), theirs.headMap(2000));
        pairsOfMaps(name + " tail of descending", ours.descendingMap().tailMap(2000), theirs.descendingMap().tailMap(2000));
    }

    private void makePairs() {
        List<Integer> numbers = IntStream.range(0, ELEMENTS).boxed().collect(Collectors.toList());
        List<Integer> list = made(new PersistentList<>(heap), numbers);
        pair("list", list, new ArrayList<>(numbers));
        pair("sub-list", list.subList(10, 2000), new ArrayList<>(numbers).subList(10, 2000));
        Deque<Integer> deque = made(new PersistentDeque<>(heap), numbers);
        pair("deque", deque, new ArrayDeque<>(numbers));
        PersistentArray<Integer> array = new PersistentArray<>(heap, ELEMENTS);
        numbers.forEach(i -> array.set(i, i));
        pair("array", array, Arrays.asList(numbers.toArray(Integer[]::new)));
        pair("hash set", made(new PersistentHashSet<>(heap), numbers), new HashSet<>(numbers));
        pairsOfSets("tree set", made(new PersistentTreeSet<>(heap), numbers), new TreeSet<>(numbers));
        pairsOfSets("skip list set", made(new PersistentSkipListSet<>(heap), numbers), new TreeSet<>(numbers));
        Map<Integer, Integer> same = numbers.stream().collect(Collectors.toMap(i -> i, i -> i));
        Map<Integer, Integer> hashMap = new PersistentHashMap<>(heap);
        hashMap.putAll(same);
        pairsOfMaps("hash map", hashMap, new HashMap<>(same));
        for (NavigableMap<Integer, Integer> sorted : List.of(new PersistentTreeMap<Integer, Integer>(heap),
                new PersistentSkipListMap<Integer, Integer>(heap))) {
            sorted.putAll(same);
            pairsOfSorted(sorted);
        }
    }

    private static <C extends Collection<Integer>> C made(C collection, List<Integer> numbers) {
        collection.addAll(numbers);
        return collection;
    }

    /** Ours may report more. For example, spliterators of {@code TreeMap}'s submaps do not even report that they are ordered. */
    @Test
    void theyPromiseWhatTheirCounterpartsDo() {
        heap.atomic(this::makePairs);
        pairs.forEach((name, pair) -> {
            Spliterator<?> ours = pair.get(0).spliterator();
            Spliterator<?> theirs = pair.get(1).spliterator();
            // A deque cannot contain null, but null replaces an element that the program has freed.
            int wanted = theirs.characteristics() & ~Spliterator.NONNULL;
            assertEquals(0, wanted & ~ours.characteristics(), () -> name + ": " + Integer.toBinaryString(ours.characteristics())
                    + " of " + Integer.toBinaryString(theirs.characteristics()));
            int never = Spliterator.IMMUTABLE | Spliterator.CONCURRENT | Spliterator.NONNULL;
            assertEquals(0, ours.characteristics() & never, name);
            boolean ordered = !name.startsWith("hash");
            assertEquals(ordered, ours.hasCharacteristics(Spliterator.ORDERED), name);
        });
    }

    @Test
    void theyKeepIt() {
        heap.atomic(this::makePairs);
        pairs.forEach((name, pair) -> {
            Collection<?> ours = pair.get(0);
            assertKeeps(name, ours.spliterator(), ours.size(), new ArrayList<>(ours));
        });
    }

    private static <T> void assertKeeps(String name, Spliterator<T> spliterator, int size, List<?> inOrder) {
        List<T> seen = new ArrayList<>();
        if (spliterator.hasCharacteristics(Spliterator.SIZED)) {
            assertEquals(size, spliterator.estimateSize(), name);
        }
        Spliterator<T> rest = spliterator;
        for (Spliterator<T> part = rest.trySplit(); part != null; part = rest.trySplit()) {
            assertEquals(spliterator.characteristics() & Spliterator.ORDERED, part.characteristics() & Spliterator.ORDERED, name);
            part.forEachRemaining((Consumer<T>) seen::add);
        }
        rest.forEachRemaining((Consumer<T>) seen::add);
        assertEquals(inOrder, seen, name);
        if (spliterator.hasCharacteristics(Spliterator.SORTED)) {
            @SuppressWarnings("unchecked")
            Comparator<Object> natural = (Comparator<Object>) (Comparator<?>) Comparator.naturalOrder();
            @SuppressWarnings("unchecked")
            Comparator<Object> order = spliterator.getComparator() == null ? natural
                    : (Comparator<Object>) spliterator.getComparator();
            for (int i = 1; i < seen.size(); i++) {
                assertTrue(order.compare(seen.get(i - 1), seen.get(i)) < 0, name);
            }
        }
    }

    @Test
    void theFirstOfAParallelStreamIsTheFirst() {
        heap.atomic(this::makePairs);
        pairs.forEach((name, pair) -> {
            if (!name.startsWith("hash")) {
                Object first = pair.get(0).iterator().next();
                for (int i = 0; i < 20; i++) {
                    assertEquals(first, pair.get(0).parallelStream().filter(x -> true).findFirst().orElseThrow(), name);
                }
            }
        });
    }
}
