// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;

/** Tests scans of a hash map that changes meanwhile. */
class ScanTest {
    @TempDir
    Path directory;

    private Heap heap;
    private PersistentHashMap<Integer, String> map;

    @BeforeEach
    void open() {
        heap = Heap.open(directory.resolve("scan.heap"),
                HeapOptions.defaults().maxSize(64 << 20).logSize(16 << 20).durability(Durability.PROCESS));
        map = heap.root("map", PersistentHashMap.class, () -> new PersistentHashMap<>(heap));
    }

    @AfterEach
    void close() {
        heap.close();
    }

    /** Keys that are distributed over the buckets. */
    private static int key(int i) {
        return i * 0x9E3779B1;
    }

    private void fill(int from, int to) {
        heap.atomic(() -> {
            for (int i = from; i < to; i++) {
                map.put(key(i), "v" + i);
            }
        });
    }

    private boolean step(PersistentHashMap<Integer, String>.Scan scan, int count, Map<Integer, String> seen) {
        return scan.next(count, e -> {
            assertEquals(e.getValue(), map.get(e.getKey()));
            assertEquals(null, seen.put(e.getKey(), e.getValue()), () -> e.getKey() + " was given twice");
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 16, 17, 23, 32, 33, 48, 100, 1000})
    void givesAllOfAMapThatGrowsAndLosesOthers(int stable) {
        for (long seed = 0; seed < 10; seed++) {
            Random random = new Random(seed);
            map.clear();
            fill(0, stable);
            PersistentHashMap<Integer, String>.Scan scan = map.scan();
            Map<Integer, String> seen = new HashMap<>();
            for (int next = stable; step(scan, 1 + random.nextInt(9), seen); ) {
                int more = next + random.nextInt(40);
                fill(next, more);
                map.remove(key(stable + random.nextInt(more - stable + 1)));
                next = more;
            }
            for (int i = 0; i < stable; i++) {
                assertEquals("v" + i, seen.get(key(i)), "seed " + seed);
            }
        }
    }

    @Test
    void endsInAMapThatIsClearedAndFilledAgain() {
        fill(0, 500);
        PersistentHashMap<Integer, String>.Scan scan = map.scan();
        Map<Integer, String> seen = new HashMap<>();
        assertTrue(step(scan, 100, seen));
        map.clear();
        fill(300, 320);
        assertTrue(step(scan, 5, seen));
        fill(320, 900);
        while (step(scan, 50, seen)) {
            assertFalse(seen.isEmpty());
        }
        assertFalse(step(scan, 1, seen));
    }

    @Test
    void maybeLongerThanAskedForByOneChainOnly() {
        fill(0, 2000);
        Map<Integer, String> seen = new HashMap<>();
        step(map.scan(), 100, seen);
        assertTrue(seen.size() >= 100 && seen.size() < 150, seen.size() + " entries");
    }

    @Test
    void changesNothing() {
        fill(0, 1);
        assertThrows(UnsupportedOperationException.class, () -> map.scan().next(1, e -> e.setValue("other")));
        assertThrows(IllegalStateException.class, () -> map.scan().next(1, e -> map.remove(e.getKey())));
    }
}
