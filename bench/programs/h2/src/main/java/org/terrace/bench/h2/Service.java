// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.h2;

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

/** A map that is larger than the heap, without a hint. Threads read and replace values of random keys. */
@Command(name = "service", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "Threads read and replace values of an untagged ConcurrentHashMap. Reports the operations in the second "
            + "half of the time. The exit status is 1 if a value was wrong.")
final class Service implements Callable<Integer> {

    private static final int PERCENT = 100;
    private static final int VALUE = 1008;
    private static final int KEYS_PER_MEGABYTE = 1 << 10;
    private static final double SECOND = 1e9;

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

    private final Map<Integer, byte[]> map = new ConcurrentHashMap<>();

    @Override
    public Integer call() throws Exception {
        require(megabytes > 0 && megabytes < 1 << 20, "--megabytes: between 1 and " + ((1 << 20) - 1));
        require(seconds > 0, "--seconds: at least 1");
        require(threads > 0, "--threads: at least 1");
        require(updates >= 0 && updates <= PERCENT, "--updates: between 0 and " + PERCENT);
        int keys = megabytes * KEYS_PER_MEGABYTE;
        for (int key = 0; key < keys; key++) {
            map.put(key, value(key));
        }
        double filled = H2Programs.uptime();
        long wrong = work(keys, seconds / 2.0)[1];
        long start = System.nanoTime();
        long[] counted = work(keys, seconds / 2.0);
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

    /** A value tells its key at both ends. */
    private static byte[] value(int key) {
        byte[] value = new byte[VALUE];
        value[0] = (byte) key;
        value[VALUE - 1] = (byte) key;
        return value;
    }

    /** Operations, and wrong values among them. */
    private long[] work(int keys, double time) throws Exception {
        long[] wrong = new long[threads];
        long start = System.nanoTime();
        long operations = Parallel.sum(threads, number -> {
            SplittableRandom random = new SplittableRandom();
            long count = 0;
            for (; System.nanoTime() - start < time * SECOND; count++) {
                int key = random.nextInt(keys);
                if (random.nextInt(PERCENT) < updates) {
                    map.put(key, value(key));
                } else if (map.get(key)[VALUE - 1] != (byte) key) {
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
