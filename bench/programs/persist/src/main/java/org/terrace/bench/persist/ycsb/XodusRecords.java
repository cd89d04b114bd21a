// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.BiConsumer;
import jetbrains.exodus.ArrayByteIterable;
import jetbrains.exodus.ByteIterable;
import jetbrains.exodus.env.Cursor;
import jetbrains.exodus.env.Environment;
import jetbrains.exodus.env.EnvironmentConfig;
import jetbrains.exodus.env.Environments;
import jetbrains.exodus.env.Store;
import jetbrains.exodus.env.StoreConfig;

/** Xodus, which writes its log at each commit, and also syncs it at {@code SYNC}. */
final class XodusRecords extends WholeRecords {
    private final Environment environment;
    private final Store store;

    XodusRecords(Path folder, Level level, Shape shape) {
        environment = Environments.newInstance(folder.resolve("xodus").toFile(), new EnvironmentConfig()
                .setLogDurableWrite(level == Level.SYNC));
        store = environment.computeInTransaction(txn -> environment.openStore("ycsb", StoreConfig.WITHOUT_DUPLICATES, txn));
    }

    private static byte[] array(ByteIterable bytes) {
        // The internal array may be longer than its contents.
        return Arrays.copyOf(bytes.getBytesUnsafe(), bytes.getLength());
    }

    @Override
    public byte[] read(String key) {
        return environment.computeInReadonlyTransaction(txn -> {
            ByteIterable found = store.get(txn, new ArrayByteIterable(bytes(key)));
            return found == null ? null : array(found);
        });
    }

    @Override
    void put(String key, byte[] record) {
        environment.executeInExclusiveTransaction(txn -> store.put(txn, new ArrayByteIterable(bytes(key)),
                new ArrayByteIterable(record)));
    }

    @Override
    public void scan(String from, int count, BiConsumer<String, byte[]> visitor) {
        environment.executeInReadonlyTransaction(txn -> {
            try (Cursor found = store.openCursor(txn)) {
                boolean more = found.getSearchKeyRange(new ArrayByteIterable(bytes(from))) != null;
                for (int i = 0; i < count && more; i++) {
                    visitor.accept(key(array(found.getKey())), array(found.getValue()));
                    more = found.getNext();
                }
            }
        });
    }

    @Override
    public void close() {
        environment.close();
    }
}
