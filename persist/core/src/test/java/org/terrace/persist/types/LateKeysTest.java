// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.invoke.MethodHandles;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.medium.Disk;

/** Tests sorted maps with keys of classes that the program does not know when it opens the heap. */
class LateKeysTest {
    private static final HeapOptions OPTIONS = HeapOptions.defaults().maxSize(16 << 20).durability(Durability.PROCESS);
    private static final String TYPES = "org.terrace.persist.types.";
    private static final int KEYS = 200;

    @TempDir
    private Path directory;
    private final Disk disk = new Disk();
    private final Path path = disk.path("test.heap");
    private final ClassLoader context = Thread.currentThread().getContextClassLoader();

    /**
     * The key class of the previous program. The test then renames it in the heap to one of the following classes, which are not
     * initialized.
     */
    private record Early(int number) implements Comparable<Early> {
        static {
            Records.define(MethodHandles.lookup());
        }

        @Override
        public int compareTo(Early other) {
            return Integer.compare(number, other.number);
        }
    }

    private record Late1(int number) implements Comparable<Late1> {
        static {
            Records.define(MethodHandles.lookup());
        }

        @Override
        public int compareTo(Late1 other) {
            return Integer.compare(number, other.number);
        }
    }

    private record Late2(int number) implements Comparable<Late2> {
        static {
            Records.define(MethodHandles.lookup());
        }

        @Override
        public int compareTo(Late2 other) {
            return Integer.compare(number, other.number);
        }
    }

    private record Late3(int number) {
        static {
            Records.define(MethodHandles.lookup());
        }
    }

    private enum Sound {
        A, B, C
    }

    /** The constants have another order, so that the opening must compare them. */
    private enum Wrong {
        C, B, A;

        static {
            refuse();
        }

        private static void refuse() {
            throw new IllegalStateException("this initializer fails");
        }
    }

    /** A key that contains another value, which is not compared. */
    private record Outer(int number, Object inside) implements Comparable<Outer> {
        static {
            Records.define(MethodHandles.lookup());
        }

        @Override
        public int compareTo(Outer other) {
            return Integer.compare(number, other.number);
        }
    }

    @AfterEach
    void dispose() {
        Thread.currentThread().setContextClassLoader(context);
        disk.dispose();
    }

    @SuppressWarnings("unchecked")
    private static List<PersistentSortedMap<Object, Object>> maps(Heap heap) {
        return List.of(heap.root("tree", PersistentTreeMap.class, () -> new PersistentTreeMap<>(heap)),
                heap.root("skip", PersistentSkipListMap.class, () -> new PersistentSkipListMap<>(heap)));
    }

    private void write(IntFunction<Object> key, Object element) {
        try (Heap heap = Heap.open(path, OPTIONS)) {
            heap.atomic(() -> {
                maps(heap).forEach(map -> IntStream.range(0, KEYS).forEach(i -> map.put(key.apply(i * 7 % KEYS), i * 7 % KEYS)));
                heap.root("list", PersistentList.class, () -> new PersistentList<>(heap)).add(element);
            });
        }
    }

    private void becomeOld() {
        disk.renameClass("test.heap", TYPES + "EnumsOfSortedKeys", TYPES + "EnumsOfSortedKeyx");
    }

    private void becomeWrong() {
        String name = TYPES + "LateKeysTest$";
        disk.renameClass("test.heap", TYPES + "Enum:" + name + "Sound", TYPES + "Enum:" + name + "Wrong");
        byte[] bytes = disk.contentOf("test.heap");
        for (Sound sound : Sound.values()) {
            EnumsTest.replace(bytes, name + "Sound\n" + sound, name + "Wrong\n" + sound);
        }
    }

    private void becomeLate(int number) {
        disk.renameClass("test.heap", TYPES + "LateKeysTest$Early", TYPES + "LateKeysTest$Late" + number);
    }

    private static void assertNotCompared(Heap heap) {
        assertEquals(2, heap.checkCollections().size());
        for (PersistentSortedMap<Object, Object> map : maps(heap)) {
            HeapException e = assertThrows(HeapException.class, map::resort);
            assertTrue(e.getMessage().contains("HeapOptions.classes"), e.getMessage());
            assertEquals(KEYS, map.size());
            assertEquals(KEYS, List.copyOf(map.keySet()).size());
        }
    }

    private static void assertFinds(Heap heap, IntFunction<Object> key) {
        for (PersistentSortedMap<Object, Object> map : maps(heap)) {
            assertEquals(KEYS, IntStream.range(0, KEYS).filter(i -> Integer.valueOf(i).equals(map.get(key.apply(i)))).count());
        }
        assertEquals(List.of(), heap.checkCollections());
        assertEquals(List.of(), heap.check());
    }

    private void assertFoundOnceKnown(IntFunction<Object> key) {
        for (int opening = 0; opening < 2; opening++) {
            try (Heap heap = Heap.open(path, OPTIONS)) {
                assertNotCompared(heap);
            }
        }
        try (Heap heap = Heap.open(path, OPTIONS)) {
            assertFinds(heap, key);
        }
        try (Heap heap = Heap.open(path, OPTIONS)) {
            assertFinds(heap, key);
        }
    }

    @Test
    void aHeapOfAnOlderLibraryKeepsTheirOrder() {
        write(Early::new, "");
        becomeOld();
        becomeLate(1);
        assertFoundOnceKnown(Late1::new);
    }

    @Test
    void anEnumerationThatHasChangedLeavesTheirOrder() throws Exception {
        try (EnumVersions versions = new EnumVersions(directory)) {
            EnumVersions.Version before = versions.version(List.of("A", "B"));
            before.use();
            write(Early::new, before.constants().get("A"));
            becomeLate(2);
            versions.version(List.of("B", "A")).use();
            assertFoundOnceKnown(Late2::new);
        }
    }

    @Test
    void soDoKeysThatHaveThemInside() {
        write(i -> new Outer(i, Optional.of(new Early(-i))), "");
        becomeOld();
        becomeLate(3);
        assertFoundOnceKnown(i -> new Outer(i, Optional.of(new Late3(-i))));
    }

    /** The thread's class loader does not have the class when the heap is opened. */
    @Test
    void soDoConstantsOfAnEnumerationThatIsFoundLate() throws Exception {
        try (EnumVersions versions = new EnumVersions(directory, "foundlate")) {
            EnumVersions.Version version = versions.version(List.of("D", "B", "A", "C"));
            version.use();
            try (Heap heap = Heap.open(path, OPTIONS)) {
                maps(heap).forEach(map -> version.constants().forEach((name, constant) -> map.put(constant, name)));
            }
            becomeOld();
            Thread.currentThread().setContextClassLoader(context);
            try (Heap heap = Heap.open(path, OPTIONS)) {
                assertEquals(2, heap.checkCollections().size());
                maps(heap).forEach(map -> assertThrows(HeapException.class, map::resort));
                version.use();
                for (PersistentSortedMap<Object, Object> map : maps(heap)) {
                    version.constants().forEach((name, constant) -> assertEquals(name, map.get(constant)));
                }
                assertEquals(List.of(), heap.checkCollections());
            }
        }
    }

    @Test
    void anEnumerationWhoseInitializerFailsDoesNotKeepTheHeapClosed() {
        write(i -> Sound.values()[i % 3], "element");
        becomeWrong();
        for (HeapOptions options : List.of(OPTIONS, OPTIONS, OPTIONS.readOnly())) {
            try (Heap heap = Heap.open(path, options)) {
                assertEquals("element", heap.root("list", PersistentList.class).get(0));
                assertEquals(List.of(), heap.check());
                List<String> problems = heap.checkCollections();
                assertEquals(2, problems.size());
                assertTrue(problems.get(0).contains("cannot be compared") && problems.get(0).contains("Error"), problems.get(0));
                maps(heap).forEach(map -> assertEquals(3, map.size()));
                maps(heap).forEach(map -> assertThrows(LinkageError.class, () -> map.get("key")));
            }
        }
    }
}
