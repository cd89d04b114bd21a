// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.terrace.persist.HeapException;
import org.terrace.persist.log.RedoLog;
import org.terrace.persist.medium.Site;

/** The heap's own thread: checkpoints when the log asks for one, and syncs the log at the interval of {@code GROUP}. */
final class Background implements AutoCloseable {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Thread thread;
    private final Runnable checkpoint;
    private final RedoLog log;
    private final long syncNanos;
    private boolean wanted;
    private boolean closed;

    /** @param syncNanos 0 for no syncs at intervals */
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

    /** Commits, and the closing, see it: the log refuses them with this reason. */
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
            // Nobody else has this thread; only close() ends it.
            Thread.interrupted();
        }
    }

    private void work(boolean makeCheckpoint) {
        try {
            if (makeCheckpoint) {
                checkpoint.run();
            }
            if (syncNanos != 0) {
                log.sync(log.end(), Site.INTERVAL_SYNC);
            }
        } catch (Throwable e) {
            failed(e);
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
