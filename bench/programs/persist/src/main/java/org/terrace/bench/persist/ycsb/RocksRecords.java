// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

import java.nio.file.Path;
import java.util.function.BiConsumer;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteOptions;

/** RocksDB with its defaults and its write-ahead log, which it syncs for each write at {@code SYNC}. */
final class RocksRecords extends WholeRecords {
    private final Options options = new Options().setCreateIfMissing(true);
    private final WriteOptions write = new WriteOptions();
    private final RocksDB db;

    RocksRecords(Path folder, Level level, Shape shape) throws RocksDBException {
        RocksDB.loadLibrary();
        write.setSync(level == Level.SYNC);
        db = RocksDB.open(options, folder.resolve("rocksdb").toString());
    }

    @Override
    public byte[] read(String key) throws RocksDBException {
        return db.get(bytes(key));
    }

    @Override
    void put(String key, byte[] record) throws RocksDBException {
        db.put(write, bytes(key), record);
    }

    @Override
    public void scan(String from, int count, BiConsumer<String, byte[]> visitor) throws RocksDBException {
        try (RocksIterator found = db.newIterator()) {
            found.seek(bytes(from));
            for (int i = 0; i < count && found.isValid(); i++) {
                visitor.accept(key(found.key()), found.value());
                found.next();
            }
            found.status();
        }
    }

    @Override
    public void close() {
        db.close();
        write.close();
        options.close();
    }
}
