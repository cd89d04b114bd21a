// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.h2;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import org.terrace.SecondHeap;
import org.terrace.SecondHeapStatistics;
import org.terrace.bench.harness.Parallel;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Values of a map that is larger than the heap, without a hint, or of RocksDB. Threads read and replace values of random keys. */
@Command(name = "service", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "Threads read and replace values of an untagged ConcurrentHashMap, or of RocksDB. Reports the operations in "
            + "the second half of the time. The exit status is 1 if a value was wrong.")
final class Service implements Callable<Integer> {

    private static final int PERCENT = 100;
    private static final int VALUE = 1008;
    private static final int KEYS_PER_MEGABYTE = 1 << 10;
    private static final double SECOND = 1e9;

    /** Values by key. Several threads use it. */
    interface Values extends AutoCloseable {
        void put(int key, byte[] value) throws Exception;

        byte[] get(int key) throws Exception;

        @Override
        void close();
    }

    @Spec
    private CommandSpec spec;

    @Option(names = "--megabytes", required = true, paramLabel = "N", description = "Total size of the values in MB.")
    private int megabytes;

    @Option(names = "--seconds", required = true, paramLabel = "N", description = "Measured time in seconds.")
    private int seconds;

    @Option(names = "--threads", paramLabel = "N", defaultValue = "2", description = "Number of worker threads.")
    private int threads;

    @Option(names = "--updates", paramLabel = "PERCENT", defaultValue = "5", description = "Percentage of operations that replace a value.")
    private int updates;

    @Option(names = "--rocksdb", paramLabel = "FOLDER", description = "Store the values in RocksDB, in this new folder.")
    private Path rocksdb;

    @Option(names = "--cache", paramLabel = "BYTES", defaultValue = "256m", converter = H2Programs.Size.class,
            description = "Size of the block cache of RocksDB.")
    private long cache;

    @Override
    public Integer call() throws Exception {
        require(megabytes > 0 && megabytes < 1 << 20, "--megabytes: between 1 and " + ((1 << 20) - 1));
        require(seconds > 0, "--seconds: at least 1");
        require(threads > 0, "--threads: at least 1");
        require(updates >= 0 && updates <= PERCENT, "--updates: between 0 and " + PERCENT);
        require(cache > 0, "--cache: at least 1");
        try (Values values = rocksdb == null ? new MapValues() : new RocksValues(rocksdb, cache)) {
            return measure(values);
        }
    }

    private int measure(Values values) throws Exception {
        int keys = megabytes * KEYS_PER_MEGABYTE;
        for (int key = 0; key < keys; key++) {
            values.put(key, value(key));
        }
        double filled = H2Programs.uptime();
        long wrong = work(values, keys, seconds / 2.0)[1];
        long start = System.nanoTime();
        long[] counted = work(values, keys, seconds / 2.0);
        double took = (System.nanoTime() - start) / SECOND;
        wrong += counted[1];
        report(filled, counted[0] / took, wrong);
        return wrong == 0 ? 0 : 1;
    }

    private void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new ParameterException(spec.commandLine(), otherwise);
        }
    }

    private static final class MapValues implements Values {
        private final Map<Integer, byte[]> map = new ConcurrentHashMap<>();

        @Override
        public void put(int key, byte[] value) {
            map.put(key, value);
        }

        @Override
        public byte[] get(int key) {
            return map.get(key);
        }

        @Override
        public void close() {
            // The map ends with the VM.
        }
    }

    /** A value tells its key at both ends. */
    private static byte[] value(int key) {
        byte[] value = new byte[VALUE];
        value[0] = (byte) key;
        value[VALUE - 1] = (byte) key;
        return value;
    }

    /** Operations, and wrong values among them. */
    private long[] work(Values values, int keys, double time) throws Exception {
        long[] wrong = new long[threads];
        long start = System.nanoTime();
        long operations = Parallel.sum(threads, number -> {
            SplittableRandom random = new SplittableRandom();
            long count = 0;
            for (; System.nanoTime() - start < time * SECOND; count++) {
                int key = random.nextInt(keys);
                if (random.nextInt(PERCENT) < updates) {
                    values.put(key, value(key));
                } else if (values.get(key)[VALUE - 1] != (byte) key) {
                    wrong[number]++;
                }
            }
            return count;
        });
        long all = 0;
        for (long one : wrong) {
            all += one;
        }
        return new long[] {operations, all};
    }

    private static void report(double filled, double rate, long wrong) {
        SecondHeapStatistics h2 = SecondHeap.statistics();
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("program", "service");
        report.put("filledSeconds", filled);
        report.put("operationsPerSecond", rate);
        report.put("wrong", wrong);
        report.put("usedBytes", h2.getUsedBytes());
        H2Programs.print(report);
    }
}
