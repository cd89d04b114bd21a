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
 * The JDK's own tests of collections, in which persistent collections replace those of {@code java.util}. These are excluded:
 * <ul>
 * <li>Serialization, {@code clone} and comparators. The collections have none of them.
 * <li>Tests whose keys or elements are of classes that no heap can hold: {@code Map/Collisions}, {@code Map/InPlaceOpsCollisions}, {@code
 * Map/EntryHashCode}, {@code Map/EntrySetIterator}, {@code HashMap/PutNullKey}, {@code Spliterator/SpliteratorCollisions}, and the use of
 * {@code AtomicInteger} in {@code List/ListDefaults}.
 * <li>The identity of elements. A heap gives copies. The JVM of these tests has one object for each number up to 100,000 ({@code
 * AutoBoxCacheMax}). {@code Map/ToArray}, {@code Map/Defaults} and {@code Collections/CheckedMapBash} compare by {@code equals}. {@code
 * Collections/CheckedListBash} tells equal numbers apart, and does not run.
 * <li>Tests that need a subclass, or a constructor with a collection: {@code Collection/BiggernYours}, {@code Collection/HotPotatoes}.
 * <li>{@code ArrayList/SubListModCount}. A part of a changed list gives out no part here, where {@code ArrayList} gives a useless one.
 * <li>Tests that take long. They run with {@code -Dpersist.thorough=true}.
 * </ul>
 */
class JdkTest {
    private static final int SHOWN = 10;
    /** Characters of each that a message has. */
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
    /** Those that fail fast; skip lists are tested where the test is told of them. */
    private static final Map<String, String> MAKERS = Map.of("ArrayList", "list", "ArrayDeque", "deque", "HashSet", "hashSet", "TreeSet",
            "treeSet", "HashMap", "hashMap", "TreeMap", "treeMap");
    private static final String[] LIBRARY = {"Collection/testlibrary/CollectionAsserts", "Collection/testlibrary/CollectionSupplier",
        "Collection/testlibrary/ExtendsAbstractCollection", "Collection/testlibrary/ExtendsAbstractList",
        "Collection/testlibrary/ExtendsAbstractSet"};
    private static final String LATE_BINDING = "Spliterator/SpliteratorLateBindingFailFastHelper";
    private static final String BOOT_LIBRARY = "../../lib/testlibrary/bootlib/java.base/java/util/";

    /** The mother of all tests, and others with a {@code main}. */
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

    /** Where lists of the test hold what no heap does. */
    private static void references(Source source) {
        MAKERS.forEach(source::reference);
        source.reference("ConcurrentSkipListMap", "skipListMap").reference("ConcurrentSkipListSet", "skipListSet");
    }

    /** As {@link #equalNumbers}. Null is a value of skip lists, and is none for the tests of concurrent maps. */
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

    /** The copies of sets are neither serialized nor clones. */
    private static void copied(Source source) {
        source.made("LinkedHashSet", "hashSet").replace("rnd\\.nextInt\\(3\\)", "1")
                .replace("\\(\\(LinkedHashSet\\)s\\)\\.clone\\(\\)", "s");
    }

    /** Where lists hold what no heap does. Variables have types of {@code java.util}, which become interfaces. */
    private static void mapsAndSets(Source source) {
        MAKERS.forEach((type, maker) -> {
            if (type.matches("(Hash|Tree)(Map|Set)")) {
                source.made(type, maker);
            }
        });
        source.everywhere("(?<!new )(?<![.\\w])(?:Hash|Tree)(Map|Set)(?=[ <])", "java.util.$1");
    }

    /** They are equal, and not the same. */
    private static void ofNumbers(Source source) {
        mapsAndSets(source);
        source.everywhere("head != nil", "!head.equals(nil)");
        source.everywhere("Made\\.treeMap\\(\\)\\.", "Made.<Integer, Integer>treeMap().")
                .everywhere("Made\\.treeSet\\(\\)\\.", "Made.<Integer>treeSet().");
    }

    private static void ofContent(Source source) {
        MAKERS.forEach((type, maker) -> source.replace("\\bnew " + type + "<>\\(content\\)", "Made." + maker + "(content)"));
    }

    /** A heap does not hold them. */
    private static void noAtomics(Source source) {
        made(source);
        source.replace("(?s)// Reuse the supplier to store AtomicInteger.*?intValue\\(\\)\\);\\s*\\}", "");
    }

    private static void notSerialized(Source source) {
        MAKERS.forEach(source::made);
        source.made("ConcurrentSkipListMap", "skipListMap").made("ConcurrentSkipListSet", "skipListSet")
                .replace("<T> T serialClone\\(T obj\\) \\{", "$0 if (true) return obj;");
    }

    /** They are copies, and not the same. */
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

    /** Most of them count their checks. */
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

    /** Runs a class, and tells how many tests of it passed. */
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
        // Where the heap finds enumerations of the test.
        thread.setContextClassLoader(loader);
        try {
            Suites.ran(path, Suites.running(() -> runner.run(loader.loadClass(main.name()))));
        } finally {
            thread.setContextClassLoader(before);
            Suites.freeMade();
        }
    }
}
