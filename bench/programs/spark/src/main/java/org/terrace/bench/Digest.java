// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import java.io.Serializable;

/** Summarizes the numbers of keys by their count, their sum, and a hash of keys and numbers. It does not depend on their order. */
final class Digest implements Serializable {

    private static final long serialVersionUID = 1;

    private long count;
    private long sum;
    private long hash;

    Digest add(long key, long value) {
        return add(key, value, value);
    }

    /** @param bits hashed instead of the number */
    Digest add(long key, long value, long bits) {
        count++;
        sum += value;
        hash += (bits ^ key) * 0x9e3779b97f4a7c15L;
        return this;
    }

    Digest merge(Digest other) {
        count += other.count;
        sum += other.sum;
        hash += other.hash;
        return this;
    }

    long count() {
        return count;
    }

    long sum() {
        return sum;
    }

    String hash() {
        return Long.toHexString(hash);
    }
}
