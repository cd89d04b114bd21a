// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.terrace.persist.events.HeapEvents;
import org.terrace.persist.fa.Publication;
import org.terrace.persist.fa.Transaction;
import org.terrace.persist.heap.ClassDescriptor;
import org.terrace.persist.heap.ClassLookup;
import org.terrace.persist.heap.Collector;
import org.terrace.persist.heap.HeapCheck;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.LongStack;
import org.terrace.persist.heap.ObjectHeader;
import org.terrace.persist.heap.Reachable;
import org.terrace.persist.heap.StackRoom;
import org.terrace.persist.heap.Store;
import org.terrace.persist.medium.Site;
import org.terrace.persist.tools.CollectionCheck;

/**
 * A heap of persistent objects in a file. Objects that are reachable from its named roots survive crashes of the program and the
 * machine. Changes are made in failure-atomic blocks.
 * <pre>{@code
 * try (Heap heap = Heap.open(Path.of("simple.heap"))) {
 *     Simple simple = heap.root("simple", Simple.class, () -> new Simple(heap, 42));
 *     heap.atomic(simple::increment);
 * }
 * }</pre>
 *
 * <p>Thread-safe. A heap can be open only once, in one process. Methods throw {@link HeapException} when the device fails. The heap
 * is then read-only, and the next opening determines its contents.
 */
public final class Heap implements AutoCloseable {
    private final Path path;
    private final HeapOptions options;
    private final Store store;
    private final Fields fields;
    private final ClassTable classes;
    private final Roots roots;
    private final LowLevel lowLevel;
    private final RawObjects raw;
    private final Publication publication;
    private final Enumerations enumerations;
    private final KeyOrders keyOrders;
    private final PageVersion version = new PageVersion();
    private final BlockLock isolation;
    private final ConcurrentLinkedDeque<Transaction> idle = new ConcurrentLinkedDeque<>();
    private final AtomicLong rollbacks = new AtomicLong();
    /** Held during each backup. Closing waits for it. */
    private final Object backups = new Object();
    private volatile boolean closed;

    private Heap(Path named, HeapOptions options) {
        this.options = options;
        this.store = Evolution.open(named, options);
        this.path = store.path();
        this.isolation = new BlockLock(path, options.stallLimit());
        try {
            this.fields = new Fields(store.space());
            this.classes = new ClassTable(this, store, options);
            this.publication = new Publication(store.journal(), classes.descriptors(), store.logBytes());
            this.roots = new Roots(this, store);
            this.lowLevel = new LowLevel(this, store);
            this.raw = new RawObjects(this, store.space(), fields, classes, version);
            this.enumerations = new Enumerations(this, classes, options);
            this.keyOrders = new KeyOrders(this, store, classes, enumerations, options);
            if (store.isRecovered() && !options.isReadOnly()) {
                recover();
            } else {
                keyOrders.restore();
            }
        } catch (RuntimeException | Error e) {
            store.abandon(new HeapException("the heap could not be opened", e));
            throw e;
        }
    }

    private void recover() {
        Set<Integer> told = classes.recovering();
        if (options.isCollectingAfterCrash() || !told.isEmpty()) {
            collect();
        }
        keyOrders.restore();
        if (!told.isEmpty()) {
            Recovery.run(this, store.space(), told);
        }
        store.endRecovery();
    }

    /** Opens or creates a heap with the default options. */
    public static Heap open(Path path) {
        return open(path, HeapOptions.defaults());
    }

    /**
     * Opens a heap, or creates it if the file does not exist. After a crash the log is replayed. A symbolic link is followed, even
     * to a file that does not exist yet.
     *
     * @throws CorruptHeapException if the files are damaged or do not belong together. The files are not changed
     * @throws HeapException if the heap is open elsewhere, has another version or cannot be accessed. Also if the options require
     *     more than the medium can promise, see {@link #promises}
     */
    public static Heap open(Path path, HeapOptions options) {
        HeapEvents.Open event = HeapEvents.open();
        if (event == null) {
            return new Heap(path, options);
        }
        Path opened = path;
        try {
            Heap heap = new Heap(path, options);
            opened = heap.path;
            event.crashed = heap.store.isRecovered();
            return heap;
        } catch (RuntimeException | Error e) {
            event.failure = e.toString();
            throw e;
        } finally {
            event.durability = options.durability().toString();
            event.readOnly = options.isReadOnly();
            event.end(opened);
        }
    }

    /** False if the heap is closed, its device has failed, or it was opened read-only. A full heap is writable. */
    public boolean isWritable() {
        return !closed && !store.log().hasFailed();
    }

    /** Size of the redo log in bytes. One block may change at most half of it. */
    public long logSize() {
        return store.logBytes();
    }

    /** The guarantees of this heap's medium. Opening fails if the options require more. */
    public Promises promises() {
        return store.promises();
    }

    /** The path of the heap file after links are resolved. The log is in the same directory. */
    public Path path() {
        return path;
    }

    /**
     * The heap in which the thread creates collections and objects of transformed classes. It is the heap of the innermost block or
     * of {@link #use}.
     */
    public static Heap current() {
        Heap heap = CurrentHeap.get();
        if (heap == null) {
            throw new HeapException("a persistent object is made, and it is not known in which heap: make it in a failure-atomic "
                    + "block or in Heap.use, or give its constructor a parameter of type Heap");
        }
        return heap;
    }

    /** Runs code that creates its objects in this heap. The code is not a failure-atomic block. */
    public void use(Runnable code) {
        use(() -> {
            code.run();
            return null;
        });
    }

    /** Runs code that creates its objects in this heap. The code is not a failure-atomic block. */
    public <T> T use(Supplier<T> code) {
        Heap former = CurrentHeap.enter(this);
        try {
            return code.get();
        } finally {
            CurrentHeap.restore(former, this);
        }
    }

    /** The object that a root name refers to, or null. The type is checked. */
    public <T> T root(String name, Class<T> type) {
        return read(() -> {
            checkOpen();
            return roots.get(name, type);
        });
    }

    /** The object that a root name refers to. If there is none, it is created in a block. */
    public <T> T root(String name, Class<T> type, Supplier<? extends T> absent) {
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

    /** Sets a root, or clears it if the value is null. The previous object is not freed. */
    public void setRoot(String name, Object value) {
        PersistentObject object = PersistentObject.of(value);
        atomic(() -> roots.set(name, object));
    }

    /** Runs a failure-atomic block that excludes all other blocks and reads. */
    public void atomic(Runnable block) {
        atomic(Isolation.HEAP, () -> {
            block.run();
            return null;
        });
    }

    /** Runs a failure-atomic block that excludes all other blocks and reads. */
    public <T> T atomic(Supplier<T> block) {
        return atomic(Isolation.HEAP, block);
    }

    /**
     * Runs a failure-atomic block. Either all of its changes are made or none. It returns when they are as durable as the heap's
     * {@link Durability} promises. A nested block is part of the outer one. If the block throws, its changes are rolled back and
     * the exception is rethrown. If a nested block throws after a change, the outer block is rolled back too, even if it catches
     * the exception.
     *
     * @throws HeapFullException if the heap has no space for the changes. None is made
     * @throws NotDurableException if the device had no space for the log after the changes had been made. They are not undone
     * @throws IllegalStateException inside {@link #read}, where changes are not allowed
     */
    public <T> T atomic(Isolation kind, Supplier<T> block) {
        return atomic(kind, block, true);
    }

    /** Runs a block whose changes become durable with the next {@link #psync} or commit. */
    void atomicWithoutSync(Runnable block) {
        atomic(Isolation.HEAP, () -> {
            block.run();
            return null;
        }, false);
    }

    private <T> T atomic(Isolation kind, Supplier<T> block, boolean durable) {
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
        isolation.lock(kind == Isolation.HEAP);
        try {
            Transaction transaction = begin(kind);
            boolean ended = false;
            try {
                result = use(block);
                event = HeapEvents.commit();
                position = kind == Isolation.HEAP ? commitAlone(transaction) : commit(transaction);
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
            makeDurable(position);
        }
        if (event != null && position >= 0) {
            event.end(path, options.durability());
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
            return use(block);
        } catch (Throwable e) {
            if (outer.changes() != before) {
                outer.fail(e);
            }
            throw e;
        }
    }

    private Transaction begin(Isolation kind) {
        checkOpen();
        store.log().checkUsable();
        return beginToRead(kind);
    }

    private Transaction beginToRead(Isolation kind) {
        checkOpen();
        Transaction transaction = idle.poll();
        if (transaction == null) {
            transaction = newTransaction();
        }
        transaction.begin(kind != Isolation.HEAP);
        fields.enter(transaction, kind == Isolation.HEAP);
        return transaction;
    }

    Transaction newTransaction() {
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

    private void makeDurable(long position) {
        try {
            if (options.durability().syncsEachCommit()) {
                store.log().sync(position, Site.COMMIT_SYNC);
            } else {
                store.log().write(position);
            }
        } catch (HeapFullException e) {
            throw new NotDurableException(e.getMessage() + ". The changes are made, so do not repeat them, but they are in memory only."
                    + " They become durable with the next block or psync() that returns. The end of the program before loses them", e);
        }
    }

    /**
     * Runs a method that is declared failure-atomic. Such a block is also allowed inside {@link #read} and in a heap that can only
     * be read, if it changes nothing. For example, {@code equals} is called from there.
     */
    <T> T method(Supplier<T> block) {
        if (isInBlock() || !isolation.isShared() && isWritable()) {
            return atomic(block);
        }
        return read(() -> unchanging(block));
    }

    private <T> T unchanging(Supplier<T> block) {
        Transaction transaction = beginToRead(Isolation.CALLER);
        long before = transaction.changes();
        try {
            T result = use(block);
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
        if (isInBlock()) {
            return function.get();
        }
        isolation.lock(false);
        try {
            return function.get();
        } finally {
            isolation.unlock();
        }
    }

    /**
     * Frees an object, as part of the current block if there is one. For a collection, this includes its copies of values.
     * Afterwards its proxies throw {@link FreedObjectException}. The caller must change references to it. A collection sets the
     * remaining ones to null.
     */
    public void free(Object persistent) {
        PersistentObject object = PersistentObject.of(persistent);
        if (object.heap() != this) {
            throw new IllegalArgumentException(object.name() + " is not in heap " + path);
        }
        if (object.isFreed()) {
            throw freed(object);
        }
        Transaction transaction = fields.transaction();
        if (transaction == null && object.hasParts()) {
            atomic(() -> free(object));
            return;
        }
        if (transaction == null) {
            read(() -> {
                checkOpen();
                freeByHand(object);
                return null;
            });
            return;
        }
        // Another block may have freed it since the check.
        if (!transaction.beginFree(object.offset()) || object.isFreed()) {
            throw freed(object);
        }
        object.freeParts();
        transaction.free(object.offset());
    }

    private void freeByHand(PersistentObject object) {
        if (!store.allocator().beginFree(object.offset())) {
            throw freed(object);
        }
        try {
            if (object.isFreed()) {
                throw freed(object);
            }
            lowLevel.free(object.offset());
        } finally {
            store.allocator().endFree(object.offset());
        }
    }

    /** Orders the lines that this thread has queued before everything that any thread makes durable later. */
    public void pfence() {
        fence();
    }

    /**
     * Completes when everything committed and fenced so far is on stable storage. With {@link Durability#SYNC} that is when this
     * method returns, with {@code group} the next periodic sync, with {@code PROCESS} the next checkpoint. If the heap fails
     * before, it completes exceptionally with the cause, and it is unknown which changes are durable. Dependent stages run in other
     * threads.
     */
    public CompletableFuture<Void> whenDurable() {
        checkOpen();
        if (options.durability().syncsEachCommit() && isWritable()) {
            // No other thread waits for commits without a sync, such as an allocation outside of blocks.
            try {
                makeDurable(store.log().end());
            } catch (NotDurableException e) {
                // They become durable with the next commit for which there is space.
                return store.log().whenDurable();
            } catch (HeapException e) {
                return CompletableFuture.failedFuture(e);
            }
        }
        return store.log().whenDurable();
    }

    /**
     * Does a {@link #pfence}, and makes everything that this thread has fenced as durable as the heap's {@link Durability}
     * promises.
     *
     * @throws NotDurableException if the device has no space for the log. Call it again once there is space
     */
    public void psync() {
        makeDurable(fence());
    }

    private long fence() {
        // A commit between the copy of a line and its record in the log would be undone by a replay.
        lockExclusively("a fence");
        try {
            checkOpen();
            store.log().checkUsable();
            return lowLevel.fence();
        } finally {
            isolation.unlock();
        }
    }

    /**
     * Frees objects that no root reaches, and sets references to freed objects to null. Waits for running blocks and excludes
     * others.
     *
     * @throws CorruptHeapException if an object is damaged, or a reference may be, so that it hides the object it led to. Nothing
     *     is freed; see {@link HeapOptions#clearingLostReferences}
     * @throws HeapFullException if the device has no space for the log. Some objects may have been freed, and the next collection
     *     continues
     */
    public Collector.Result collect() {
        lockExclusively("a collection");
        version.beginChange();
        try {
            checkOpen();
            HeapEvents.Collection event = HeapEvents.collection();
            Reachable marked = store.takeReachable();
            Reachable reachable = marked != null ? marked : Reachable.find(store.space(), classes.descriptors(), options.threads(),
                    options.isClearingLostReferences());
            Collector.Result result;
            try {
                result = new Collector(store.journal(), store.allocator(), store.logBytes()).collect(reachable);
            } finally {
                // On a full device, the collection may end before it is complete.
                raw.collected();
            }
            if (event != null) {
                event.live = result.live();
                event.freed = result.freed();
                event.cleared = result.cleared();
                event.end(path);
            }
            return result;
        } finally {
            version.endChange();
            isolation.unlock();
        }
    }

    /**
     * Writes all changes to the heap file, so that the log becomes empty. The heap does this by itself when the log is half full.
     *
     * @throws HeapFullException if the device has no space for that. The heap remains usable
     */
    public void checkpoint() {
        isolation.lock(false);
        try {
            checkOpen();
            store.checkpoint();
        } finally {
            isolation.unlock();
        }
    }

    /**
     * Writes a copy of the heap, with all blocks that had been committed when the copying ended. The copy is a closed heap that
     * needs no log. Blocks continue meanwhile, and wait only if they fill the log before the copy is complete. The first opening of
     * the copy is treated as one after a crash. It collects garbage and calls {@code recover()} of the objects that override it.
     *
     * @param to path of the copy, which appears complete and on stable storage, or not at all
     * @throws HeapException if there is a file of this name or a log beside it, or the heap has failed
     * @throws HeapFullException if the device has no space for the copy
     */
    public void backup(Path to) {
        synchronized (backups) {
            checkOpen();
            store.backup(to);
        }
    }

    /** Checks the heap while blocks are excluded. Returns one sentence for each problem. */
    public java.util.List<String> check() {
        lockExclusively("a check");
        try {
            checkOpen();
            return HeapCheck.check(store.space(), options.threads());
        } finally {
            isolation.unlock();
        }
    }

    /**
     * Checks all collections that roots reach: their sizes, whether all their elements can be found, and whether sorted ones follow
     * this program's {@code compareTo}. If this program lacks or has not yet initialized the class of a sorted map's keys, the map
     * cannot be checked, which is reported too. Blocks are excluded. {@link #check} must find nothing in the heap.
     *
     * @return one sentence for each problem
     */
    public java.util.List<String> checkCollections() {
        lockExclusively("a check");
        try {
            checkOpen();
            java.util.List<String> problems = CollectionCheck.check(store.space(), options.threads());
            return problems.isEmpty() ? keyOrders.problems() : problems;
        } finally {
            isolation.unlock();
        }
    }

    /**
     * Waits without a limit for running blocks and reads of other threads, then closes the heap. Afterwards proxies throw.
     * Everything committed is durable, at every level.
     *
     * <p>A block must not wait for a thread that closes the heap, because both would wait forever. When a block has waited at one
     * place for {@link HeapOptions#stallLimit}, a warning is logged. It names both threads and the place.
     *
     * @throws HeapException if the heap has failed, now or earlier, so that durability is not certain. The files are closed
     *     nevertheless, and a second call does nothing
     */
    @Override
    public void close() {
        checkOutside("closing");
        isolation.lockPatiently();
        version.beginChange();
        try {
            synchronized (backups) {
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

    /** Runs code while no other thread runs a block or read. */
    void exclusively(String what, Runnable code) {
        lockExclusively(what);
        try {
            checkOpen();
            code.run();
        } finally {
            isolation.unlock();
        }
    }

    /** A thread in a block or a read cannot acquire the lock exclusively, because it would wait for itself. */
    private void lockExclusively(String what) {
        checkOutside(what);
        isolation.lock(true);
    }

    private void checkOutside(String what) {
        if (isInBlock() || isolation.isShared()) {
            throw new IllegalStateException(what + " of " + path + " inside a failure-atomic block or Heap.read");
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new HeapException("heap " + path + " is closed");
        }
    }

    HeapException freed(PersistentObject object) {
        checkOpen();
        return new FreedObjectException(object.name() + " in " + path + " has been freed");
    }

    boolean isInBlock() {
        return fields.transaction() != null;
    }

    long rollbacks() {
        return rollbacks.get();
    }

    Fields fields() {
        return fields;
    }

    RawObjects raw() {
        return raw;
    }

    Enumerations enumerations() {
        return enumerations;
    }

    KeyOrders keyOrders() {
        return keyOrders;
    }

    LowLevel lowLevel() {
        return lowLevel;
    }

    /** @param payloadBytes size of an object of an array class. For a fixed layout, the class defines the size */
    long allocate(PersistentClass<?> type, long payloadBytes) {
        if (payloadBytes < 0) {
            throw new IllegalArgumentException("an object of " + payloadBytes + " bytes");
        }
        Transaction transaction = fields.transaction();
        if (transaction != null) {
            ClassTable.Known known = classes.of(type);
            return transaction.allocate(known.number(), bytesOf(type, known, payloadBytes));
        }
        // No collection, fence or close may happen in between.
        isolation.lock(false);
        try {
            checkOpen();
            ClassTable.Known known = classes.of(type);
            return lowLevel.allocate(known.number(), bytesOf(type, known, payloadBytes));
        } finally {
            isolation.unlock();
        }
    }

    /** Makes this class the one for objects of its name, unless the heap already uses the class of another loader. */
    void useClass(Class<?> type) {
        PersistentClass.use(type);
        classes.prefer(PersistentClass.of(type));
    }

    private static long bytesOf(PersistentClass<?> type, ClassTable.Known known, long payloadBytes) {
        return type.descriptor().kind() == ClassDescriptor.Kind.OBJECT ? known.payloadBytes() : payloadBytes;
    }

    /** The identity of an object, which is its original offset and does not change when the object moves. */
    long identityOf(PersistentObject object) {
        int at = classes.identityOffset(ObjectHeader.classId(object.header()));
        long identity = at < 0 ? 0 : fields.getLong(object.offset() + Layout.HEADER_BYTES + at);
        return identity == 0 ? object.offset() : identity;
    }

    long referenceTo(PersistentObject value) {
        if (value == null) {
            return 0;
        }
        if (value.heap() != this) {
            throw new IllegalArgumentException(value.name() + " is in heap " + value.heap().path
                    + ", and cannot be referred to from " + path);
        }
        long header = fields.getLong(value.offset());
        if (!ObjectHeader.isSameObject(header, value.header())) {
            throw freed(value);
        }
        if (!ObjectHeader.isValid(header)) {
            publishWithBlock(value.offset());
        }
        return value.offset();
    }

    private void publishWithBlock(long offset) {
        Transaction transaction = fields.transaction();
        if (transaction != null) {
            transaction.publish(offset);
        }
    }

    /** Makes an object and everything it reaches valid, with the durability of {@link #atomicWithoutSync}. */
    void publish(PersistentObject value) {
        atomicWithoutSync(() -> referenceTo(value));
    }

    /**
     * Makes an object valid by hand, outside of blocks. The objects that it reaches become valid first, by a separate commit as in
     * {@link #publish}.
     */
    void validate(PersistentObject object) {
        LongStack found = new LongStack();
        publication.validate(object.offset(), found);
        while (!found.isEmpty()) {
            atomicWithoutSync(() -> {
                while (!found.isEmpty()) {
                    publishWithBlock(found.pop());
                }
            });
            // Another thread may have stored a reference meanwhile.
            publication.validate(object.offset(), found);
        }
        lowLevel.writeBack(object.offset(), Layout.HEADER_BYTES);
    }

    /**
     * Stores a reference outside of blocks. In a valid object, the store is a separate commit with the durability of
     * {@link #atomicWithoutSync}. In an invalid object, it is a plain store to the pages.
     */
    void storeReference(PersistentObject object, long place, PersistentObject value) {
        if (!object.isValid() && publication.storeIfUnpublished(object.offset(), place, referenceTo(value))) {
            return;
        }
        if (value != null && !value.isValid()) {
            atomicWithoutSync(() -> {
                checkNotFreed(object);
                fields.putLong(place, referenceTo(value));
            });
            return;
        }
        read(() -> {
            checkOpen();
            checkNotFreed(object);
            publication.await();
            lowLevel.store(place, referenceTo(value));
            return null;
        });
    }

    /** A collection may have freed the object while the thread waited for the lock. */
    private void checkNotFreed(PersistentObject object) {
        if (object.isFreed()) {
            throw freed(object);
        }
    }

    PersistentObject resurrect(long offset) {
        if (offset == 0) {
            return null;
        }
        return classes.resurrect(raw.header(offset), offset);
    }

    /** Whether the object is an instance of a class of the program. Creates no proxy, which would load the objects that it refers to. */
    boolean isA(long offset, Class<?> type) {
        PersistentClass<?> definition = classes.definition(ObjectHeader.classId(raw.header(offset)), offset);
        return definition != null && type.isAssignableFrom(definition.type());
    }

    /** The class of this name, not initialized. */
    Class<?> classNamed(String name) throws ClassNotFoundException {
        options.checkClass(path, name);
        return ClassLookup.find(name);
    }

    CorruptHeapException noObjectAt(long offset) {
        return new CorruptHeapException(path + ": a reference leads to offset " + offset + ", where no object can be"
                + CorruptHeapException.REMEDY);
    }

    CorruptHeapException damaged(long offset, String what) {
        return new CorruptHeapException(path + ": the object at offset " + offset + " " + what + CorruptHeapException.REMEDY);
    }

    /** The exception for a reference that leads to an invalid header. */
    HeapException badHeader(long offset, long header) {
        if (header == 0) {
            checkOpen();
            return new FreedObjectException("a reference in " + path + " leads to offset " + offset + ", which was freed");
        }
        return new CorruptHeapException(path + ": the header at offset " + offset + " is damaged, or a reference leads to an"
                + " object that was freed: " + Long.toHexString(header) + CorruptHeapException.REMEDY);
    }
}
