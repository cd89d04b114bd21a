// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

/** What a change has reached when its call returns. */
enum Level {
    /** Stable storage. */
    SYNC,
    /** The page cache: it survives a kill of the process, not a crash of the machine. */
    PROCESS,
    /** The page cache, by stores in place: a kill of the process may lose the record that is being changed. */
    MAPPED,
    /** Anything; what was changed is there once the store was closed. To fill a store. */
    CLOSED
}
