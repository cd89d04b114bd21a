// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import org.terrace.persist.types.Bytes;

/**
 * One change of a batch.
 *
 * @param entry the new entry, or null to remove the key
 */
record Change(int segment, Bytes key, StoredEntry entry) {
    /** Estimated log bytes of the map entry, the key and the headers of log operations. */
    private static final int OVERHEAD_BYTES = 512;

    long logBytes() {
        return OVERHEAD_BYTES + key.length() + (entry == null ? 0 : entry.size());
    }
}
