// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.h2;

import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Stream;
import org.terrace.SecondHeap;
import org.terrace.SecondHeapStatistics;
import org.terrace.bench.harness.Parallel;
import org.terrace.bench.harness.VersionedValue;
import org.terrace.bench.harness.Zipf;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * A full cache whose values are constantly replaced and evicted. It is tagged as one root before it is filled, so
 * nearly all of its objects are added to a structure that has already moved.
 */
@Command(name = "cache", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "Threads read a full cache, replace some of the values and load missing ones. Reports the operations of each "
            + "time window. The exit status is 1 if a value was wrong.")
final class Cache implements Callable<Integer> {

    enum Kind {
        /** Caffeine's cache, bounded by the number of entries. */
        CAFFEINE {
            @Override
            Map<Integer, byte[]> make(int capacity) {
                return Caffeine.newBuilder().maximumSize(capacity).<Integer, byte[]>build().asMap();
            }
        },
        /** A LinkedHashMap in access order, protected by a lock. */
        LRU {
            @Override
            Map<Integer, byte[]> make(int capacity) {
                return Collections.synchronizedMap(new LeastRecentlyUsed(capacity));
            }
        };

        abstract Map<Integer, byte[]> make(int capacity);
    }

    private static final class LeastRecentlyUsed extends LinkedHashMap<Integer, byte[]> {

        private static final long serialVersionUID = 1;
        private static final float LOAD_FACTOR = 0.75f;

        private final int capacity;

        LeastRecentlyUsed(int capacity) {
            super((int) (capacity / LOAD_FACTOR) + 1, LOAD_FACTOR, true);
            this.capacity = capacity;
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, byte[]> eldest) {
            return size() > capacity;
        }
    }

    /** Counts the operations of all threads in a window of time. */
    private static final class Window {

        final LongAdder operations = new LongAdder();
        final LongAdder hits = new LongAdder();
        final LongAdder replacements = new LongAdder();
    }

    private static final long LABEL = 1;
    private static final long MIB = 1 << 20;
    private static final long SECOND = 1_000_000_000;
    private static final int PERCENT = 100;
    /** Bytes of an entry in addition to its value: nodes of the map and of the order, the key, and the array's header. */
    private static final int BESIDE_VALUE = 100;
    private static final int KEYS_PER_ENTRY = 2;

    @Spec
    private CommandSpec spec;

    @Option(names = "--kind", required = true, paramLabel = "KIND", description = "One of ${COMPLETION-CANDIDATES}.")
    private Kind kind;

    @Option(names = "--megabytes", required = true, paramLabel = "N", description = "Size of the full cache in MB.")
    private int megabytes;

    @Option(names = "--seconds", required = true, paramLabel = "N", description = "Measured time in seconds.")
    private int seconds;

    @Option(names = "--window", paramLabel = "N", defaultValue = "60",
            description = "Length of a time window in seconds. --seconds must be a multiple of it.")
    private int window;

    @Option(names = "--warmup", paramLabel = "N", defaultValue = "30",
            description = "Seconds of the same work before the measurement.")
    private int warmup;

    @Option(names = "--threads", paramLabel = "N", defaultValue = "2", description = "Number of worker threads.")
    private int threads;

    @Option(names = "--updates", paramLabel = "PERCENT", defaultValue = "10", description = "Percentage of found values that are replaced.")
    private int updates;

    @Option(names = "--skew", paramLabel = "X", defaultValue = "0.99",
            description = "Exponent of Zipf's law: the n-th key is requested 1/n^X times as often as the first.")
    private double skew;

    private final LongAdder wrong = new LongAdder();
    private Map<Integer, byte[]> cache;
    private Zipf zipf;
    // The latest version of each key that has been in the cache, which detects the return of an old version.
    private AtomicIntegerArray versions;

    @Override
    public Integer call() throws Exception {
        check();
        return run(kind.make(capacity()));
    }

    int run(Map<Integer, byte[]> made) throws Exception {
        int capacity = capacity();
        zipf = new Zipf(KEYS_PER_ENTRY * capacity, skew);
        versions = new AtomicIntegerArray(KEYS_PER_ENTRY * capacity);
        cache = made;
        SecondHeap.tagRoot(cache, LABEL);
        SecondHeap.move(LABEL);
        SplittableRandom random = new SplittableRandom(1);
        for (int key = 0; key < capacity; key++) {
            put(key, random);
        }
        if (warmup > 0) {
            work(warmup, warmup, random);
        }
        double from = H2Programs.uptime();
        Window[] windows = work(seconds, window, random);
        report(from, windows);
        return wrong.sum() == 0 ? 0 : 1;
    }

    private int capacity() {
        return (int) (megabytes * MIB / (VersionedValue.MEAN_BYTES + BESIDE_VALUE));
    }

    private void check() {
        require(megabytes > 0 && megabytes < 1 << 20, "--megabytes: between 1 and " + ((1 << 20) - 1));
        require(seconds > 0 && window > 0 && seconds % window == 0, "--seconds: a multiple of --window (" + window + ")");
        require(warmup >= 0, "--warmup: at least 0");
        require(threads > 0, "--threads: at least 1");
        require(updates >= 0 && updates <= PERCENT, "--updates: between 0 and " + PERCENT);
        require(skew > 0 && skew < 1, "--skew: greater than 0 and less than 1");
    }

    private void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new ParameterException(spec.commandLine(), otherwise);
        }
    }

    private Window[] work(int total, int each, SplittableRandom seeds) throws Exception {
        Window[] windows = Stream.generate(Window::new).limit(total / each).toArray(Window[]::new);
        long seed = seeds.nextLong();
        long start = System.nanoTime();
        Parallel.sum(threads, number -> {
            work(new SplittableRandom(seed + number), start, each * SECOND, windows);
            return 0;
        });
        return windows;
    }

    private void work(SplittableRandom random, long start, long length, Window[] windows) {
        for (long elapsed = 0; elapsed < length * windows.length; elapsed = System.nanoTime() - start) {
            get(zipf.next(random), random, windows[(int) (elapsed / length)]);
        }
    }

    private void get(int key, SplittableRandom random, Window now) {
        now.operations.increment();
        int latest = versions.get(key);
        byte[] value = cache.get(key);
        if (value == null) {
            put(key, random);
            return;
        }
        now.hits.increment();
        if (!VersionedValue.isOf(key, value) || VersionedValue.version(value) < latest) {
            wrong.increment();
        }
        if (random.nextInt(PERCENT) < updates) {
            put(key, random);
            now.replacements.increment();
        }
    }

    /**
     * Stores a new version. The version is recorded after readers can find it. The update is atomic for the key, so no
     * older version follows.
     */
    private void put(int key, SplittableRandom random) {
        byte[] put = cache.compute(key, (same, old) -> VersionedValue.make(key, versions.get(key) + 1, random));
        versions.accumulateAndGet(key, VersionedValue.version(put), Math::max);
    }

    private void report(double from, Window[] windows) {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("program", "cache");
        report.put("kind", kind.name().toLowerCase());
        report.put("capacity", capacity());
        report.put("entries", cache.size());
        report.put("keys", versions.length());
        report.put("windowSeconds", window);
        report.put("operations", counts(windows, each -> each.operations));
        report.put("hits", counts(windows, each -> each.hits));
        report.put("replacements", counts(windows, each -> each.replacements));
        report.put("wrong", wrong.sum());
        report.put("from", from);
        report.put("to", H2Programs.uptime());
        report.put("h2", secondHeap());
        H2Programs.print(report);
    }

    private static long[] counts(Window[] windows, Function<Window, LongAdder> counter) {
        return Arrays.stream(windows).map(counter).mapToLong(LongAdder::sum).toArray();
    }

    private static Map<String, Object> secondHeap() {
        SecondHeapStatistics h2 = SecondHeap.statistics();
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("failedTransfers", h2.getFailedTransfers());
        report.put("movedBytes", h2.getMovedBytes());
        report.put("deepMarkings", h2.getDeepMarkings());
        return report;
    }
}
