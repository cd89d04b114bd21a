// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Threads put values into one store in a closed loop, and each put is a transaction. Afterwards some values are read back. */
@Command(name = "commits", mixinStandardHelpOptions = true, description = "Measures the latency and throughput of commits.")
final class Commits implements Callable<Integer> {
    private static final double NANOS_PER_MICRO = 1e3;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int CHECKED = 100;

    @Option(names = "--store", required = true, description = "one of ${COMPLETION-CANDIDATES}")
    private Store.Kind kind;

    @Option(names = "--level", required = true, description = "durability: one of ${COMPLETION-CANDIDATES}")
    private Store.Level level;

    @Option(names = "--dir", required = true, description = "an empty folder for the files")
    private Path folder;

    @Option(names = "--threads", defaultValue = "1")
    private int threads;

    @Option(names = "--seconds", defaultValue = "5", description = "measured time in seconds (${DEFAULT-VALUE})")
    private double seconds;

    @Option(names = "--warmup", defaultValue = "2", description = "seconds of warmup before the measurement (${DEFAULT-VALUE})")
    private double warmup;

    @Option(names = "--value-bytes", defaultValue = "100")
    private int valueBytes;

    @Option(names = "--keys", defaultValue = "100000", description = "number of keys to put, in random order (${DEFAULT-VALUE})")
    private int keys;

    @Override
    public Integer call() throws Exception {
        Files.createDirectories(folder);
        try (Store store = Store.open(kind, folder, level)) {
            runFor(store, warmup, 1);
            long started = System.nanoTime();
            Histogram times = runFor(store, seconds, 2);
            double took = (System.nanoTime() - started) / NANOS_PER_SECOND;
            check(store);
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("perSecond", times.getTotalCount() / took);
            result.put("p50", times.getValueAtPercentile(50) / NANOS_PER_MICRO);
            result.put("p99", times.getValueAtPercentile(99) / NANOS_PER_MICRO);
            result.put("count", times.getTotalCount());
            PersistPrograms.print(result);
        }
        return 0;
    }

    /** Runs the threads for a time. Each thread puts at least one value. */
    private Histogram runFor(Store store, double duration, int round) throws Exception {
        Histogram times = new ConcurrentHistogram(3);
        long end = System.nanoTime() + (long) (duration * NANOS_PER_SECOND);
        AtomicReference<Exception> problem = new AtomicReference<>();
        List<Thread> all = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            Random random = new Random(31L * round + t);
            all.add(new Thread(() -> {
                try {
                    long now = System.nanoTime();
                    do {
                        long key = random.nextInt(keys);
                        store.put(key, value(key));
                        long after = System.nanoTime();
                        times.recordValue(after - now);
                        now = after;
                    } while (now < end);
                } catch (Exception e) {
                    problem.set(e);
                }
            }));
        }
        all.forEach(Thread::start);
        for (Thread thread : all) {
            thread.join();
        }
        if (problem.get() != null) {
            throw problem.get();
        }
        return times;
    }

    private byte[] value(long key) {
        byte[] value = new byte[valueBytes];
        Arrays.fill(value, (byte) key);
        return value;
    }

    /**
     * Checks that each value found is the one that was put. Finding none is an error, except for the device, or if only
     * some keys are checked.
     */
    private void check(Store store) throws Exception {
        int found = 0;
        for (int key = 0; key < Math.min(CHECKED, keys); key++) {
            byte[] value = store.get(key);
            found += value == null ? 0 : 1;
            if (value != null && !Arrays.equals(value, value(key))) {
                throw new IllegalStateException(kind + " has another value of key " + key + " than was put");
            }
        }
        if (found == 0 && kind != Store.Kind.DEVICE && keys <= CHECKED) {
            throw new IllegalStateException(kind + " has nothing of what was put");
        }
    }
}
