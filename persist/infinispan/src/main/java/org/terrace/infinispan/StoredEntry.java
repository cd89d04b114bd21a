// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

/**
 * The data that a cache stores for a key, as bytes of its marshaller.
 *
 * @param metadata null if there is none, like {@code internalMetadata}
 * @param created milliseconds since the epoch, or -1 if unknown, like {@code lastUsed}
 * @param expiry milliseconds since the epoch from which the entry is expired. Zero or negative if it never expires
 */
record StoredEntry(byte[] value, byte[] metadata, byte[] internalMetadata, long created, long lastUsed, long expiry) {

    /** Approximate bytes of the entry in the heap's log. */
    long size() {
        return value.length + length(metadata) + length(internalMetadata);
    }

    private static int length(byte[] bytes) {
        return bytes == null ? 0 : bytes.length;
    }
}
