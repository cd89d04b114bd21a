// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.terrace.persist.blocks.Blocks;
import org.terrace.persist.blocks.Fields;
import org.terrace.persist.blocks.LogSync;
import org.terrace.persist.blocks.LowLevel;
import org.terrace.persist.blocks.PageVersion;
import org.terrace.persist.events.HeapEvents;
import org.terrace.persist.fa.Publication;
import org.terrace.persist.heap.ClassLookup;
import org.terrace.persist.heap.files.Store;

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
    private static final System.Logger LOGGER = System.getLogger("org.terrace.persist");

    private final Path path;
    private final HeapOptions options;
    private final Store store;
    private final Fields fields;
    private final LogSync sync;
    private final Blocks blocks;
    private final Roots roots;
    private final LowLevel lowLevel;
    private final RawObjects raw;
    private final HeapObjects objects;
    private final Enumerations enumerations;
    private final KeyOrders keyOrders;
    private final Maintenance maintenance;

    private Heap(Path named, HeapOptions options) {
        this.options = options;
        ClassLookup lookup = new ClassLookup(named, options.classes());
        this.store = Evolution.open(named, options, lookup);
        this.path = store.path();
        try {
            PageVersion version = new PageVersion();
            this.fields = new Fields(store.space());
            ClassTable classes = new ClassTable(this, store, options, lookup);
            Publication publication = new Publication(store.journal(), classes.descriptors(), store.logBytes());
            this.sync = new LogSync(store, options.durability().syncsEachCommit());
            this.blocks = new Blocks(this::use, store, options, fields, publication, version, sync);
            this.roots = new Roots(this, store, blocks, classes);
            this.lowLevel = new LowLevel(store, fields, blocks);
            this.raw = new RawObjects(this, store.space(), fields, classes, version);
            this.objects = new HeapObjects(this, blocks, fields, classes, raw, lowLevel, publication, store.allocator());
            this.enumerations = new Enumerations(this, classes, options, lookup);
            this.keyOrders = new KeyOrders(this, store, classes, enumerations, options);
            this.maintenance = new Maintenance(store, options, blocks, classes, raw, keyOrders, version);
            if (store.isRecovered() && !options.isReadOnly()) {
                recover(classes);
            } else {
                keyOrders.restore();
            }
        } catch (RuntimeException | Error e) {
            store.abandon(new HeapException("the heap could not be opened", e));
            throw e;
        }
    }

    private void recover(ClassTable classes) {
        Set<Integer> told = classes.recovering();
        if (options.isCollectingAfterCrash() || !told.isEmpty()) {
            collect();
        }
        keyOrders.restore();
        if (!told.isEmpty()) {
            Recovery.run(this, store.space(), told);
        }
        List<String> failed = classes.failed();
        if (failed.isEmpty()) {
            store.endRecovery();
        } else {
            LOGGER.log(System.Logger.Level.WARNING, path + ": the program's classes for " + failed + " have failed, so recover() may not"
                    + " have been called for their objects after the crash. Each opening calls recover() of all objects again until the"
                    + " classes work");
        }
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
        return blocks.isWritable();
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
        return roots.get(name, type);
    }

    /** The object that a root name refers to. If there is none, it is created in a block. */
    public <T> T root(String name, Class<T> type, Supplier<? extends T> absent) {
        return roots.get(name, type, absent);
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
        return blocks.atomic(kind == Isolation.HEAP, block);
    }

    /** Runs a function that sees no partial effects of a block. It must not change anything. */
    public <T> T read(Supplier<T> function) {
        return blocks.read(function);
    }

    /**
     * Frees an object, as part of the current block if there is one. For a collection, this includes its copies of values.
     * Afterwards its proxies throw {@link FreedObjectException}. The caller must change references to it. A collection sets the
     * remaining ones to null.
     */
    public void free(Object persistent) {
        objects.free(persistent);
    }

    /** Orders the lines that this thread has queued before everything that any thread makes durable later. */
    public void pfence() {
        lowLevel.fence();
    }

    /**
     * Completes when everything committed and fenced so far is on stable storage. With {@link Durability#SYNC} that is when this
     * method returns, with {@code group} the next periodic sync, with {@code PROCESS} the next checkpoint. If the heap fails
     * before, it completes exceptionally with the cause, and it is unknown which changes are durable. Dependent stages run in other
     * threads.
     */
    public CompletableFuture<Void> whenDurable() {
        blocks.checkOpen();
        return sync.whenDurable(isWritable());
    }

    /**
     * Does a {@link #pfence}, and makes everything that this thread has fenced as durable as the heap's {@link Durability}
     * promises.
     *
     * @throws NotDurableException if the device has no space for the log. Call it again once there is space
     */
    public void psync() {
        sync.makeDurable(lowLevel.fence());
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
    public CollectionResult collect() {
        return maintenance.collect();
    }

    /**
     * Writes all changes to the heap file, so that the log becomes empty. The heap does this by itself when the log is half full.
     *
     * @throws HeapFullException if the device has no space for that. The heap remains usable
     */
    public void checkpoint() {
        maintenance.checkpoint();
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
        maintenance.backup(to);
    }

    /** Checks the heap while blocks are excluded. Returns one sentence for each problem. */
    public List<String> check() {
        return maintenance.check();
    }

    /**
     * Checks all collections that roots reach: their sizes, whether all their elements can be found, and whether sorted ones follow
     * this program's {@code compareTo}. If this program lacks or has not yet initialized the class of a sorted map's keys, the map
     * cannot be checked, which is reported too. Blocks are excluded. {@link #check} must find nothing in the heap.
     *
     * @return one sentence for each problem
     */
    public List<String> checkCollections() {
        return maintenance.checkCollections();
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
        blocks.close();
    }

    /** Whether the thread is in a failure-atomic block. */
    boolean isInBlock() {
        return fields.isInBlock();
    }

    Blocks blocks() {
        return blocks;
    }

    HeapObjects objects() {
        return objects;
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
}
