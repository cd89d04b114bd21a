// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.function.Function;
import java.util.stream.Stream;
import junit.framework.Test;
import junit.framework.TestResult;
import junit.framework.TestSuite;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.PersistentObject;

/** The contracts of {@code java.util}, by Guava's tests of collections: each collection is made, filled and used in one heap. */
class CollectionsContractTest {
    private static final Heap HEAP = openHeap();
    /** Views of views make many tests: of all sizes with {@code -Dpersist.thorough=true} only. */
    private static final CollectionSize MAP_SIZES = Boolean.getBoolean("persist.thorough") ? CollectionSize.ANY
            : CollectionSize.SEVERAL;
    /** The collection of the test before. */
    private static PersistentObject last;

    private static Heap openHeap() {
        try {
            Path directory = Files.createTempDirectory("terrace-persist");
            Path file = directory.resolve("collections.heap");
            Heap heap = Heap.open(file, HeapOptions.defaults().maxSize(1L << 30).logSize(1 << 20).durability(Durability.PROCESS));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                heap.close();
                file.toFile().delete();
                file.resolveSibling("collections.heap.log").toFile().delete();
                directory.toFile().delete();
            }));
            return heap;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** An empty collection. */
    private static <T> T made(Function<Heap, T> maker) {
        return HEAP.atomic(() -> {
            if (last != null) {
                HEAP.free(last);
            }
            T made = maker.apply(HEAP);
            last = (PersistentObject) made;
            return made;
        });
    }

    @TestFactory
    Stream<DynamicTest> contracts() {
        return Stream.of(list(Caching.NONE), set(), deque(), map("hash map", PersistentHashMap::new, Caching.NONE),
                sortedSet("tree set", heap -> new PersistentTreeSet<>(heap)),
                sortedSet("skip list set", heap -> new PersistentSkipListSet<>(heap)),
                sortedMap("tree map", heap -> new PersistentTreeMap<>(heap), MAP_SIZES),
                sortedMap("skip list map", heap -> new PersistentSkipListMap<>(heap), MAP_SIZES))
                .map(suite -> DynamicTest.dynamicTest(((TestSuite) suite).getName(), () -> run(suite)));
    }

    /** Gets are answered from the Java heap; views and sets ask for nothing else than {@link #contracts}. */
    @TestFactory
    Stream<DynamicTest> contractsOfCaching() {
        return Stream.of(Caching.CACHED, Caching.EAGER).flatMap(caching -> Stream.of(list(caching),
                map("hash map", PersistentHashMap::new, caching), map("tree map", PersistentTreeMap::new, caching),
                map("skip list map", PersistentSkipListMap::new, caching)))
                .map(suite -> DynamicTest.dynamicTest(((TestSuite) suite).getName(), () -> run(suite)));
    }

    /** Not as tests of their own: there are tens of thousands, and their reports take longer than they do. */
    private static void run(Test suite) {
        TestResult result = new TestResult();
        suite.run(result);
        StringBuilder problems = new StringBuilder();
        Stream.concat(Collections.list(result.errors()).stream(), Collections.list(result.failures()).stream()).limit(10)
                .forEach(failure -> problems.append(failure.failedTest()).append(": ").append(failure.trace()).append('\n'));
        assertTrue(result.wasSuccessful(), () -> result.errorCount() + result.failureCount() + " tests failed, the first are\n"
                + problems);
        System.out.println("tests of contracts, " + suite + ": " + result.runCount());
        assertEquals(List.of(), HEAP.check());
    }

    private static Test list(Caching caching) {
        return ListTestSuiteBuilder.using(new TestStringListGenerator() {
            @Override
            protected List<String> create(String[] elements) {
                PersistentList<String> list = made(heap -> new PersistentList<String>(heap));
                list.addAll(Arrays.asList(elements));
                list.caching(caching);
                return list;
            }
        }).named("list, " + caching).withFeatures(ListFeature.GENERAL_PURPOSE, CollectionFeature.ALLOWS_NULL_VALUES,
                CollectionFeature.FAILS_FAST_ON_CONCURRENT_MODIFICATION, CollectionSize.ANY).createTestSuite();
    }

    private static Test set() {
        return SetTestSuiteBuilder.using(new TestStringSetGenerator() {
            @Override
            protected Set<String> create(String[] elements) {
                Set<String> set = made(heap -> new PersistentHashSet<String>(heap));
                set.addAll(Arrays.asList(elements));
                return set;
            }
        }).named("hash set").withFeatures(CollectionFeature.GENERAL_PURPOSE, CollectionFeature.ALLOWS_NULL_VALUES,
                CollectionFeature.FAILS_FAST_ON_CONCURRENT_MODIFICATION, CollectionSize.ANY).createTestSuite();
    }

    private static Test deque() {
        return QueueTestSuiteBuilder.using(new TestStringQueueGenerator() {
            @Override
            protected Queue<String> create(String[] elements) {
                Queue<String> queue = made(heap -> new PersistentDeque<String>(heap));
                queue.addAll(Arrays.asList(elements));
                return queue;
            }
        }).named("deque").withFeatures(CollectionFeature.GENERAL_PURPOSE, CollectionFeature.KNOWN_ORDER,
                CollectionFeature.FAILS_FAST_ON_CONCURRENT_MODIFICATION, CollectionSize.ANY).createTestSuite();
    }

    private static Test map(String name, Function<Heap, PersistentMap<String, String>> maker, Caching caching) {
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
                return map;
            }
        }).named(name + ", " + caching).withFeatures(features).createTestSuite();
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
