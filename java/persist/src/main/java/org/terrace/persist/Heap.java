package org.terrace.persist;

import java.nio.file.Path;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.terrace.persist.fa.Transaction;
import org.terrace.persist.heap.Collector;
import org.terrace.persist.heap.HeapCheck;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.ObjectHeader;
import org.terrace.persist.heap.Store;
import org.terrace.persist.medium.Site;

/**
 * A heap of persistent objects in a file. What its named roots reach is there again after the program or the machine has
 * crashed; changes are made in failure-atomic blocks.
 *
 * <pre>{@code
 * try (Heap heap = Heap.open(Path.of("simple.heap"))) {
 *     Simple simple = heap.root("simple", Simple.class, () -> new Simple(heap, 42));
 *     heap.atomic(simple::increment);
 * }
 * }</pre>
 *
 * <p>Thread-safe. One heap may be open once, in one process. Methods throw {@link HeapException} when the device fails; the heap
 * can then only be read, and what it holds is decided when it is opened again.
 */
public final class Heap implements AutoCloseable {
    private final Path path;
    private final HeapOptions options;
    private final Store store;
    private final Fields fields;
    private final ClassTable classes;
    private final Roots roots;
    private final LowLevel lowLevel;
    private final ReentrantReadWriteLock isolation = new ReentrantReadWriteLock();
    private final ConcurrentLinkedDeque<Transaction> idle = new ConcurrentLinkedDeque<>();
    private volatile boolean closed;

    private Heap(Path path, HeapOptions options) {
        this.path = path;
        this.options = options;
        this.store = Store.open(path, options);
        try {
            this.fields = new Fields(store.space());
            this.classes = new ClassTable(this, store);
            this.roots = new Roots(this, store);
            this.lowLevel = new LowLevel(this, store);
            if (store.isRecovered() && !options.isReadOnly() && options.isCollectingAfterCrash()) {
                collect();
            }
        } catch (RuntimeException e) {
            store.abandon(new HeapException("the heap could not be opened", e));
            throw e;
        }
    }

    /** Opens a heap, or creates it, with the defaults. */
    public static Heap open(Path path) {
        return open(path, HeapOptions.defaults());
    }

    /**
     * Opens a heap, or creates it if the file does not exist. After a crash the log is replayed.
     *
     * @throws CorruptHeapException if the files are damaged or belong to different heaps; they are left as they are
     * @throws HeapException if the heap is open elsewhere, of another version, or cannot be accessed
     */
    public static Heap open(Path path, HeapOptions options) {
        return new Heap(path, options);
    }

    public Path path() {
        return path;
    }

    /** The object that a name stands for, or null. The type is checked. */
    public <T extends PersistentObject> T root(String name, Class<T> type) {
        return read(() -> {
            checkOpen();
            return roots.get(name, type);
        });
    }

    /** The object that a name stands for; made in a block, if there is none. */
    public <T extends PersistentObject> T root(String name, Class<T> type, Supplier<T> absent) {
        T found = root(name, type);
        if (found != null) {
            return found;
        }
        return atomic(Isolation.HEAP, () -> {
            T again = root(name, type);
            if (again != null) {
                return again;
            }
            T made = absent.get();
            setRoot(name, made);
            return made;
        });
    }

    /** Makes a name stand for an object, or for none if it is null. The object it stood for is not freed. */
    public void setRoot(String name, PersistentObject value) {
        atomic(() -> roots.set(name, value));
    }

    /** Runs a failure-atomic block that excludes all others. */
    public void atomic(Runnable block) {
        atomic(Isolation.HEAP, () -> {
            block.run();
            return null;
        });
    }

    /** Runs a failure-atomic block that excludes all others. */
    public <T> T atomic(Supplier<T> block) {
        return atomic(Isolation.HEAP, block);
    }

    /**
     * Runs a failure-atomic block: all of its changes are made, or none. Returns when they are as durable as the heap's
     * {@link Durability} promises. A block inside another is part of it. If the block throws, nothing is changed, and
     * the exception goes on; if a block inside it threw after a change, nothing is changed either, even if that was caught.
     *
     * @throws HeapFullException if there is no room for the changes: none is made
     * @throws IllegalStateException inside {@link #read}, which may not change anything
     */
    public <T> T atomic(Isolation kind, Supplier<T> block) {
        Transaction outer = fields.transaction();
        if (outer != null) {
            return nested(outer, block);
        }
        if (isolation.getReadHoldCount() > 0) {
            throw new IllegalStateException("a failure-atomic block inside Heap.read: start the block outside");
        }
        T result;
        long position;
        java.util.concurrent.locks.Lock lock = kind == Isolation.HEAP ? isolation.writeLock() : isolation.readLock();
        lock.lock();
        try {
            Transaction transaction = begin();
            boolean ended = false;
            try {
                result = block.get();
                position = transaction.commit();
                ended = true;
            } catch (Throwable e) {
                transaction.abort();
                ended = true;
                throw e;
            } finally {
                end(transaction, ended);
            }
        } finally {
            lock.unlock();
        }
        if (position >= 0) {
            makeDurable(position);
        }
        return result;
    }

    private <T> T nested(Transaction outer, Supplier<T> block) {
        long before = outer.changes();
        try {
            return block.get();
        } catch (Throwable e) {
            if (outer.changes() != before) {
                outer.fail(e);
            }
            throw e;
        }
    }

    private Transaction begin() {
        checkOpen();
        store.log().checkUsable();
        Transaction transaction = idle.poll();
        if (transaction == null) {
            transaction = new Transaction(store.journal(), store.allocator());
        }
        fields.enter(transaction);
        return transaction;
    }

    private void end(Transaction transaction, boolean isReusable) {
        fields.leave();
        if (isReusable) {
            idle.push(transaction);
        } else {
            transaction.close();
        }
    }

    private void makeDurable(long position) {
        if (options.durability().syncsEachCommit()) {
            store.log().sync(position, Site.COMMIT_SYNC);
        } else {
            store.log().write(position);
        }
    }

    /** Runs a function that sees no block half done. It may not change anything. */
    public <T> T read(Supplier<T> function) {
        isolation.readLock().lock();
        try {
            return function.get();
        } finally {
            isolation.readLock().unlock();
        }
    }

    /**
     * Frees an object, with the current block if there is one; of a collection, also the copies of values that it holds. Proxies
     * of it throw {@link FreedObjectException} from then on. References to it
     * are the caller's to change; a collection makes those that are left null.
     */
    public void free(PersistentObject object) {
        if (object.heap() != this) {
            throw new IllegalArgumentException(object + " is not in heap " + path);
        }
        if (object.isFreed()) {
            throw freed(object);
        }
        Transaction transaction = fields.transaction();
        if (transaction == null && object.hasParts()) {
            atomic(() -> free(object));
            return;
        }
        object.freeParts();
        if (transaction != null) {
            transaction.free(object.offset());
        } else {
            read(() -> {
                checkOpen();
                lowLevel.free(object.offset());
                return null;
            });
        }
    }

    /** Orders the lines this thread has queued before all that is made durable later, by any thread. */
    public void pfence() {
        fence();
    }

    /** As {@link #pfence}, and makes all that this thread has fenced as durable as the heap's {@link Durability} promises. */
    public void psync() {
        makeDurable(fence());
    }

    private long fence() {
        // No commit may come between the copy of a line and its place in the log, or a replay would undo it.
        lockExclusively("a fence");
        try {
            checkOpen();
            return lowLevel.fence();
        } finally {
            isolation.writeLock().unlock();
        }
    }

    /** Frees what no root reaches, and makes references to freed objects null. Waits for running blocks and excludes others. */
    public Collector.Result collect() {
        lockExclusively("a collection");
        try {
            checkOpen();
            return new Collector(store.journal(), store.allocator(), store.logBytes())
                    .collect(classes.descriptors(), options.threads());
        } finally {
            isolation.writeLock().unlock();
        }
    }

    /** Writes all changes to the heap file, so that the log is empty. The heap does this by itself when the log is half full. */
    public void checkpoint() {
        isolation.readLock().lock();
        try {
            checkOpen();
            store.checkpoint();
        } finally {
            isolation.readLock().unlock();
        }
    }

    /** What is wrong with the heap; empty if nothing is. Excludes blocks. */
    public java.util.List<String> check() {
        lockExclusively("a check");
        try {
            checkOpen();
            return HeapCheck.check(store.space(), classes.descriptors(), options.threads());
        } finally {
            isolation.writeLock().unlock();
        }
    }

    /** Waits for running blocks, then closes. Proxies throw from then on. What was committed is durable, whatever the level. */
    @Override
    public void close() {
        lockExclusively("closing");
        try {
            if (!closed) {
                closed = true;
                idle.forEach(Transaction::close);
                store.close();
            }
        } finally {
            isolation.writeLock().unlock();
        }
    }

    /** The lock cannot be had by a thread that is in a block or a read: it would wait for itself. */
    private void lockExclusively(String what) {
        if (isInBlock() || isolation.getReadHoldCount() > 0) {
            throw new IllegalStateException(what + " of " + path + " inside a failure-atomic block or Heap.read");
        }
        isolation.writeLock().lock();
    }

    private void checkOpen() {
        if (closed) {
            throw new HeapException("heap " + path + " is closed");
        }
    }

    HeapException freed(PersistentObject object) {
        checkOpen();
        return new FreedObjectException(object + " in " + path + " has been freed");
    }

    boolean isInBlock() {
        return fields.transaction() != null;
    }

    Fields fields() {
        return fields;
    }

    LowLevel lowLevel() {
        return lowLevel;
    }

    long allocate(PersistentClass<?> type, long payloadBytes) {
        if (payloadBytes < 0) {
            throw new IllegalArgumentException("an object of " + payloadBytes + " bytes");
        }
        // Outside a block too: no collection, fence or close may come in between.
        isolation.readLock().lock();
        try {
            checkOpen();
            int number = classes.numberOf(type);
            Transaction transaction = fields.transaction();
            return transaction != null ? transaction.allocate(number, payloadBytes) : lowLevel.allocate(number, payloadBytes);
        } finally {
            isolation.readLock().unlock();
        }
    }

    long referenceTo(PersistentObject value) {
        if (value == null) {
            return 0;
        }
        if (value.heap() != this) {
            throw new IllegalArgumentException(value + " is in heap " + value.heap().path + ", and cannot be referred to from "
                    + path);
        }
        if (value.isFreed()) {
            throw freed(value);
        }
        return value.offset();
    }

    PersistentObject resurrect(long offset) {
        if (offset == 0) {
            return null;
        }
        Layout layout = store.space().layout();
        if (offset % Long.BYTES != 0 || !layout.isData(offset, store.space().size() - Layout.HEADER_BYTES)) {
            throw new CorruptHeapException(path + ": a reference leads to offset " + offset + ", where no object can be");
        }
        long header = fields.getLong(offset);
        int number = ObjectHeader.classId(header);
        if (number == 0) {
            checkOpen();
            throw new FreedObjectException("a reference in " + path + " leads to offset " + offset + ", which was freed");
        }
        if (!ObjectHeader.isIntact(header)) {
            throw new CorruptHeapException(path + ": the header at offset " + offset + " is damaged");
        }
        return classes.resurrect(number, offset);
    }
}
