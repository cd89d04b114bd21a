// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import org.terrace.persist.heap.StackRoom;

/**
 * What keeps blocks and reads of one heap apart: exclusive, or shared by threads. Reentrant, but for a thread that shares and wants
 * it exclusively. Who shares comes after a thread that waits for it exclusively.
 *
 * <p>No error of the VM leaves it held: room on the stack is there, and all memory allocated, before it is taken.
 *
 * <p>A thread that holds it may wait for another, which waits for the lock: the tasks of a parallel stream, for one. So a thread
 * that waits looks at those that hold it. If one of them waits and shares the lock, others that want to share it pass the thread
 * that waits for it exclusively. Otherwise the wait ends with an error when a holder has waited at one place for the limit.
 */
final class BlockLock {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** What one thread has of the lock. */
    static final class Holder {
        private final WeakReference<Thread> thread = new WeakReference<>(Thread.currentThread());
        /** Of acquisitions, one within the other; written by the thread only. */
        private volatile int depth;
        private boolean exclusive;

        Thread thread() {
            return thread.get();
        }

        boolean isHolding() {
            return depth > 0;
        }
    }

    private final Path heap;
    private final long limitNanos;
    private final Sync sync = new Sync();
    private final Queue<Holder> holders = new ConcurrentLinkedQueue<>();
    private final ThreadLocal<Holder> own = ThreadLocal.withInitial(this::register);
    private final AtomicInteger waitingForAll = new AtomicInteger();
    private volatile Holder exclusive;
    /** It shares the lock and waits: while it does, those that share pass those that wait for it exclusively. */
    private volatile Holder passed;

    /** @param limit how long a holder of the lock may wait while others wait for it */
    BlockLock(Path heap, Duration limit) {
        this.heap = heap;
        this.limitNanos = limit.toNanos();
    }

    private Holder register() {
        holders.removeIf(holder -> holder.thread() == null);
        Holder holder = new Holder();
        holders.add(holder);
        return holder;
    }

    /** The state is -1 when held exclusively, otherwise the number of threads that share the lock. */
    private final class Sync extends AbstractQueuedSynchronizer {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean tryAcquire(int ignored) {
            return compareAndSetState(0, -1);
        }

        @Override
        protected boolean tryRelease(int ignored) {
            setState(0);
            return true;
        }

        @Override
        protected int tryAcquireShared(int ignored) {
            if (waitingForAll.get() > 0 && passed == null && hasQueuedPredecessors()) {
                return -1;
            }
            for (int state = getState(); state >= 0; state = getState()) {
                if (compareAndSetState(state, state + 1)) {
                    return 1;
                }
            }
            return -1;
        }

        @Override
        protected boolean tryReleaseShared(int ignored) {
            int state = getState();
            while (!compareAndSetState(state, state - 1)) {
                state = getState();
            }
            return state == 1;
        }
    }

    /** Whether this thread shares it. */
    boolean isShared() {
        Holder holder = own.get();
        return holder.isHolding() && !holder.exclusive;
    }

    /** @throws HeapException if a holder waits for longer than the limit */
    void lock(boolean exclusively) {
        lock(exclusively, true);
    }

    /** Excludes others, however long that takes: as a heap that could not be closed would stay open. */
    void lockPatiently() {
        lock(true, false);
    }

    private void lock(boolean exclusively, boolean givesUp) {
        StackRoom.ensure();
        Holder holder = own.get();
        if (!holder.isHolding()) {
            if (exclusively) {
                takeExclusively(givesUp);
                exclusive = holder;
            } else if (sync.tryAcquireShared(1) < 0) {
                await(false, givesUp);
            }
            holder.exclusive = exclusively;
        } else if (exclusively && !holder.exclusive) {
            throw new IllegalStateException("a thread that reads " + heap + " cannot exclude others");
        }
        holder.depth++;
    }

    private void takeExclusively(boolean givesUp) {
        if (sync.tryAcquire(1)) {
            return;
        }
        waitingForAll.incrementAndGet();
        try {
            await(true, givesUp);
        } finally {
            waitingForAll.decrementAndGet();
        }
    }

    void unlock() {
        Holder holder = own.get();
        if (--holder.depth > 0) {
            return;
        }
        if (passed == holder) {
            passed = null;
        }
        if (holder.exclusive) {
            exclusive = null;
            sync.release(1);
        } else {
            sync.releaseShared(1);
        }
    }

    private void await(boolean exclusively, boolean givesUp) {
        boolean interrupted = false;
        Stall stall = new Stall(heap, limitNanos, givesUp);
        // After each wait, this thread has lost its place in the queue, and readers behind it have entered. So these are long.
        long exclusiveNanos = Math.max(LOOK_NANOS, Stall.lookNanos(limitNanos));
        try {
            while (true) {
                try {
                    if (exclusively ? sync.tryAcquireNanos(1, exclusiveNanos) : sync.tryAcquireSharedNanos(1, LOOK_NANOS)) {
                        return;
                    }
                } catch (InterruptedException e) {
                    interrupted = true;
                }
                List<Holder> others = othersHolding();
                if (exclusively || !passes(others)) {
                    stall.look(others, exclusively);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private List<Holder> othersHolding() {
        Holder alone = exclusive;
        if (alone != null) {
            return List.of(alone);
        }
        List<Holder> sharing = new ArrayList<>();
        for (Holder holder : holders) {
            if (holder.isHolding()) {
                sharing.add(holder);
            }
        }
        return sharing;
    }

    /** Whether this thread, which wants to share, need not wait for those that want the lock exclusively. */
    private boolean passes(List<Holder> sharing) {
        for (Holder holder : sharing) {
            if (!holder.exclusive && Stall.isWaiting(holder.thread())) {
                passed = holder;
                // It may have released the lock before it could see that.
                if (holder.isHolding()) {
                    return true;
                }
                passed = null;
            }
        }
        return false;
    }
}
