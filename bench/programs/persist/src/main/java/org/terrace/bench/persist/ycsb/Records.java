// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

import java.util.function.BiConsumer;

/**
 * A store of records by key. A record is the concatenation of its fields. Each change is a transaction. Implementations
 * are thread-safe.
 */
interface Records extends AutoCloseable {

    /** Returns the record, or null. The caller may read the array. */
    byte[] read(String key) throws Exception;

    /** Adds a record with a new key. The store takes ownership of the array. */
    void insert(String key, byte[] record) throws Exception;

    /** Replaces a part of a record. Other threads never see a partial change. */
    void update(String key, int from, byte[] bytes) throws Exception;

    /**
     * Visits at most {@code count} records in key order, starting at the given key.
     *
     * @throws UnsupportedOperationException if the store has no order
     */
    default void scan(String from, int count, BiConsumer<String, byte[]> visitor) throws Exception {
        throw new UnsupportedOperationException(getClass().getSimpleName() + " has no order of keys");
    }
}
