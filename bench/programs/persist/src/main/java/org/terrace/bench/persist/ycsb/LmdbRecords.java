// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.function.BiConsumer;
import org.lmdbjava.CursorIterable;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.KeyRange;
import org.lmdbjava.Txn;

/** LMDB with its default sync, or with {@code MDB_NOSYNC} below {@code SYNC}. LMDB permits one writer at a time. */
final class LmdbRecords extends WholeRecords {
    private static final long BYTES_BESIDE_RECORD = 1024;
    private static final long ROOM = 1L << 28;
    private static final int MAX_KEY_BYTES = 511;

    private final Env<ByteBuffer> env;
    private final Dbi<ByteBuffer> db;
    private final ThreadLocal<ByteBuffer> keys = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(MAX_KEY_BYTES));
    private final ThreadLocal<ByteBuffer> values;

    LmdbRecords(Path folder, Level level, Shape shape) throws IOException {
        Path at = Files.createDirectories(folder.resolve("lmdb"));
        Env.Builder<ByteBuffer> builder = Env.create().setMaxDbs(1)
                .setMapSize(ROOM + 4 * shape.maxRecords() * (shape.recordBytes() + BYTES_BESIDE_RECORD));
        env = level == Level.SYNC ? builder.open(at.toFile()) : builder.open(at.toFile(), EnvFlags.MDB_NOSYNC);
        db = env.openDbi("ycsb", DbiFlags.MDB_CREATE);
        values = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(shape.recordBytes()));
    }

    private ByteBuffer buffer(String key) {
        return keys.get().clear().put(bytes(key)).flip();
    }

    private static byte[] array(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    @Override
    public byte[] read(String key) {
        try (Txn<ByteBuffer> txn = env.txnRead()) {
            ByteBuffer found = db.get(txn, buffer(key));
            return found == null ? null : array(found);
        }
    }

    @Override
    void put(String key, byte[] record) {
        try (Txn<ByteBuffer> txn = env.txnWrite()) {
            db.put(txn, buffer(key), values.get().clear().put(record).flip());
            txn.commit();
        }
    }

    @Override
    public void scan(String from, int count, BiConsumer<String, byte[]> visitor) {
        try (Txn<ByteBuffer> txn = env.txnRead();
                CursorIterable<ByteBuffer> found = db.iterate(txn, KeyRange.atLeast(buffer(from)))) {
            Iterator<CursorIterable.KeyVal<ByteBuffer>> entries = found.iterator();
            for (int i = 0; i < count && entries.hasNext(); i++) {
                CursorIterable.KeyVal<ByteBuffer> entry = entries.next();
                visitor.accept(key(array(entry.key())), array(entry.val()));
            }
        }
    }

    @Override
    public void close() {
        env.close();
    }
}
