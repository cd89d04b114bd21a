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
 * The redo log of an open heap. Records are appended in memory, under one lock, in the order of commits; the first thread that
 * waits for its record writes and syncs all that was appended, the others wait for it (group commit).
 *
 * <p>Positions: {@code kept <= start <= synced <= written <= end}. Replay begins at {@code start}. What lies before {@code kept} may
 * be overwritten. From there to {@code start} is the last record that replay does not need: an opening sees by it that the log has
 * been at {@code start}, also when a crash of the machine has lost the records behind, and kept others that fill the ring.
 * After an error of the device the log refuses everything: what it holds is then known only to a recovery.
 *
 * <p>A device without room is no such error: a write that had none is repeated, with the same bytes at the same place, and {@link
 * #append} refuses records until it has succeeded. What a sync could not do is never repeated.
 */
public final class RedoLog implements AutoCloseable {
    private final Path heap;
    private final LogFile file;
    private final long life;
    private final Runnable wantsCheckpoint;
    /** Positions of records, with that of the record before each. */
    private final TreeMap<Long, Long> unapplied = new TreeMap<>();
    private byte[] pending = new byte[1 << 16];
    private byte[] spare = new byte[1 << 16];
    private int pendingLength;
    /** Bytes of {@link #spare} that the writing thread puts into the file at {@link #written}. */
    private int unwritten;
    /** The writing thread has not ended that. */
    private boolean isPutting;
    /** The device had no room for {@link #unwritten} bytes. Written under the lock. */
    private volatile boolean lacksRoom;
    /** Why the last checkpoint that the device had no room for ended, and how many there were. */
    private HeapFullException noCheckpoint;
    private long failedCheckpoints;
    private final Followers followers = new Followers();
    private long kept;
    private long start;
    /** This and the next are written under the lock. */
    private volatile long synced;
    private volatile long written;
    /** Position of the last record, or {@code end} before the first. */
    private long last;
    private long end;
    private boolean writing;
    /** Records that wait until all before them are in the pages. */
    private int settling;
    private HeapException failure;
    /** The failure is an error, and not that the heap is read-only or closed. */
    private boolean broken;
    private final Awaited awaited = new Awaited();

    /**
     * @param heap whose log it is
     * @param wantsCheckpoint called, without waiting for it, when the log fills up; may be called often
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
     * Appends a record, waiting for a checkpoint if the ring is full. The caller changes the pages next, then calls {@link
     * #applied}.
     *
     * @return the record's position
     * @throws HeapFullException if the device has no room: the record is not in the log, and may be appended later
     */
    public long append(LogRecord record) {
        checkLength(record);
        writeAgain();
        return appendWhenFits(record);
    }

    /**
     * Repeats the last write, if the device had no room for it. Not under the lock.
     *
     * @throws HeapFullException if it still has none
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
            // While it waited, another thread may have copied content that must come before this record.
        } while (settling > 0);
        return appendNow(record);
    }

    /**
     * Appends a record once all records before it are in the pages; no other comes in between.
     *
     * @param fill adds to the record what it has
     * @return the record's position; call {@link #applied} as after {@link #append}
     * @throws HeapFullException if a checkpoint is needed, and the device has no room for it: the record is not in the log
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

    /** The log is half full: from here on it asks for a checkpoint with each record. */
    public synchronized boolean needsCheckpoint() {
        return end - start > file.capacity() / 2;
    }

    private void askForCheckpoint(long position) {
        try {
            wantsCheckpoint.run();
        } catch (HeapFullException e) {
            // The next record asks again, and one that needs the room is refused.
        } catch (Throwable e) {
            // The record is in the log, and its changes are never made.
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
     * How far the pages are.
     *
     * @param position before which all records are in the pages
     * @param last the position of the last one of them
     */
    public record Applied(long position, long last) {
    }

    /** The record's changes are in the pages. */
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

    /** A checkpoint has ended, as the device had no room for it: who waits for one is told. */
    public synchronized void checkpointFailed(HeapFullException reason) {
        noCheckpoint = reason;
        failedCheckpoints++;
        notifyAll();
    }

    /**
     * Returns once all records before {@code position} are in the page cache: they survive this process.
     *
     * @throws HeapFullException if the device has no room: the records stay in memory, and the next call writes them
     */
    public void write(long position) {
        reach(position, null);
    }

    /** Returns once all records before {@code position} are on stable storage; or throws as {@link #write}. */
    public void sync(long position, Site site) {
        reach(position, site);
    }

    /** @param site of the sync that is needed, or null for none */
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
                    // Not by a method of its own: an overflow of the stack at its call would let all wait for ever.
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

    /** By a thread that has stack, as the first part of a write may be repeated. */
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

    /** By the thread that has said that it is writing, or for it. */
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
            // Nothing is repeated from here on: the kernel may call pages clean after a sync that failed.
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
     * Completes when all that has been committed is on stable storage, whoever syncs it; exceptionally, with the reason, if the log
     * refuses everything before.
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

    /** Replay begins at this position from now on, and the space before the last record before it may be used again. */
    public void release(Applied applied) {
        synchronized (this) {
            kept = applied.last;
            start = applied.position;
            notifyAll();
        }
        // The heap file has them, durably.
        awaited.durable(applied.position);
    }

    /** A sync that found no room is an error: the system may have dropped what it should have written. */
    public static HeapException lasting(HeapException e) {
        return !(e instanceof HeapFullException) ? e : new HeapException(e.getMessage() + ". The system had taken what it then had"
                + " no room for, and may have dropped it, so a sync is not repeated, and the heap can only be read. Close it, make"
                + " room, and open it again", e);
    }

    /** Everything from now on is refused, for this reason: an error. */
    public synchronized void fail(HeapException reason) {
        boolean first = failure == null;
        // Before all that may fail itself: the error may be that there is no memory, or no stack.
        refuse(reason);
        broken |= first;
        HeapEvents.Failure event = first ? HeapEvents.failure() : null;
        if (event != null) {
            event.reason = reason.getMessage();
            event.end(heap);
        }
    }

    /** Everything from now on is refused, for this reason, as the heap's user wants it. */
    public synchronized void refuse(HeapException reason) {
        if (failure == null) {
            failure = reason;
        }
        notifyAll();
        Followers.wake(followers.take());
        awaited.fail(failure);
    }

    /** The error after which everything is refused; null if there was none. */
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

    /** Waits for a change. True if the thread was interrupted: a commit is never left half waited for. */
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
