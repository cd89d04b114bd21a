// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

/** Selects how a heap writes to its storage. */
public enum HeapMedium {
    /** {@link #DAX} if the file system supports it, otherwise {@link #FILE}. */
    AUTO,

    /** Writes and syncs of files. */
    FILE,

    /** Stores to persistent memory, mapped with {@code MAP_SYNC}, and cache line write-backs. Needs no system calls. */
    DAX
}
