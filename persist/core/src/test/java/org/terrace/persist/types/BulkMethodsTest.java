// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.medium.Disk;

/** Tests that a bulk method of a collection or of a view changes all or nothing, even if code of the program throws. */
class BulkMethodsTest {
    private static final int ELEMENTS = 20;
    /** Number of calls before the program's code throws, when some elements have already been changed. */
    private static final int CALLS = 7;

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

    static final class HalfWay extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static final class Countdown {
        private final AtomicInteger calls = new AtomicInteger();

        <T> T next(T value) {
            if (calls.incrementAndGet() == CALLS) {
                throw new HalfWay();
            }
            return value;
        }
    }

    /** A collection that returns some elements and throws at the next one. */
    private static <T> Collection<T> thrower(T element) {
        return new AbstractList<>() {
            private final Countdown countdown = new Countdown();

            @Override
            public T get(int index) {
                return countdown.next(element);
            }

            @Override
            public boolean contains(Object o) {
                return countdown.next(true);
            }

            @Override
            public int size() {
                return 2 * CALLS;
            }
        };
    }

    /** The contents of each collection, which are numbers from 0 as texts with three digits. */
    private static List<String> contents() {
        return IntStream.range(0, ELEMENTS).mapToObj("%03d"::formatted).collect(Collectors.toList());
    }

    private Map<String, Collection<String>> collections() {
        Map<String, Collection<String>> all = new LinkedHashMap<>();
        PersistentList<String> list = new PersistentList<>(heap);
        list.addAll(contents());
        all.put("list", list);
        all.put("sub-list", list.subList(2, ELEMENTS - 1));
        all.put("sub-list of a sub-list", list.subList(2, ELEMENTS - 1).subList(1, ELEMENTS - 5));
        all.put("deque", filled(new PersistentDeque<>(heap)));
        all.put("hash set", filled(new PersistentHashSet<>(heap)));
        List<NavigableSet<String>> sortedSets = List.of(new PersistentTreeSet<>(heap), new PersistentSkipListSet<>(heap));
        sortedSets.forEach(set -> {
            filled(set);
            String name = set.getClass().getSimpleName();
            all.put(name, set);
            all.put(name + " descending", set.descendingSet());
            all.put(name + " tail", set.tailSet("002", true));
            all.put(name + " descending head", set.descendingSet().headSet("001", true));
        });
        maps().forEach((name, map) -> {
            all.put(name + " keys", map.keySet());
            all.put(name + " values", map.values());
            if (map instanceof NavigableMap<String, String> sorted) {
                all.put(name + " descending keys", sorted.descendingKeySet());
            }
        });
        return all;
    }

    private static <C extends Collection<String>> C filled(C collection) {
        collection.addAll(contents());
        return collection;
    }

    private Map<String, Map<String, String>> maps() {
        Map<String, Map<String, String>> all = new LinkedHashMap<>();
        List<Map<String, String>> made =
                List.of(new PersistentHashMap<>(heap), new PersistentTreeMap<>(heap), new PersistentSkipListMap<>(heap));
        made.forEach(map -> {
            contents().forEach(text -> map.put(text, text));
            String name = map.getClass().getSimpleName();
            all.put(name, map);
            if (map instanceof NavigableMap<String, String> sorted) {
                all.put(name + " descending", sorted.descendingMap());
                all.put(name + " tail", sorted.tailMap("002", true));
                all.put(name + " head", sorted.headMap("018", true));
                all.put(name + " range of descending", sorted.descendingMap().subMap("018", true, "001", true));
            }
        });
        return all;
    }

    private static final Map<String, Consumer<Collection<String>>> OF_COLLECTIONS = Map.of(
            "removeIf", c -> {
                Countdown countdown = new Countdown();
                c.removeIf(element -> countdown.next(true));
            },
            "removeAll", c -> c.removeAll(thrower("003")),
            "retainAll", c -> {
                Countdown countdown = new Countdown();
                c.retainAll(new ArrayList<>() {
                    private static final long serialVersionUID = 1;

                    @Override
                    public boolean contains(Object o) {
                        return countdown.next(false);
                    }
                });
            },
            "addAll", c -> {
                // If elements cannot be added, an invalid element ends the method, and nothing needs to be checked.
                List<Object> some = new ArrayList<>(List.of("017x", "017y", "017z", new Object()));
                @SuppressWarnings("unchecked")
                Collection<String> cast = (Collection<String>) (Collection<?>) some;
                try {
                    c.addAll(cast);
                } catch (IllegalArgumentException | ClassCastException | UnsupportedOperationException e) {
                    throw (HalfWay) new HalfWay().initCause(e);
                }
            });

    private static final Map<String, Consumer<List<String>>> OF_LISTS = Map.of(
            "replaceAll", l -> {
                Countdown countdown = new Countdown();
                l.replaceAll(element -> countdown.next(element + "!"));
            },
            "sort", l -> {
                Countdown countdown = new Countdown();
                l.sort((a, b) -> countdown.next(b.compareTo(a)));
            },
            "addAll at an index", l -> {
                List<Object> some = List.of("a", "b", new Object());
                @SuppressWarnings("unchecked")
                Collection<String> cast = (Collection<String>) (Collection<?>) some;
                try {
                    l.addAll(1, cast);
                } catch (IllegalArgumentException e) {
                    throw (HalfWay) new HalfWay().initCause(e);
                }
            });

    private static final Map<String, Consumer<Map<String, String>>> OF_MAPS = Map.of(
            "replaceAll", m -> {
                Countdown countdown = new Countdown();
                m.replaceAll((key, value) -> countdown.next(value + "!"));
            },
            "putAll", m -> {
                Map<Object, Object> some = new LinkedHashMap<>();
                some.put("005", "!");
                some.put("006", new Object());
                @SuppressWarnings("unchecked")
                Map<String, String> cast = (Map<String, String>) (Map<?, ?>) some;
                try {
                    m.putAll(cast);
                } catch (IllegalArgumentException e) {
                    throw (HalfWay) new HalfWay().initCause(e);
                }
            },
            "compute", m -> m.compute("005", (key, value) -> {
                m.remove("006");
                throw new HalfWay();
            }),
            "computeIfAbsent", m -> m.computeIfAbsent("0055", key -> {
                m.remove("006");
                throw new HalfWay();
            }),
            "computeIfPresent", m -> m.computeIfPresent("005", (key, value) -> {
                m.remove("006");
                throw new HalfWay();
            }),
            "merge", m -> m.merge("005", "!", (a, b) -> {
                m.remove("006");
                throw new HalfWay();
            }),
            "entrySet().removeIf", m -> {
                Countdown countdown = new Countdown();
                m.entrySet().removeIf(entry -> countdown.next(true));
            });

    private static <C> Stream<DynamicTest> tests(String kind, Map<String, Consumer<C>> methods, Map<String, C> of,
            BiConsumer<C, Consumer<C>> test) {
        return methods.entrySet().stream().flatMap(method -> of.entrySet().stream().map(subject -> DynamicTest.dynamicTest(
                kind + method.getKey() + " of " + subject.getKey(), () -> test.accept(subject.getValue(), method.getValue()))));
    }

    private static <C> void assertAllOrNothing(C subject, Consumer<C> method) {
        String before = subject.toString();
        assertThrows(HalfWay.class, () -> method.accept(subject));
        assertEquals(before, subject.toString());
    }

    @TestFactory
    Stream<DynamicTest> whatThrowsHalfWayChangesNothing() {
        Map<String, List<String>> lists = new LinkedHashMap<>();
        collections().forEach((name, collection) -> {
            if (collection instanceof List<String> list) {
                lists.put(name, list);
            }
        });
        return Stream.concat(tests("", OF_COLLECTIONS, collections(), BulkMethodsTest::assertAllOrNothing),
                Stream.concat(tests("list ", OF_LISTS, lists, BulkMethodsTest::assertAllOrNothing),
                        tests("map ", OF_MAPS, maps(), BulkMethodsTest::assertAllOrNothing)));
    }
}
