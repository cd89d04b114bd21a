// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import org.terrace.persist.types.Bytes;

/**
 * One change of a batch.
 *
 * @param entry null to remove the key
 */
record Change(int segment, Bytes key, StoredEntry entry) {
    /** Of the entry in its map, its key, and what the log says about each. */
    private static final int OVERHEAD_BYTES = 512;

    long logBytes() {
        return OVERHEAD_BYTES + key.length() + (entry == null ? 0 : entry.size());
    }
}
