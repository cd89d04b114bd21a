// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.h2;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBufferManager;

/**
 * Values in RocksDB, which reads files directly into a block cache of fixed size. Its write buffers are part of the cache. Writes go
 * through its write-ahead log, without a sync for each. Values are not compressed, because they are not in a heap either.
 */
final class RocksValues implements Service.Values {

    private static final double BITS_PER_KEY = 10;
    private static final int BUFFERS_SHARE = 4;

    static {
        RocksDB.loadLibrary();
    }

    private final BloomFilter filter = new BloomFilter(BITS_PER_KEY);
    private final LRUCache cache;
    private final WriteBufferManager buffers;
    private final Options options;
    private final RocksDB db;

    RocksValues(Path folder, long cacheBytes) throws RocksDBException {
        cache = new LRUCache(cacheBytes);
        buffers = new WriteBufferManager(cacheBytes / BUFFERS_SHARE, cache);
        options = new Options().setCreateIfMissing(true).setErrorIfExists(true).setUseDirectReads(true)
                .setUseDirectIoForFlushAndCompaction(true)
                .setWriteBufferManager(buffers)
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setTableFormatConfig(new BlockBasedTableConfig().setBlockCache(cache).setFilterPolicy(filter));
        db = RocksDB.open(options, folder.toString());
    }

    private static byte[] bytes(int key) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(key).array();
    }

    @Override
    public void put(int key, byte[] value) throws RocksDBException {
        db.put(bytes(key), value);
    }

    @Override
    public byte[] get(int key) throws RocksDBException {
        return db.get(bytes(key));
    }

    @Override
    public void close() {
        db.close();
        options.close();
        buffers.close();
        cache.close();
        filter.close();
    }
}
