// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.suites;

import static org.terrace.persist.suites.Upstream.source;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import junit.framework.TestSuite;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.terrace.persist.suites.Upstream.Source;

/**
 * Runs the tests of non-blocking collections in the TCK of JSR 166. A persistent class runs the tests of several classes of
 * {@code java.util}, including concurrent ones. These tests are excluded:
 * <ul>
 * <li>Serialization and {@code clone}. The collections support neither.
 * <li>Constructors with a comparator, an array or a load factor. The collections do not have them.
 * <li>Methods that exist only in the tested class: {@code setSize}, {@code indexOf} and {@code lastIndexOf} with an index,
 *     {@code addIfAbsent}, {@code addAllAbsent}, {@code contains}, {@code elements}, {@code keys}, and all of
 *     {@code ConcurrentHashMap8Test}.
 * <li>Iterations of concurrent classes that continue while the collection changes: {@code testIteratorRemove} of
 *     {@code CopyOnWriteArrayListTest}, {@code testWeaklyConsistentIteration}, {@code testAddAllSelf}. Persistent iterations are
 *     fail-fast. For the same reason, tests of all collections treat the persistent ones as not concurrent.
 * <li>{@code testReentrantComputeIfAbsent}. It expects an {@code IllegalStateException}, but the persistent map throws a
 *     {@code ConcurrentModificationException}, as {@code HashMap} does.
 * <li>Null that a concurrent class rejects: {@code test…_NullPointerException}, {@code testNeverContainsNull}, {@code testRemove3}.
 *     The persistent classes accept null as {@code ArrayDeque}, {@code HashMap} and {@code TreeMap} do.
 * <li>Keys and elements of classes that no heap can hold: {@code testGenericComparable}, {@code testGenericComparable2},
 *     {@code testMixedComparable}, {@code testComparableFamily}, {@code testBug8186171}, {@code testBug8189387}. {@link Item} is a
 *     persistent record.
 * <li>The identity of elements. A heap returns copies, so {@code assertSame} is replaced by {@code assertEquals}.
 * <li>{@code testEmptyMeansEmpty} for sets. It expects that a search in an empty set calls no method of its argument, but even
 *     {@code HashSet} and {@code TreeSet} do.
 * </ul>
 * {@code CopyOnWriteArrayListTest} expects an {@code IllegalArgumentException} for bounds in the wrong order, like
 * {@code ArrayList}.
 */
class Jsr166Test {
    private static final String FOLDER = "concurrent/tck/";
    /** Matches the field of an item. */
    private static final String VALUE = "(?<!this)\\.value\\b(?!\\()";
    private static final String REVERSED_BOUNDS = "IndexOutOfBoundsException(\\.class,\\s+\\(\\) -> x\\.subList\\(start, start - 1)";

    /** The interfaces through which JSR166's tests of all collections and maps access one. */
    private static final String VIEWS = """
            import java.util.*;
            import java.util.function.Supplier;
            import junit.framework.*;

            public class ViewsTest extends JSR166TestCase {
                static class Elements implements CollectionImplementation {
                    final int sign;
                    final Supplier<Collection<Item>> maker;
                    Elements(int sign, Supplier<Collection<Item>> maker) { this.sign = sign; this.maker = maker; }
                    public Class<?> klazz() { return emptyCollection().getClass(); }
                    public Collection emptyCollection() { return maker.get(); }
                    public Object makeElement(int i) { return itemFor(sign * i); }
                    public boolean isConcurrent() { return false; }
                    public boolean permitsNulls() { return emptyCollection() instanceof PersistentHashSet; }
                }

                static class Maps implements MapImplementation {
                    final Supplier<Map<Integer, Integer>> maker;
                    Maps(Supplier<Map<Integer, Integer>> maker) { this.maker = maker; }
                    public Class<?> klazz() { return emptyMap().getClass(); }
                    public Map emptyMap() { return maker.get(); }
                    public boolean isConcurrent() { return false; }
                    public boolean permitsNullKeys() { return false; }
                    public boolean permitsNullValues() { return true; }
                    public boolean supportsSetValue() { return true; }
                }

                static TestSuite of(int sign, Supplier<Collection<Item>> maker) {
                    return without("testEmptyMeansEmpty", (TestSuite) CollectionTest.testSuite(new Elements(sign, maker)));
                }

                static TestSuite without(String name, TestSuite suite) {
                    TestSuite chosen = new TestSuite();
                    for (Test test : Collections.list(suite.tests())) {
                        if (test instanceof TestSuite inner) {
                            chosen.addTest(without(name, inner));
                        } else if (!((TestCase) test).getName().equals(name)) {
                            chosen.addTest(test);
                        }
                    }
                    return chosen;
                }

                static TestSuite ofMaps(Supplier<Map<Integer, Integer>> maker) {
                    return (TestSuite) MapTest.testSuite(new Maps(maker));
                }

                public static Test suite() {
                    Item least = itemFor(Integer.MIN_VALUE), greatest = itemFor(Integer.MAX_VALUE);
                    return newTestSuite(of(1, Made::hashSet), of(-1, () -> Made.<Item>treeSet().descendingSet()),
                        of(-1, () -> Made.<Item>skipListSet().descendingSet()),
                        of(1, () -> Made.<Item>treeSet().subSet(least, true, greatest, true)),
                        of(1, () -> Made.<Item>skipListSet().tailSet(least, true)),
                        ofMaps(() -> Made.<Integer, Integer>treeMap().descendingMap()),
                        ofMaps(() -> Made.<Integer, Integer>skipListMap().descendingMap()),
                        ofMaps(() -> Made.<Integer, Integer>treeMap().headMap(Integer.MAX_VALUE, true)));
                }
            }
            """;

    @TestFactory
    Stream<DynamicTest> tck() throws Exception {
        return Upstream.tests(() -> Suites.tests(suites().stream()));
    }

    private static List<TestSuite> suites() throws Exception {
        List<Source> tests = List.of(
                test("ArrayListTest", "ArrayList", "List", "testClone").replace("ArrayListTest\\.class,", ""),
                test("VectorTest", "Vector", "List", "testClone", "testSerialization", "testIndexOf2", "testLastIndexOf2", "testSetSize"),
                notConcurrent(test("CopyOnWriteArrayListTest", "CopyOnWriteArrayList", "List", "testAddAllAbsent", "testAddIfAbsent",
                        "testAddIfAbsent2", "testClone", "testConstructor2", "testIndexOf2", "testIteratorRemove",
                        "testLastIndexOf2", "testSerialization")).replace(REVERSED_BOUNDS, "IllegalArgumentException$1"),
                test("ArrayDequeTest", "ArrayDeque", "Deque", "testClone", "testSerialization"),
                notConcurrent(test("ConcurrentLinkedDequeTest", "ConcurrentLinkedDeque", "Deque", "testAddAllSelf", "testBug8189387",
                        "testNeverContainsNull", "testSerialization", "testWeaklyConsistentIteration")),
                test("HashMapTest", "HashMap", "HashMap"),
                nullable("Keys|Values", notConcurrent(test("ConcurrentHashMapTest", "ConcurrentHashMap", "HashMap", "testComparableFamily",
                        "testConstructor1", "testConstructor2", "testConstructor3", "testContains", "testEnumeration",
                        "testGenericComparable", "testGenericComparable2", "testKeys", "testMixedComparable",
                        "testReentrantComputeIfAbsent", "testSetValueWriteThrough", "testSerialization"))
                        .everywhere("(o|other|\\(\\(\\w+\\) ?\\w+\\))\\.value\\(\\)", "$1.value")),
                recursive("treeMap", test("TreeMapTest", "TreeMap", "TreeMap", "testSerialization")),
                test("TreeSubMapTest", "TreeMap", "TreeMap", "testSerialization", "testDescendingSerialization"),
                recursive("treeSet", test("TreeSetTest", "TreeSet", "TreeSet", "testConstructor7", "testSerialization")),
                test("TreeSubSetTest", "TreeSet", "TreeSet", "testSerialization", "testDescendingSerialization"),
                settable(nullable("Values", notConcurrent(recursive("skipListMap", test("ConcurrentSkipListMapTest",
                        "ConcurrentSkipListMap", "SkipListMap", "testClone", "testRemove3", "testSerialization"))))),
                nullable("Values", test("ConcurrentSkipListSubMapTest", "ConcurrentSkipListMap", "SkipListMap", "testSerialization",
                        "testDescendingSerialization").replace("ConcurrentNavigableMap<", "java.util.NavigableMap<")),
                notConcurrent(recursive("skipListSet", test("ConcurrentSkipListSetTest", "ConcurrentSkipListSet", "SkipListSet",
                        "testClone", "testConstructor7", "testSerialization"))),
                test("ConcurrentSkipListSubSetTest", "ConcurrentSkipListSet", "SkipListSet", "testSerialization",
                        "testDescendingSerialization"),
                new Source("ViewsTest.java", VIEWS));
        ClassLoader loader = new Upstream("jsr166")
                .with(adapted("JSR166TestCase").without("main", "suite"), adapted("CollectionImplementation"), adapted("MapImplementation"),
                        adapted("CollectionTest"), adapted("Collection8Test"), adapted("MapTest").without("testBug8186171"))
                .with(tests.toArray(Source[]::new)).compiled();
        List<TestSuite> suites = new ArrayList<>();
        for (Source test : tests) {
            TestSuite suite = (TestSuite) loader.loadClass(test.name()).getMethod("suite").invoke(null);
            suite.setName(test.name());
            suites.add(suite);
        }
        return suites;
    }

    private static Source adapted(String name) throws IOException {
        return source(FOLDER + name + ".java").everywhere("assertSame\\(", "assertEquals(").everywhere(VALUE, "$0()");
    }

    private static Source test(String name, String type, String persistent, String... without) throws IOException {
        return adapted(name).persistent(type, persistent).without("main").without(without);
    }

    private static Source notConcurrent(Source test) {
        return test.everywhere("(boolean isConcurrent\\(\\) +\\{ return) true", "$1 false");
    }

    /** The tests assume that entries of concurrent maps do not support {@code setValue}. */
    private static Source settable(Source test) {
        return test.replace("(boolean supportsSetValue\\(\\) +\\{ return) false", "$1 true");
    }

    private static Source nullable(String what, Source test) {
        return test.everywhere("(boolean permitsNull(?:" + what + ")\\(\\) +\\{ return) false", "$1 true")
                .replace("(?ms)^    public void test\\w+_NullPointerException\\(.*?^    \\}", "");
    }

    /** Replaces a constructor that is found by its parameters. */
    private static Source recursive(String maker, Source test) {
        return test.replace("\\(Navigable(Map|Set)<[^>]*>\\) cl\\.getConstructor\\(\\)\\.newInstance\\(\\)", "Made." + maker + "()");
    }
}
