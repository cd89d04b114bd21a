// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.util.List;

/** How a heap is opened, or created where there is none. Each method returns changed options. */
public final class HeapOptions {
    private static final long MIN_LOG_BYTES = 16 << 10;
    private static final long MIN_HEAP_BYTES = 64 << 10;

    private long maxSize = 64L << 30;
    private long logSize = 64L << 20;
    private Durability durability = Durability.SYNC;
    private HeapMedium medium = HeapMedium.AUTO;
    private boolean readOnly;
    private boolean collecting = true;
    private boolean background = true;
    private List<Class<?>> classes = List.of();
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
        collecting = o.collecting;
        background = o.background;
        threads = o.threads;
        classes = o.classes;
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

    /** Whether an opening after a crash frees what roots do not reach. Without it the log is replayed, and that is all. */
    public HeapOptions collectAfterCrash(boolean on) {
        HeapOptions o = new HeapOptions(this);
        o.collecting = on;
        return o;
    }

    /** Threads that mark in a collection. */
    public HeapOptions threads(int count) {
        HeapOptions o = new HeapOptions(this);
        o.threads = (int) atLeast(1, count, "threads");
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

    public boolean isReadOnly() {
        return readOnly;
    }

    public boolean isCollectingAfterCrash() {
        return collecting;
    }

    public int threads() {
        return threads;
    }

    public boolean isBackground() {
        return background;
    }
}
