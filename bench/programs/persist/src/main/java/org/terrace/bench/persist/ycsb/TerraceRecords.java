// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.types.PersistentByteArray;
import org.terrace.persist.types.PersistentHashMap;
import org.terrace.persist.types.PersistentMap;
import org.terrace.persist.types.PersistentSkipListMap;
import org.terrace.persist.types.PersistentTreeMap;

/** Records in a map of the persistent heap. A record is one object, and an update replaces bytes in it. */
final class TerraceRecords implements Records {
    private static final long BYTES_BESIDE_RECORD = 1024;
    private static final long ROOM = 1L << 28;

    private final Heap heap;
    private final Map<String, PersistentByteArray> map;

    private <M extends PersistentMap<?, ?>> TerraceRecords(Path folder, Level level, Shape shape, Class<M> type,
            Function<Heap, M> maker) {
        long bytes = ROOM + 2 * shape.maxRecords() * (shape.recordBytes() + BYTES_BESIDE_RECORD);
        heap = Heap.open(folder.resolve("ycsb.heap"), HeapOptions.defaults().maxSize(bytes)
                .durability(level == Level.SYNC ? Durability.SYNC : Durability.PROCESS));
        PersistentObject root = heap.root("records", type, () -> maker.apply(heap));
        @SuppressWarnings("unchecked")
        Map<String, PersistentByteArray> found = (Map<String, PersistentByteArray>) root;
        map = found;
    }

    static Records hash(Path folder, Level level, Shape shape) {
        return new TerraceRecords(folder, level, shape, PersistentHashMap.class, PersistentHashMap::new);
    }

    static Records tree(Path folder, Level level, Shape shape) {
        return new TerraceRecords(folder, level, shape, PersistentTreeMap.class, PersistentTreeMap::new);
    }

    static Records skipList(Path folder, Level level, Shape shape) {
        return new TerraceRecords(folder, level, shape, PersistentSkipListMap.class, PersistentSkipListMap::new);
    }

    @Override
    public byte[] read(String key) {
        return heap.read(() -> {
            PersistentByteArray found = map.get(key);
            return found == null ? null : found.toArray();
        });
    }

    @Override
    public void insert(String key, byte[] record) {
        heap.atomic(() -> {
            map.put(key, new PersistentByteArray(heap, record));
        });
    }

    @Override
    public void update(String key, int from, byte[] bytes) {
        heap.atomic(() -> map.get(key).set(from, bytes, 0, bytes.length));
    }

    @Override
    public void scan(String from, int count, BiConsumer<String, byte[]> visitor) {
        if (!(map instanceof NavigableMap<String, PersistentByteArray> sorted)) {
            throw new UnsupportedOperationException("a hash map has no order of keys");
        }
        heap.read(() -> {
            Iterator<Map.Entry<String, PersistentByteArray>> entries = sorted.tailMap(from, true).entrySet().iterator();
            for (int i = 0; i < count && entries.hasNext(); i++) {
                Map.Entry<String, PersistentByteArray> entry = entries.next();
                visitor.accept(entry.getKey(), entry.getValue().toArray());
            }
            return null;
        });
    }

    @Override
    public void close() {
        heap.close();
    }
}
