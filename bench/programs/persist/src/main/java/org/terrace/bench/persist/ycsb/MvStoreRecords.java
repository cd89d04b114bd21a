// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

import java.nio.file.Path;
import java.util.function.BiConsumer;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.ByteArrayDataType;
import org.h2.mvstore.type.StringDataType;

/** The store of the H2 database, which writes its changes at each commit, and syncs on request. Background commits are disabled. */
final class MvStoreRecords extends WholeRecords {
    private final MVStore store;
    private final MVMap<String, byte[]> map;
    private final Level level;

    MvStoreRecords(Path folder, Level level, Shape shape) {
        store = new MVStore.Builder().fileName(folder.resolve("h2.mv").toString()).autoCommitDisabled().open();
        map = store.openMap("ycsb", new MVMap.Builder<String, byte[]>().keyType(StringDataType.INSTANCE)
                .valueType(ByteArrayDataType.INSTANCE));
        this.level = level;
    }

    @Override
    public byte[] read(String key) {
        return map.get(key);
    }

    @Override
    void put(String key, byte[] record) {
        map.put(key, record);
        if (level != Level.CLOSED) {
            store.commit();
        }
        if (level == Level.SYNC) {
            store.sync();
        }
    }

    @Override
    public void scan(String from, int count, BiConsumer<String, byte[]> visitor) {
        Cursor<String, byte[]> entries = map.cursor(from);
        for (int i = 0; i < count && entries.hasNext(); i++) {
            visitor.accept(entries.next(), entries.getValue());
        }
    }

    @Override
    public void close() {
        store.commit();
        store.close();
    }
}
