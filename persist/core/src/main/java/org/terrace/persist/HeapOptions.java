// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.terrace.persist.heap.ClassDescriptor;

/** How a heap is opened, or created where there is none. Each method returns changed options. */
public final class HeapOptions {
    private static final long MIN_LOG_BYTES = 16 << 10;
    private static final long MIN_HEAP_BYTES = 64 << 10;
    static final Duration DEFAULT_STALL_LIMIT = Duration.ofSeconds(5);
    private static final String OWN_CLASSES = "org.terrace.persist.types.";

    private long maxSize = 64L << 30;
    private long logSize = 64L << 20;
    private Durability durability = Durability.SYNC;
    private HeapMedium medium = HeapMedium.AUTO;
    private boolean readOnly;
    private boolean salvaging;
    private boolean collecting = true;
    private boolean clearingLost;
    private boolean background = true;
    private List<Class<?>> classes = List.of();
    private Predicate<String> classFilter = name -> true;
    private Duration stallLimit = DEFAULT_STALL_LIMIT;
    private int threads = Runtime.getRuntime().availableProcessors();

    /** 64 GB at most, a log of 64 MB, {@link Durability#SYNC}. */
    public static HeapOptions defaults() {
        return new HeapOptions();
    }

    private HeapOptions() {
    }

    private HeapOptions(HeapOptions o) {
        maxSize = o.maxSize;
        logSize = o.logSize;
        durability = o.durability;
        medium = o.medium;
        readOnly = o.readOnly;
        salvaging = o.salvaging;
        collecting = o.collecting;
        background = o.background;
        threads = o.threads;
        stallLimit = o.stallLimit;
        classes = o.classes;
        classFilter = o.classFilter;
        clearingLost = o.clearingLost;
    }

    /** Bytes that objects may take at most; of a new heap. As many addresses are reserved, and a 2048th of it in a sparse file. */
    public HeapOptions maxSize(long bytes) {
        HeapOptions o = new HeapOptions(this);
        o.maxSize = atLeast(MIN_HEAP_BYTES, bytes, "maxSize");
        return o;
    }

    /**
     * Bytes of the redo log; of a new heap. One block may change half of it. A larger log makes checkpoints rarer, and recovery
     * longer.
     */
    public HeapOptions logSize(long bytes) {
        HeapOptions o = new HeapOptions(this);
        o.logSize = atLeast(MIN_LOG_BYTES, bytes, "logSize");
        return o;
    }

    public HeapOptions durability(Durability level) {
        HeapOptions o = new HeapOptions(this);
        o.durability = level;
        return o;
    }

    /** How the heap is written; {@link HeapMedium#AUTO} finds it out. Each opening may choose another. */
    public HeapOptions medium(HeapMedium choice) {
        HeapOptions o = new HeapOptions(this);
        o.medium = choice;
        return o;
    }

    /** Nothing is written to the files; after a crash the log is replayed in memory only. Others may read at the same time. */
    public HeapOptions readOnly() {
        HeapOptions o = new HeapOptions(this);
        o.readOnly = true;
        return o;
    }

    /**
     * Read-only, and a heap whose log is damaged is opened too: with what the log has before the damage. All that was committed after
     * it is missing, but in pages that a checkpoint had written already; so {@link Heap#check} may find contradictions.
     */
    public HeapOptions salvage() {
        HeapOptions o = readOnly();
        o.salvaging = true;
        return o;
    }

    /** Whether an opening after a crash frees what roots do not reach. Without it the log is replayed, and that is all. */
    public HeapOptions collectAfterCrash(boolean on) {
        HeapOptions o = new HeapOptions(this);
        o.collecting = on;
        return o;
    }

    /**
     * A reference that leads to no object is one to an object that the program has freed, wherever it leads: a collection makes it
     * null. Without this, a collection, and an opening after a crash, refuse where such a reference may be damaged and hide
     * objects, which would be freed. So do references to objects that are not valid; see {@link
     * PersistentObject#setReferenceByHand}.
     */
    public HeapOptions clearingLostReferences() {
        HeapOptions o = new HeapOptions(this);
        o.clearingLost = true;
        return o;
    }

    /** Threads that mark in a collection. */
    public HeapOptions threads(int count) {
        HeapOptions o = new HeapOptions(this);
        o.threads = (int) atLeast(1, count, "threads");
        return o;
    }

    /**
     * How long a thread may wait for a failure-atomic block or a {@link Heap#read} that itself waits at one place: for the thread
     * that waits for it, usually, so that neither would ever go on. Then it gets a {@link HeapException}, which says where the other
     * waits. The default is five seconds. With the default, the limit is one second for a thread of a {@code ForkJoinPool} if the
     * other thread waits for such a pool or a {@code CompletableFuture}. Any other limit holds for these threads, too. {@link
     * Heap#close} waits without end. A block that sleeps, computes or waits for a limited time is waited for without end.
     */
    public HeapOptions stallLimit(Duration limit) {
        HeapOptions o = new HeapOptions(this);
        atLeast(1, limit.toMillis(), "milliseconds of stallLimit");
        o.stallLimit = limit;
        return o;
    }

    /**
     * Persistent classes that the opening must know, besides those whose names are in the heap: renamed ones, and those that the
     * thread's context class loader does not find.
     */
    public HeapOptions classes(Class<?>... more) {
        HeapOptions o = new HeapOptions(this);
        o.classes = List.of(more);
        return o;
    }

    /**
     * The names of classes that a heap may have: those of persistent classes, now and formerly, and of enumerations. A heap that
     * names others is not opened, and an enumeration not loaded. For files of which it is not known who has written them:
     * the program initializes classes that a heap names, if they are persistent or enumerations. Classes of this library
     * need no permission.
     */
    public HeapOptions classFilter(Predicate<String> allowed) {
        HeapOptions o = new HeapOptions(this);
        o.classFilter = Objects.requireNonNull(allowed);
        return o;
    }

    /** Without the heap's own thread: checkpoints are made by the thread that fills the log. For tests of one thread. */
    HeapOptions withoutBackground() {
        HeapOptions o = new HeapOptions(this);
        o.background = false;
        return o;
    }

    private static long atLeast(long min, long value, String name) {
        if (value < min) {
            throw new IllegalArgumentException(name + " must be at least " + min + ", not " + value);
        }
        return value;
    }

    public long maxSize() {
        return maxSize;
    }

    public long logSize() {
        return logSize;
    }

    public Durability durability() {
        return durability;
    }

    public HeapMedium medium() {
        return medium;
    }

    List<Class<?>> classes() {
        return classes;
    }

    /** @throws HeapException if the heap at the path may not name this class, or a name that it had */
    public void checkClass(Path path, ClassDescriptor descriptor) {
        checkClass(path, descriptor.name());
        descriptor.formerNames().forEach(name -> checkClass(path, name));
    }

    void checkClass(Path path, String name) {
        if (!name.startsWith(OWN_CLASSES) && !classFilter.test(name)) {
            throw new HeapException(path + " names class " + name + ", which HeapOptions.classFilter does not allow: it was not"
                    + " loaded. Let the filter accept it if the heap may have objects of it");
        }
    }

    public boolean isClearingLostReferences() {
        return clearingLost;
    }

    public boolean isReadOnly() {
        return readOnly;
    }

    public boolean isSalvaging() {
        return salvaging;
    }

    public boolean isCollectingAfterCrash() {
        return collecting;
    }

    public int threads() {
        return threads;
    }

    Duration stallLimit() {
        return stallLimit;
    }

    public boolean isBackground() {
        return background;
    }
}
