// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist;

import java.nio.file.Path;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.types.PersistentByteArray;
import org.terrace.persist.types.PersistentHashMap;

/** A store in a hash map of the persistent heap. */
final class TerraceStore implements Store {
    private final Heap heap;
    private final PersistentHashMap<Long, PersistentByteArray> map;

    @SuppressWarnings("unchecked")
    TerraceStore(Path folder, Level level) {
        heap = Heap.open(folder.resolve("bench.heap"), HeapOptions.defaults().maxSize(4L << 30)
                .durability(level == Level.SYNC ? Durability.SYNC : Durability.PROCESS));
        map = heap.root("map", PersistentHashMap.class, () -> new PersistentHashMap<Long, PersistentByteArray>(heap));
    }

    @Override
    public void put(long key, byte[] value) {
        heap.atomic(() -> {
            PersistentByteArray before = map.put(key, new PersistentByteArray(heap, value));
            if (before != null) {
                heap.free(before);
            }
        });
    }

    @Override
    public byte[] get(long key) {
        return heap.read(() -> {
            PersistentByteArray found = map.get(key);
            return found == null ? null : found.toArray();
        });
    }

    @Override
    public void close() {
        heap.close();
    }
}
