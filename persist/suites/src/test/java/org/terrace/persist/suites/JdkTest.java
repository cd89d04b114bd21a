// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.suites;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;
import static org.terrace.persist.suites.Upstream.source;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.terrace.persist.suites.Upstream.Source;
import org.testng.ITestResult;
import org.testng.TestListenerAdapter;
import org.testng.TestNG;

/**
 * Runs the JDK's own tests of collections with persistent collections in place of {@code java.util} collections. These tests are
 * excluded:
 * <ul>
 * <li>Serialization, {@code clone} and comparators. The collections do not support them.
 * <li>Tests whose keys or elements are of classes that no heap can hold: {@code Map/Collisions}, {@code Map/InPlaceOpsCollisions},
 *     {@code Map/EntryHashCode}, {@code Map/EntrySetIterator}, {@code HashMap/PutNullKey},
 *     {@code Spliterator/SpliteratorCollisions}, and the use of {@code AtomicInteger} in {@code List/ListDefaults}.
 * <li>The identity of elements. A heap returns copies. The JVM of these tests caches one object for each number up to 100,000
 *     ({@code AutoBoxCacheMax}). {@code Map/ToArray}, {@code Map/Defaults} and {@code Collections/CheckedMapBash} compare by
 *     {@code equals}. {@code Collections/CheckedListBash} distinguishes equal numbers and does not run.
 * <li>Tests that need a subclass, or a constructor with a collection: {@code Collection/BiggernYours},
 *     {@code Collection/HotPotatoes}.
 * <li>{@code ArrayList/SubListModCount}. A sublist of a changed list cannot create sublists here, while {@code ArrayList} returns
 *     an unusable one.
 * <li>Long tests. They run with {@code -Dpersist.thorough=true}.
 * </ul>
 */
class JdkTest {
    private static final int SHOWN = 10;
    /** Maximum length of each parameter in a message. */
    private static final int PARAMETER = 60;
    private static final String REAL_MAIN = "void realMain\\(String\\[\\] args\\) \\{";
    private static final String COLLECTIONS = String.join("\n",
            "testCollection(Made.list());",
            "testCollection(Made.<Integer>list().subList(0, 0));",
            "testCollection(Made.deque());",
            "testCollection(Made.hashSet());",
            "testCollection(Made.treeSet());",
            "testCollection(Made.skipListSet());",
            "testMap(Made.hashMap());",
            "testMap(Made.treeMap());",
            "testMap(Made.skipListMap());",
            "if (true) return;");
    /** The fail-fast collections. Skip lists are tested where the test is configured for them. */
    private static final Map<String, String> MAKERS = Map.of("ArrayList", "list", "ArrayDeque", "deque", "HashSet", "hashSet", "TreeSet",
            "treeSet", "HashMap", "hashMap", "TreeMap", "treeMap");
    private static final String[] LIBRARY = {"Collection/testlibrary/CollectionAsserts", "Collection/testlibrary/CollectionSupplier",
        "Collection/testlibrary/ExtendsAbstractCollection", "Collection/testlibrary/ExtendsAbstractList",
        "Collection/testlibrary/ExtendsAbstractSet"};
    private static final String LATE_BINDING = "Spliterator/SpliteratorLateBindingFailFastHelper";
    private static final String BOOT_LIBRARY = "../../lib/testlibrary/bootlib/java.base/java/util/";

    /** Runs MOAT, the "mother of all tests", and other tests with a {@code main} method. */
    @TestFactory
    Stream<DynamicTest> programs() throws Exception {
        return Upstream.tests(() -> Stream.of(
                program("Collection/MOAT", moat -> moat.replace(REAL_MAIN, "$0" + COLLECTIONS)),
                program("Collection/IteratorAtEnd", JdkTest::made),
                program("List/LockStep", JdkTest::notSerialized),
                program("NavigableMap/LockStep", JdkTest::notSerialized),
                program("Map/LockStep", JdkTest::made),
                program("Map/Get", JdkTest::made),
                program("Map/ToArray", JdkTest::equalNumbers),
                program("Deque/ChorusLine", line -> line.replace("add\\(new ArrayDeque<Integer>\\(\\)\\)", "add(Made.deque())")),
                program("TreeMap/ContainsValue", JdkTest::made),
                program("TreeMap/EmptyMapAndNulls", JdkTest::made),
                program("TreeMap/SubMap", JdkTest::made),
                program("TreeMap/SubMapClear", JdkTest::made),
                program("TreeMap/HeadTailTypeError", JdkTest::made),
                program("HashMap/KeySetRemove", JdkTest::made),
                program("HashMap/NullKeyAtResize", JdkTest::made),
                program("HashMap/ReplaceExisting", JdkTest::mapsAndSets),
                program("HashMap/SetValue", JdkTest::made),
                program("HashMap/ToArray", JdkTest::made),
                program("HashMap/ToString", JdkTest::made)));
    }

    @TestFactory
    Stream<DynamicTest> algorithms() throws Exception {
        return Upstream.thorough(() -> Stream.of(
                program("AbstractList/FailFastIterator", JdkTest::made),
                program("AbstractList/HasNextAfterException", JdkTest::made),
                program("AbstractMap/Equals", JdkTest::made),
                program("LinkedHashSet/Basic", JdkTest::copied),
                program("Collections/AddAll", JdkTest::made),
                program("Collections/Disjoint", JdkTest::made),
                program("Collections/FindSubList", JdkTest::made),
                program("Collections/Frequency", JdkTest::made),
                program("Collections/RacingCollections", JdkTest::addedToList),
                program("Collections/ReplaceAll", JdkTest::made),
                program("Collections/Rotate", JdkTest::made),
                program("Collections/Swap", JdkTest::made)));
    }

    @TestFactory
    Stream<DynamicTest> ofTestNg() throws Exception {
        return Upstream.tests(() -> Stream.of(
                testNg("List/NestedSubList", JdkTest::made),
                testNg("List/SubList", JdkTest::made, "../../../lib/jdk/test/lib/RandomFactory"),
                testNg("Map/FunctionalCMEs", JdkTest::made, "Map/Defaults"),
                testNg("Spliterator/SpliteratorCharacteristics", JdkTest::made, BOOT_LIBRARY + "SpliteratorTestHelper",
                        BOOT_LIBRARY + "stream/LambdaTestHelpers"),
                testNg("Spliterator/SpliteratorFailFastTest", JdkTest::references, LATE_BINDING),
                testNg("Spliterator/SpliteratorLateBindingTest", JdkTest::references, LATE_BINDING)));
    }

    @TestFactory
    Stream<DynamicTest> longerOnesOfTestNg() throws Exception {
        return Upstream.thorough(() -> Stream.of(
                testNg("Collection/CollectionDefaults", JdkTest::made, LIBRARY),
                testNg("List/ListDefaults", JdkTest::noAtomics, LIBRARY),
                testNg("Collections/CheckedMapBash", JdkTest::ofNumbers),
                testNg("Collections/CheckedSetBash", JdkTest::ofNumbers),
                testNg("Collections/EmptyNavigableMap", JdkTest::mapsAndSets),
                testNg("Collections/EmptyNavigableSet", JdkTest::mapsAndSets),
                testNg("Map/Defaults", JdkTest::equalStrings),
                testNg("Spliterator/SpliteratorTraversingAndSplittingTest", JdkTest::references, BOOT_LIBRARY + "SpliteratorTestHelper",
                        BOOT_LIBRARY + "SpliteratorOfIntDataBuilder", BOOT_LIBRARY + "stream/LambdaTestHelpers"),
                testNg("stream/test/org/openjdk/tests/java/util/stream/CollectionAndMapModifyStreamTest", JdkTest::ofContent,
                        BOOT_LIBRARY + "stream/LambdaTestHelpers")));
    }

    private static void made(Source source) {
        MAKERS.forEach(source::made);
    }

    /** Used where lists of the test contain objects that a heap cannot store. */
    private static void references(Source source) {
        MAKERS.forEach(source::reference);
        source.reference("ConcurrentSkipListMap", "skipListMap").reference("ConcurrentSkipListSet", "skipListSet");
    }

    /** Like {@link #equalNumbers}. Skip lists accept null values, but the tests of concurrent maps assume that they do not. */
    private static void equalStrings(Source source) {
        MAKERS.forEach(source::reference);
        source.everywhere("\\bassertSame\\b", "assertEquals").replace("(expected|value) == VALUES\\[1\\]", "VALUES[1].equals($1)");
    }

    private static void addedToList(Source source) {
        source.replace("list.add\\(new HashMap<Integer, Boolean>\\(\\)", "list.add(Made.hashMap()")
                .replace("list.add\\(new TreeMap<Integer, Boolean>\\(\\)", "list.add(Made.treeMap()")
                .replace("list.add\\(new HashSet<Integer>\\(\\)", "list.add(Made.hashSet()")
                .replace("list.add\\(new TreeSet<Integer>\\(\\)", "list.add(Made.treeSet()")
                .replace("list.add\\(new ArrayList<Integer>\\(\\)", "list.add(Made.list()")
                .replace("list.add\\(new ArrayDeque<Integer>\\(\\)", "list.add(Made.deque()");
    }

    /** Replaces serialization and clones of sets by copies. */
    private static void copied(Source source) {
        source.made("LinkedHashSet", "hashSet").replace("rnd\\.nextInt\\(3\\)", "1")
                .replace("\\(\\(LinkedHashSet\\)s\\)\\.clone\\(\\)", "s");
    }

    /** Used where lists contain objects that a heap cannot store. Variables have types of {@code java.util}, which become interfaces. */
    private static void mapsAndSets(Source source) {
        MAKERS.forEach((type, maker) -> {
            if (type.matches("(Hash|Tree)(Map|Set)")) {
                source.made(type, maker);
            }
        });
        source.everywhere("(?<!new )(?<![.\\w])(?:Hash|Tree)(Map|Set)(?=[ <])", "java.util.$1");
    }

    /** The numbers are equal, but not the same objects. */
    private static void ofNumbers(Source source) {
        mapsAndSets(source);
        source.everywhere("head != nil", "!head.equals(nil)");
        source.everywhere("Made\\.treeMap\\(\\)\\.", "Made.<Integer, Integer>treeMap().")
                .everywhere("Made\\.treeSet\\(\\)\\.", "Made.<Integer>treeSet().");
    }

    private static void ofContent(Source source) {
        MAKERS.forEach((type, maker) -> source.replace("\\bnew " + type + "<>\\(content\\)", "Made." + maker + "(content)"));
    }

    /** A heap cannot store atomic numbers. */
    private static void noAtomics(Source source) {
        made(source);
        source.replace("(?s)// Reuse the supplier to store AtomicInteger.*?intValue\\(\\)\\);\\s*\\}", "");
    }

    private static void notSerialized(Source source) {
        MAKERS.forEach(source::made);
        source.made("ConcurrentSkipListMap", "skipListMap").made("ConcurrentSkipListSet", "skipListSet")
                .replace("<T> T serialClone\\(T obj\\) \\{", "$0 if (true) return obj;");
    }

    /** The numbers are copies, not the same objects. */
    private static void equalNumbers(Source source) {
        made(source);
        source.replace("([\\w.()]+(?:\\[each\\](?:\\.\\w+\\(\\))?)) == (KEYS|VALUES)\\[each\\]", "$1.equals($2[each])");
    }

    private static DynamicTest program(String path, Consumer<Source> change) {
        return dynamicTest(path, () -> loaded(path, change, new String[0], type -> {
            type.getMethod("main", String[].class).invoke(null, (Object) new String[0]);
            System.out.println("checks of " + path + ": " + checks(type));
            return 1;
        }));
    }

    /** The number of checks, which most of these programs count. */
    private static int checks(Class<?> type) throws ReflectiveOperationException {
        for (Field field : type.getDeclaredFields()) {
            if (field.getName().equals("passed") && Modifier.isStatic(field.getModifiers())) {
                field.setAccessible(true);
                return field.getInt(null);
            }
        }
        return 0;
    }

    private static DynamicTest testNg(String path, Consumer<Source> change, String... library) {
        return dynamicTest(path, () -> loaded(path, change, library, type -> {
            TestNG tests = new TestNG(false);
            TestListenerAdapter listener = new TestListenerAdapter();
            tests.addListener(listener);
            tests.setTestClasses(new Class<?>[] {type});
            tests.run();
            List<ITestResult> failures = new ArrayList<>(listener.getFailedTests());
            failures.addAll(listener.getSkippedTests());
            assertTrue(failures.isEmpty(), () -> failures.size() + " tests failed, the first are\n" + failures.stream().limit(SHOWN)
                    .map(JdkTest::failure).collect(Collectors.joining("\n")));
            return listener.getPassedTests().size();
        }));
    }

    private static String failure(ITestResult failure) {
        return failure.getName() + Arrays.stream(failure.getParameters()).map(String::valueOf)
                .map(text -> text.substring(0, Math.min(PARAMETER, text.length()))).toList() + ": " + failure.getThrowable();
    }

    /** Runs a class and returns how many of its tests passed. */
    private interface Runner {
        int run(Class<?> type) throws Exception;
    }

    private static void loaded(String path, Consumer<Source> change, String[] library, Runner runner) throws Exception {
        Source main = source(path + ".java");
        change.accept(main);
        Upstream adapted = new Upstream(path).with(main);
        for (String other : library) {
            Source more = source(other + ".java");
            adapted.with(other.endsWith("LambdaTestHelpers") ? more.without("flagsToString") : more);
        }
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        ClassLoader loader = adapted.compiled();
        // The heap finds enumerations of the test in this loader.
        thread.setContextClassLoader(loader);
        try {
            Suites.ran(path, Suites.running(() -> runner.run(loader.loadClass(main.name()))));
        } finally {
            thread.setContextClassLoader(before);
            Suites.freeMade();
        }
    }
}
