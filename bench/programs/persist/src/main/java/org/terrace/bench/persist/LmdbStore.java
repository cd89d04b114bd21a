// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.Txn;

/** LMDB with its default sync, or with {@code MDB_NOSYNC} at {@code PROCESS}. LMDB permits one writer at a time. */
final class LmdbStore implements Store {
    private static final ThreadLocal<ByteBuffer> KEY = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(Long.BYTES));
    private static final ThreadLocal<ByteBuffer> VALUE = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(1 << 16));

    private final Env<ByteBuffer> env;
    private final Dbi<ByteBuffer> db;

    LmdbStore(Path folder, Level level) throws IOException {
        Path at = Files.createDirectories(folder.resolve("lmdb"));
        Env.Builder<ByteBuffer> builder = Env.create().setMapSize(4L << 30).setMaxDbs(1);
        env = level == Level.SYNC ? builder.open(at.toFile()) : builder.open(at.toFile(), EnvFlags.MDB_NOSYNC);
        db = env.openDbi("bench", DbiFlags.MDB_CREATE);
    }

    private static ByteBuffer key(long key) {
        return KEY.get().clear().putLong(key).flip();
    }

    @Override
    public void put(long key, byte[] value) {
        try (Txn<ByteBuffer> txn = env.txnWrite()) {
            db.put(txn, key(key), VALUE.get().clear().put(value).flip());
            txn.commit();
        }
    }

    @Override
    public byte[] get(long key) {
        try (Txn<ByteBuffer> txn = env.txnRead()) {
            ByteBuffer found = db.get(txn, key(key));
            if (found == null) {
                return null;
            }
            byte[] bytes = new byte[found.remaining()];
            found.get(bytes);
            return bytes;
        }
    }

    @Override
    public void close() {
        env.close();
    }
}
