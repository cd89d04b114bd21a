// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.notes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.SecondHeap;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.types.PersistentHashMap;
import org.terrace.persist.types.PersistentLongArray;

/** Tests both heaps in one program, on a Terrace JDK with H2 on. Run with {@code mvn -Dterrace.jdk=HOME}. */
@Timeout(300)
class BothHeapsOnTerraceTest {
    private static final HeapOptions OPTIONS = HeapOptions.defaults().maxSize(64 << 20).logSize(1 << 20)
            .durability(Durability.PROCESS);
    private static final int PROXIES = 2000;
    private static long nextLabel = 9_000_000;

    @TempDir
    Path directory;

    @BeforeAll
    static void sayWhatIsSkipped() {
        if (Boolean.getBoolean("terrace.expected")) {
            assertTrue(SecondHeap.isAvailable(), "terrace.jdk was given but it has no second heap");
        }
        if (!SecondHeap.isAvailable()) {
            System.out.println("SKIPPED: tests of both heaps; run them with -Dterrace.jdk=<home of a Terrace JDK>");
        }
    }

    @BeforeEach
    void withH2() {
        assumeTrue(SecondHeap.isAvailable(), "no second heap on this VM");
    }

    private static void moveToH2(Object root) {
        long label = nextLabel++;
        SecondHeap.tagRoot(root, label);
        SecondHeap.move(label);
        SecondHeap.transfer();
        assertEquals(SecondHeap.State.IN_H2, SecondHeap.state(root));
    }

    @Test
    void theIndexOfTheNotesMovesAndTheHeapStays() {
        Path file = directory.resolve("notes.heap");
        try (Notes notes = new Notes(file)) {
            for (int i = 0; i < 300; i++) {
                notes.add("note " + i + (i % 7 == 0 ? " seventh" : ""));
            }
        }
        try (Notes notes = new Notes(file)) {
            SecondHeap.transfer();
            assertEquals(SecondHeap.State.IN_H2, SecondHeap.state(notes.oldIndex()));
            assertEquals(SecondHeap.State.IN_H2, SecondHeap.state(notes.oldIndex().find("seventh")));
            assertEquals(SecondHeap.State.IN_H1, SecondHeap.state(notes));
            notes.add("note 300 seventh");
            List<String> found = notes.find("seventh");
            assertEquals(44, found.size());
            assertEquals("note 0 seventh", found.get(0));
            assertEquals("note 300 seventh", found.get(43));
            SecondHeap.transfer();
            assertEquals(found, notes.find("seventh"));
        }
    }

    /** Moving proxies works, but it also moves the heap object itself, so it is not recommended. The test prints its state. */
    @Test
    void proxiesInH2WorkAndTakeTheirHeapAlong() throws InterruptedException {
        Path file = directory.resolve("proxies.heap");
        Heap heap = Heap.open(file, OPTIONS);
        PersistentLongArray[] proxies = new PersistentLongArray[PROXIES];
        heap.atomic(() -> {
            for (int i = 0; i < PROXIES; i++) {
                proxies[i] = new PersistentLongArray(heap, 4);
            }
            heap.setRoot("first", proxies[0]);
        });
        PersistentLongArray[] before = proxies.clone();
        moveToH2(proxies);
        assertEquals(SecondHeap.State.IN_H2, SecondHeap.state(proxies[17]));
        assertSame(before[17], proxies[17]);
        System.out.println("heap of proxies that moved: " + SecondHeap.state(heap));
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
            Thread thread = new Thread(() -> {
                for (int i = 0; i < 3 * PROXIES; i++) {
                    PersistentLongArray array = proxies[i % PROXIES];
                    heap.atomic(() -> array.set(0, array.get(0) + 1));
                }
            });
            threads.add(thread);
            thread.start();
        }
        SecondHeap.transfer();
        System.gc();
        for (Thread thread : threads) {
            thread.join();
        }
        for (PersistentLongArray array : proxies) {
            assertEquals(9, array.get(0));
        }
        assertEquals(proxies[0], heap.root("first", PersistentLongArray.class));
        assertEquals(proxies[0].hashCode(), heap.root("first", PersistentLongArray.class).hashCode());
        heap.collect();
        assertEquals(9, proxies[0].get(0));
        // No root reaches the other proxies' objects.
        assertThrows(HeapException.class, () -> proxies[1].get(0));
        assertEquals(List.of(), heap.check());
        heap.close();
        assertThrows(HeapException.class, () -> proxies[0].get(0));
        try (Heap again = Heap.open(file, OPTIONS)) {
            assertEquals(9, again.root("first", PersistentLongArray.class).get(0));
            assertThrows(HeapException.class, () -> proxies[0].get(0));
        }
    }

    @Test
    void aCollectionIsUsedThroughAProxyInH2() {
        try (Heap heap = Heap.open(directory.resolve("map.heap"), OPTIONS)) {
            @SuppressWarnings("unchecked")
            PersistentHashMap<Long, String> map =
                    heap.root("map", PersistentHashMap.class, () -> new PersistentHashMap<Long, String>(heap));
            moveToH2(map);
            for (long i = 0; i < 2000; i++) {
                map.put(i, "value " + i);
                if (i % 500 == 0) {
                    SecondHeap.transfer();
                }
            }
            assertEquals(2000, map.size());
            assertEquals("value 1234", map.get(1234L));
            assertEquals(List.of(), heap.check());
            assertEquals(List.of(), heap.checkCollections());
        }
    }
}
