// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist;

import java.nio.file.Path;

/** A store of values by number, where each put is a transaction. Puts are thread-safe. */
interface Store extends AutoCloseable {

    /** The durability of a put when it returns. */
    enum Level {
        /** Stable storage. */
        SYNC,
        /** The page cache, which survives the process but not the machine. */
        PROCESS
    }

    /** The available stores. */
    enum Kind { TERRACE, ROCKSDB, LMDB, DEVICE }

    void put(long key, byte[] value) throws Exception;

    byte[] get(long key) throws Exception;

    @Override
    void close() throws java.io.IOException;

    static Store open(Kind kind, Path folder, Level level) throws Exception {
        return switch (kind) {
            case TERRACE -> new TerraceStore(folder, level);
            case ROCKSDB -> new RocksStore(folder, level);
            case LMDB -> new LmdbStore(folder, level);
            case DEVICE -> new DeviceFloor(folder, level);
        };
    }
}
