// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.blocks;

import java.lang.invoke.VarHandle;

/**
 * A sequence lock by which readers without a lock detect changes of the pages. The version is odd during a change. Blocks write to
 * a private version until they commit. Therefore only two kinds of changes count: commits of exclusive blocks, and operations on
 * the whole heap. Other stores do not exclude readers that hold the lock either, so a reader without it loses nothing.
 *
 * <p>Values that are loaded during a change may be inconsistent. They may be used only after {@link #isStill} has returned true.
 * Its fence orders the loads before the second read of the version, and the first, volatile read orders them after it.
 */
public final class PageVersion {
    private volatile long version;

    /** Starts a change. The caller excludes all other changes until {@link #endChange}. */
    public void beginChange() {
        version = version + 1;
        // No store to a page may become visible before the odd version.
        VarHandle.fullFence();
    }

    public void endChange() {
        version = version + 1;
    }

    /** The current version, which is odd during a change. */
    public long current() {
        return version;
    }

    /** Whether no change has happened since {@link #current} returned this even number. */
    public boolean isStill(long then) {
        VarHandle.acquireFence();
        return version == then;
    }
}
