// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.time.Duration;

/**
 * The condition under which a failure-atomic block returns. At each level, the heap contains a prefix of the committed blocks after
 * a crash.
 */
public final class Durability {
    /** Return once the block is on stable storage. Threads that commit at the same time share one sync. */
    public static final Durability SYNC = new Durability("SYNC", true, 0);

    /** Return once the block survives the end of this process. A crash of the machine may lose the blocks since the last checkpoint. */
    public static final Durability PROCESS = new Durability("PROCESS", false, 0);

    private final String name;
    private final boolean syncs;
    private final long nanos;

    private Durability(String name, boolean syncs, long nanos) {
        this.name = name;
        this.syncs = syncs;
        this.nanos = nanos;
    }

    /**
     * Like {@link #PROCESS}, but the log is synced at this interval. A crash of the machine loses the blocks of the last interval
     * and of the sync in progress.
     */
    public static Durability group(Duration interval) {
        if (interval.isNegative() || interval.isZero()) {
            throw new IllegalArgumentException("the interval must be positive, not " + interval);
        }
        return new Durability("GROUP(" + interval.toMillis() + " ms)", false, interval.toNanos());
    }

    boolean syncsEachCommit() {
        return syncs;
    }

    /** Nanoseconds between background syncs, or 0 if there are none. */
    public long syncNanos() {
        return nanos;
    }

    @Override
    public String toString() {
        return name;
    }
}
