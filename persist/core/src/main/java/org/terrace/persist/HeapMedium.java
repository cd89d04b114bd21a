// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

/** How a heap writes to what keeps its files. */
public enum HeapMedium {
    /** {@link #DAX} where the file system allows it, {@link #FILE} elsewhere. */
    AUTO,

    /** Writes and syncs of files. */
    FILE,

    /** Stores to memory that persists, mapped with {@code MAP_SYNC}, and write-backs of cache lines: no system calls. */
    DAX
}
