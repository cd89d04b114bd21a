// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

import java.nio.charset.StandardCharsets;

/** Records of a store that replaces complete values. An update reads, changes and writes the record. */
abstract class WholeRecords implements Records {
    private static final int STRIPES = 1024;

    private final Object[] locks = new Object[STRIPES];

    WholeRecords() {
        for (int i = 0; i < STRIPES; i++) {
            locks[i] = new Object();
        }
    }

    /** Adds or replaces a record. */
    abstract void put(String key, byte[] record) throws Exception;

    @Override
    public final void insert(String key, byte[] record) throws Exception {
        put(key, record);
    }

    @Override
    public final void update(String key, int from, byte[] bytes) throws Exception {
        // Otherwise concurrent updates of a record could lose a field.
        synchronized (locks[Math.floorMod(key.hashCode(), STRIPES)]) {
            byte[] changed = read(key).clone();
            System.arraycopy(bytes, 0, changed, from, bytes.length);
            put(key, changed);
        }
    }

    static byte[] bytes(String key) {
        return key.getBytes(StandardCharsets.US_ASCII);
    }

    static String key(byte[] bytes) {
        return new String(bytes, StandardCharsets.US_ASCII);
    }
}
