// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.testing.ConcurrentMapTestSuiteBuilder;
import com.google.common.collect.testing.TestStringMapGenerator;
import com.google.common.collect.testing.features.CollectionFeature;
import com.google.common.collect.testing.features.CollectionSize;
import com.google.common.collect.testing.features.MapFeature;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Spliterator;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import junit.framework.TestFailure;
import junit.framework.TestResult;
import junit.framework.TestSuite;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Tests the map of a window whose values are all hot: that it behaves like a map, and that no change leaves an old value in the window. */
class HotWindowMapTest {

    private static final String KEY = "key";

    private final ConcurrentHashMap<String, String> map = new ConcurrentHashMap<>();
    private final HotWindow<String, String> window = window(map);
    private final ConcurrentMap<String, String> view = window.asMap();

    /** Runs Guava's tests of concurrent maps, with the features of {@link ConcurrentHashMap} except for serialization. */
    @TestFactory
    Stream<DynamicTest> contracts() {
        TestSuite suite = ConcurrentMapTestSuiteBuilder.using(new TestStringMapGenerator() {
            @Override
            protected Map<String, String> create(Map.Entry<String, String>[] entries) {
                ConcurrentMap<String, String> made = window(new ConcurrentHashMap<>()).asMap();
                for (Map.Entry<String, String> entry : entries) {
                    made.put(entry.getKey(), entry.getValue());
                    heat(made, entry.getKey());
                }
                return made;
            }
        }).named("map of a window").withFeatures(MapFeature.GENERAL_PURPOSE, CollectionFeature.SUPPORTS_ITERATOR_REMOVE, CollectionSize.ANY)
                .createTestSuite();
        return Stream.of(DynamicTest.dynamicTest(suite.getName(), () -> {
            TestResult result = new TestResult();
            suite.run(result);
            assertTrue(result.runCount() > 500, result.runCount() + " tests");
            List<TestFailure> failures = new ArrayList<>(Collections.list(result.errors()));
            failures.addAll(Collections.list(result.failures()));
            assertTrue(failures.isEmpty(), () -> failures.size() + " tests failed, the first is " + failures.get(0).trace());
        }));
    }

    @TestFactory
    Stream<DynamicTest> changesReachTheWindow() {
        return Stream.<Map.Entry<String, Consumer<ConcurrentMap<String, String>>>>of(
                Map.entry("put", made -> made.put(KEY, "new")),
                Map.entry("replace", made -> made.replace(KEY, "new")),
                Map.entry("replace if equal", made -> assertTrue(made.replace(KEY, "old", "new"))),
                Map.entry("replace all", made -> made.replaceAll((key, value) -> "new")),
                Map.entry("compute", made -> made.compute(KEY, (key, value) -> "new")),
                Map.entry("compute if present", made -> made.computeIfPresent(KEY, (key, value) -> "new")),
                Map.entry("merge", made -> made.merge(KEY, "w", (old, value) -> "new")),
                Map.entry("put all", made -> made.putAll(Map.of(KEY, "new"))),
                Map.entry("set value", made -> made.entrySet().iterator().next().setValue("new")))
                .map(change -> DynamicTest.dynamicTest(change.getKey(), () -> {
                    heatOne();
                    change.getValue().accept(view);
                    assertEquals("new", map.get(KEY));
                    assertEquals("new", view.get(KEY));
                }));
    }

    @TestFactory
    Stream<DynamicTest> removalsReachTheWindow() {
        return Stream.<Map.Entry<String, Consumer<ConcurrentMap<String, String>>>>of(
                Map.entry("remove", made -> made.remove(KEY)),
                Map.entry("remove if equal", made -> assertTrue(made.remove(KEY, "old"))),
                Map.entry("clear", Map::clear),
                Map.entry("compute", made -> made.compute(KEY, (key, value) -> null)),
                Map.entry("merge", made -> made.merge(KEY, "w", (old, value) -> null)),
                Map.entry("key", made -> assertTrue(made.keySet().remove(KEY))),
                Map.entry("clear of the keys", made -> made.keySet().clear()),
                Map.entry("value", made -> assertTrue(made.values().remove("old"))),
                Map.entry("entry", made -> assertTrue(made.entrySet().remove(Map.entry(KEY, "old")))),
                Map.entry("iterator", made -> {
                    Iterator<String> keys = made.keySet().iterator();
                    keys.next();
                    keys.remove();
                }),
                Map.entry("remove if", made -> assertTrue(made.values().removeIf("old"::equals))))
                .map(change -> DynamicTest.dynamicTest(change.getKey(), () -> {
                    heatOne();
                    change.getValue().accept(view);
                    assertTrue(map.isEmpty());
                    assertNull(view.get(KEY));
                }));
    }

    @Test
    void hotKeysAreReadFromTheWindow() {
        heatOne();
        String copy = view.get(KEY);
        assertNotSame(map.get(KEY), copy);
        assertSame(copy, view.getOrDefault(KEY, "other"));
        assertSame(copy, view.computeIfAbsent(KEY, key -> "other"));
        assertSame(copy, view.putIfAbsent(KEY, "other"));
        assertEquals(1, window.size());
    }

    @Test
    void removeIfKeepsAValueThatWasPutMeanwhile() {
        heatOne();
        assertFalse(view.values().removeIf(value -> {
            map.put(KEY, "new");
            return true;
        }));
        assertFalse(view.entrySet().removeIf(entry -> {
            map.put(KEY, "newer");
            return true;
        }));
        assertEquals("newer", view.get(KEY));
    }

    @Test
    void streamsDoNotDependOnTheSize() {
        map.put("a", "1");
        map.put("b", "2");
        for (Collection<?> all : List.of(view.keySet(), view.values(), view.entrySet())) {
            assertFalse(all.spliterator().hasCharacteristics(Spliterator.SIZED));
            assertEquals(2, all.stream().count());
        }
    }

    @Test
    void aFailedChangeIsForgottenToo() {
        heatOne();
        assertThrows(IllegalStateException.class, () -> view.replaceAll((key, value) -> {
            throw new IllegalStateException();
        }));
        assertEquals(0, window.size());
        assertFalse(view.remove(KEY, "other"));
        assertEquals("old", view.get(KEY));
    }

    private void heatOne() {
        map.clear();
        window.forgetAll();
        map.put(KEY, "old");
        heat(view, KEY);
        assertEquals(1, window.size());
    }

    private static void heat(Map<String, String> map, String key) {
        for (int i = 0; i < 10; i++) {
            map.get(key);
        }
    }

    private static HotWindow<String, String> window(ConcurrentHashMap<String, String> map) {
        return new HotWindow<>(map, 100_000, String::length, String::new, value -> true);
    }
}
