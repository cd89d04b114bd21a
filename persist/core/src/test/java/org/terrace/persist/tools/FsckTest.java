// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.tools;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Cell;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapBytes;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.Internals;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.evolution.Thing;
import org.terrace.persist.types.PersistentByteArray;
import org.terrace.persist.types.PersistentHashMap;
import org.terrace.persist.types.PersistentList;
import org.terrace.persist.types.PersistentSkipListMap;
import org.terrace.persist.types.PersistentTreeMap;

/** Tests fsck with single damages at places that the format defines, and with intact heaps. */
class FsckTest {
    private static final HeapOptions OPTIONS = HeapBytes.OPTIONS;
    private static final int HEADER = 8;

    @TempDir
    Path directory;
    private Path closed;
    private Path killed;
    private Path damaged;
    private int first;
    private int second;
    private int large;
    private int map;
    private int list;
    private int elements;
    private int copies;
    private int leastKey;
    private int tower;

    @BeforeEach
    void create() throws IOException {
        closed = directory.resolve("closed.heap");
        killed = directory.resolve("killed.heap");
        damaged = directory.resolve("damaged.heap");
        try (Heap heap = Heap.open(closed, OPTIONS)) {
            fill(heap);
            heap.checkpoint();
            for (int i = 0; i < 10; i++) {
                heap.atomic(() -> heap.root("a", Cell.class).small(heap.root("a", Cell.class).small() + 1));
            }
            new HeapBytes(closed).writeTo(killed);
        }
    }

    private void fill(Heap heap) {
        Cell a = heap.root("a", Cell.class, () -> new Cell(heap, 1, new Cell(heap, 2, null)));
        heap.atomic(() -> a.other(new PersistentByteArray(heap, 600)));
        PersistentHashMap<String, Integer> numbers = map(heap);
        numbers.putAll(java.util.Map.of("one", 1, "two", 2, "three", 3));
        PersistentList<String> words = heap.root("words", PersistentList.class, () -> new PersistentList<String>(heap));
        words.addAll(List.of("x", "y"));
        first = (int) Internals.offset(a);
        second = (int) Internals.offset(a.next());
        large = (int) Internals.offset(a.other());
        map = (int) Internals.offset(numbers);
        list = (int) Internals.offset(words);
        elements = (int) Internals.offset(Internals.part(words, 8));
        PersistentObject inCopies = heap.root("copies", PersistentHashMap.class, () -> {
            PersistentHashMap<String, Integer> made = new PersistentHashMap<>(heap);
            made.put("a string that is a copy", 1);
            return made;
        });
        PersistentObject tree = heap.root("tree", PersistentTreeMap.class, () -> {
            PersistentTreeMap<String, Integer> made = new PersistentTreeMap<>(heap);
            List.of("apple", "banana", "cherry").forEach(key -> made.put(key, 1));
            return made;
        });
        PersistentObject skip = heap.root("skip", PersistentSkipListMap.class, () -> {
            PersistentSkipListMap<Integer, Integer> made = new PersistentSkipListMap<>(heap);
            for (int i = 0; i < 100; i++) {
                made.put(i, i);
            }
            return made;
        });
        PersistentObject least = Internals.part(tree, 8);
        while (Internals.part(least, 16) != null) {
            least = Internals.part(least, 16);
        }
        copies = (int) Internals.offset(inCopies);
        leastKey = (int) Internals.offset(Internals.part(least, 0));
        tower = (int) Internals.offset(Internals.part(Internals.part(skip, 8), 24));
    }

    @SuppressWarnings("unchecked")
    private static PersistentHashMap<String, Integer> map(Heap heap) {
        return heap.root("numbers", PersistentHashMap.class, () -> new PersistentHashMap<String, Integer>(heap));
    }

    private static List<String> check(Path file) throws IOException {
        byte[] heapBefore = Files.readAllBytes(file);
        byte[] logBefore = Files.exists(HeapBytes.logOf(file)) ? Files.readAllBytes(HeapBytes.logOf(file)) : new byte[0];
        List<String> problems = Fsck.check(file, 2);
        assertEquals(problems.isEmpty() ? 0 : 1, HeapTool.run("fsck", file.toString()));
        assertArrayEquals(heapBefore, Files.readAllBytes(file));
        assertArrayEquals(logBefore,
                Files.exists(HeapBytes.logOf(file)) ? Files.readAllBytes(HeapBytes.logOf(file)) : new byte[0]);
        return problems;
    }

    /** Changes a byte, whatever it was. Identities and generations are random. */
    private static ByteBuffer flip(ByteBuffer content, int at) {
        return content.put(at, (byte) (content.get(at) ^ 77));
    }

    private final List<DynamicTest> cases = new ArrayList<>();

    /** @param parts texts that one sentence about the damage must contain */
    private void damage(String what, Path heap, Consumer<HeapBytes> change, Object... parts) {
        cases.add(DynamicTest.dynamicTest(what, () -> {
            HeapBytes bytes = new HeapBytes(heap);
            change.accept(bytes);
            bytes.writeTo(damaged);
            List<String> problems = check(damaged);
            assertTrue(problems.stream().anyMatch(p -> p.contains("damaged.heap")
                    && Stream.of(parts).allMatch(part -> p.contains(part.toString()))), what + ": " + problems);
        }));
    }

    @TestFactory
    List<DynamicTest> damageIsFoundAndNamed() {
        superblocks();
        logs();
        directories();
        bitmaps();
        objects();
        return cases;
    }

    @Test
    void theDocumentationListsEveryDamage() throws IOException {
        String page = Files.readString(Path.of("../../docs/reference/heap-fsck.md"));
        String table = page.substring(page.indexOf("| damage | what fsck says |"));
        List<String> listed = table.lines().skip(2).filter(line -> line.startsWith("| "))
                .map(line -> line.split(" \\| ")[0].substring(2)).collect(Collectors.toList());
        assertEquals(damageIsFoundAndNamed().stream().map(DynamicTest::getDisplayName).collect(Collectors.toList()), listed);
        assertTrue(listed.size() >= 20, listed.toString());
    }

    private void superblocks() {
        damage("first superblock", closed, b -> flip(b.heap, 40), "superblock at offset 0 is damaged");
        damage("second superblock", closed, b -> flip(b.heap, 4096 + 40), "superblock at offset 4096 is damaged");
        damage("both superblocks", closed, b -> flip(flip(b.heap, 40), 4096 + 40),
                "both superblocks are damaged");
        damage("superblocks of two times", closed, b -> {
            b.heap.putLong(32, b.heap.getLong(32) + 5);
            b.sealSuperblock(0);
        }, "superblocks at offsets 0 and 4096 do not belong together");
        damage("position in the log", closed, b -> {
            for (int at : new int[] {0, 4096}) {
                b.heap.putLong(at + 56, 13);
                b.sealSuperblock(at);
            }
        }, "the superblock has sizes or positions");
        damage("position behind the log's end", killed, b -> {
            for (int at : new int[] {0, 4096}) {
                b.heap.putLong(at + 56, b.heap.getLong(at + 56) + 64 * 1024);
                b.sealSuperblock(at);
            }
        }, "damaged.heap.log ends before position ", "the heap file is newer than the log");
        damage("length of the file", closed, b -> b.truncate(b.heap.capacity() / 2), "was truncated");
        damage("limit of the pages", closed, b -> flip(b.heap, (int) b.heap.getLong(48) + 16), "the limit of the pages at offset");
        damage("second limit of the pages", killed, b -> flip(b.heap, (int) b.heap.getLong(48) + 512 + 16),
                "the limit of the pages at offset");
        damage("both limits of the pages", killed,
                b -> flip(flip(b.heap, (int) b.heap.getLong(48)), (int) b.heap.getLong(48) + 512), "damaged.heap does not say at byte ");
    }

    private void logs() {
        damage("header of the log", killed, b -> flip(b.log, 20), "damaged.heap.log is not the redo log of heap");
        damage("second header of the log", killed, b -> flip(b.log, 512 + 20), "damaged.heap.log is not the redo log of heap",
                "its header at offset 512 is damaged");
        damage("both headers of the log", killed, b -> flip(flip(b.log, 20), 512 + 20),
                "damaged.heap.log is not the redo log of heap");
        damage("log of another life", killed, b -> {
            for (int header : new int[] {0, 512}) {
                b.log.putLong(header + 40, 77);
                b.sealHeaderOfLog(header);
            }
        }, "damaged.heap was not closed", "damaged.heap.log is not the log of its last opening");
        damage("missing log", killed, b -> b.log = null, "damaged.heap.log is missing");
        damage("short log", killed, b -> b.log = java.nio.ByteBuffer.allocate(5000), "has 5000 bytes");
        damage("record of the log", killed, b -> flip(b.log, b.firstRecord() + 60), "is damaged at position");
        damage("operation of a record", killed, b -> {
            b.log.putLong(b.firstRecord() + 40, 1L << 56 | 1L << 50);
            b.sealRecord(b.firstRecord());
        }, "cannot be replayed", "an operation changes");
        damage("number of operations", killed, b -> {
            b.log.putInt(b.firstRecord() + 32, 1000);
            b.sealRecord(b.firstRecord());
        }, "cannot be replayed");
    }

    private void directories() {
        String cell = Cell.class.getName();
        damage("directory", closed, b -> flip(b.heap, HeapBytes.DATA), "offset " + HeapBytes.DATA, "no directory");
        damage("name of a root", closed, b -> flip(b.heap, b.firstRoot() + HEADER + 24), "wrong checksum");
        damage("list of roots", closed, b -> b.heap.putLong(b.firstRoot() + HEADER, b.firstRoot()), "two roots are named");
        damage("root that a list has lost", closed,
                b -> b.heap.putLong(HeapBytes.DATA + HEADER, b.heap.getLong(b.firstRoot() + HEADER)), "terrace.root at offset",
                "is in no list of the directory");
        damage("value of a root", closed, b -> b.heap.putLong(b.firstRoot() + HEADER + 8, HeapBytes.DATA + 64),
                "leads to offset " + (HeapBytes.DATA + 64), "no valid object begins");
        damage("text of a class", closed, b -> b.replaceInClass(b.classNamed(cell), "OBJECT", "ABJECT"),
                "descriptor cannot be read");
        damage("offset of a field", closed, b -> b.replaceInClass(b.classNamed(cell), "next REFERENCE 8", "next REFERENCE 9"),
                "field next", "where it cannot be");
        damage("fields over each other", closed,
                b -> b.replaceInClass(b.classNamed(cell), "small INT 24\nflag BOOLEAN 28", "small LONG 8\nflag DOUBLE 16 "),
                "fields that overlap");
        damage("number of a class", closed, b -> b.heap.putInt(b.classNamed(cell) + HEADER + 8,
                b.heap.getInt(b.classNamed(PersistentList.class.getName()) + HEADER + 8)), "two classes have number");
        damage("page of free slots", closed, b -> b.heap.putLong(b.freeSlots() + HEADER + 8, large), "list of free slots",
                "names offset", "no pool page");
        damage("free slots twice", closed, b -> {
            b.heap.putLong(b.freeSlots() + HEADER, 2);
            b.heap.putLong(b.freeSlots() + HEADER + 16, b.heap.getLong(b.freeSlots() + HEADER + 8));
        }, "list of free slots", "or twice");
        damage("number of free pages", closed, b -> b.heap.putLong(b.freeSlots() + HEADER, 5000), "list of free slots",
                "has 5000 pages");
    }

    private void bitmaps() {
        damage("block of an object that is called free", closed, b -> b.flipBlock(large + 256), "offset " + (large + 256),
                "the bitmap calls it free");
        damage("object that is called free", closed, b -> {
            for (int i = 0; i < 3; i++) {
                b.flipBlock(large + 256 * i);
            }
        }, "leads to offset " + large, "no valid object begins");
        damage("free block that is called used", closed, b -> b.flipBlock(HeapBytes.DATA + (900 << 10)),
                "offset " + (HeapBytes.DATA + (900 << 10)), "no object starts there");
        damage("block behind the file", closed, b -> b.flipBlock(HeapBytes.DATA + (12 << 20)), "bitmap at offset",
                "offset " + (HeapBytes.DATA + (12 << 20)), "behind the file's end");
    }

    private void objects() {
        damage("header of an extent", closed, b -> flip(b.heap, large + 7), "offset " + large,
                "no object starts there");
        damage("header of a slot", closed, b -> flip(b.heap, second + 7), "the slot at offset " + second,
                "damaged header");
        damage("slots of a pool page", closed, b -> b.changeHeader(first & -4096, 3L << 32),
                "pool page at offset " + (first & -4096), "has slots of");
        damage("class of an object", closed, b -> b.changeHeader(second, 0x7000), "object at offset " + second,
                "which no descriptor has");
        damage("reference into an object", closed, b -> b.heap.putLong(first + HEADER + 8, second + 8),
                "reference at offset " + (first + HEADER + 8) + " leads to offset " + (second + 8), "no valid object begins");
        damage("reference out of the heap", closed, b -> b.heap.putLong(first + HEADER + 8, 1L << 40),
                "reference at offset " + (first + HEADER + 8), "where no object can be");
        damage("object that was never validated", closed,
                b -> b.heap.putLong(second, b.heap.getLong(second) ^ (1L << 16 | 1L << 56)), "leads to offset " + second,
                "no valid object begins");
        damage("length of an array", closed, b -> b.heap.putLong(elements + HEADER, 1 << 20), "array at offset " + elements,
                "has length " + (1 << 20));
        damage("smaller length of an array", closed, b -> b.heap.putLong(elements + HEADER, 12), "array at offset " + elements,
                "has length 12");
        damage("part of another class", closed, b -> b.heap.putLong(map + HEADER + 16, first),
                "reference at offset " + (map + HEADER + 16) + " leads to offset " + first, "no object of its class");
        damage("part of two collections", closed, b -> b.heap.putLong(map + HEADER + 16, elements),
                "leads to offset " + elements + ", as another reference does");
        damage("hash of an entry", closed,
                b -> b.heap.putInt(entry(b, map) + HEADER + 24, b.heap.getInt(entry(b, map) + HEADER + 24) ^ 1),
                "Entry at offset", "where a search for its key does not find it");
        damage("hash of an entry whose key is a copy", closed, b -> {
            int entry = entry(b, copies);
            b.heap.putInt(entry + HEADER + 24, b.heap.getInt(entry + HEADER + 24) ^ 1 << 20);
        }, "InlineValueEntry at offset", "where a search for its key does not find it");
        damage("key of a sorted map", closed, b -> b.heap.put(leastKey + HEADER + 5, (byte) 'z'), "TreeEntry at offset",
                "has a key that is out of order");
        damage("upper level of a skip list", closed, b -> b.heap.putLong(tower + HEADER + 8, 0), "SkipEntry at offset",
                "above the lowest level, out of order");
        damage("size of a list", closed, b -> b.heap.putInt(list + HEADER, 1), "PersistentList at offset " + list,
                "says that it has 1 elements, and has more");
        damage("length of an array of numbers", closed, b -> b.heap.putInt(large + HEADER, 5000), "array at offset " + large,
                "has length 5000");
        damage("size of a map", closed, b -> b.heap.putInt(map + HEADER, 7), "PersistentHashMap at offset " + map,
                "says that it has 7 elements, and has 3");
        damage("object too small for its class", closed, b -> b.changeHeader(list, classOf(b, list) ^ classOf(b, first)),
                "object at offset " + list, "too few for its class");
    }

    /** The first entry of a map. */
    private static int entry(HeapBytes bytes, int map) {
        int table = (int) bytes.heap.getLong(map + HEADER + 16);
        int bucket = (int) bytes.heap.getLong(table + HEADER + 8) + HEADER + 8;
        while (bytes.heap.getLong(bucket) == 0) {
            bucket += 8;
        }
        return (int) bytes.heap.getLong(bucket);
    }

    private static int classOf(HeapBytes bytes, int object) {
        return bytes.heap.getShort(object) & 0xffff;
    }

    @Test
    void healthyHeapsHaveNoProblems() throws IOException {
        assertEquals(List.of(), check(closed));
        assertEquals(List.of(), check(killed));
        Path fresh = directory.resolve("fresh.heap");
        Heap.open(fresh, OPTIONS).close();
        assertEquals(List.of(), check(fresh));
        Files.delete(HeapBytes.logOf(fresh));
        assertEquals(List.of(), check(fresh));
    }

    @Test
    void aConvertedHeapHasNoProblems() throws IOException {
        Path file = directory.resolve("converted.heap");
        try (Heap heap = Heap.open(file, OPTIONS)) {
            Thing.Version old = Thing.define(b -> b.field("a", FieldType.INT));
            heap.root("thing", Thing.class, () -> old.create(heap));
        }
        Thing.define(b -> b.field("b", FieldType.LONG).field("a", FieldType.INT).field("c", FieldType.REFERENCE));
        Heap.open(file, OPTIONS).close();
        assertEquals(List.of(), check(file));
    }

    /** Check, recovery and collection agree about a reference to an invalid object, and suggest the same remedies. */
    @Test
    void aReferenceToWhatACrashLeftInvalidIsDamageUntilTheProgramDecides() throws IOException {
        try (Heap heap = Heap.open(closed, OPTIONS)) {
            Cell a = heap.root("a", Cell.class);
            a.nextByHand(new Cell(heap, 5, new Cell(heap, 6, null)));
            a.pwb();
            heap.psync();
            new HeapBytes(closed).writeTo(killed);
            assertEquals(1, heap.check().size());
            assertThrows(CorruptHeapException.class, heap::collect);
        }
        assertEquals(1, check(killed).size());
        CorruptHeapException e = assertThrows(CorruptHeapException.class, () -> Heap.open(killed, OPTIONS).close());
        for (String problem : List.of(check(killed).get(0), e.getMessage())) {
            assertTrue(problem.startsWith(killed + ": the reference at offset "), problem);
            assertTrue(problem.contains(", where no valid object begins"), problem);
            assertTrue(problem.contains("HeapOptions.clearingLostReferences()"), problem);
        }
        new HeapBytes(killed).writeTo(damaged);
        try (Heap heap = Heap.open(killed, OPTIONS.clearingLostReferences())) {
            assertNull(heap.root("a", Cell.class).next());
            assertEquals(List.of(), heap.check());
        }
        assertEquals(List.of(), check(killed));
        try (Heap heap = Heap.open(damaged, OPTIONS.collectAfterCrash(false))) {
            Cell a = heap.root("a", Cell.class);
            heap.atomic(() -> a.next(a.next()));
            assertEquals(List.of(), heap.check());
            heap.collect();
        }
        assertEquals(List.of(), check(damaged));
    }

    /** The test stays in one process, and does not wait for the garbage collector. */
    @Test
    void aDamagedLogLeavesNoLock() throws IOException {
        HeapBytes bytes = new HeapBytes(killed);
        flip(bytes.log, bytes.firstRecord() + 60);
        bytes.writeTo(damaged);
        assertThrows(CorruptHeapException.class, () -> Heap.open(damaged, OPTIONS.readOnly()).close());
        assertEquals(1, check(damaged).size());
        assertThrows(CorruptHeapException.class, () -> Heap.open(damaged, OPTIONS).close());
        new HeapBytes(killed).writeTo(damaged);
        Heap.open(damaged, OPTIONS).close();
    }

    @Test
    void whatIsNoHeapCannotBeRead() throws IOException {
        assertEquals(2, HeapTool.run("fsck", directory.resolve("missing.heap").toString()));
        try (Heap heap = Heap.open(closed, OPTIONS)) {
            assertEquals(2, HeapTool.run("fsck", closed.toString()));
        }
        HeapBytes bytes = new HeapBytes(closed);
        for (int at : new int[] {0, 4096}) {
            bytes.heap.putInt(at + 8, 99);
            bytes.sealSuperblock(at);
        }
        bytes.writeTo(damaged);
        assertEquals(2, HeapTool.run("fsck", damaged.toString()));
        Files.write(damaged, new byte[100]);
        assertEquals(1, HeapTool.run("fsck", damaged.toString()));
        assertEquals(2, HeapTool.run("fsck"));
    }

    /** The machine crashed after the file had grown, and the file system lost the growth. */
    @Test
    void aHeapThatGrowsInReplayIsReadWithoutAChange() throws IOException {
        Path file = directory.resolve("grown.heap");
        Path copy = directory.resolve("copy.heap");
        HeapOptions options = OPTIONS.logSize(1 << 20);
        try (Heap heap = Heap.open(file, options)) {
            heap.checkpoint();
            int before = (int) Files.size(file);
            heap.atomic(() -> heap.setRoot("large", new PersistentByteArray(heap, 3 << 20)));
            HeapBytes bytes = new HeapBytes(file);
            assertTrue(bytes.heap.capacity() > before);
            bytes.truncate(before);
            bytes.writeTo(copy);
        }
        assertEquals(List.of(), check(copy));
        try (Heap heap = Heap.open(copy, options.readOnly())) {
            assertEquals(3 << 20, heap.root("large", PersistentByteArray.class).length());
        }
    }
}
