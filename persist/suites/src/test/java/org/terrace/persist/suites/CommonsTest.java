// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.suites;

import static org.terrace.persist.suites.Suites.made;

import java.util.Map;
import java.util.NavigableSet;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.apache.commons.collections4.BulkTest;
import org.apache.commons.collections4.list.AbstractListTest;
import org.apache.commons.collections4.map.AbstractMapTest;
import org.apache.commons.collections4.map.AbstractSortedMapTest;
import org.apache.commons.collections4.queue.AbstractQueueTest;
import org.apache.commons.collections4.set.AbstractNavigableSetTest;
import org.apache.commons.collections4.set.AbstractSetTest;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.terrace.persist.types.PersistentDeque;
import org.terrace.persist.types.PersistentHashMap;
import org.terrace.persist.types.PersistentHashSet;
import org.terrace.persist.types.PersistentList;
import org.terrace.persist.types.PersistentSkipListMap;
import org.terrace.persist.types.PersistentSkipListSet;
import org.terrace.persist.types.PersistentTreeMap;
import org.terrace.persist.types.PersistentTreeSet;

/**
 * Runs the test kit of Apache Commons Collections. It compares each collection, its iterators and its views with one of
 * {@code java.util}. These tests are excluded:
 * <ul>
 * <li>Serialization. The collections have none.
 * <li>Null in deques, and as a key of sorted maps and sets. They reject null, as {@code ArrayDeque} and {@code TreeMap} do.
 * <li>Fail-fast iterations of lists, sets and deques. These tests expect that a {@code removeIf} without effect invalidates an
 *     iterator. They also call all methods of {@link java.util.List}, including static ones. {@link GuavaTest} tests such
 *     iterations.
 * <li>{@code testFirstKey} and {@code testLastKey} of sorted maps. They expect the same object that was put, but a heap returns a
 *     copy of it. {@link GuavaTest} compares with {@code equals}.
 * </ul>
 */
public class CommonsTest {
    @TestFactory
    Stream<DynamicTest> kit() {
        return Suites.tests(Stream.of(OfList.class, OfDeque.class, OfHashSet.class, OfTreeSet.class, OfSkipListSet.class,
                OfHashMap.class, OfTreeMap.class, OfSkipListMap.class).map(BulkTest::makeSuite));
    }

    public static final class OfList<E> extends AbstractListTest<E> {
        public OfList(String name) {
            super(name);
        }

        @Override
        public PersistentList<E> makeObject() {
            return made(heap -> new PersistentList<>(heap));
        }

        @Override
        public boolean isTestSerialization() {
            return false;
        }
    }

    public static final class OfDeque<E> extends AbstractQueueTest<E> {
        public OfDeque(String name) {
            super(name);
        }

        @Override
        public PersistentDeque<E> makeObject() {
            return made(heap -> new PersistentDeque<>(heap));
        }

        @Override
        public boolean isNullSupported() {
            return false;
        }

        @Override
        public boolean isTestSerialization() {
            return false;
        }
    }

    public static final class OfHashSet<E> extends AbstractSetTest<E> {
        public OfHashSet(String name) {
            super(name);
        }

        @Override
        public PersistentHashSet<E> makeObject() {
            return made(heap -> new PersistentHashSet<>(heap));
        }

        @Override
        public boolean isTestSerialization() {
            return false;
        }
    }

    private abstract static class OfSortedSet<E> extends AbstractNavigableSetTest<E> {
        OfSortedSet(String name) {
            super(name);
        }

        @Override
        public boolean isTestSerialization() {
            return false;
        }
    }

    public static final class OfTreeSet<E> extends OfSortedSet<E> {
        public OfTreeSet(String name) {
            super(name);
        }

        @Override
        public NavigableSet<E> makeObject() {
            return made(heap -> new PersistentTreeSet<>(heap));
        }
    }

    public static final class OfSkipListSet<E> extends OfSortedSet<E> {
        public OfSkipListSet(String name) {
            super(name);
        }

        @Override
        public NavigableSet<E> makeObject() {
            return made(heap -> new PersistentSkipListSet<>(heap));
        }
    }

    public static final class OfHashMap<K, V> extends AbstractMapTest<K, V> {
        public OfHashMap(String name) {
            super(name);
        }

        @Override
        public Map<K, V> makeObject() {
            return made(heap -> new PersistentHashMap<>(heap));
        }

        @Override
        public boolean isTestSerialization() {
            return false;
        }
    }

    private abstract static class OfSortedMap<K, V> extends AbstractSortedMapTest<K, V> {
        OfSortedMap(String name) {
            super(name);
        }

        @Override
        public String[] ignoredTests() {
            String name = getClass().getName().substring(getClass().getPackageName().length() + 1);
            return Stream.of("", ".bulkTestHeadMap", ".bulkTestTailMap", ".bulkTestSubMap").flatMap(view ->
                    Stream.of(".testFirstKey", ".testLastKey").map(test -> name + view + test)).toArray(String[]::new);
        }

        @Override
        public boolean isTestSerialization() {
            return false;
        }
    }

    public static final class OfTreeMap<K, V> extends OfSortedMap<K, V> {
        public OfTreeMap(String name) {
            super(name);
        }

        @Override
        public SortedMap<K, V> makeObject() {
            return made(heap -> new PersistentTreeMap<>(heap));
        }
    }

    public static final class OfSkipListMap<K, V> extends OfSortedMap<K, V> {
        public OfSkipListMap(String name) {
            super(name);
        }

        @Override
        public SortedMap<K, V> makeObject() {
            return made(heap -> new PersistentSkipListMap<>(heap));
        }
    }
}
