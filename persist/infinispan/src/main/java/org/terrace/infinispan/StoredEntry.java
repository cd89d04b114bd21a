// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

/**
 * What a cache has under a key, in the bytes of its marshaller.
 *
 * @param metadata null if there is none, as {@code internalMetadata}
 * @param created milliseconds since the epoch, -1 if unknown, as {@code lastUsed}
 * @param expiry milliseconds since the epoch from which on the entry is expired; not positive if it never is
 */
record StoredEntry(byte[] value, byte[] metadata, byte[] internalMetadata, long created, long lastUsed, long expiry) {

    /** Bytes that it takes in the log of the heap, about. */
    long size() {
        return value.length + length(metadata) + length(internalMetadata);
    }

    private static int length(byte[] bytes) {
        return bytes == null ? 0 : bytes.length;
    }
}
