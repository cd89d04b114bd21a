// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.invoke.MethodHandles;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.Persistent;
import org.terrace.persist.medium.Disk;

/** Tests records that are keys of hash maps and whose components change. */
class RecordKeysTest {
    private static final HeapOptions OPTIONS = HeapOptions.defaults().maxSize(1 << 20).logSize(512 << 10);
    private static final int COUNT = 50;

    private final Disk disk = new Disk();

    @Persistent
    private record KeyOfV1(int a, float f, char c, String s) {
        static {
            Records.define(MethodHandles.lookup());
        }
    }

    @Persistent
    private record KeyOfV2(boolean flag, String s, long a, double f, int c, Optional<String> more, String none, double d) {
        static {
            Records.define(MethodHandles.lookup());
        }
    }

    @Persistent
    private record Place(int x, int y) {
        static {
            Records.define(MethodHandles.lookup());
        }
    }

    @AfterEach
    void disposeOfDisk() {
        disk.dispose();
    }

    @Test
    void keysAreFoundByARecordWithMoreWiderAndMovedComponents() {
        try (Heap heap = Heap.open(disk.path("test.heap"), OPTIONS)) {
            PersistentHashMap<Object, Integer> map =
                    heap.root("map", PersistentHashMap.class, () -> new PersistentHashMap<>(heap));
            heap.atomic(() -> {
                for (int i = -COUNT; i < COUNT; i++) {
                    map.put(new KeyOfV1(i, i / 4f, (char) i, "s" + i), i);
                }
            });
        }
        disk.renameClass("test.heap", KeyOfV1.class.getName(), KeyOfV2.class.getName());
        try (Heap heap = Heap.open(disk.path("test.heap"), OPTIONS)) {
            PersistentHashMap<?, ?> map = heap.root("map", PersistentHashMap.class);
            assertEquals(2 * COUNT, map.size());
            for (int i = -COUNT; i < COUNT; i++) {
                assertEquals(i, map.get(new KeyOfV2(false, "s" + i, i, i / 4f, (char) i, null, null, 0)));
            }
            assertEquals(List.of(), heap.check());
        }
    }

    @Test
    void hashesOfManyRecordsDiffer() {
        Set<Integer> hashes = new HashSet<>();
        for (int x = 0; x < 100; x++) {
            for (int y = x; y < 100; y++) {
                hashes.add(Records.stableHash(new Place(x, y)));
            }
        }
        assertTrue(hashes.size() > 5000, hashes.size() + " of 5050");
    }
}
