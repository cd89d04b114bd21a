// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.invoke.MethodHandles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.medium.Disk;

/** Tests keys and elements whose enumeration or whose order has changed since they were stored. */
class EnumsTest {
    private static final HeapOptions OPTIONS = HeapOptions.defaults().maxSize(16 << 20).durability(Durability.PROCESS);
    private static final String TYPES = "org.terrace.persist.types.";

    @TempDir
    private Path directory;
    private final Disk disk = new Disk();
    private final Path path = disk.path("test.heap");
    private final ClassLoader context = Thread.currentThread().getContextClassLoader();
    private EnumVersions versions;

    /** A key whose order can be reversed, as by another version of a program, and which can be rejected. */
    private record Turning(int number) implements Comparable<Turning> {
        private static boolean turned;
        private static int refused = -1;

        static {
            Records.define(MethodHandles.lookup());
        }

        Turning {
            if (number == refused) {
                throw new IllegalArgumentException(number + " is refused");
            }
        }

        @Override
        public int compareTo(Turning other) {
            return turned ? Integer.compare(other.number, number) : Integer.compare(number, other.number);
        }
    }

    @AfterEach
    void restoreContext() throws Exception {
        Turning.turned = false;
        Turning.refused = -1;
        Thread.currentThread().setContextClassLoader(context);
        if (versions != null) {
            versions.close();
        }
        disk.dispose();
    }

    private EnumVersions.Version program(String... constants) {
        versions = versions == null ? new EnumVersions(directory) : versions;
        EnumVersions.Version version = versions.version(List.of(constants));
        version.use();
        return version;
    }

    private Heap open(EnumVersions.Version version, HeapOptions options) {
        return Heap.open(path, options.classes(version.paintClass()));
    }

    @SuppressWarnings("unchecked")
    private static <K> List<PersistentSortedMap<K, String>> maps(Heap heap) {
        return List.of(heap.root("tree", PersistentTreeMap.class, () -> new PersistentTreeMap<K, String>(heap)),
                heap.root("skip", PersistentSkipListMap.class, () -> new PersistentSkipListMap<K, String>(heap)));
    }

    @SuppressWarnings("unchecked")
    private static <K> List<PersistentSortedMap<K, String>> paints(Heap heap) {
        return List.of(heap.root("paint tree", PersistentTreeMap.class, () -> new PersistentTreeMap<K, String>(heap)),
                heap.root("paint skip", PersistentSkipListMap.class, () -> new PersistentSkipListMap<K, String>(heap)));
    }

    private void write(EnumVersions.Version version) {
        try (Heap heap = open(version, OPTIONS)) {
            maps(heap).forEach(map -> version.constants().forEach((name, constant) -> map.put(constant, name)));
            paints(heap).forEach(map -> version.constants().keySet().forEach(name -> {
                for (int i = 0; i < 10; i++) {
                    map.put(version.paint(name, i), name + i);
                }
            }));
        }
    }

    private static void assertFinds(EnumVersions.Version version, Heap heap) {
        maps(heap).forEach(map -> version.constants().forEach((name, constant) -> assertEquals(name, map.get(constant))));
        paints(heap).forEach(map -> version.constants().keySet().forEach(name ->
                assertEquals(name + 5, map.get(version.paint(name, 5)))));
        maps(heap).forEach(map -> assertEquals(List.copyOf(version.constants().values()), List.copyOf(map.keySet())));
        assertEquals(List.of(), heap.checkCollections());
    }

    @Test
    void aHeapOfAnOlderLibraryIsPutInOrderToo() {
        write(program("A", "B", "C", "D"));
        // Renames the descriptors of enumerations, which a heap of an older library lacks.
        disk.renameClass("test.heap", TYPES + "Enum:" + EnumVersions.ENUM, TYPES + "Enum:" + EnumVersions.ENUM.replace('C', 'X'));
        disk.renameClass("test.heap", TYPES + "EnumsOfSortedKeys", TYPES + "EnumsOfSortedKeyx");
        for (String[] order : new String[][] {{"D", "B", "A", "C"}, {"C", "D", "A", "B"}}) {
            EnumVersions.Version other = program(order);
            try (Heap heap = open(other, OPTIONS)) {
                assertFinds(other, heap);
            }
        }
    }

    @Test
    void aReadOnlyOpeningDoesNotSearchWhatIsOutOfOrder() {
        write(program("A", "B", "C", "D"));
        EnumVersions.Version other = program("D", "B", "A", "C");
        try (Heap heap = open(other, OPTIONS.readOnly())) {
            for (NavigableMap<Object, String> map : List.of(maps(heap).get(0), paints(heap).get(1))) {
                Object key = map.keySet().iterator().next();
                HeapException e = assertThrows(HeapException.class, () -> map.get(key));
                assertTrue(e.getMessage().contains("out of the order") && e.getMessage().contains("open the heap once for writing"),
                        e.getMessage());
                assertThrows(HeapException.class, () -> map.containsKey(key));
                assertThrows(HeapException.class, () -> map.headMap(key).size());
            }
            assertEquals(4, List.copyOf(maps(heap).get(0).values()).size());
            assertEquals(4, heap.checkCollections().size());
        }
        try (Heap heap = open(other, OPTIONS)) {
            assertFinds(other, heap);
        }
        try (Heap heap = open(other, OPTIONS.readOnly())) {
            assertFinds(other, heap);
        }
    }

    @Test
    void constantsThatWereAddedBehindChangeNothingThatIsRead() {
        write(program("A", "B"));
        EnumVersions.Version more = program("A", "B", "C");
        try (Heap heap = open(more, OPTIONS.readOnly())) {
            assertEquals("A", maps(heap).get(0).get(more.constants().get("A")));
            assertNull(paints(heap).get(1).get(more.paint("C", 1)));
        }
    }

    /** The thread's class loader did not have the enumeration when the heap was opened. */
    @Test
    void anEnumerationThatIsFoundLateIsNotSearchedForInAnotherOrder() {
        versions = new EnumVersions(directory, "late");
        EnumVersions.Version first = program("A", "B", "C", "D");
        try (Heap heap = Heap.open(path, OPTIONS)) {
            maps(heap).forEach(map -> first.constants().forEach((name, constant) -> map.put(constant, name)));
        }
        for (boolean same : new boolean[] {true, false}) {
            EnumVersions.Version later = program(same ? new String[] {"A", "B", "C", "D"} : new String[] {"B", "D", "A", "C"});
            Thread.currentThread().setContextClassLoader(context);
            try (Heap heap = Heap.open(path, OPTIONS)) {
                assertTrue(maps(heap).get(0).toString().contains("late.Color.C (missing)"), maps(heap).get(0)::toString);
                later.use();
                Object key = later.constants().get("C");
                if (same) {
                    assertEquals("C", maps(heap).get(0).get(key));
                    assertEquals("C", maps(heap).get(1).remove(key));
                    maps(heap).get(1).put(key, "C");
                } else {
                    HeapException e = assertThrows(HeapException.class, () -> maps(heap).get(0).get(key));
                    assertTrue(e.getMessage().contains("resort()"), e.getMessage());
                    assertThrows(HeapException.class, () -> maps(heap).get(1).put(key, "again"));
                    maps(heap).forEach(map -> assertEquals(List.of(), map.resort()));
                    maps(heap).forEach(map -> assertEquals("C", map.get(key)));
                }
            }
        }
    }

    @Test
    void keysOfAnEnumerationThatIsGoneCanBeSeenAndRemoved() {
        write(program("A", "B", "C", "D"));
        Thread.currentThread().setContextClassLoader(context);
        disk.renameClass("test.heap", "versions.Paint", "versions.Pixxt");
        byte[] bytes = disk.contentOf("test.heap");
        for (String name : List.of("A", "B", "C", "D")) {
            replace(bytes, EnumVersions.ENUM + "\n" + name, EnumVersions.ENUM.replace('C', 'X') + "\n" + name);
        }
        try (Heap heap = Heap.open(path, OPTIONS)) {
            for (PersistentSortedMap<Object, String> map : EnumsTest.<Object>maps(heap)) {
                List<Object> keys = new ArrayList<>(map.keySet());
                assertEquals(4, keys.size());
                Object last = map.lastKey();
                assertEquals("B", map.get(keys.get(1)));
                assertTrue(map.containsKey(new MissingConstant("versions.Xolor", "B")));
                assertEquals("D", map.pollLastEntry().getValue());
                assertEquals(last, keys.get(3));
                Iterator<Object> i = map.keySet().iterator();
                i.next();
                i.next();
                i.remove();
                assertEquals(keys.get(2), i.next());
                assertEquals("A", map.remove(keys.get(0)));
                assertEquals(List.of(keys.get(2)), List.copyOf(map.descendingKeySet()));
            }
            for (PersistentSortedMap<Object, String> map : EnumsTest.<Object>paints(heap)) {
                List<Object> keys = new ArrayList<>(map.keySet());
                assertEquals(40, keys.size());
                assertEquals("A5", map.get(keys.get(5)));
                assertEquals("B5", map.remove(keys.get(15)));
                assertEquals("D9", map.pollLastEntry().getValue());
                map.keySet().removeIf(key -> key.equals(keys.get(0)));
                assertEquals(37, map.size());
                assertEquals(37, map.descendingMap().values().stream().distinct().count());
            }
            assertEquals(List.of(), heap.check());
            paints(heap).forEach(Map::clear);
            maps(heap).forEach(Map::clear);
        }
    }

    static void replace(byte[] in, String from, String to) {
        for (int at = 0; at + from.length() <= in.length; at++) {
            if (new String(in, at, from.length(), java.nio.charset.StandardCharsets.ISO_8859_1).equals(from)) {
                System.arraycopy(to.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1), 0, in, at, to.length());
            }
        }
    }

    @Test
    void hashMapsFindKeysOfClassesThatAreGone() {
        EnumVersions.Version first = program("A", "B", "C", "D");
        try (Heap heap = open(first, OPTIONS)) {
            @SuppressWarnings("unchecked")
            PersistentHashMap<Object, String> map =
                    heap.root("hash", PersistentHashMap.class, () -> new PersistentHashMap<Object, String>(heap));
            first.constants().keySet().forEach(name -> map.put(first.paint(name, 1), name));
        }
        disk.renameClass("test.heap", "versions.Paint", "versions.Pixxt");
        try (Heap heap = open(first, OPTIONS)) {
            @SuppressWarnings("unchecked")
            Map<Object, String> map = heap.root("hash", PersistentHashMap.class);
            List<Map.Entry<Object, String>> entries = new ArrayList<>(map.entrySet());
            assertEquals(entries.get(0).getValue(), map.get(entries.get(0).getKey()));
            assertEquals(entries.get(0).getValue(), map.put(entries.get(0).getKey(), "new"));
            assertEquals("new", map.remove(entries.get(0).getKey()));
            Iterator<Object> i = map.keySet().iterator();
            i.next();
            i.remove();
            assertEquals(2, map.size());
            map.keySet().removeIf(key -> true);
            assertEquals(0, map.size());
        }
    }

    @Test
    void aValueWithAMissingConstantInsideIsSeenStoredAgainAndFound() {
        EnumVersions.Version first = program("A", "B");
        try (Heap heap = open(first, OPTIONS)) {
            PersistentList<Object> list = list(heap);
            list.add(Optional.of(first.constants().get("A")));
            list.add(Optional.of(first.paint("A", 3)));
            list.add(first.paint("A", 4));
        }
        EnumVersions.Version second = program("B");
        try (Heap heap = open(second, OPTIONS)) {
            PersistentList<Object> list = list(heap);
            Object missing = new MissingConstant(EnumVersions.ENUM, "A");
            assertEquals(Optional.of(missing), list.get(0));
            OpaqueRecord paint = (OpaqueRecord) list.get(2);
            assertEquals(Map.of("color", missing, "number", 4), paint.components());
            assertEquals("Paint[color=versions.Color.A (missing), number=4]", paint.toString());
            list.addAll(List.copyOf(list));
            assertEquals(list.subList(0, 3), list.subList(3, 6));
            assertEquals(2, list.indexOf(paint));
            PersistentHashSet<Object> set = heap.atomic(() -> new PersistentHashSet<>(heap));
            set.addAll(list);
            assertEquals(3, set.size());
            assertTrue(set.remove(paint) && set.remove(Optional.of(missing)) && !set.remove(missing));
        }
        EnumVersions.Version third = program("B", "A");
        try (Heap heap = open(third, OPTIONS)) {
            assertEquals(List.of(Optional.of(third.constants().get("A")), Optional.of(third.paint("A", 3)), third.paint("A", 4)),
                    list(heap).subList(3, 6));
        }
    }

    @SuppressWarnings("unchecked")
    private static PersistentList<Object> list(Heap heap) {
        return heap.root("list", PersistentList.class, () -> new PersistentList<Object>(heap));
    }

    @Test
    void anEnumerationThatWasRenamedIsFound() throws Exception {
        EnumVersions.Version first = program("A", "B", "C");
        try (Heap heap = Heap.open(path, OPTIONS)) {
            maps(heap).forEach(map -> first.constants().forEach((name, constant) -> map.put(constant, name)));
        }
        versions.close();
        versions = new EnumVersions(directory, "renamed").formerly(EnumVersions.ENUM);
        EnumVersions.Version second = program("C", "A", "B");
        try (Heap heap = Heap.open(path, OPTIONS.classes(second.constants().get("A").getClass()))) {
            maps(heap).forEach(map -> second.constants().forEach((name, constant) -> assertEquals(name, map.put(constant, "new"))));
            assertEquals(List.of(), heap.checkCollections());
        }
    }

    /** Programs of an older library, whose enumeration had another order, left such maps. */
    @Test
    void aKeyThatIsThereTwiceIsTold() {
        try (Heap heap = Heap.open(path, OPTIONS)) {
            for (PersistentSortedMap<Turning, String> map : EnumsTest.<Turning>maps(heap)) {
                IntStream.range(0, 50).forEach(i -> map.put(new Turning(i), "old"));
                Turning.turned = true;
                IntStream.range(0, 50).forEach(i -> map.put(new Turning(i), "new"));
                Turning.turned = false;
                assertTrue(map.size() > 50);
            }
        }
        disk.renameClass("test.heap", TYPES + "EnumsOfSortedKeys", TYPES + "EnumsOfSortedKeyx");
        Turning.turned = true;
        for (int life = 0; life < 2; life++) {
            try (Heap heap = Heap.open(path, OPTIONS)) {
                for (PersistentSortedMap<Turning, String> map : EnumsTest.<Turning>maps(heap)) {
                    int size = map.size();
                    HeapException e = assertThrows(HeapException.class, () -> map.get(new Turning(7)));
                    assertTrue(e.getMessage().contains("resort()"), e.getMessage());
                    assertThrows(HeapException.class, () -> map.put(new Turning(7), ""));
                    assertEquals(size, List.copyOf(map.values()).size());
                    // Accessible keys can be removed.
                    map.pollLastEntry();
                    Iterator<Turning> i = map.keySet().iterator();
                    Turning first = i.next();
                    i.remove();
                    assertEquals(size - 2, map.size());
                    assertThrows(HeapException.class, () -> map.get(first));
                    i.next();
                }
            }
        }
        try (Heap heap = Heap.open(path, OPTIONS)) {
            for (PersistentSortedMap<Turning, String> map : EnumsTest.<Turning>maps(heap)) {
                int size = map.size();
                List<Map.Entry<Turning, String>> removed = map.resort();
                assertEquals(size, map.size() + removed.size());
                map.keySet().forEach(key -> assertTrue(map.containsKey(key)));
            }
            assertEquals(List.of(), heap.checkCollections());
            assertEquals(List.of(), heap.check());
        }
    }

    @Test
    void whatARolledBackBlockHasPutInOrderIsNotSearchedLater() {
        try (Heap heap = Heap.open(path, OPTIONS)) {
            for (PersistentSortedMap<Turning, String> map : EnumsTest.<Turning>maps(heap)) {
                IntStream.range(0, 50).forEach(i -> map.put(new Turning(i), "old"));
                Turning.turned = true;
                IntStream.range(0, 50).forEach(i -> map.put(new Turning(i), "new"));
                Turning.turned = false;
            }
        }
        disk.renameClass("test.heap", TYPES + "EnumsOfSortedKeys", TYPES + "EnumsOfSortedKeyx");
        try (Heap heap = Heap.open(path, OPTIONS)) {
            for (PersistentSortedMap<Turning, String> map : EnumsTest.<Turning>maps(heap)) {
                for (int i = 0; i < 2; i++) {
                    assertThrows(IllegalStateException.class, () -> heap.atomic(() -> {
                        map.resort();
                        assertTrue(map.containsKey(new Turning(7)));
                        throw new IllegalStateException();
                    }));
                    HeapException e = assertThrows(HeapException.class, () -> map.get(new Turning(7)));
                    assertTrue(e.getMessage().contains("resort()"), e.getMessage());
                }
                heap.atomic(() -> {
                    map.resort();
                    assertTrue(map.containsKey(new Turning(7)));
                });
                assertThrows(IllegalStateException.class, () -> heap.atomic(() -> {
                    map.put(new Turning(100), "");
                    throw new IllegalStateException();
                }));
                assertTrue(map.containsKey(new Turning(7)));
            }
        }
    }

    @Test
    void anotherOrderOfKeysIsToldAndMended() {
        try (Heap heap = Heap.open(path, OPTIONS)) {
            for (PersistentSortedMap<Turning, String> map : EnumsTest.<Turning>maps(heap)) {
                for (int i = 0; i < 100; i++) {
                    map.put(new Turning(i), "old " + i);
                }
            }
            assertEquals(List.of(), heap.checkCollections());
            Turning.turned = true;
            List<String> problems = heap.checkCollections();
            assertEquals(2, problems.size());
            assertTrue(problems.get(0).contains("resort()"), problems.get(0));
            for (PersistentSortedMap<Turning, String> map : EnumsTest.<Turning>maps(heap)) {
                // A program that does not know of the problem would do this.
                int size = map.put(new Turning(5), "new 5") == null ? 101 : 100;
                size += map.put(new Turning(95), "new 95") == null ? 1 : 0;
                assertEquals(size, map.size());
                List<Map.Entry<Turning, String>> removed = map.resort();
                assertEquals(size - 100, removed.size());
                assertTrue(removed.stream().allMatch(entry -> entry.getValue().startsWith("old")), removed::toString);
                assertEquals("new 5", map.get(new Turning(5)));
                assertEquals("old 50", map.get(new Turning(50)));
                assertEquals(new Turning(99), map.firstKey());
                assertEquals(100, Stream.iterate(99, i -> i - 1).limit(100).filter(i -> map.remove(new Turning(i)) != null).count());
            }
            assertEquals(List.of(), heap.checkCollections());
            assertEquals(List.of(), heap.check());
            PersistentTreeSet<Turning> set = heap.root("set", PersistentTreeSet.class, () -> new PersistentTreeSet<>(heap));
            set.add(new Turning(1));
            set.add(new Turning(2));
            Turning.turned = false;
            assertEquals(List.of(), set.resort());
            assertEquals(List.of(new Turning(1), new Turning(2)), List.copyOf(set));
        }
    }

    @Test
    void aRecordThatItsConstructorRefusesCanBeSeenAndRemoved() {
        try (Heap heap = Heap.open(path, OPTIONS)) {
            for (PersistentSortedMap<Object, String> map : EnumsTest.<Object>maps(heap)) {
                for (int i = 0; i < 10; i++) {
                    map.put(new Turning(i), "" + i);
                }
            }
            Turning.refused = 4;
            for (PersistentSortedMap<Object, String> map : EnumsTest.<Object>maps(heap)) {
                List<Object> keys = new ArrayList<>(map.keySet());
                assertEquals(Map.of("number", 4), ((OpaqueRecord) keys.get(4)).components());
                assertEquals("4", map.get(keys.get(4)));
                map.keySet().removeIf(key -> key instanceof OpaqueRecord);
                assertEquals("7", map.get(new Turning(7)));
                assertEquals(9, map.size());
            }
        }
    }
}
