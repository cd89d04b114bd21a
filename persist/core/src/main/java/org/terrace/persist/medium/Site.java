// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

/** The places in the code that write data or order writes. Tests disable them one after another. */
public enum Site {
    CREATE_LOG, CREATE_LOG_SYNC, CREATE_HEAP, CREATE_HEAP_SYNC, NAME_SYNC,
    COMMIT, COMMIT_SYNC, INTERVAL_SYNC, RECOVERY_SYNC, LIFE, LIFE_SYNC, CHECKPOINT_LOG_SYNC,
    PAGE_LIMIT, PAGE_LIMIT_SYNC, PAGE_LIMIT_MOVED, CHECKPOINT_PAGE, CHECKPOINT_SYNC, SUPERBLOCK, SUPERBLOCK_SYNC,
    CONVERT_PAGE, CONVERT_SYNC,
    MAPPED_SYNC, EXTEND_SYNC
}
