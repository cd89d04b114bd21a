// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.log;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapFullException;
import org.terrace.persist.events.HeapEvents;
import org.terrace.persist.medium.Site;

/**
 * The redo log of an open heap. Records are appended in memory under one lock, in the order of commits. The first thread that waits
 * for its record writes and syncs everything that was appended. The other threads wait for it (group commit).
 *
 * <p>The positions satisfy {@code kept <= start <= synced <= written <= end}. Replay begins at {@code start}. The space before
 * {@code kept} may be overwritten. The space from there to {@code start} contains the last record that replay does not need. From
 * this record, an opening detects that the log has reached {@code start}. This works even if a crash of the machine has lost the
 * next records and kept others that fill the ring. After an error of the device the log rejects all operations, because only a
 * recovery can determine its contents.
 *
 * <p>A full device is not such an error. The failed write is repeated with the same bytes at the same place, and {@link #append}
 * rejects records until it has succeeded. A failed sync is never repeated.
 */
public final class RedoLog implements AutoCloseable {
    private final Path heap;
    private final LogFile file;
    private final long life;
    private final Runnable wantsCheckpoint;
    /** Positions of records that are not yet applied, with the position of the previous record. */
    private final TreeMap<Long, Long> unapplied = new TreeMap<>();
    private byte[] pending = new byte[1 << 16];
    private byte[] spare = new byte[1 << 16];
    private int pendingLength;
    /** Bytes of {@link #spare} that the writing thread writes to the file at {@link #written}. */
    private int unwritten;
    /** True while that write has not finished. */
    private boolean isPutting;
    /** True if the device had no space for {@link #unwritten} bytes. Written under the lock. */
    private volatile boolean lacksRoom;
    /** Why the last checkpoint failed on a full device, and how many have failed. */
    private HeapFullException noCheckpoint;
    private long failedCheckpoints;
    private final Followers followers = new Followers();
    private long kept;
    private long start;
    /** This field and the next are written under the lock. */
    private volatile long synced;
    private volatile long written;
    /** Position of the last record, or {@code end} before the first record. */
    private long last;
    private long end;
    private boolean writing;
    /** Number of appends that wait until all earlier records are in the pages. */
    private int settling;
    private HeapException failure;
    /** Whether the failure is an error, not a read-only or closed heap. */
    private boolean broken;
    private final Awaited awaited = new Awaited();

    /**
     * @param heap path of the log's heap
     * @param wantsCheckpoint requests a checkpoint without waiting for it. Called when the log fills up, possibly often
     */
    public RedoLog(Path heap, LogFile file, long life, long end, Runnable wantsCheckpoint) {
        this.heap = heap;
        this.file = file;
        this.life = life;
        this.kept = end;
        this.start = end;
        this.synced = end;
        this.written = end;
        this.last = end;
        this.end = end;
        this.wantsCheckpoint = wantsCheckpoint;
    }

    /**
     * Appends a record, and waits for a checkpoint if the ring is full. The caller then changes the pages and calls
     * {@link #applied}.
     *
     * @return the record's position
     * @throws HeapFullException if the device has no space. The record is not in the log, and may be appended later
     */
    public long append(LogRecord record) {
        checkLength(record);
        writeAgain();
        return appendWhenFits(record);
    }

    /**
     * Repeats the last write if it failed on a full device. Must not be called under the lock.
     *
     * @throws HeapFullException if the device still has no space
     */
    public void writeAgain() {
        if (!lacksRoom) {
            return;
        }
        long position;
        synchronized (this) {
            position = written + unwritten;
        }
        try {
            write(position);
        } catch (HeapFullException e) {
            throw new HeapFullException(e.getMessage() + ". Earlier changes are not in the log yet, so nothing was changed now."
                    + " Changes are possible again once there is room");
        }
    }

    private synchronized long appendWhenFits(LogRecord record) {
        do {
            awaitSettling();
            awaitRoom(record.length());
            // While the thread waited, another one may have copied contents that must come before this record.
        } while (settling > 0);
        return appendNow(record);
    }

    /**
     * Appends a record once all earlier records are in the pages. No other record comes between.
     *
     * @param fill adds the operations to the record
     * @return the record's position. Call {@link #applied} as after {@link #append}
     * @throws HeapFullException if a checkpoint is needed and the device has no space for it. The record is not in the log
     */
    public synchronized long appendSettled(LogRecord record, Runnable fill) {
        boolean interrupted = false;
        settling++;
        try {
            while (!unapplied.isEmpty()) {
                interrupted |= await();
            }
            fill.run();
            checkLength(record);
            return appendNow(record);
        } finally {
            settling--;
            notifyAll();
            restore(interrupted);
        }
    }

    private void awaitSettling() {
        boolean interrupted = false;
        try {
            while (settling > 0) {
                interrupted |= await();
            }
        } finally {
            restore(interrupted);
        }
    }

    /** @throws HeapException if a record is too long for the log */
    public void checkLength(LogRecord record) {
        if (record.length() > file.capacity() / 2) {
            throw new HeapException("the block changes " + record.length() + " bytes, half of the log " + file.path() + " holds "
                    + file.capacity() / 2 + ": split the block, or create the heap with a larger logSize");
        }
    }

    private long appendNow(LogRecord record) {
        int length = record.length();
        awaitRoom(length);
        checkUsable();
        record.seal(end, synced, life);
        if (pendingLength + length > pending.length) {
            pending = java.util.Arrays.copyOf(pending, Math.max(2 * pending.length, pendingLength + length));
        }
        long position = end;
        unapplied.put(position, last);
        last = position;
        System.arraycopy(record.bytes(), 0, pending, pendingLength, length);
        pendingLength += length;
        end += length;
        if (needsCheckpoint()) {
            askForCheckpoint(position);
        }
        return position;
    }

    /** Whether the log is more than half full. If so, it requests a checkpoint with each record. */
    public synchronized boolean needsCheckpoint() {
        return end - start > file.capacity() / 2;
    }

    private void askForCheckpoint(long position) {
        try {
            wantsCheckpoint.run();
        } catch (HeapFullException e) {
            // The next record repeats the request. A record that needs the space is rejected.
        } catch (Throwable e) {
            // The record is in the log, but its changes will not be made.
            fail(HeapException.of("no checkpoint could be asked for", e));
            unapplied.remove(position);
            throw e;
        }
    }

    private void awaitRoom(int length) {
        if (end + length - kept <= file.capacity()) {
            return;
        }
        boolean interrupted = false;
        HeapEvents.LogWait event = HeapEvents.logWait();
        long failedBefore = failedCheckpoints;
        try {
            while (end + length - kept > file.capacity()) {
                if (failedCheckpoints > failedBefore) {
                    throw new HeapFullException(noCheckpoint.getMessage() + ". The log is full until a checkpoint has succeeded,"
                            + " so nothing was changed. Changes are possible again once there is room");
                }
                wantsCheckpoint.run();
                if (end + length - kept > file.capacity()) {
                    interrupted |= await();
                }
            }
        } finally {
            restore(interrupted);
            if (event != null) {
                event.bytes = length;
                event.end(heap);
            }
        }
    }

    /**
     * The progress of applying records to the pages.
     *
     * @param position all records before this position are in the pages
     * @param last position of the last of these records
     */
    public record Applied(long position, long last) {
    }

    /** Notes that the record's changes are in the pages. */
    public synchronized void applied(long position) {
        unapplied.remove(position);
        notifyAll();
    }

    public synchronized Applied applied() {
        Map.Entry<Long, Long> oldest = unapplied.firstEntry();
        return oldest == null ? new Applied(end, last) : new Applied(oldest.getKey(), oldest.getValue());
    }

    public synchronized long end() {
        return end;
    }

    public synchronized long start() {
        return start;
    }

    public synchronized long synced() {
        return synced;
    }

    /** Notes that a checkpoint failed on a full device, and informs the threads that wait for one. */
    public synchronized void checkpointFailed(HeapFullException reason) {
        noCheckpoint = reason;
        failedCheckpoints++;
        notifyAll();
    }

    /**
     * Returns once all records before {@code position} are in the page cache, so that they survive this process.
     *
     * @throws HeapFullException if the device has no space. The records stay in memory, and the next call writes them
     */
    public void write(long position) {
        reach(position, null);
    }

    /** Returns once all records before {@code position} are on stable storage. Throws like {@link #write}. */
    public void sync(long position, Site site) {
        reach(position, site);
    }

    /** @param site site of the required sync, or null for none */
    private void reach(long position, Site site) {
        boolean sync = site != null;
        boolean interrupted = false;
        try {
            while (!hasReached(position, sync)) {
                boolean follows;
                synchronized (this) {
                    if (hasReached(position, sync)) {
                        return;
                    }
                    checkUsable();
                    follows = writing;
                    writing = true;
                    if (follows) {
                        followers.add(position, sync);
                    } else {
                        isPutting = true;
                    }
                }
                if (follows) {
                    Followers.await(this);
                    interrupted |= Thread.interrupted();
                } else {
                    // Not in a separate method, because a stack overflow at its call would let all threads wait forever.
                    try {
                        try {
                            writePending(site);
                        } catch (StackOverflowError e) {
                            if (!isPutting) {
                                throw e;
                            }
                            writeElsewhere(site);
                        }
                    } catch (Throwable e) {
                        endWrite(e);
                        throw e;
                    }
                }
            }
        } finally {
            restore(interrupted);
        }
    }

    private boolean hasReached(long position, boolean sync) {
        return (sync ? synced : written) >= position;
    }

    private synchronized void endWrite(Throwable cause) {
        writing = false;
        if (isPutting && cause instanceof HeapFullException) {
            lacksRoom = true;
            Followers.wake(followers.take());
            return;
        }
        fail(new HeapException("a write to " + file.path() + " was broken off: " + cause, cause));
    }

    /** Writes in a new thread, which has enough stack. The first part of a write may be repeated. */
    private void writeElsewhere(Site site) {
        FutureTask<Void> write = new FutureTask<>(() -> writePending(site), null);
        new Thread(null, write, "terrace-persist " + file.path().getFileName()).start();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    write.get();
                    return;
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw HeapException.of("a write to " + file.path() + " was broken off", e.getCause());
                }
            }
        } finally {
            restore(interrupted);
        }
    }

    /** Called by the thread that has set the writing flag, or on its behalf. */
    private void writePending(Site site) {
        byte[] bytes;
        int length;
        long from;
        synchronized (this) {
            checkUsable();
            if (unwritten == 0) {
                byte[] free = spare;
                spare = pending;
                pending = free;
                unwritten = pendingLength;
                pendingLength = 0;
            }
            bytes = spare;
            length = unwritten;
            from = written;
        }
        try {
            if (length > 0) {
                file.write(from, bytes, length);
            }
            // Nothing is repeated from here on, because the kernel may mark pages clean after a failed sync.
            isPutting = false;
            if (site != null) {
                file.sync(site);
            }
        } catch (HeapException e) {
            if (isPutting && e instanceof HeapFullException) {
                throw e;
            }
            HeapException lasting = lasting(e);
            fail(lasting);
            throw lasting;
        }
        List<Thread> woken;
        synchronized (this) {
            writing = false;
            unwritten = 0;
            lacksRoom = false;
            written = from + length;
            synced = site != null || file.isMapped() ? written : synced;
            woken = followers.take(written, synced);
        }
        Followers.wake(woken);
        awaited.durable(synced());
    }

    /**
     * Completes when everything committed so far is on stable storage, no matter which thread syncs it. If the log fails before, it
     * completes exceptionally with the cause.
     */
    public CompletableFuture<Void> whenDurable() {
        HeapException refused;
        CompletableFuture<Void> future;
        synchronized (this) {
            refused = failure;
            if (refused == null && Math.max(synced, start) >= end) {
                return CompletableFuture.completedFuture(null);
            }
            future = refused == null ? awaited.add(end) : new CompletableFuture<>();
        }
        if (refused != null) {
            future.completeExceptionally(refused);
        }
        return future;
    }

    /** Moves the start of the replay to this position. The space before the last record before it may be reused. */
    public void release(Applied applied) {
        synchronized (this) {
            kept = applied.last;
            start = applied.position;
            notifyAll();
        }
        // These records are durable in the heap file.
        awaited.durable(applied.position);
    }

    /** Converts a sync failure on a full device into a permanent error, because the system may have discarded unwritten data. */
    public static HeapException lasting(HeapException e) {
        return !(e instanceof HeapFullException) ? e : new HeapException(e.getMessage() + ". The system had taken what it then had"
                + " no room for, and may have dropped it, so a sync is not repeated, and the heap can only be read. Close it, make"
                + " room, and open it again", e);
    }

    /** Rejects all further operations because of an error. */
    public synchronized void fail(HeapException reason) {
        boolean first = failure == null;
        // This comes first, because the following operations may fail too if memory or stack is exhausted.
        refuse(reason);
        broken |= first;
        HeapEvents.Failure event = first ? HeapEvents.failure() : null;
        if (event != null) {
            event.reason = reason.getMessage();
            event.end(heap);
        }
    }

    /** Rejects all further operations at the request of the heap's user. */
    public synchronized void refuse(HeapException reason) {
        if (failure == null) {
            failure = reason;
        }
        notifyAll();
        Followers.wake(followers.take());
        awaited.fail(failure);
    }

    /** The error after which all operations are rejected, or null if there was none. */
    public synchronized HeapException error() {
        return broken ? failure : null;
    }

    public synchronized boolean hasFailed() {
        return failure != null;
    }

    public synchronized void checkUsable() {
        if (failure != null) {
            throw new HeapException("the heap can only be read since an earlier error; close and open it again: "
                    + failure.getMessage(), failure);
        }
    }

    /** Waits for a change. Returns true if the thread was interrupted. The wait for a commit always continues. */
    private boolean await() {
        checkUsable();
        try {
            wait();
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    private static void restore(boolean interrupted) {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        file.close();
    }
}
