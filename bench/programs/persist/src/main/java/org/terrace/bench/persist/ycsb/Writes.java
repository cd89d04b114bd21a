// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

import java.util.Arrays;

/** The writes of one thread in order. A write has the hash of the key, and the field or {@link #ALL}. */
final class Writes {
    static final int ALL = -1;
    private static final int FIRST = 1 << 14;

    private long[] keys = new long[FIRST];
    private byte[] fields = new byte[FIRST];
    private int size;

    int size() {
        return size;
    }

    /** Returns the number of writes of all fields. */
    int inserts() {
        int count = 0;
        for (int i = 0; i < size; i++) {
            count += fields[i] == ALL ? 1 : 0;
        }
        return count;
    }

    /** Adds a write and returns its number. */
    int add(long key, int field) {
        if (size == keys.length) {
            keys = Arrays.copyOf(keys, 2 * size);
            fields = Arrays.copyOf(fields, 2 * size);
        }
        keys[size] = key;
        fields[size] = (byte) field;
        return size++;
    }

    long key(int number) {
        return keys[number];
    }

    int field(int number) {
        return fields[number];
    }
}
