// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.log;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The threads that wait while another thread writes the log. The writer wakes all threads whose position is reached at once, and
 * one other thread, which writes next. A monitor would wake them one after another. A thread that is not woken checks again after a
 * timeout. This covers a lack of memory, in which a thread is not noted, and an error of the VM in the thread that should write
 * next.
 */
final class Followers {
    private static final long LOOK_AGAIN_NANOS = 100_000_000;

    private record Follower(Thread thread, long position, boolean sync) {
    }

    private List<Follower> waiting = new ArrayList<>();

    /**
     * Notes the current thread, under the lock of the log.
     *
     * @param sync whether the position must be on stable storage, not only written
     */
    void add(long position, boolean sync) {
        try {
            waiting.add(new Follower(Thread.currentThread(), position, sync));
        } catch (OutOfMemoryError e) {
            // The thread checks again after the timeout.
        }
    }

    /**
     * Removes and returns the threads to wake after the log was written and synced up to these positions. Called under the lock of
     * the log.
     */
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

    /** Removes and returns all threads. */
    List<Thread> take() {
        return take(Long.MAX_VALUE, Long.MAX_VALUE);
    }

    static void wake(List<Thread> threads) {
        threads.forEach(LockSupport::unpark);
    }

    /** Waits without the lock until the thread is woken or interrupted, or the timeout ends. It may also return without a reason. */
    static void await(Object log) {
        LockSupport.parkNanos(log, LOOK_AGAIN_NANOS);
    }
}
