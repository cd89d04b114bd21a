// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;

/** MapDB with its write-ahead log. It commits after each change, one at a time, because a commit covers the whole database. */
final class MapDbRecords extends WholeRecords {
    private final DB db;
    private final ConcurrentMap<String, byte[]> map;
    private final boolean committing;

    private MapDbRecords(Path folder, Level level, Function<DB, ConcurrentMap<String, byte[]>> map) {
        db = DBMaker.fileDB(folder.resolve("map.db").toFile()).transactionEnable().make();
        this.map = map.apply(db);
        committing = level != Level.CLOSED;
    }

    static Records hash(Path folder, Level level, Shape shape) {
        return new MapDbRecords(folder, level, db -> db.hashMap("ycsb", Serializer.STRING_ASCII, Serializer.BYTE_ARRAY)
                .createOrOpen());
    }

    static Records tree(Path folder, Level level, Shape shape) {
        return new MapDbRecords(folder, level, db -> db.treeMap("ycsb", Serializer.STRING_ASCII, Serializer.BYTE_ARRAY)
                .valuesOutsideNodesEnable().createOrOpen());
    }

    @Override
    public byte[] read(String key) {
        return map.get(key);
    }

    @Override
    synchronized void put(String key, byte[] record) {
        map.put(key, record);
        if (committing) {
            db.commit();
        }
    }

    @Override
    public void scan(String from, int count, BiConsumer<String, byte[]> visitor) {
        if (!(map instanceof NavigableMap<String, byte[]> sorted)) {
            throw new UnsupportedOperationException("a hash map has no order of keys");
        }
        Iterator<Map.Entry<String, byte[]>> entries = sorted.tailMap(from, true).entrySet().iterator();
        for (int i = 0; i < count && entries.hasNext(); i++) {
            Map.Entry<String, byte[]> entry = entries.next();
            visitor.accept(entry.getKey(), entry.getValue());
        }
    }

    @Override
    public void close() {
        db.commit();
        db.close();
    }
}
