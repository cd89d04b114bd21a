// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

/** What a failure-atomic block excludes while it runs. A block inside another has the isolation of the outermost. */
public enum Isolation {
    /**
     * Every other block and every {@link Heap#read}. Such blocks and reads are serializable, in the order in which
     * they are committed.
     */
    HEAP,
    /**
     * Only blocks with {@link #HEAP}. Blocks of this kind run at the same time: the caller holds locks, until the block
     * has returned, so that no two of them write one field, or one writes what another reads. Under that rule they are
     * serializable too; without it, fields have the value of the block that committed last.
     */
    CALLER
}
