// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.Blackhole;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;

/**
 * Compares the persistent collections with those of {@code java.util}, and with an empty loop, for {@link #ENTRIES}
 * numbers. Persistent collections are measured with a block or a read for each call, and with one block for all calls
 * of a batch. The folder is the property {@code bench.dir}.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CollectionsBenchmark {
    static final int ENTRIES = 100_000;
    private static final int BATCH = 1000;
    private static final long SEED = 42;

    @Param({"hash", "tree", "skip-list", "list", "deque"})
    public String type;

    @Param({"nothing", "java.util", "persistent", "one block"})
    public String subject;

    private final Long[] numbers = new Long[ENTRIES];
    private final int[] order = new int[ENTRIES];
    private int next;
    private Path folder;
    private Heap heap;
    private Subject collection;

    @Setup(Level.Trial)
    public void fill() throws IOException {
        Random random = new Random(SEED);
        for (int i = 0; i < ENTRIES; i++) {
            numbers[i] = (long) i;
            order[i] = random.nextInt(ENTRIES);
        }
        if (subject.equals("nothing") || subject.equals("java.util")) {
            collection = Subject.inMemory(subject.equals("nothing") ? "nothing" : type);
            fill(0, ENTRIES);
            return;
        }
        folder = Files.createTempDirectory(Path.of(System.getProperty("bench.dir", "")).toAbsolutePath(), "collections");
        heap = Heap.open(folder.resolve("bench.heap"), HeapOptions.defaults().maxSize(1L << 30).durability(Durability.PROCESS));
        collection = heap.atomic(() -> Subject.persistent(type, heap));
        for (int from = 0; from < ENTRIES; from += BATCH) {
            int first = from;
            heap.atomic(() -> fill(first, first + BATCH));
        }
    }

    private void fill(int from, int to) {
        for (int i = from; i < to; i++) {
            collection.fill(numbers[i]);
        }
    }

    @TearDown(Level.Trial)
    public void remove() throws IOException {
        if (heap != null) {
            heap.close();
            Files.delete(folder.resolve("bench.heap"));
            Files.delete(folder.resolve("bench.heap.log"));
            Files.delete(folder);
        }
    }

    private void inBlockIfWanted(Runnable calls, boolean changes) {
        if (!subject.equals("one block")) {
            calls.run();
        } else if (changes) {
            heap.atomic(calls);
        } else {
            heap.read(() -> {
                calls.run();
                return null;
            });
        }
    }

    private int step() {
        int from = next;
        next = (next + BATCH) % ENTRIES;
        return from;
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void get(Blackhole hole) {
        int from = step();
        inBlockIfWanted(() -> {
            for (int i = from; i < from + BATCH; i++) {
                hole.consume(collection.get(numbers[order[i]]));
            }
        }, false);
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void put(Blackhole hole) {
        int from = step();
        inBlockIfWanted(() -> {
            for (int i = from; i < from + BATCH; i++) {
                hole.consume(collection.put(numbers[order[i]], numbers[i]));
            }
        }, true);
    }

    @Benchmark
    @OperationsPerInvocation(ENTRIES)
    public void iterate(Blackhole hole) {
        inBlockIfWanted(() -> {
            for (Object element : collection.all()) {
                hole.consume(element);
            }
        }, false);
    }
}
