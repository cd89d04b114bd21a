// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import net.openhft.chronicle.map.ChronicleMap;
import net.openhft.chronicle.map.ChronicleMapBuilder;

/** Chronicle Map, a hash map in a mapped file. Changes are in the page cache, and nothing syncs them. */
final class ChronicleRecords extends WholeRecords {
    private static final double KEY_BYTES = 24;

    private final ChronicleMap<String, byte[]> map;

    ChronicleRecords(Path folder, Level level, Shape shape) throws IOException {
        File file = folder.resolve("chronicle.map").toFile();
        ChronicleMapBuilder<String, byte[]> builder = ChronicleMap.of(String.class, byte[].class).name("ycsb")
                .averageKeySize(KEY_BYTES).constantValueSizeBySample(new byte[shape.recordBytes()]).entries(shape.maxRecords());
        // A killed process may have left locks in the file.
        map = file.exists() ? builder.recoverPersistedTo(file, true) : builder.createPersistedTo(file);
    }

    @Override
    public byte[] read(String key) {
        return map.get(key);
    }

    @Override
    void put(String key, byte[] record) {
        map.put(key, record);
    }

    @Override
    public void close() {
        map.close();
    }
}
