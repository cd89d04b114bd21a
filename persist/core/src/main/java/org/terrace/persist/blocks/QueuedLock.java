// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.blocks;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock that threads share or one thread holds exclusively, with a queue of waiting threads. A thread keeps its place in the queue
 * until it enters or gives up, even if it wakes up in between. Not reentrant.
 *
 * <p>A thread that shares the lock enters after all threads that have waited longer for exclusive access. A holder can make an
 * exception ({@link #letPass}). A thread that wants exclusive access may overtake the queue when it arrives while the lock is free,
 * because a change of threads costs more than a short block. It may not overtake a thread that has waited for
 * {@link #OVERTAKING_NANOS}.
 *
 * <p>A release wakes only threads that may enter. No method allocates memory, so no error of the VM comes between the lock and its
 * release.
 */
final class QueuedLock {
    private static final long OVERTAKING_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** A thread that holds the lock or waits for it. */
    static class Waiter {
        /**
         * The time of entry, if another thread waited for exclusive access then, otherwise the creation time of the lock. Not
         * volatile, because readers first see in a volatile field that this thread holds the lock.
         */
        private long entered;
        /** The remaining fields are guarded by the lock's monitor and used while the thread waits. */
        private Thread parked;
        private boolean wantsAll;
        private long ticket;
        private long since;
        private Waiter previous;
        private Waiter next;
    }

    /** Waiting threads in the order of their tickets. */
    private static final class Line {
        private volatile Waiter first;
        private Waiter last;

        void add(Waiter waiter) {
            waiter.previous = last;
            if (last == null) {
                first = waiter;
            } else {
                last.next = waiter;
            }
            last = waiter;
        }

        void remove(Waiter waiter) {
            if (waiter.next == null) {
                last = waiter.previous;
            } else {
                waiter.next.previous = waiter.previous;
            }
            if (waiter.previous == null) {
                first = waiter.next;
            } else {
                waiter.previous.next = waiter.next;
            }
            waiter.next = null;
            waiter.previous = null;
        }
    }

    private final long created = System.nanoTime();
    /** -1 when held exclusively, otherwise the number of threads that share the lock. */
    private final AtomicInteger state = new AtomicInteger();
    private final Line forAll = new Line();
    private final Line forShares = new Line();
    private long tickets;
    /** True if no thread may overtake the queue. */
    private volatile boolean ordered;
    /** A holder that shares the lock. While it is set, sharing threads pass the threads that want the lock exclusively. */
    private volatile Waiter passed;

    /** Tries to share the lock, for a thread that is not in the queue. */
    boolean tryShare(Waiter waiter) {
        Waiter writer = forAll.first;
        return (writer == null || passed != null) && share(waiter, writer);
    }

    private boolean share(Waiter waiter, Waiter writer) {
        for (int shares = state.get(); shares >= 0; shares = state.get()) {
            if (state.compareAndSet(shares, shares + 1)) {
                waiter.entered = writer == null ? created : System.nanoTime();
                return true;
            }
        }
        return false;
    }

    /** Tries to acquire the lock exclusively, for a thread that is not in the queue. */
    boolean tryExclude() {
        return !ordered && state.compareAndSet(0, -1);
    }

    /**
     * Adds a thread to the queue. The thread then calls {@link #tryEnter}, and again whenever it is woken, until that returns true
     * or it calls {@link #leave}.
     */
    synchronized void enqueue(Waiter waiter, boolean exclusively) {
        waiter.parked = Thread.currentThread();
        waiter.wantsAll = exclusively;
        waiter.ticket = ++tickets;
        waiter.since = System.nanoTime();
        (exclusively ? forAll : forShares).add(waiter);
    }

    /** Tries to enter, for a thread in the queue. If the result is true, the thread holds the lock and has left the queue. */
    synchronized boolean tryEnter(Waiter waiter) {
        boolean enters = waiter.wantsAll
                ? waiter == forAll.first && !isBefore(forShares.first, waiter) && state.compareAndSet(0, -1)
                : mayShare(waiter) && share(waiter, forAll.first);
        if (enters) {
            remove(waiter);
        }
        return enters;
    }

    private boolean mayShare(Waiter waiter) {
        return passed != null || !isBefore(forAll.first, waiter);
    }

    private static boolean isBefore(Waiter one, Waiter other) {
        return one != null && one.ticket < other.ticket;
    }

    private void remove(Waiter waiter) {
        (waiter.wantsAll ? forAll : forShares).remove(waiter);
        waiter.parked = null;
        if (!isAwaited()) {
            ordered = false;
        }
    }

    /** Removes a thread that gives up. */
    synchronized void leave(Waiter waiter) {
        remove(waiter);
        wake();
    }

    void release(boolean exclusively) {
        if (exclusively) {
            state.set(0);
        } else if (state.decrementAndGet() > 0) {
            return;
        }
        // A thread tries to enter after it has enqueued itself, so one of the two threads sees the other.
        if (isAwaited()) {
            wake();
        }
    }

    private boolean isAwaited() {
        return forAll.first != null || forShares.first != null;
    }

    private synchronized void wake() {
        Waiter writer = forAll.first;
        Waiter sharer = forShares.first;
        if (writer == null && sharer == null) {
            return;
        }
        Waiter oldest = writer == null || sharer != null && isBefore(sharer, writer) ? sharer : writer;
        ordered = System.nanoTime() - oldest.since > OVERTAKING_NANOS;
        if (oldest == writer && state.get() == 0) {
            LockSupport.unpark(writer.parked);
        } else if (state.get() >= 0) {
            wakeSharers();
        }
    }

    private void wakeSharers() {
        for (Waiter sharer = forShares.first; sharer != null && mayShare(sharer); sharer = sharer.next) {
            LockSupport.unpark(sharer.parked);
        }
    }

    /**
     * Lets sharing threads pass the threads that want the lock exclusively, as long as this holder shares it.
     *
     * <p>If the holder entered a time t after the first exclusive waiter, it must have held the lock for t as well. Otherwise a
     * succession of holders could exclude that waiter forever. So it waits at most three times as long as the longest hold.
     *
     * @param mostNanos maximum hold time that is required of a holder
     * @return whether threads may pass
     */
    synchronized boolean letPass(Waiter holder, long mostNanos) {
        Waiter writer = forAll.first;
        if (writer != null) {
            long entered = holder.entered;
            if (System.nanoTime() - entered < Math.min(entered - writer.since, mostNanos)) {
                return false;
            }
            passed = holder;
            wakeSharers();
        }
        return true;
    }

    /** Ends the passing, because the holder is about to release the lock or has done so. */
    void endPassing(Waiter holder) {
        if (passed == holder) {
            clearPassed(holder);
        }
    }

    private synchronized void clearPassed(Waiter holder) {
        if (passed == holder) {
            passed = null;
        }
    }
}
