// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

import java.util.function.BiConsumer;

/** A store of records by key. A record is its fields behind each other. Any thread may call; each change is a transaction. */
interface Records extends AutoCloseable {

    /** The record, or null. The array is the caller's, to read. */
    byte[] read(String key) throws Exception;

    /** Adds a record whose key is new. The array is the store's from now on. */
    void insert(String key, byte[] record) throws Exception;

    /** Replaces a part of a record, of which no other thread sees a half. */
    void update(String key, int from, byte[] bytes) throws Exception;

    /**
     * Visits at most so many records in the order of their keys, from this key on.
     *
     * @throws UnsupportedOperationException if the store has no such order
     */
    default void scan(String from, int count, BiConsumer<String, byte[]> visitor) throws Exception {
        throw new UnsupportedOperationException(getClass().getSimpleName() + " has no order of keys");
    }
}
