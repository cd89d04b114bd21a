// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/** RocksDB with its defaults and its write-ahead log, which it syncs for each write at {@code SYNC}. */
final class RocksStore implements Store {
    private final Options options = new Options().setCreateIfMissing(true);
    private final WriteOptions write = new WriteOptions();
    private final RocksDB db;

    RocksStore(Path folder, Level level) throws RocksDBException {
        RocksDB.loadLibrary();
        write.setSync(level == Level.SYNC);
        db = RocksDB.open(options, folder.resolve("rocksdb").toString());
    }

    private static byte[] bytes(long key) {
        return ByteBuffer.allocate(Long.BYTES).putLong(key).array();
    }

    @Override
    public void put(long key, byte[] value) throws RocksDBException {
        db.put(write, bytes(key), value);
    }

    @Override
    public byte[] get(long key) throws RocksDBException {
        return db.get(bytes(key));
    }

    @Override
    public void close() {
        db.close();
        write.close();
        options.close();
    }
}
