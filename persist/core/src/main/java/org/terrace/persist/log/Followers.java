// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.log;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that wait for the one that writes the log. That wakes at once all that have what they wait for, where a monitor would let
 * each wake the next, and one that has not, to write for the others. Who is not woken looks again after a while: for want of memory
 * a thread may not be noted, and who was woken to write may end by an error of the VM before.
 */
final class Followers {
    private static final long LOOK_AGAIN_NANOS = 100_000_000;

    private record Follower(Thread thread, long position, boolean sync) {
    }

    private List<Follower> waiting = new ArrayList<>();

    /**
     * Notes the current thread, under the lock of the log.
     *
     * @param sync it needs the position on stable storage, not only written
     */
    void add(long position, boolean sync) {
        try {
            waiting.add(new Follower(Thread.currentThread(), position, sync));
        } catch (OutOfMemoryError e) {
            // It looks again by itself.
        }
    }

    /** Those to be woken, now that so much is written, and synced; under the lock of the log. */
    List<Thread> take(long written, long synced) {
        try {
            List<Thread> woken = new ArrayList<>(waiting.size());
            List<Follower> left = new ArrayList<>();
            boolean hasNext = false;
            for (Follower follower : waiting) {
                boolean reached = (follower.sync ? synced : written) >= follower.position;
                if (reached || !hasNext) {
                    hasNext |= !reached;
                    woken.add(follower.thread);
                } else {
                    left.add(follower);
                }
            }
            waiting = left;
            return woken;
        } catch (OutOfMemoryError e) {
            return List.of();
        }
    }

    /** All of them. */
    List<Thread> take() {
        return take(Long.MAX_VALUE, Long.MAX_VALUE);
    }

    static void wake(List<Thread> threads) {
        threads.forEach(LockSupport::unpark);
    }

    /** Waits to be woken, or a while, or until the thread is interrupted, or for no reason; without the lock. */
    static void await(Object log) {
        LockSupport.parkNanos(log, LOOK_AGAIN_NANOS);
    }
}
