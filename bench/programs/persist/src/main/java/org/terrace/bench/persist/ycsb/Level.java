// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

/** The durability of a change when its call returns. */
enum Level {
    /** Stable storage. */
    SYNC,
    /** The page cache, which survives a kill of the process but not a crash of the machine. */
    PROCESS,
    /** The page cache, changed in place. A kill of the process may lose the record that is being changed. */
    MAPPED,
    /** No durability before the store is closed. This level is for filling a store. */
    CLOSED
}
