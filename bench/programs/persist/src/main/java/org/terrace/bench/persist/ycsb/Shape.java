// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

/**
 * The number and size of the records in a store.
 *
 * @param records initial number
 * @param maxRecords number including later inserts
 * @param fields of each record, each with {@code fieldBytes}
 * @param cached fraction of the initial records that a cache may keep in memory, 0 to 1
 */
record Shape(int records, int maxRecords, int fields, int fieldBytes, double cached) {

    int recordBytes() {
        return fields * fieldBytes;
    }

    /** Returns at least 1, because 0 would be no limit for a cache. */
    int cachedRecords() {
        return (int) Math.max(1, Math.ceil(cached * records));
    }
}
