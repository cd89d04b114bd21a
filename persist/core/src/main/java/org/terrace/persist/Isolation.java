// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

/** The blocks and reads that a failure-atomic block excludes while it runs. A nested block has the isolation of the outermost. */
public enum Isolation {
    /** Excludes every other block and every {@link Heap#read}. Such blocks and reads are serializable, in commit order. */
    HEAP,
    /**
     * Excludes only blocks with {@link #HEAP}. Blocks of this kind run concurrently. The caller must hold locks until the block
     * returns. The locks must prevent two blocks from writing the same field, and one block from writing a field that another
     * reads. Under this rule the blocks are serializable too. Without it, a field has the value of the block that committed last.
     */
    CALLER
}
