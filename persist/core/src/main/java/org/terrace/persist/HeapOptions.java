// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Options for opening or creating a heap. Each method returns a modified copy. */
public final class HeapOptions {
    private static final long MIN_LOG_BYTES = 16 << 10;
    private static final long MIN_HEAP_BYTES = 64 << 10;
    public static final Duration DEFAULT_STALL_LIMIT = Duration.ofSeconds(5);
    private static final String LIBRARY_CLASSES = "org.terrace.persist.types.";

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

    /** At most 64 GB, a log of 64 MB, {@link Durability#SYNC}. */
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

    /** Maximum bytes of objects, for a new heap. The heap reserves an address range of this size, and 1/2048 of it in a sparse file. */
    public HeapOptions maxSize(long bytes) {
        HeapOptions o = new HeapOptions(this);
        o.maxSize = atLeast(MIN_HEAP_BYTES, bytes, "maxSize");
        return o;
    }

    /**
     * Bytes of the redo log, for a new heap. One block may change at most half of it. A larger log makes checkpoints less frequent
     * and recovery longer.
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

    /** How the heap is written. {@link HeapMedium#AUTO} detects it. Each opening may choose another medium. */
    public HeapOptions medium(HeapMedium choice) {
        HeapOptions o = new HeapOptions(this);
        o.medium = choice;
        return o;
    }

    /**
     * Opens the heap read-only. The files are not written, and after a crash the log is replayed only in memory. Other processes
     * may read at the same time.
     */
    public HeapOptions readOnly() {
        HeapOptions o = new HeapOptions(this);
        o.readOnly = true;
        return o;
    }

    /**
     * Opens the heap read-only even if its log is damaged, and uses the log records before the damage. Later commits are missing,
     * except in pages that a checkpoint had already written. Therefore {@link Heap#check} may find contradictions.
     */
    public HeapOptions salvage() {
        HeapOptions o = readOnly();
        o.salvaging = true;
        return o;
    }

    /** Whether an opening after a crash frees objects that roots do not reach. Without it, the opening only replays the log. */
    public HeapOptions collectAfterCrash(boolean on) {
        HeapOptions o = new HeapOptions(this);
        o.collecting = on;
        return o;
    }

    /**
     * Treats every reference that leads to no object as one to an object that the program has freed. A collection sets such
     * references to null. Without this option, a collection and an opening after a crash fail if such a reference may be damaged,
     * because the objects it hides would be freed. References to invalid objects cause the same failure; see
     * {@link PersistentObject#setReferenceByHand}.
     */
    public HeapOptions clearingLostReferences() {
        HeapOptions o = new HeapOptions(this);
        o.clearingLost = true;
        return o;
    }

    /** Number of marking threads in a collection. */
    public HeapOptions threads(int count) {
        HeapOptions o = new HeapOptions(this);
        o.threads = (int) atLeast(1, count, "threads");
        return o;
    }

    /**
     * How long a thread may wait for a failure-atomic block or a {@link Heap#read} that itself waits at one place. Such a block
     * usually waits for this thread, so neither would ever continue. After the limit, this thread gets a {@link HeapException} that
     * names the place. The default is five seconds. With the default, the limit is one second for a thread of a
     * {@code ForkJoinPool} if the other thread waits for such a pool or a {@code CompletableFuture}. Any other limit applies to
     * these threads too. {@link Heap#close} waits without a limit. There is also no limit for a block that sleeps, computes or uses
     * a timed wait.
     */
    public HeapOptions stallLimit(Duration limit) {
        HeapOptions o = new HeapOptions(this);
        atLeast(1, limit.toMillis(), "milliseconds of stallLimit");
        o.stallLimit = limit;
        return o;
    }

    /**
     * Adds persistent classes that the opening must know in addition to the classes that the heap names. Needed for renamed classes,
     * and for classes that the thread's context class loader does not find. Until it is closed, the heap uses these instead of
     * classes of the same names of other class loaders. Options that a server keeps while it deploys an application again have the
     * classes of the former class loader, so the new ones cannot be added. Each deployment creates its own options.
     *
     * @throws IllegalArgumentException if two classes have the same name, in one call or in several
     */
    public HeapOptions classes(Class<?>... more) {
        Map<String, Class<?>> added = new LinkedHashMap<>();
        for (Class<?> type : more) {
            checkSame(added.put(type.getName(), type), type);
        }
        for (Class<?> type : classes) {
            checkSame(type, added.remove(type.getName()));
        }
        HeapOptions o = new HeapOptions(this);
        o.classes = Stream.concat(classes.stream(), added.values().stream()).toList();
        return o;
    }

    private static void checkSame(Class<?> first, Class<?> second) {
        if (first != null && second != null && first != second) {
            throw new IllegalArgumentException("two classes have the name " + second.getName() + ", of " + first.getClassLoader()
                    + " and of " + second.getClassLoader() + ": a heap uses one of them");
        }
    }

    /**
     * Filter for the class names that a heap may contain, which are current and former names of persistent classes and of
     * enumerations. A heap with another class name is not opened, and another enumeration is not loaded. Use it for files from
     * unknown sources, because the program initializes the persistent classes and enumerations that a heap names. Classes of this
     * library are always allowed.
     */
    public HeapOptions classFilter(Predicate<String> allowed) {
        HeapOptions o = new HeapOptions(this);
        o.classFilter = Objects.requireNonNull(allowed);
        return o;
    }

    /** Disables the background thread, so that the thread that fills the log makes checkpoints. For single-threaded tests. */
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

    /** Whether a heap means a class of this library by this name. */
    public static boolean isOfLibrary(String name) {
        return name.startsWith(LIBRARY_CLASSES);
    }

    /** @throws HeapException if the filter rejects the name of a class that the heap at this path has or would have */
    public void checkClass(Path path, String name) {
        if (!isOfLibrary(name) && !classFilter.test(name)) {
            throw new HeapException(path + " names class " + name + ", which HeapOptions.classFilter does not allow: nothing was"
                    + " changed. Let the filter accept it if the heap may have objects of it");
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

    public Duration stallLimit() {
        return stallLimit;
    }

    public boolean isBackground() {
        return background;
    }
}
