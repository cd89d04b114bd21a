// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.damage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.terrace.persist.Cell;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.Internals;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.heap.ClassDescriptor;
import org.terrace.persist.heap.Directory;
import org.terrace.persist.heap.HeapWalk;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.ObjectHeader;
import org.terrace.persist.heap.Space;
import org.terrace.persist.heap.files.HeapImage;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.types.PersistentArray;
import org.terrace.persist.types.PersistentByteArray;
import org.terrace.persist.types.PersistentDeque;
import org.terrace.persist.types.PersistentHashMap;
import org.terrace.persist.types.PersistentHashSet;
import org.terrace.persist.types.PersistentList;
import org.terrace.persist.types.PersistentSkipListMap;
import org.terrace.persist.types.PersistentTreeMap;
import org.terrace.persist.types.PersistentTreeSet;
import org.terrace.persist.types.SeededShapes;

/** Tests heaps that were damaged after a crash. A recovery must not free objects that damage hides. */
class DamagedRecoveryTest {
    private static final HeapOptions OPTIONS = Internals.withoutBackground(
            HeapOptions.defaults().maxSize(1 << 20).logSize(256 << 10).threads(2));
    private static final String HEAP = "test.heap";
    private static final long SEED = Long.getLong("persist.seed", 20211026);
    /** Each flip needs an opening. */
    private static final int SHARE = Math.max(1, Integer.getInteger("persist.flips", 20) / 4);
    private static final Set<String> INTERNAL = Set.of("References", "HashEntry", "InlineKeyEntry", "InlineValueEntry",
            "InlineEntry", "TreeEntry", "SkipEntry", "DequeChunk");

    private final SeededShapes shapes = new SeededShapes(SEED);
    private final Disk disk = new Disk();
    private Disk crashed;

    @AfterEach
    void dispose() {
        shapes.close();
        disk.dispose();
        if (crashed != null) {
            crashed.dispose();
        }
    }

    @SuppressWarnings("unchecked")
    private static void fill(Heap heap) {
        PersistentHashMap<Object, Object> map = heap.root("map", PersistentHashMap.class, () -> new PersistentHashMap<>(heap));
        PersistentTreeMap<Integer, Object> tree = heap.root("tree", PersistentTreeMap.class, () -> new PersistentTreeMap<>(heap));
        PersistentSkipListMap<Integer, Object> skip =
                heap.root("skip", PersistentSkipListMap.class, () -> new PersistentSkipListMap<>(heap));
        PersistentList<Object> list = heap.root("list", PersistentList.class, () -> new PersistentList<>(heap));
        PersistentDeque<Object> deque = heap.root("deque", PersistentDeque.class, () -> new PersistentDeque<>(heap));
        PersistentArray<Object> array = heap.root("array", PersistentArray.class, () -> new PersistentArray<>(heap, 40));
        PersistentHashSet<Object> set = heap.root("set", PersistentHashSet.class, () -> new PersistentHashSet<>(heap));
        PersistentTreeSet<Integer> sorted = heap.root("sorted", PersistentTreeSet.class, () -> new PersistentTreeSet<>(heap));
        heap.atomic(() -> {
            for (int i = 0; i < 60; i++) {
                map.put(i % 2 == 0 ? i : "a key that is too long for its entry " + i, i % 3 == 0 ? i : new Cell(heap, i, null));
                tree.put(i, "value " + i);
                skip.put(i, new Cell(heap, i, null));
                list.add(new Cell(heap, i, null));
                deque.add("element " + i);
                array.set(i % 40, i < 40 ? "copy " + i : null);
                set.add(i);
                sorted.add(i);
            }
            Cell cells = null;
            for (int i = 0; i < 20; i++) {
                cells = new Cell(heap, i, cells);
                cells.other(new PersistentByteArray(heap, 240 + 100 * i));
            }
            heap.setRoot("cells", cells);
        });
    }

    /** The state that a kill after a checkpoint leaves. */
    private Disk crash(Heap heap) {
        heap.checkpoint();
        crashed = disk.copy();
        return crashed;
    }

    private ByteBuffer bytes() {
        return ByteBuffer.wrap(crashed.contentOf(HEAP)).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Offsets of all valid objects, with their class numbers. */
    private static Map<Long, Integer> objects(Disk of) {
        try (HeapImage image = HeapImage.openIntact(of.path(HEAP))) {
            Map<Long, Integer> objects = new HashMap<>();
            HeapWalk.objects(image.space(), (offset, header) -> {
                if (ObjectHeader.isValid(header)) {
                    objects.put(offset, ObjectHeader.classId(header));
                }
            });
            return objects;
        }
    }

    private static String simpleName(ClassDescriptor descriptor) {
        return descriptor == null ? "of the heap" : descriptor.name().substring(descriptor.name().lastIndexOf('.') + 1);
    }

    /** Offsets of references, with their owners. */
    private static Map<Long, String> references(Space space, Map<Integer, ClassDescriptor> classes) {
        Map<Long, String> fields = new HashMap<>();
        HeapWalk.objects(space, (offset, header) -> {
            ClassDescriptor descriptor = classes.get(ObjectHeader.classId(header));
            long payload = offset + Layout.HEADER_BYTES;
            if (ObjectHeader.classId(header) == Layout.CLASS_ROOT) {
                fields.put(payload + Directory.ROOT_VALUE, "value of a root");
            } else if (descriptor != null && descriptor.kind() == ClassDescriptor.Kind.REFERENCES) {
                for (long i = 1; i <= space.getLong(payload); i++) {
                    fields.put(payload + i * Long.BYTES, simpleName(descriptor) + "[]");
                }
            } else if (descriptor != null) {
                descriptor.references()
                        .forEach(field -> fields.put(payload + field.offset(), simpleName(descriptor) + "." + field.name()));
            }
        });
        return fields;
    }

    /** Flips single bits of references between objects. By default a random twentieth of the bits is tested. */
    @Test
    void aFlippedBitOfAReferenceFreesNothing() {
        try (Heap heap = Heap.open(disk.path(HEAP), OPTIONS)) {
            fill(heap);
            crash(heap);
        }
        Map<Long, Integer> before = objects(crashed);
        Map<Integer, ClassDescriptor> classes;
        Map<Long, String> fields;
        long size;
        try (HeapImage image = HeapImage.openIntact(crashed.path(HEAP))) {
            classes = Directory.classes(image.space());
            fields = references(image.space(), classes);
            size = image.space().size();
        }
        Random random = new Random(SEED);
        int refused = 0;
        int opened = 0;
        int undetectable = 0;
        for (long field : new TreeSet<>(fields.keySet())) {
            long reference = bytes().getLong((int) field);
            for (int bit = 0; bit < 24; bit++) {
                if (reference == 0 || random.nextInt(100) >= SHARE) {
                    continue;
                }
                long flipped = reference ^ 1L << bit;
                Integer number = before.get(flipped);
                boolean ofProgram = number != null && classes.containsKey(number)
                        && !INTERNAL.contains(simpleName(classes.get(number)));
                if (ofProgram && flipped < size) {
                    // The reference now leads to another object to which a program may refer.
                    undetectable++;
                } else if (opens((int) field, bit / 8, bit % 8, before, fields.get(field) + " at " + field + " bit " + bit)) {
                    opened++;
                } else {
                    refused++;
                }
            }
        }
        System.out.println("bits of references flipped: " + refused + " refused, " + opened + " freed nothing, " + undetectable
                + " lead to other objects");
        assertTrue(refused > opened, "refused " + refused + ", opened " + opened);
    }

    /** A reference of an internal object, and the reference in the same field of its target. */
    private record Step(String field, long at, long next) {
    }

    /** Returns the references of internal objects that lead to an object with the same field, if that refers to something. */
    private static List<Step> steps(Space space) {
        Map<Integer, ClassDescriptor> classes = Directory.classes(space);
        Map<Long, String> fields = references(space, classes);
        List<Step> steps = new ArrayList<>();
        HeapWalk.objects(space, (offset, header) -> {
            ClassDescriptor descriptor = classes.get(ObjectHeader.classId(header));
            if (descriptor == null || !INTERNAL.contains(simpleName(descriptor))) {
                return;
            }
            for (ClassDescriptor.Field field : descriptor.references()) {
                long at = offset + Layout.HEADER_BYTES + field.offset();
                long next = space.getLong(at) + Layout.HEADER_BYTES + field.offset();
                if (fields.get(at).equals(fields.get(next)) && space.getLong(next) != 0) {
                    steps.add(new Step(fields.get(at), at, next));
                }
            }
        });
        return steps;
    }

    /** A reference of a list, chain or tree that leads to an entry behind the next one hides the entries between them. */
    @Test
    void aReferenceThatSkipsAnEntryIsRefused() {
        try (Heap heap = Heap.open(disk.path(HEAP), OPTIONS)) {
            fill(heap);
            PersistentHashMap<String, String> chains = new PersistentHashMap<>(heap);
            heap.setRoot("chains", chains);
            // These strings have the same hash code.
            List.of("AaAaAa", "AaAaBB", "AaBBAa", "AaBBBB", "BBAaAa", "BBAaBB", "BBBBAa", "BBBBBB").forEach(key -> chains.put(key, key));
            crash(heap);
        }
        List<Step> steps;
        try (HeapImage image = HeapImage.openIntact(crashed.path(HEAP))) {
            steps = steps(image.space());
        }
        Map<String, Integer> refused = new TreeMap<>();
        for (Step step : steps) {
            if (!step.field().equals("DequeChunk.previous") && refused.merge(step.field(), 1, Integer::sum) <= 10) {
                skipIsRefused(step);
            }
        }
        Set<String> expected = Set.of("DequeChunk.next", "HashEntry.next", "SkipEntry.next", "TreeEntry.left", "TreeEntry.right");
        assertTrue(refused.keySet().containsAll(expected), refused.toString());
    }

    private void skipIsRefused(Step step) {
        Disk intact = crashed.copy();
        bytes().putLong((int) step.at(), bytes().getLong((int) step.next()));
        assertTrue(refused(OPTIONS).getMessage().contains("but it owns the object"), step.field());
        try (Heap heap = Heap.open(crashed.path(HEAP), OPTIONS.readOnly())) {
            assertTrue(heap.check().toString().contains("but it owns the object"), step.field());
        }
        crashed.dispose();
        crashed = intact;
    }

    /** A flipped bit must not turn a reference into null. */
    @Test
    void noObjectBeginsAtAPowerOfTwo() {
        try (Heap heap = Heap.open(disk.path(HEAP), OPTIONS)) {
            for (int bytes : new int[] {240, 500, 4_000, 20_000}) {
                heap.atomic(() -> {
                    List<PersistentObject> arrays = new ArrayList<>();
                    for (int i = 0; i < 500_000 / (bytes + 256); i++) {
                        arrays.add(new PersistentByteArray(heap, bytes));
                    }
                    arrays.forEach(array -> assertTrue(Long.bitCount(Internals.offset(array)) > 1,
                            bytes + " bytes at " + Internals.offset(array)));
                    arrays.forEach(heap::free);
                });
            }
        }
    }

    /** Returns false if the heap is rejected, in which case nothing may be written. If it is opened, all objects must still exist. */
    private boolean opens(int at, int byteOfField, int bit, Map<Long, Integer> before, String where) {
        Disk damaged = crashed.copy();
        damaged.contentOf(HEAP)[at + byteOfField] ^= (byte) (1 << bit);
        byte[] heapBefore = damaged.contentOf(HEAP).clone();
        byte[] logBefore = damaged.contentOf(HEAP + ".log").clone();
        String message = "seed " + SEED + ", " + where;
        try {
            Heap.open(damaged.path(HEAP), OPTIONS).close();
        } catch (HeapException e) {
            assertArrayEquals(heapBefore, damaged.contentOf(HEAP), message);
            assertArrayEquals(logBefore, damaged.contentOf(HEAP + ".log"), message);
            assertTrue(e.getMessage().contains(HEAP), message + ": " + e.getMessage());
            damaged.dispose();
            return false;
        }
        Map<Long, Integer> after = objects(damaged);
        Map<Long, Integer> gone = new HashMap<>(before);
        gone.keySet().removeAll(after.keySet());
        damaged.dispose();
        assertTrue(gone.isEmpty(), message + ": " + gone.size() + " objects were freed");
        return true;
    }

    /** Covers headers of objects and pages, lengths of the library's arrays, and the lists of roots and classes with their contents. */
    @Test
    void aFlippedBitOfMetadataFreesNothing() {
        try (Heap heap = Heap.open(disk.path(HEAP), OPTIONS)) {
            fill(heap);
            crash(heap);
        }
        Map<Long, Integer> before = objects(crashed);
        Map<Integer, String> places = new HashMap<>();
        try (HeapImage image = HeapImage.openIntact(crashed.path(HEAP))) {
            Map<Integer, ClassDescriptor> classes = Directory.classes(image.space());
            before.forEach((offset, number) -> {
                ClassDescriptor descriptor = classes.get(number);
                int at = (int) (long) offset;
                String name = simpleName(descriptor);
                add(places, at, Layout.HEADER_BYTES, "header of " + name);
                if (descriptor == null) {
                    int bytes = number == Layout.CLASS_DIRECTORY ? 24 : (int) ObjectHeader.footprint(image.space().getLong(offset));
                    add(places, at + 8, bytes - 8, "entry of class " + number);
                    if (number == Layout.CLASS_ROOT) {
                        // The program chooses the target of this reference.
                        remove(places, at + 8 + Directory.ROOT_VALUE, Long.BYTES);
                    }
                } else if (name.equals("References")) {
                    add(places, at + 8, Long.BYTES, "length of array");
                }
                add(places, at & -Layout.PAGE_BYTES, Layout.HEADER_BYTES, "header of page");
            });
        }
        Random random = new Random(SEED);
        int refused = 0;
        int opened = 0;
        for (int at : new TreeSet<>(places.keySet())) {
            for (int bit = 0; bit < 8; bit++) {
                if (random.nextInt(100) >= SHARE) {
                    continue;
                }
                if (opens(at, 0, bit, before, places.get(at) + " at " + at + " bit " + bit)) {
                    opened++;
                } else {
                    refused++;
                }
            }
        }
        System.out.println("bits of metadata flipped: " + refused + " refused, " + opened + " freed nothing");
        assertTrue(refused > opened, "refused " + refused + ", opened " + opened);
    }

    private static void add(Map<Integer, String> places, int at, int bytes, String what) {
        for (int i = 0; i < bytes; i++) {
            places.put(at + i, what);
        }
    }

    private static void remove(Map<Integer, String> places, int at, int bytes) {
        for (int i = 0; i < bytes; i++) {
            places.remove(at + i);
        }
    }

    private HeapException refused(HeapOptions options) {
        byte[] before = crashed.contentOf(HEAP).clone();
        HeapException e = assertThrows(CorruptHeapException.class, () -> Heap.open(crashed.path(HEAP), options));
        assertArrayEquals(before, crashed.contentOf(HEAP));
        return e;
    }

    @Test
    void theErrorSaysHowToLookAtTheHeap() {
        long cells;
        try (Heap heap = Heap.open(disk.path(HEAP), OPTIONS)) {
            fill(heap);
            cells = Internals.offset(heap.root("cells", Cell.class));
            crash(heap);
        }
        int next = (int) cells + Layout.HEADER_BYTES + 8;
        bytes().putLong(next, bytes().getLong(next) ^ 8);
        HeapException e = refused(OPTIONS);
        for (String part : List.of("the reference at offset " + next, "Nothing was freed", "fsck", "HeapOptions.readOnly()")) {
            assertTrue(e.getMessage().contains(part), e.getMessage());
        }
        try (Heap heap = Heap.open(crashed.path(HEAP), OPTIONS.readOnly())) {
            assertEquals(60, heap.root("list", PersistentList.class).size());
            assertThrows(HeapException.class, () -> heap.root("cells", Cell.class).next());
        }
        try (Heap heap = Heap.open(crashed.path(HEAP), OPTIONS.collectAfterCrash(false))) {
            assertThrows(CorruptHeapException.class, heap::collect);
            assertEquals(60, heap.root("list", PersistentList.class).size());
            heap.atomic(() -> heap.root("cells", Cell.class).next(null));
            assertEquals(38, heap.collect().freed(), "19 cells and what they had");
            assertEquals(List.of(), heap.check());
        }
    }

    /** A collection that the program starts must not free anything either. */
    @Test
    void aCollectionThatIsAskedForRefusesToo() {
        try (Heap heap = Heap.open(disk.path(HEAP), OPTIONS)) {
            fill(heap);
            Cell cells = heap.root("cells", Cell.class);
            int count = objects(crash(heap)).size();
            long next = Internals.getLong(heap, Internals.offset(cells) + Layout.HEADER_BYTES + 8);
            Internals.putLong(heap, Internals.offset(cells) + Layout.HEADER_BYTES + 8, next ^ 8);
            assertThrows(CorruptHeapException.class, heap::collect);
            Internals.putLong(heap, Internals.offset(cells) + Layout.HEADER_BYTES + 8, next);
            assertEquals(0, heap.collect().freed());
            assertEquals(count, objects(crash(heap)).size());
        }
    }

    @Test
    void damagedListsOfAClosedHeapAreRefusedBeforeAnythingIsWritten() {
        try (Heap heap = Heap.open(disk.path(HEAP), OPTIONS)) {
            fill(heap);
        }
        crashed = disk.copy();
        int firstRoot = (int) bytes().getLong((int) new Layout(1 << 20).dataOffset() + Layout.HEADER_BYTES);
        int damaged = firstRoot + Layout.HEADER_BYTES + Directory.ROOT_NAME;
        bytes().put(damaged, (byte) (bytes().get(damaged) ^ 77));
        assertTrue(refused(OPTIONS).getMessage().contains("wrong checksum"));
    }

    /** Only a freed object may be treated as null when it is replaced. */
    @Test
    @SuppressWarnings("unchecked")
    void aDamagedHeaderIsNotTakenForThatOfAFreedObject() {
        try (Heap heap = Heap.open(disk.path(HEAP), OPTIONS)) {
            fill(heap);
            PersistentList<Object> list = heap.root("list", PersistentList.class);
            long offset = Internals.offset(list.get(0));
            long header = Internals.getLong(heap, offset);
            Internals.putLong(heap, offset, header ^ ObjectHeader.classId(header));
            assertThrows(CorruptHeapException.class, () -> list.set(0, null));
            Internals.putLong(heap, offset, 0);
            assertNull(list.set(0, "new"));
        }
    }

    private static List<Cell> chain(Heap heap, int count, int bytesEach) {
        List<Cell> cells = new ArrayList<>();
        heap.atomic(() -> {
            for (int i = 0; i < count; i++) {
                Cell cell = new Cell(heap, i, i == 0 ? null : cells.get(i - 1));
                cell.other(new PersistentByteArray(heap, bytesEach));
                cells.add(cell);
            }
            heap.setRoot("chain", cells.get(count - 1));
        });
        return cells;
    }

    /** Programs may free objects in whole blocks or slots, and leave references to them. */
    @Test
    void referencesToFreedObjectsAreClearedAfterACrash() {
        for (int bytesEach : new int[] {50, 600}) {
            try (Heap heap = Heap.open(disk.path(HEAP), OPTIONS)) {
                chain(heap, 10, bytesEach).forEach(cell -> heap.free(cell.other()));
                crash(heap);
            }
            try (Heap heap = Heap.open(crashed.path(HEAP), OPTIONS)) {
                int count = 0;
                for (Cell cell = heap.root("chain", Cell.class); cell != null; cell = cell.next(), count++) {
                    assertNull(cell.other());
                }
                assertEquals(10, count);
                assertEquals(List.of(), heap.check());
            }
        }
    }

    /** There is garbage elsewhere. A flipped bit could have led from garbage to a free place only if the offsets differ in one bit. */
    @Test
    void garbageElsewhereDoesNotMakeThemSuspicious() {
        try (Heap heap = Heap.open(disk.path(HEAP), OPTIONS)) {
            List<Cell> cells = chain(heap, 4, 600);
            heap.atomic(() -> new PersistentByteArray(heap, 20_000));
            heap.free(cells.get(1).other());
            crash(heap);
        }
        try (Heap heap = Heap.open(crashed.path(HEAP), OPTIONS)) {
            assertNotNull(heap.root("chain", Cell.class).other());
            assertNull(heap.root("chain", Cell.class).next().next().other());
            assertEquals(0, heap.collect().freed());
        }
    }

    /** The space of a freed object is now inside another object, which also could be the effect of damage. */
    @Test
    void referencesIntoRoomThatIsUsedAgainAreClearedIfNothingCanBeLost() {
        try (Heap heap = Heap.open(disk.path(HEAP), OPTIONS)) {
            reuseRoom(heap);
            crash(heap);
        }
        try (Heap heap = Heap.open(crashed.path(HEAP), OPTIONS)) {
            assertEquals(List.of(), heap.check());
            assertEquals(0, heap.collect().freed());
        }
    }

    @Test
    void referencesIntoRoomThatIsUsedAgainAreRefusedBesideGarbage() {
        try (Heap heap = Heap.open(disk.path(HEAP), OPTIONS)) {
            reuseRoom(heap);
            heap.atomic(() -> new Cell(heap, 1, null));
            crash(heap);
        }
        HeapException e = refused(OPTIONS);
        assertTrue(e.getMessage().contains("HeapOptions.clearingLostReferences()"), e.getMessage());
        try (Heap heap = Heap.open(crashed.path(HEAP), OPTIONS.clearingLostReferences())) {
            assertEquals(List.of(), heap.check());
            int count = 0;
            for (Cell cell = heap.root("chain", Cell.class); cell != null; cell = cell.next()) {
                count++;
            }
            assertEquals(20, count);
        }
    }

    /** Frees objects of several blocks, and allocates one object in their space. */
    private static void reuseRoom(Heap heap) {
        chain(heap, 20, 600).forEach(cell -> heap.free(cell.other()));
        heap.setRoot("array", heap.atomic(() -> new PersistentByteArray(heap, 8_000)));
        assertTrue(heap.check().size() > 3);
    }
}
