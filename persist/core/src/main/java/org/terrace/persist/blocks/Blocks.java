// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.blocks;

import java.nio.file.Path;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.events.HeapEvents;
import org.terrace.persist.fa.Publication;
import org.terrace.persist.fa.Transaction;
import org.terrace.persist.heap.StackRoom;
import org.terrace.persist.heap.files.Store;

/**
 * The failure-atomic blocks and reads of an open heap. It isolates them from each other and from operations on the whole heap, and
 * closes the heap after the last one.
 */
public final class Blocks {
    /** Runs the code of a block with its heap as the one in which objects are created. */
    public interface Scope {
        <T> T run(Supplier<T> code);
    }

    private final Scope scope;
    private final Path path;
    private final Store store;
    private final HeapOptions options;
    private final Fields fields;
    private final Publication publication;
    private final PageVersion version;
    private final LogSync sync;
    private final BlockLock isolation;
    private final ConcurrentLinkedDeque<Transaction> idle = new ConcurrentLinkedDeque<>();
    private final AtomicLong rollbacks = new AtomicLong();
    /** Held while {@link #keepOpen} runs code. */
    private final Object keeping = new Object();
    private volatile boolean closed;

    public Blocks(Scope scope, Store store, HeapOptions options, Fields fields, Publication publication, PageVersion version,
            LogSync sync) {
        this.scope = scope;
        this.path = store.path();
        this.store = store;
        this.options = options;
        this.fields = fields;
        this.publication = publication;
        this.version = version;
        this.sync = sync;
        this.isolation = new BlockLock(path, options.stallLimit());
    }

    /**
     * Runs a failure-atomic block, which returns when its changes are as durable as the heap promises.
     *
     * @param alone whether the block excludes all other blocks and reads. Otherwise the program isolates it
     */
    public <T> T atomic(boolean alone, Supplier<T> block) {
        return atomic(alone, block, true);
    }

    /** Runs a block whose changes become durable with the next {@code psync} or commit. */
    public void atomicWithoutSync(Runnable block) {
        atomic(true, () -> {
            block.run();
            return null;
        }, false);
    }

    private <T> T atomic(boolean alone, Supplier<T> block, boolean durable) {
        Transaction outer = fields.transaction();
        if (outer != null) {
            return nested(outer, block);
        }
        if (isolation.isShared()) {
            throw new IllegalStateException("a failure-atomic block inside Heap.read: start the block outside");
        }
        T result;
        long position;
        HeapEvents.Commit event;
        isolation.lock(alone);
        try {
            Transaction transaction = begin(alone);
            boolean ended = false;
            try {
                result = scope.run(block);
                event = HeapEvents.commit();
                position = alone ? commitAlone(transaction) : commit(transaction);
                ended = true;
                if (event != null) {
                    event.committed(transaction.committedBytes(), transaction.committedBlocks());
                }
            } catch (Throwable e) {
                transaction.abort();
                rollbacks.incrementAndGet();
                ended = true;
                throw e;
            } finally {
                end(transaction, ended);
            }
        } finally {
            isolation.unlock();
        }
        if (durable && position >= 0) {
            sync.makeDurable(position);
        }
        if (event != null && position >= 0) {
            event.end(path, options.durability().toString());
        }
        return result;
    }

    private long commitAlone(Transaction transaction) {
        version.beginChange();
        try {
            return commit(transaction);
        } finally {
            version.endChange();
        }
    }

    private long commit(Transaction transaction) {
        boolean committed = false;
        try {
            long position = transaction.commit();
            committed = true;
            return position;
        } finally {
            tellCommitted(transaction, committed);
        }
    }

    private void tellCommitted(Transaction transaction, boolean committed) {
        try {
            transaction.tellCommitted(committed);
        } catch (Throwable e) {
            store.journal().fail("what is kept in memory could not be told of a commit", e);
            throw e;
        }
    }

    private <T> T nested(Transaction outer, Supplier<T> block) {
        // Reserves stack for the handler, and for the outer block's code after the next change.
        StackRoom.ensure();
        long before = outer.changes();
        try {
            return scope.run(block);
        } catch (Throwable e) {
            if (outer.changes() != before) {
                outer.fail(e);
            }
            throw e;
        }
    }

    private Transaction begin(boolean alone) {
        checkOpen();
        store.log().checkUsable();
        return beginToRead(alone);
    }

    private Transaction beginToRead(boolean alone) {
        checkOpen();
        Transaction transaction = idle.poll();
        if (transaction == null) {
            transaction = newTransaction();
        }
        transaction.begin(!alone);
        fields.enter(transaction, alone);
        return transaction;
    }

    public Transaction newTransaction() {
        return new Transaction(store.journal(), store.allocator(), publication);
    }

    private void end(Transaction transaction, boolean isReusable) {
        fields.leave();
        try {
            if (isReusable) {
                idle.push(transaction);
                return;
            }
        } catch (OutOfMemoryError e) {
            // The block is already committed or rolled back. It is only not reused.
        }
        transaction.close();
    }

    /**
     * Runs a method that is declared failure-atomic. Such a block is also allowed inside {@code Heap.read} and in a heap that can only
     * be read, if it changes nothing. For example, {@code equals} is called from there.
     */
    public <T> T method(Supplier<T> block) {
        if (fields.isInBlock() || !isolation.isShared() && isWritable()) {
            return atomic(true, block);
        }
        return read(() -> unchanging(block));
    }

    private <T> T unchanging(Supplier<T> block) {
        Transaction transaction = beginToRead(false);
        long before = transaction.changes();
        try {
            T result = scope.run(block);
            if (transaction.changes() != before) {
                store.log().checkUsable();
                throw new IllegalStateException("a failure-atomic method changes " + path + " inside Heap.read: call it outside");
            }
            return result;
        } finally {
            transaction.abort();
            rollbacks.incrementAndGet();
            end(transaction, true);
        }
    }

    /** Runs a function that sees no partial effects of a block. It must not change anything. */
    public <T> T read(Supplier<T> function) {
        if (fields.isInBlock()) {
            return function.get();
        }
        isolation.lock(false);
        try {
            return function.get();
        } finally {
            isolation.unlock();
        }
    }

    /** Runs code while no other thread runs a block or read. */
    public void exclusively(String what, Runnable code) {
        lockExclusively(what);
        try {
            checkOpen();
            code.run();
        } finally {
            isolation.unlock();
        }
    }

    /** A thread in a block or a read cannot acquire the lock exclusively, because it would wait for itself. */
    public void lockExclusively(String what) {
        checkOutside(what);
        isolation.lock(true);
    }

    private void checkOutside(String what) {
        if (fields.isInBlock() || isolation.isShared()) {
            throw new IllegalStateException(what + " of " + path + " inside a failure-atomic block or Heap.read");
        }
    }

    public void checkOpen() {
        if (closed) {
            throw new HeapException("heap " + path + " is closed");
        }
    }

    /** Excludes exclusive blocks and operations on the whole heap. A thread that is in a block or a read may call it too. */
    public void lockShared() {
        isolation.lock(false);
    }

    /** Releases the lock that {@link #lockExclusively} or {@link #lockShared} acquired. */
    public void unlock() {
        isolation.unlock();
    }

    /** Runs code beside blocks and reads, one at a time. Closing waits for it. */
    public void keepOpen(Runnable code) {
        synchronized (keeping) {
            checkOpen();
            code.run();
        }
    }

    /** Waits for running blocks and reads, and for {@link #keepOpen}. Then it closes the heap. */
    public void close() {
        checkOutside("closing");
        isolation.lockPatiently();
        version.beginChange();
        try {
            synchronized (keeping) {
                if (!closed) {
                    closed = true;
                    idle.forEach(Transaction::close);
                    store.close();
                }
            }
        } finally {
            version.endChange();
            isolation.unlock();
        }
    }

    public boolean isWritable() {
        return !closed && !store.log().hasFailed();
    }

    public long rollbacks() {
        return rollbacks.get();
    }
}
