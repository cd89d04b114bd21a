// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.eclipse.store.storage.embedded.types.EmbeddedStorage;
import org.eclipse.store.storage.embedded.types.EmbeddedStorageManager;

/**
 * Eclipse Store, which keeps ordinary objects in memory and writes them to a file without a sync. A hash map is stored
 * as a whole, so there are many small ones.
 */
final class EclipseRecords implements Records {
    private static final int RECORDS_OF_MAP = 8;

    private final EmbeddedStorageManager storage;
    private final Root root;
    private final boolean storesAtTheEnd;

    /** The root object of the storage. */
    static final class Root {
        final Object[] maps;

        Root(int count) {
            maps = new Object[count];
            for (int i = 0; i < count; i++) {
                maps[i] = new HashMap<String, Holder>();
            }
        }

        @SuppressWarnings("unchecked")
        Map<String, Holder> map(String key) {
            return (Map<String, Holder>) maps[Math.floorMod(key.hashCode(), maps.length)];
        }
    }

    /** A record. An array cannot be stored again after a change, because the storage already knows it. So there is an object around it. */
    static final class Holder {
        byte[] record;

        Holder(byte[] record) {
            this.record = record;
        }
    }

    EclipseRecords(Path folder, Level level, Shape shape) {
        storage = EmbeddedStorage.start(new Root(shape.maxRecords() / RECORDS_OF_MAP + 1), folder.resolve("eclipse"));
        root = (Root) storage.root();
        storesAtTheEnd = level == Level.CLOSED;
    }

    @Override
    public byte[] read(String key) {
        Map<String, Holder> map = root.map(key);
        synchronized (map) {
            Holder found = map.get(key);
            return found == null ? null : found.record;
        }
    }

    @Override
    public void insert(String key, byte[] record) {
        Map<String, Holder> map = root.map(key);
        synchronized (map) {
            map.put(key, new Holder(record));
            if (!storesAtTheEnd) {
                storage.store(map);
            }
        }
    }

    @Override
    public void update(String key, int from, byte[] bytes) {
        Map<String, Holder> map = root.map(key);
        synchronized (map) {
            Holder holder = map.get(key);
            byte[] changed = holder.record.clone();
            System.arraycopy(bytes, 0, changed, from, bytes.length);
            holder.record = changed;
            storage.store(holder);
        }
    }

    @Override
    public void close() {
        if (storesAtTheEnd) {
            storage.storeAll(root.maps);
        }
        storage.shutdown();
    }
}
