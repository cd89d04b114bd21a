// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.evolution;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Cell;
import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapBytes;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.OpaqueObject;
import org.terrace.persist.Pair;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.crash.CrashScenario;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.tools.HeapToolOutput;
import org.terrace.persist.types.PersistentList;

/** Tests heap files that name arbitrary classes. The author of a file must not be able to run the initializers of these classes. */
class NamedClassesTest {
    private static final HeapOptions OPTIONS = CrashScenario.TINY;
    /** Names of the classes whose initializers ran. */
    private static final Set<String> RAN = ConcurrentHashMap.newKeySet();
    private static final String PREFIX = NamedClassesTest.class.getName() + "$";

    /** The class of the program that wrote the heap. Names of the other classes have the same length, so that they can replace its name. */
    static final class Original extends PersistentObject {
        static final PersistentClass<Original> CLASS = PersistentClass.of(Original.class, Original::new)
                .field("value", FieldType.LONG).field("next", FieldType.REFERENCE).build();

        Original(Heap heap, int value, Original next) {
            super(CLASS, heap);
            setLong(0, value);
            setReference(8, next);
        }

        private Original(Heap heap, long offset) {
            super(heap, offset);
        }
    }

    /** An arbitrary class of the program. */
    static final class AForeign {
        static {
            RAN.add("AForeign");
        }
    }

    /** A record that a heap cannot store. */
    record AnRecord(int x) {
        static {
            RAN.add("AnRecord");
        }
    }

    static final class OnlyRead extends PersistentObject {
        static final PersistentClass<OnlyRead> CLASS = PersistentClass.of(OnlyRead.class, OnlyRead::new)
                .field("value", FieldType.LONG).field("next", FieldType.REFERENCE).build();

        static {
            RAN.add("OnlyRead");
        }

        private OnlyRead(Heap heap, long offset) {
            super(heap, offset);
        }

        long value() {
            return getLong(CLASS.offset("value"));
        }
    }

    /** Its fields have other offsets than in {@link Original}. */
    static final class Changing extends PersistentObject {
        static final PersistentClass<Changing> CLASS = PersistentClass.of(Changing.class, Changing::new)
                .field("small", FieldType.INT).field("value", FieldType.LONG).build();

        private Changing(Heap heap, long offset) {
            super(heap, offset);
        }
    }

    static final class ForTools extends PersistentObject {
        static {
            RAN.add("ForTools");
        }

        private ForTools(Heap heap, long offset) {
            super(heap, offset);
        }
    }

    static final class Unwanted extends PersistentObject {
        static {
            RAN.add("Unwanted");
        }

        private Unwanted(Heap heap, long offset) {
            super(heap, offset);
        }
    }

    enum Colour { RED }

    /** A name with the same length as the name of the enumeration. */
    static final class Colorr {
        static {
            RAN.add("Colorr");
        }
    }

    @TempDir
    Path directory;
    private final Disk disk = new Disk();
    private final Path path = disk.path("test.heap");

    @AfterEach
    void disposeOfDisk() {
        disk.dispose();
    }

    private void writeCellsOf(String className) {
        try (Heap heap = Heap.open(path, OPTIONS)) {
            heap.root("cell", Original.class, () -> new Original(heap, 7, new Original(heap, 8, null)));
        }
        disk.renameClass("test.heap", Original.class.getName(), PREFIX + className);
    }

    private static void assertNotRun(String className) {
        assertTrue(!RAN.contains(className), className + " was initialized");
    }

    @Test
    void aClassThatCannotBePersistentIsNotInitialized() {
        String former = "Original";
        writeCellsOf(former);
        for (String name : List.of("AForeign", "AnRecord")) {
            disk.renameClass("test.heap", PREFIX + former, PREFIX + name);
            former = name;
            for (HeapOptions options : List.of(OPTIONS.readOnly(), OPTIONS)) {
                try (Heap heap = Heap.open(path, options)) {
                    assertEquals(PREFIX + name, heap.root("cell", OpaqueObject.class).className());
                }
            }
            assertNotRun(name);
        }
    }

    @Test
    void aReadOnlyOpeningInitializesWhatIsUsed() {
        writeCellsOf("OnlyRead");
        try (Heap heap = Heap.open(path, OPTIONS.readOnly())) {
            assertEquals(List.of(), heap.check());
            assertEquals(List.of(), heap.checkCollections());
            assertThrows(HeapException.class, () -> heap.root("none", Cell.class, () -> new Cell(heap, 1, null)));
            assertNotRun("OnlyRead");
            assertEquals(7, heap.root("cell", OnlyRead.class).value());
        }
        assertTrue(RAN.contains("OnlyRead"));
    }

    @Test
    void anObjectThatWouldHaveToBeConvertedIsRefusedWhenItIsUsed() {
        writeCellsOf("Changing");
        try (Heap heap = Heap.open(path, OPTIONS.readOnly())) {
            HeapException e = assertThrows(HeapException.class, () -> heap.root("cell", PersistentObject.class));
            assertTrue(e.getMessage().contains("cannot be converted read-only") && e.getMessage().contains("Changing"),
                    e.getMessage());
        }
    }

    @Test
    void toolsNeedNoClass() throws IOException {
        writeCellsOf("ForTools");
        Path file = Files.write(directory.resolve("test.heap"), disk.contentOf("test.heap"));
        Files.write(HeapBytes.logOf(file), disk.contentOf("test.heap.log"));
        for (String tool : List.of("fsck", "stat", "dump", "export")) {
            assertEquals(0, HeapToolOutput.of(tool, file).status(), tool);
        }
        assertEquals(0, HeapToolOutput.of("backup", file, directory.resolve("copy.heap")).status());
        assertEquals(0, HeapToolOutput.of("restore", directory.resolve("copy.heap"), directory.resolve("more.heap")).status());
        assertNotRun("ForTools");
    }

    @Test
    void aFilterSaysWhichClassesAHeapMayName() {
        writeCellsOf("Unwanted");
        byte[] before = disk.contentOf("test.heap").clone();
        HeapOptions filtered = OPTIONS.classFilter(name -> name.equals(Cell.class.getName()));
        for (HeapOptions options : List.of(filtered, filtered.readOnly())) {
            HeapException e = assertThrows(HeapException.class, () -> Heap.open(path, options));
            for (String part : List.of("test.heap", PREFIX + "Unwanted", "HeapOptions.classFilter")) {
                assertTrue(e.getMessage().contains(part), e.getMessage());
            }
        }
        assertArrayEquals(before, disk.contentOf("test.heap"));
        assertNotRun("Unwanted");
    }

    /** A former name is looked up if the class is missing. */
    @Test
    void aFormerNameIsAName() {
        try (Heap heap = Heap.open(path, OPTIONS)) {
            Thing.Version renamed = Thing.define(b -> b.field("x", FieldType.INT).formerly(PREFIX + "Unwanted"));
            heap.root("thing", Thing.class, () -> renamed.create(heap));
        }
        HeapException e = assertThrows(HeapException.class,
                () -> Heap.open(path, OPTIONS.classFilter(name -> name.equals(Thing.class.getName()))));
        assertTrue(e.getMessage().contains(PREFIX + "Unwanted"), e.getMessage());
    }

    @Test
    void whatAFilterDoesNotAllowIsNotStored() {
        try (Heap heap = Heap.open(path, OPTIONS.classFilter(name -> name.equals(Pair.class.getName())))) {
            assertNotNull(heap.root("pair", Pair.class, () -> new Pair(heap, 1)));
            heap.root("list", PersistentList.class, () -> new PersistentList<>(heap));
            HeapException e = assertThrows(HeapException.class, () -> heap.atomic(() -> new Cell(heap, 1, null)));
            assertTrue(e.getMessage().contains("HeapOptions.classFilter"), e.getMessage());
        }
    }

    @SuppressWarnings("unchecked")
    private static PersistentList<Object> list(Heap heap) {
        return heap.root("list", PersistentList.class, () -> new PersistentList<Object>(heap));
    }

    @Test
    void anEnumerationIsOneAndIsAllowed() {
        try (Heap heap = Heap.open(path, OPTIONS)) {
            list(heap).add(Colour.RED);
            assertEquals(Colour.RED, list(heap).get(0));
        }
        try (Heap heap = Heap.open(path, OPTIONS.classFilter(name -> false))) {
            HeapException e = assertThrows(HeapException.class, () -> list(heap).get(0));
            assertTrue(e.getMessage().contains("HeapOptions.classFilter"), e.getMessage());
        }
        String text = new String(disk.contentOf("test.heap"), StandardCharsets.ISO_8859_1);
        int at = text.indexOf(PREFIX + "Colour\nRED");
        System.arraycopy((PREFIX + "Colorr").getBytes(StandardCharsets.UTF_8), 0, disk.contentOf("test.heap"), at,
                PREFIX.length() + 6);
        try (Heap heap = Heap.open(path, OPTIONS)) {
            assertInstanceOf(PersistentList.class, list(heap));
            HeapException e = assertThrows(HeapException.class, () -> list(heap).get(0));
            assertTrue(e.getMessage().contains("is no enumeration"), e.getMessage());
        }
        assertNotRun("Colorr");
    }
}
