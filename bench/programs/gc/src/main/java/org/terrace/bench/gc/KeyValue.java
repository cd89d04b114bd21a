// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.gc;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.terrace.bench.harness.Parallel;
import org.terrace.bench.harness.VersionedValue;
import org.terrace.bench.harness.Zipf;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * A key-value store in a hash map, with a few frequent and many rare keys. It reports operations and latencies for each
 * second. The collector's log tells which of these seconds belong to a concurrent cycle.
 */
@Command(name = "keyvalue", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "Threads read and update the values of a hash map. The keys follow Zipf's law.")
final class KeyValue implements Callable<Integer> {

    private static final long MIB = 1 << 20;
    /** Bytes of an entry in addition to its value: the map's node, the key, and the record. */
    private static final int BESIDE_VALUE = 88;
    private static final long SECOND = 1_000_000_000L;
    private static final int POLL_MILLIS = 20;
    private static final int WARM_CYCLES = 2;
    private static final int PERCENT = 100;

    @Option(names = "--megabytes", required = true, paramLabel = "N", description = "Total size of the values in the map, in MB.")
    private int megabytes;

    @Option(names = "--skew", defaultValue = "0.99", paramLabel = "X",
            description = "Exponent of Zipf's law: the n-th key is requested 1/n^X times as often as the first.")
    private double skew;

    @Option(names = "--updates", defaultValue = "2", paramLabel = "PERCENT",
            description = "Percentage of operations that write a new value.")
    private int updates;

    @Option(names = "--threads", defaultValue = "2", paramLabel = "N", description = "Number of worker threads.")
    private int threads;

    @Option(names = "--seconds", required = true, paramLabel = "N", description = "Measured time in seconds.")
    private int seconds;

    @Option(names = "--before", defaultValue = "10", paramLabel = "N",
            description = "Seconds before the first concurrent cycle, and between two cycles.")
    private int before;

    @Option(names = "--meet", paramLabel = "DIR",
            description = "Create a file 'loaded' in this folder when the map is full. Wait for a file 'go' there before the work starts.")
    private Path meet;

    private final Map<Integer, Record> map = new ConcurrentHashMap<>();
    private final AtomicBoolean ending = new AtomicBoolean();
    private int size;
    private Second[] counts;

    /** A value, which begins with its key and version, with references to some other records. */
    private static final class Record {
        private volatile byte[] value;
        private Record next;
        private Record other;
        private Record third;

        Record(int key, SplittableRandom random) {
            value = VersionedValue.make(key, 0, random);
        }
    }

    /** The operations of all threads in one second. */
    private static final class Second {
        private static final int BUCKETS = Long.SIZE << Bucket.BITS;

        private final AtomicIntegerArray buckets = new AtomicIntegerArray(BUCKETS);

        void add(long nanos) {
            buckets.incrementAndGet(Bucket.of(nanos));
        }

        /** Returns {number of the bucket: its count}. */
        Map<Integer, Integer> report() {
            Map<Integer, Integer> report = new LinkedHashMap<>();
            for (int i = 0; i < BUCKETS; i++) {
                if (buckets.get(i) > 0) {
                    report.put(i, buckets.get(i));
                }
            }
            return report;
        }
    }

    /** Buckets of latencies, eight for each power of two. */
    static final class Bucket {
        static final int BITS = 3;

        private Bucket() {
        }

        static int of(long nanos) {
            int power = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos | 1 << BITS);
            return power << BITS | (int) (nanos >>> power - BITS) & (1 << BITS) - 1;
        }
    }

    @Override
    public Integer call() throws Exception {
        size = (int) (megabytes * MIB / (VersionedValue.MEAN_BYTES + BESIDE_VALUE));
        Zipf zipf = new Zipf(size, skew);
        load();
        // A program that has run for a while has had some collection cycles.
        for (int i = 0; i < WARM_CYCLES; i++) {
            System.gc();
        }
        meet();
        counts = new Second[seconds];
        for (int i = 0; i < seconds; i++) {
            counts[i] = new Second();
        }
        double from = uptime();
        long start = System.nanoTime();
        Thread cycles = new Thread(this::askForCycles, "cycles");
        cycles.setDaemon(true);
        cycles.start();
        long wrong = Parallel.sum(threads, number -> work(zipf, new SplittableRandom(number), start));
        ending.set(true);
        report(from, wrong);
        return wrong == 0 ? 0 : 1;
    }

    /** Fills the map by all threads. Entries are in the heap in the order of creation, so those of some parts of the map are adjacent. */
    private void load() throws Exception {
        Parallel.sum(threads, share -> {
            SplittableRandom random = new SplittableRandom(share);
            for (int key = share; key < size; key += threads) {
                map.put(key, new Record(key, random));
            }
            return 0;
        });
        SplittableRandom random = new SplittableRandom(size);
        for (Record record : map.values()) {
            record.next = map.get(random.nextInt(size));
            record.other = map.get(random.nextInt(size));
            record.third = map.get(random.nextInt(size));
        }
    }

    private void meet() throws IOException, InterruptedException {
        if (meet != null) {
            Files.createFile(meet.resolve("loaded"));
            while (!Files.exists(meet.resolve("go"))) {
                Thread.sleep(POLL_MILLIS);
            }
        }
    }

    /** With -XX:+ExplicitGCInvokesConcurrent, System.gc returns when the cycle has ended. */
    private void askForCycles() {
        try {
            while (!ending.get()) {
                Thread.sleep(before * SECOND / 1_000_000);
                System.gc();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the number of wrong values. */
    private long work(Zipf zipf, SplittableRandom random, long start) {
        long wrong = 0;
        long now = System.nanoTime();
        while (now - start < seconds * SECOND) {
            int key = zipf.next(random);
            Record record = map.get(key);
            byte[] value = record.value;
            if (!VersionedValue.isOf(key, value)) {
                wrong++;
            }
            if (random.nextInt(PERCENT) < updates) {
                record.value = VersionedValue.make(key, VersionedValue.version(value) + 1, random);
            }
            long end = System.nanoTime();
            counts[(int) Math.min((end - start) / SECOND, seconds - 1)].add(end - now);
            now = end;
        }
        return wrong;
    }

    private static double uptime() {
        return ManagementFactory.getRuntimeMXBean().getUptime() / 1e3;
    }

    private void report(double from, long wrong) throws IOException {
        List<Object> bySecond = new ArrayList<>();
        for (Second second : counts) {
            bySecond.add(second.report());
        }
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("program", "keyvalue");
        report.put("parameters", Map.of("megabytes", megabytes, "keys", size, "skew", skew, "updates", updates));
        report.put("result", Map.of("wrong", wrong));
        report.put("from", from);
        report.put("to", uptime());
        report.put("seconds", bySecond);
        System.out.println(new ObjectMapper().writeValueAsString(report));
    }
}
