// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

/**
 * What a store will hold.
 *
 * @param records at first
 * @param maxRecords with those that are inserted later
 * @param fields of each record, all of {@code fieldBytes}
 * @param cached the share of the records at first that a cache may keep in memory, 0 to 1
 */
record Shape(int records, int maxRecords, int fields, int fieldBytes, double cached) {

    int recordBytes() {
        return fields * fieldBytes;
    }

    /** At least 1: 0 would be no limit for a cache. */
    int cachedRecords() {
        return (int) Math.max(1, Math.ceil(cached * records));
    }
}
