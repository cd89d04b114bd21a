// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.evolution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.terrace.persist.FieldType.BYTE;
import static org.terrace.persist.FieldType.INT;
import static org.terrace.persist.FieldType.LONG;
import static org.terrace.persist.FieldType.REFERENCE;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.terrace.persist.Cell;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapFullException;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.PersistentClass.Builder;
import org.terrace.persist.evolution.Thing.Version;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.medium.Site;

/** Tests the conversion of a heap and its files: its requirements, its failures, and the files after a failure. */
class ConversionTest extends EvolutionSetUp {
    @TempDir
    Path directory;

    @Test
    void aFullHeapIsRefusedAndStaysAsItWas() {
        Version first = Thing.define(ONE_FIELD);
        try (Heap heap = open()) {
            assertThrows(HeapFullException.class, () -> {
                while (true) {
                    heap.atomic(() -> {
                        Thing thing = first.create(heap);
                        first.set(thing, "next", root(heap));
                        first.set(thing, "x", 1 + (root(heap) == null ? 0 : (Integer) first.get(root(heap), "x")));
                        heap.setRoot("thing", thing);
                    });
                }
            });
        }
        Thing.define(MORE_FIELDS);
        HeapFullException e = assertThrows(HeapFullException.class, this::open);
        assertTrue(e.getMessage().contains("test.heap cannot be converted"), e.getMessage());
        assertEquals(0, disk.contentOf("test.heap.new").length);
        Thing.define(ONE_FIELD);
        try (Heap heap = open()) {
            int length = (Integer) first.get(root(heap), "x");
            for (Thing t = root(heap); t != null; t = (Thing) first.get(t, "next")) {
                assertEquals(length--, first.get(t, "x"));
            }
            assertEquals(0, length);
        }
    }

    @Test
    void aFullDeviceIsRefusedAndTheHeapStaysAsItWas() {
        Version first = write(ONE_FIELD, "x", 7);
        Version second = Thing.define(MORE_FIELDS);
        disk.limitRoom(100_000);
        HeapFullException e = assertThrows(HeapFullException.class, this::open);
        assertTrue(e.getMessage().contains("test.heap cannot be converted") && e.getMessage().contains("room"), e.getMessage());
        Thing.define(ONE_FIELD);
        assertReads(first, "x", 7);
        Thing.define(MORE_FIELDS);
        disk.limitRoom(Long.MAX_VALUE);
        assertReads(second, "x", 7, "added", 0L);
    }

    @ParameterizedTest
    @EnumSource(value = Site.class, names = {"CONVERT_PAGE", "CONVERT_SYNC"})
    void anErrorOfTheDeviceLeavesTheHeapAsItWas(Site site) {
        write(ONE_FIELD, "x", 7);
        Version second = Thing.define(MORE_FIELDS);
        disk.failAt(site);
        HeapException e = assertThrows(HeapException.class, this::open);
        assertTrue(e.getMessage().contains("Input/output error"), e.getMessage());
        assertReads(second, "x", 7, "added", 0L);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 27, 28, 31, 40, 100})
    void objectsOfAnySizeGrowAndShrink(int fields) {
        Consumer<Builder<Thing>> many = b -> {
            for (int i = 0; i < fields; i++) {
                b.field("f" + i, LONG);
            }
        };
        Object[] values = new Object[2 * fields];
        for (int i = 0; i < fields; i++) {
            values[2 * i] = "f" + i;
            values[2 * i + 1] = (long) i;
        }
        write(many, values);
        for (int more : new int[] {1, 4, 40}) {
            Version grown = Thing.define(b -> {
                b.field("first" + more, BYTE);
                many.accept(b);
                for (int i = 0; i < more; i++) {
                    b.field("last" + more + "_" + i, LONG);
                }
            });
            assertReads(grown, values);
        }
        Version last = Thing.define(b -> b.field("f0", LONG)
                .dropped(java.util.stream.IntStream.range(1, fields).mapToObj(i -> "f" + i).toArray(String[]::new)));
        assertReads(last, "f0", 0L);
    }

    @Test
    void aReadOnlyOpeningConvertsNothing() {
        write(ONE_FIELD, "x", 7);
        Thing.define(MORE_FIELDS);
        HeapException e = assertThrows(HeapException.class, () -> Heap.open(disk.path("test.heap"), OPTIONS.readOnly()));
        assertTrue(e.getMessage().contains(Thing.class.getName()) && e.getMessage().contains("for writing"), e.getMessage());
        Version renamed = Thing.define(b -> b.field("y", INT, "x").field("next", REFERENCE));
        try (Heap heap = Heap.open(disk.path("test.heap"), OPTIONS.readOnly())) {
            assertEquals(7, renamed.get(root(heap), "y"));
        }
    }

    @Test
    void aRealFileTakesTheNameOfTheOldOne() throws IOException {
        Path file = directory.resolve("real.heap");
        HeapOptions large = OPTIONS.maxSize(64 << 20).durability(Durability.PROCESS);
        Version first = Thing.define(ONE_FIELD);
        int count = 40_000;
        try (Heap heap = Heap.open(file, large)) {
            for (int i = 0; i < count; i += 1000) {
                int from = i;
                heap.atomic(() -> {
                    for (int k = from; k < from + 1000; k++) {
                        Thing thing = first.create(heap);
                        first.set(thing, "x", k);
                        first.set(thing, "next", root(heap));
                        heap.setRoot("thing", thing);
                    }
                });
            }
        }
        Set<PosixFilePermission> access = PosixFilePermissions.fromString("rw-r----x");
        Files.setPosixFilePermissions(file, access);
        Version second = Thing.define(MORE_FIELDS);
        for (int opening = 0; opening < 2; opening++) {
            try (Heap heap = Heap.open(file, large)) {
                assertEquals(access, Files.getPosixFilePermissions(file));
                assertThrows(HeapException.class, () -> Heap.open(file, large));
                int left = count;
                for (Thing t = root(heap); t != null; t = (Thing) second.get(t, "next")) {
                    assertEquals(--left, second.get(t, "x"));
                }
                assertEquals(0, left);
                assertEquals(List.of(), heap.check());
            }
        }
        assertTrue(!Files.exists(directory.resolve("real.heap.new")));
    }

    @Test
    void aLinkToAHeapStaysALink() throws IOException {
        Path file = Files.createDirectory(directory.resolve("place")).resolve("real.heap");
        Path link = Files.createSymbolicLink(directory.resolve("link.heap"), file);
        Files.createSymbolicLink(directory.resolve("link.heap.log"), file.resolveSibling("real.heap.log"));
        Version first = Thing.define(ONE_FIELD);
        try (Heap heap = Heap.open(file, OPTIONS)) {
            Thing thing = heap.root("thing", Thing.class, () -> first.create(heap));
            heap.atomic(() -> first.set(thing, "x", 7));
        }
        Version second = Thing.define(MORE_FIELDS);
        try (Heap heap = Heap.open(link, OPTIONS)) {
            heap.atomic(() -> second.set(root(heap), "added", 8L));
        }
        assertTrue(Files.isSymbolicLink(link));
        try (Heap heap = Heap.open(file, OPTIONS)) {
            assertEquals(7, second.get(root(heap), "x"));
            assertEquals(8L, second.get(root(heap), "added"));
        }
    }

    @Test
    void aHeapWhoseNameAConversionOrACreationNeedsIsKept() {
        write(ONE_FIELD, "x", 7);
        try (Heap heap = Heap.open(disk.path("test.heap.new"), OPTIONS)) {
            heap.root("cell", Cell.class, () -> new Cell(heap, 5, null));
        }
        Version second = Thing.define(MORE_FIELDS);
        String message = refusal();
        assertTrue(message.contains("test.heap.new is a heap"), message);
        try (Heap heap = Heap.open(disk.path("other.heap.new"), OPTIONS)) {
            heap.root("cell", Cell.class, () -> new Cell(heap, 6, null));
        }
        assertThrows(HeapException.class, () -> Heap.open(disk.path("other.heap"), OPTIONS));
        try (Heap heap = Heap.open(disk.path("test.heap.new"), OPTIONS);
                Heap other = Heap.open(disk.path("other.heap.new"), OPTIONS)) {
            assertEquals(5, heap.root("cell", Cell.class).value());
            assertEquals(6, other.root("cell", Cell.class).value());
        }
        disk.remove("test.heap.new");
        assertReads(second, "x", 7);
    }

    @Test
    void aHeapThatWasNotClosedIsRecoveredThenConverted() {
        Version first = Thing.define(ONE_FIELD);
        Disk killed;
        try (Heap heap = open()) {
            Thing thing = heap.root("thing", Thing.class, () -> first.create(heap));
            heap.atomic(() -> first.set(thing, "x", 7));
            heap.atomic(() -> first.create(heap));
            killed = disk.copy();
        }
        disk.dispose();
        disk = killed;
        Version second = Thing.define(MORE_FIELDS);
        assertReads(second, "x", 7, "added", 0L);
        try (Heap heap = open()) {
            assertEquals(0, heap.collect().freed());
            assertNull(heap.root("other", Thing.class));
        }
    }
}
