// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.lang.invoke.VarHandle;

/**
 * Tells readers that hold no lock whether the pages changed under them: a sequence lock, odd during a change. Blocks keep what
 * they write to themselves until they commit, so only the commit of a block that excludes others is such a change, and what works
 * on the whole heap. Other stores exclude nobody who holds the lock for reading either: a reader loses nothing by not holding it.
 *
 * <p>What a reader loads meanwhile may contradict itself, and may be used only once {@link #isStill} has returned true: the fence
 * there keeps the loads before the second look at the version, as the volatile first look keeps them behind it.
 */
final class PageVersion {
    private volatile long version;

    /** The caller excludes all other changes, until {@link #endChange}. */
    void beginChange() {
        version = version + 1;
        // No store to a page may be seen before this.
        VarHandle.fullFence();
    }

    void endChange() {
        version = version + 1;
    }

    /** Odd if a change is under way. */
    long current() {
        return version;
    }

    /** True if there was no change since {@link #current} returned this even number. */
    boolean isStill(long then) {
        VarHandle.acquireFence();
        return version == then;
    }
}
