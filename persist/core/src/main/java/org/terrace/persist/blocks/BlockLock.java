// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.blocks;

import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.terrace.persist.HeapException;
import org.terrace.persist.heap.StackRoom;

/**
 * The lock that isolates the blocks and reads of one heap. A thread holds it exclusively or shares it. It is reentrant, except that
 * a thread that shares it cannot acquire it exclusively. {@link QueuedLock} defines the order in which threads enter.
 *
 * <p>No error of the VM leaves the lock held, because stack space is checked and all memory is allocated before it is acquired.
 *
 * <p>A holder may wait for another thread that itself waits for the lock, such as a task of a parallel stream. Therefore a waiting
 * thread samples the holders. If a holder waits and shares the lock, other threads may share it ahead of threads that wait for
 * exclusive access. Otherwise the wait ends with an error once a holder has waited at one place for the limit.
 */
public final class BlockLock {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** One thread's hold on the lock. */
    public static final class Holder extends QueuedLock.Waiter {
        private final WeakReference<Thread> thread = new WeakReference<>(Thread.currentThread());
        /** Number of nested acquisitions. Only the thread itself writes it. */
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
    private final QueuedLock lock = new QueuedLock();
    private final Queue<Holder> holders = new ConcurrentLinkedQueue<>();
    private final ThreadLocal<Holder> own = ThreadLocal.withInitial(this::register);
    private volatile Holder exclusive;

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

    /** Whether this thread shares the lock. */
    boolean isShared() {
        Holder holder = own.get();
        return holder.isHolding() && !holder.exclusive;
    }

    /** @throws HeapException if a holder waits for longer than the limit */
    void lock(boolean exclusively) {
        lock(exclusively, true);
    }

    /** Acquires the lock exclusively and waits without a limit, because a heap that cannot be closed would stay open. */
    void lockPatiently() {
        lock(true, false);
    }

    private void lock(boolean exclusively, boolean givesUp) {
        StackRoom.ensure();
        Holder holder = own.get();
        if (!holder.isHolding()) {
            if (!(exclusively ? lock.tryExclude() : lock.tryShare(holder))) {
                await(holder, exclusively, givesUp);
            }
            holder.exclusive = exclusively;
            if (exclusively) {
                exclusive = holder;
            }
        } else if (exclusively && !holder.exclusive) {
            throw new IllegalStateException("a thread that reads " + heap + " cannot exclude others");
        }
        holder.depth++;
    }

    void unlock() {
        Holder holder = own.get();
        if (--holder.depth > 0) {
            return;
        }
        if (holder.exclusive) {
            exclusive = null;
        }
        lock.endPassing(holder);
        lock.release(holder.exclusive);
    }

    private void await(Holder holder, boolean exclusively, boolean givesUp) {
        Stall stall = new Stall(heap, limitNanos, givesUp);
        boolean interrupted = false;
        boolean entered = false;
        long looked = System.nanoTime();
        lock.enqueue(holder, exclusively);
        try {
            while (true) {
                entered = lock.tryEnter(holder);
                if (entered) {
                    return;
                }
                LockSupport.parkNanos(this, LOOK_NANOS);
                interrupted |= Thread.interrupted();
                if (System.nanoTime() - looked >= LOOK_NANOS) {
                    List<Holder> others = othersHolding();
                    if (exclusively || !passes(others)) {
                        stall.look(others, exclusively);
                    }
                    looked = System.nanoTime();
                }
            }
        } finally {
            if (!entered) {
                lock.leave(holder);
            }
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

    /** Whether this thread, which wants to share the lock, may pass the threads that want it exclusively. */
    private boolean passes(List<Holder> sharing) {
        for (Holder holder : sharing) {
            Thread thread = holder.thread();
            if (!holder.exclusive && Stall.isWaiting(thread) && lock.letPass(holder, longestWait(thread))) {
                // The holder may have released the lock before it could see that it was passed.
                if (holder.isHolding()) {
                    return true;
                }
                lock.endPassing(holder);
            }
        }
        return false;
    }

    /** A wait without a time limit counts as a stall after the limit, so sharing threads pass before that. */
    private long longestWait(Thread thread) {
        return thread.getState() == Thread.State.TIMED_WAITING ? Long.MAX_VALUE : limitNanos / 2;
    }
}
