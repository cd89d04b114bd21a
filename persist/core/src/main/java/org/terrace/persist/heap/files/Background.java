// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap.files;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapFullException;
import org.terrace.persist.log.RedoLog;
import org.terrace.persist.medium.Site;

/** The background thread of a heap. It makes checkpoints at the request of the log, and syncs the log at the interval of {@code GROUP}. */
final class Background implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger("org.terrace.persist");
    private static final long WARNING_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Thread thread;
    private final Runnable checkpoint;
    private final RedoLog log;
    private final long syncNanos;
    private boolean wanted;
    private boolean closed;
    /** When the program was last warned that the device has no space. */
    private long toldAt = System.nanoTime() - WARNING_NANOS;

    /** @param syncNanos interval of the syncs, or 0 for none */
    Background(String name, Runnable checkpoint, RedoLog log, long syncNanos) {
        this.checkpoint = checkpoint;
        this.log = log;
        this.syncNanos = syncNanos;
        this.thread = new Thread(this::run, name);
        thread.setDaemon(true);
        thread.start();
    }

    void requestCheckpoint() {
        lock.lock();
        try {
            wanted = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try {
            loop();
        } catch (Throwable e) {
            failed(e);
        }
    }

    /** Reports a failure. The log then rejects commits and the final checkpoint with this cause. */
    private void failed(Throwable cause) {
        log.fail(HeapException.of("the heap's own thread failed", cause));
    }

    private void loop() {
        while (true) {
            boolean makeCheckpoint;
            lock.lock();
            try {
                if (!wanted && !closed) {
                    await();
                }
                if (closed) {
                    return;
                }
                makeCheckpoint = wanted;
                wanted = false;
            } finally {
                lock.unlock();
            }
            work(makeCheckpoint);
        }
    }

    private void await() {
        try {
            if (syncNanos == 0) {
                changed.await();
            } else {
                changed.await(syncNanos, TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            // No other code uses this thread, and only close() ends it.
            Thread.interrupted();
        }
    }

    private void work(boolean makeCheckpoint) {
        try {
            if (makeCheckpoint) {
                runIfRoom(checkpoint);
            }
            if (syncNanos != 0) {
                runIfRoom(() -> log.sync(log.end(), Site.INTERVAL_SYNC));
            }
        } catch (Throwable e) {
            failed(e);
        }
    }

    /**
     * Runs work that may find no space on the device. The next commit or interval then repeats it. Threads that need it earlier get
     * the error from the log.
     */
    private void runIfRoom(Runnable work) {
        try {
            work.run();
        } catch (HeapFullException e) {
            if (System.nanoTime() - toldAt > WARNING_NANOS) {
                toldAt = System.nanoTime();
                LOGGER.log(System.Logger.Level.WARNING, e.getMessage() + ". The heap goes on, and tries again");
            }
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
