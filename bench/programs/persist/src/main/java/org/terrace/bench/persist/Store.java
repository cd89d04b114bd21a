// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist;

import java.nio.file.Path;

/** A store of values by number; each put is a transaction. Any thread may put. */
interface Store extends AutoCloseable {

    /** What a put has reached when it returns. */
    enum Level {
        /** Stable storage. */
        SYNC,
        /** The page cache: it survives the process, not the machine. */
        PROCESS
    }

    /** Which stores there are. */
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
