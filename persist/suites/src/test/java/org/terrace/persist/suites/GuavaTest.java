// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.suites;

import static org.terrace.persist.suites.Suites.made;

import com.google.common.collect.testing.ListTestSuiteBuilder;
import com.google.common.collect.testing.MapTestSuiteBuilder;
import com.google.common.collect.testing.NavigableMapTestSuiteBuilder;
import com.google.common.collect.testing.NavigableSetTestSuiteBuilder;
import com.google.common.collect.testing.QueueTestSuiteBuilder;
import com.google.common.collect.testing.SetTestSuiteBuilder;
import com.google.common.collect.testing.TestStringListGenerator;
import com.google.common.collect.testing.TestStringMapGenerator;
import com.google.common.collect.testing.TestStringQueueGenerator;
import com.google.common.collect.testing.TestStringSetGenerator;
import com.google.common.collect.testing.TestStringSortedMapGenerator;
import com.google.common.collect.testing.TestStringSortedSetGenerator;
import com.google.common.collect.testing.features.CollectionFeature;
import com.google.common.collect.testing.features.CollectionSize;
import com.google.common.collect.testing.features.Feature;
import com.google.common.collect.testing.features.ListFeature;
import com.google.common.collect.testing.features.MapFeature;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import junit.framework.Test;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.terrace.persist.Heap;
import org.terrace.persist.types.Caching;
import org.terrace.persist.types.PersistentDeque;
import org.terrace.persist.types.PersistentHashMap;
import org.terrace.persist.types.PersistentHashSet;
import org.terrace.persist.types.PersistentList;
import org.terrace.persist.types.PersistentMap;
import org.terrace.persist.types.PersistentSkipListMap;
import org.terrace.persist.types.PersistentSkipListSet;
import org.terrace.persist.types.PersistentTreeMap;
import org.terrace.persist.types.PersistentTreeSet;

/**
 * Runs Guava's tests of collections ({@code guava-testlib}) for each collection, a range of a list, and the views of maps. Some run
 * through two proxies of a collection in turn. These tests are excluded:
 * <ul>
 * <li>Serialization. The collections have none.
 * <li>Null as an element of deques, and as a key of sorted maps and sets. They reject null, as {@code ArrayDeque} and
 *     {@code TreeMap} do.
 * <li>Comparators. Sorted collections always have the natural order.
 * <li>Sorted maps of other sizes than three, unless {@code -Dpersist.thorough=true} is set, because views of views produce many
 *     tests. Without that option, the seed selects trees or skip lists, and one of two kinds of caching.
 * </ul>
 */
class GuavaTest {
    private static final CollectionSize MAP_SIZES = Suites.THOROUGH ? CollectionSize.ANY : CollectionSize.SEVERAL;

    @TestFactory
    Stream<DynamicTest> contracts() {
        Stream<Test> hashed = Stream.of(list(Caching.NONE, 1), range(), set(1), deque(1),
                map("hash map", PersistentHashMap::new, Caching.NONE, 1));
        Stream<Supplier<Stream<Test>>> sorted = Suites.chosen(GuavaTest::trees, GuavaTest::skipLists);
        return Suites.tests(Stream.concat(hashed, sorted.flatMap(Supplier::get)));
    }

    private static Stream<Test> trees() {
        return Stream.of(sortedSet("tree set", heap -> new PersistentTreeSet<>(heap)),
                sortedMap("tree map", heap -> new PersistentTreeMap<>(heap), MAP_SIZES));
    }

    private static Stream<Test> skipLists() {
        return Stream.of(sortedSet("skip list set", heap -> new PersistentSkipListSet<>(heap)),
                sortedMap("skip list map", heap -> new PersistentSkipListMap<>(heap), MAP_SIZES));
    }

    /** Gets use the cache in the Java heap. Views and sets need no other tests than {@link #contracts}. */
    @TestFactory
    Stream<DynamicTest> contractsOfCaching() {
        return Suites.tests(Suites.chosen(Caching.CACHED, Caching.EAGER).flatMap(caching -> {
            Stream<Supplier<Test>> sorted = Suites.chosen(() -> map("tree map", PersistentTreeMap::new, caching, 1),
                    () -> map("skip list map", PersistentSkipListMap::new, caching, 1));
            return Stream.concat(Stream.of(list(caching, 1), map("hash map", PersistentHashMap::new, caching, 1)),
                    sorted.map(Supplier::get));
        }));
    }

    /** Each call of a method uses another proxy of the collection than the previous call. */
    @TestFactory
    Stream<DynamicTest> contractsOfProxies() {
        Stream<Test> hashed = Stream.of(list(Caching.NONE, 2), set(2), deque(2), map("hash map", PersistentHashMap::new, Caching.NONE, 2));
        Stream<Supplier<Test>> sorted = Suites.chosen(() -> map("tree map", PersistentTreeMap::new, Caching.CACHED, 2),
                () -> map("skip list map", PersistentSkipListMap::new, Caching.NONE, 2));
        return Suites.tests(Stream.concat(hashed, sorted.map(Supplier::get)));
    }

    private static String named(String name, int proxies) {
        return proxies == 1 ? name : name + ", " + proxies + " proxies";
    }

    private static Test list(Caching caching, int proxies) {
        return ListTestSuiteBuilder.using(new TestStringListGenerator() {
            @Override
            protected List<String> create(String[] elements) {
                PersistentList<String> list = made(heap -> new PersistentList<String>(heap));
                list.addAll(Arrays.asList(elements));
                list.caching(caching);
                return Suites.through(proxies, List.class, list);
            }
        }).named(named("list, " + caching, proxies)).withFeatures(ListFeature.GENERAL_PURPOSE, CollectionFeature.ALLOWS_NULL_VALUES,
                CollectionFeature.FAILS_FAST_ON_CONCURRENT_MODIFICATION, CollectionSize.ANY).createTestSuite();
    }

    /** Tests a sublist in the middle of a list. */
    private static Test range() {
        return ListTestSuiteBuilder.using(new TestStringListGenerator() {
            @Override
            protected List<String> create(String[] elements) {
                PersistentList<String> list = made(heap -> new PersistentList<String>(heap));
                list.addAll(List.of("before", "between", "after"));
                list.addAll(2, Arrays.asList(elements));
                return list.subList(2, 2 + elements.length);
            }
        }).named("range of a list").withFeatures(ListFeature.GENERAL_PURPOSE, CollectionFeature.ALLOWS_NULL_VALUES,
                CollectionFeature.FAILS_FAST_ON_CONCURRENT_MODIFICATION, CollectionSize.ANY).createTestSuite();
    }

    private static Test set(int proxies) {
        return SetTestSuiteBuilder.using(new TestStringSetGenerator() {
            @Override
            protected Set<String> create(String[] elements) {
                Set<String> set = made(heap -> new PersistentHashSet<String>(heap));
                set.addAll(Arrays.asList(elements));
                return Suites.through(proxies, Set.class, set);
            }
        }).named(named("hash set", proxies)).withFeatures(CollectionFeature.GENERAL_PURPOSE, CollectionFeature.ALLOWS_NULL_VALUES,
                CollectionFeature.FAILS_FAST_ON_CONCURRENT_MODIFICATION, CollectionSize.ANY).createTestSuite();
    }

    private static Test deque(int proxies) {
        return QueueTestSuiteBuilder.using(new TestStringQueueGenerator() {
            @Override
            protected Queue<String> create(String[] elements) {
                Queue<String> queue = made(heap -> new PersistentDeque<String>(heap));
                queue.addAll(Arrays.asList(elements));
                return Suites.through(proxies, Queue.class, queue);
            }
        }).named(named("deque", proxies)).withFeatures(CollectionFeature.GENERAL_PURPOSE, CollectionFeature.KNOWN_ORDER,
                CollectionFeature.FAILS_FAST_ON_CONCURRENT_MODIFICATION, CollectionSize.ANY).createTestSuite();
    }

    private static Test map(String name, Function<Heap, PersistentMap<String, String>> maker, Caching caching, int proxies) {
        List<Feature<?>> features = new ArrayList<>(List.of(MapFeature.GENERAL_PURPOSE, MapFeature.ALLOWS_NULL_VALUES,
                MapFeature.FAILS_FAST_ON_CONCURRENT_MODIFICATION, CollectionFeature.SUPPORTS_ITERATOR_REMOVE,
                CollectionSize.ANY));
        if (name.equals("hash map")) {
            features.addAll(List.of(MapFeature.ALLOWS_NULL_KEYS, MapFeature.ALLOWS_ANY_NULL_QUERIES));
        }
        return MapTestSuiteBuilder.using(new TestStringMapGenerator() {
            @Override
            protected Map<String, String> create(Map.Entry<String, String>[] entries) {
                PersistentMap<String, String> map = filled(made(maker), entries);
                map.caching(caching);
                return Suites.through(proxies, Map.class, map);
            }
        }).named(named(name + ", " + caching, proxies)).withFeatures(features).createTestSuite();
    }

    private static Test sortedSet(String name, Function<Heap, SortedSet<String>> maker) {
        return NavigableSetTestSuiteBuilder.using(new TestStringSortedSetGenerator() {
            @Override
            protected SortedSet<String> create(String[] elements) {
                SortedSet<String> set = made(maker);
                set.addAll(Arrays.asList(elements));
                return set;
            }
        }).named(name).withFeatures(CollectionFeature.GENERAL_PURPOSE, CollectionFeature.KNOWN_ORDER,
                CollectionFeature.FAILS_FAST_ON_CONCURRENT_MODIFICATION, CollectionSize.ANY).createTestSuite();
    }

    private static Test sortedMap(String name, Function<Heap, SortedMap<String, String>> maker, CollectionSize sizes) {
        return NavigableMapTestSuiteBuilder.using(new TestStringSortedMapGenerator() {
            @Override
            protected SortedMap<String, String> create(Map.Entry<String, String>[] entries) {
                return filled(made(maker), entries);
            }
        }).named(name).withFeatures(MapFeature.GENERAL_PURPOSE, MapFeature.ALLOWS_NULL_VALUES,
                MapFeature.FAILS_FAST_ON_CONCURRENT_MODIFICATION, CollectionFeature.KNOWN_ORDER,
                CollectionFeature.SUPPORTS_ITERATOR_REMOVE, sizes).createTestSuite();
    }

    private static <M extends Map<String, String>> M filled(M map, Map.Entry<String, String>[] entries) {
        for (Map.Entry<String, String> entry : entries) {
            map.put(entry.getKey(), entry.getValue());
        }
        return map;
    }
}
