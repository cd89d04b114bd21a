// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.medium.Disk;

/** Tests two proxies of one collection. The state that an iteration depends on must belong to the collection, not to a proxy. */
class ProxiesTest {
    private static final int ELEMENTS = 8;
    private static final Map<String, Function<Heap, PersistentObject>> KINDS = new LinkedHashMap<>();

    static {
        KINDS.put("list", PersistentList::new);
        KINDS.put("deque", PersistentDeque::new);
        KINDS.put("hash set", PersistentHashSet::new);
        KINDS.put("tree set", PersistentTreeSet::new);
        KINDS.put("skip list set", PersistentSkipListSet::new);
    }

    private final Disk disk = new Disk();
    private final Heap heap = Heap.open(disk.path("test.heap"),
            HeapOptions.defaults().maxSize(64 << 20).durability(Durability.PROCESS));

    @AfterEach
    void close() {
        assertEquals(List.of(), heap.check());
        assertEquals(List.of(), heap.checkCollections());
        heap.close();
        disk.dispose();
    }

    /** An element whose comparisons are counted. */
    private record Counted(int number) {
        private static int comparisons;

        static {
            Records.define(MethodHandles.lookup());
        }

        @Override
        public boolean equals(Object other) {
            comparisons++;
            return other instanceof Counted c && c.number == number;
        }

        @Override
        public int hashCode() {
            return number;
        }
    }

    @SuppressWarnings("unchecked")
    private Collection<Integer> proxy(String kind) {
        return (Collection<Integer>) heap.root(kind, PersistentObject.class, () -> {
            PersistentObject made = KINDS.get(kind).apply(heap);
            ((Collection<Integer>) made).addAll(IntStream.range(0, ELEMENTS).boxed().collect(Collectors.toList()));
            return made;
        });
    }

    @SuppressWarnings("unchecked")
    private PersistentList<Integer> list() {
        return (PersistentList<Integer>) proxy("list");
    }

    @Test
    void anIterationEndsWhenAnotherProxyChangesTheCollection() {
        for (String kind : KINDS.keySet()) {
            Collection<Integer> one = proxy(kind);
            Collection<Integer> other = proxy(kind);
            Iterator<Integer> i = one.iterator();
            i.next();
            other.remove(3);
            assertThrows(ConcurrentModificationException.class, i::next, kind);
            assertThrows(ConcurrentModificationException.class, i::remove, kind);
            other.add(3);
            Iterator<Integer> j = one.iterator();
            j.next();
            other.clear();
            assertThrows(ConcurrentModificationException.class, j::next, kind);
        }
    }

    @Test
    void anIterationEndsWhenABlockThatItIsNotInChangesTheCollection() throws InterruptedException {
        for (String kind : KINDS.keySet()) {
            Iterator<Integer> i = proxy(kind).iterator();
            i.next();
            Thread thread = new Thread(() -> proxy(kind).remove(3));
            thread.start();
            thread.join();
            assertThrows(ConcurrentModificationException.class, i::next, kind);
        }
    }

    @Test
    void aPartOfAListEndsWhenAnotherProxyChangesTheList() {
        List<Integer> part = list().subList(0, 4);
        List<Integer> inner = part.subList(1, 3);
        list().set(0, 10);
        assertEquals(List.of(10, 1, 2, 3), part);
        inner.add(11);
        assertEquals(List.of(10, 1, 2, 11, 3), part);
        list().add(0, 9);
        assertThrows(ConcurrentModificationException.class, () -> part.get(0));
        assertThrows(ConcurrentModificationException.class, part::size);
        assertThrows(ConcurrentModificationException.class, () -> inner.removeIf(x -> true));
        List<Integer> again = list().subList(0, 4);
        again.subList(1, 2).add(12);
        assertEquals(5, again.size());
        List<Integer> outer = list().subList(0, 4);
        List<Integer> partOfOuter = outer.subList(0, 2);
        outer.remove(0);
        assertThrows(ConcurrentModificationException.class, () -> partOfOuter.get(0));
    }

    /** A rollback resets the modification counts in the heap, so they may occur again. */
    @Test
    void whatABlockLearntDoesNotHoldAfterItsRollback() {
        for (String kind : KINDS.keySet()) {
            List<Iterator<Integer>> begun = new ArrayList<>();
            List<List<Integer>> parts = new ArrayList<>();
            proxy(kind);
            assertThrows(IllegalStateException.class, () -> heap.atomic(() -> {
                proxy(kind).remove(0);
                proxy(kind).remove(1);
                begun.add(proxy(kind).iterator());
                begun.get(0).next();
                if (kind.equals("list")) {
                    parts.add(list().subList(0, 3));
                }
                throw new IllegalStateException();
            }));
            proxy(kind).remove(6);
            proxy(kind).remove(7);
            // Sorted collections continue after the key at which they were.
            if (!kind.startsWith("tree") && !kind.startsWith("skip")) {
                assertThrows(ConcurrentModificationException.class, begun.get(0)::next, kind);
            }
            parts.forEach(part -> assertThrows(ConcurrentModificationException.class, () -> part.get(0)));
        }
    }

    @Test
    void whatABlockLearntThatChangedNothingHolds() {
        for (String kind : KINDS.keySet()) {
            proxy(kind);
            List<Iterator<Integer>> begun = new ArrayList<>();
            assertThrows(IllegalStateException.class, () -> heap.atomic(() -> {
                begun.add(proxy(kind).iterator());
                begun.get(0).next();
                throw new IllegalStateException();
            }));
            begun.get(0).next();
            begun.get(0).remove();
            assertEquals(ELEMENTS - 1, proxy(kind).size(), kind);
        }
    }

    @Test
    void aRollbackOfAPartsOwnChangesEndsIt() {
        List<Integer> part = list().subList(2, 6);
        ListIterator<Integer> i = list().listIterator(2);
        assertThrows(IllegalStateException.class, () -> heap.atomic(() -> {
            part.clear();
            throw new IllegalStateException();
        }));
        assertEquals(ELEMENTS, list().size());
        assertThrows(ConcurrentModificationException.class, part::size);
        assertThrows(ConcurrentModificationException.class, i::next);
    }

    @Test
    void whatABlockLearntHoldsAfterItsCommit() {
        for (String kind : KINDS.keySet()) {
            Iterator<Integer> i = heap.atomic(() -> {
                proxy(kind).remove(0);
                return proxy(kind).iterator();
            });
            i.next();
            i.remove();
            assertThrows(IllegalStateException.class, () -> heap.atomic(() -> {
                throw new IllegalStateException();
            }));
            i.next();
            assertEquals(ELEMENTS - 2, proxy(kind).size(), kind);
        }
    }

    @Test
    void aSetFindsWhatItRemoves() {
        PersistentHashSet<Counted> set = heap.atomic(() -> new PersistentHashSet<>(heap));
        PersistentHashMap<Counted, Integer> map = heap.atomic(() -> new PersistentHashMap<>(heap));
        int count = 1000;
        heap.atomic(() -> {
            for (int i = 0; i < count; i++) {
                set.add(new Counted(i));
                map.put(new Counted(i), i);
            }
        });
        Counted.comparisons = 0;
        for (int i = 0; i < 100; i++) {
            set.remove(new Counted(-i - 1));
            map.keySet().remove(new Counted(-i - 1));
            set.remove(new Counted(i));
            map.keySet().remove(new Counted(i));
        }
        assertEquals(count - 100, set.size());
        assertEquals(count - 100, map.size());
        // Each element needs a few comparisons: one to find it, one to remove it, and others for equal hashes.
        assertEquals(0, Counted.comparisons / 1000, Counted.comparisons + " comparisons");
    }

    @Test
    void manyElementsOfAListGoAtOnce() {
        PersistentList<Integer> list = heap.atomic(() -> new PersistentList<>(heap));
        List<Integer> expected = IntStream.range(0, 1000).boxed().collect(Collectors.toCollection(ArrayList::new));
        list.addAll(expected);
        for (List<Integer> l : List.of(list, expected)) {
            l.subList(100, 900).removeIf(x -> x % 3 == 0);
            l.addAll(50, List.of(1, 2, 3, 4, 5));
            l.retainAll(IntStream.range(0, 500).boxed().collect(Collectors.toSet()));
            l.subList(10, 20).replaceAll(x -> -x);
            l.subList(3, 300).sort((a, b) -> Integer.compare(b, a));
            l.subList(5, 9).clear();
        }
        assertEquals(expected, list);
    }

    /**
     * The block fails at its commit, because a nested block has failed after a change and its exception was caught. The
     * modification counts of deques and hash sets then occur again.
     */
    @Test
    void anIterationFromABlockWhoseCommitFailsEnds() {
        for (String kind : List.of("list", "deque", "hash set")) {
            proxy(kind);
            List<Iterator<Integer>> begun = new ArrayList<>();
            assertThrows(HeapException.class, () -> heap.atomic(() -> {
                proxy(kind).remove(0);
                begun.add(proxy(kind).iterator());
                begun.get(0).next();
                assertThrows(IllegalStateException.class, () -> heap.atomic(() -> {
                    proxy(kind).remove(1);
                    throw new IllegalStateException();
                }));
            }));
            assertEquals(ELEMENTS, proxy(kind).size());
            // These are as many changes as the iterator has seen.
            proxy(kind).remove(6);
            assertThrows(ConcurrentModificationException.class, begun.get(0)::next, kind);
        }
    }
}
