// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.h2;

import com.sun.management.OperatingSystemMXBean;
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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.terrace.SecondHeap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Reads data in H2 by several threads, either all of it in order, or single rows at random, or both simultaneously. */
@Command(name = "passes", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "Fills the second heap and reads it, in order or at random. Reports each pass.")
final class Passes implements Callable<Integer> {

    enum Pattern { SCAN, RANDOM, MIXED }

    @Option(names = "--size", paramLabel = "BYTES", defaultValue = "1g", converter = H2Programs.Size.class,
            description = "Size of the data.")
    private long size;

    @Option(names = "--partition", paramLabel = "BYTES", defaultValue = "16m", converter = H2Programs.Size.class,
            description = "Size of a partition, which one thread reads in order.")
    private long partitionSize;

    @Option(names = "--pattern", paramLabel = "PATTERN", split = ",", defaultValue = "scan",
            description = "Patterns to run in turn: ${COMPLETION-CANDIDATES}. "
                + "With mixed, half of the threads scan and half read at random.")
    private List<Pattern> patterns;

    @Option(names = "--threads", paramLabel = "N", defaultValue = "2", description = "Number of reading threads.")
    private int threads;

    @Option(names = "--passes", paramLabel = "N", defaultValue = "2", description = "Number of passes for each pattern.")
    private int passes;

    @Option(names = "--seconds", paramLabel = "S", defaultValue = "3", description = "Duration of a random pass in seconds.")
    private double seconds;

    @Option(names = "--prefetch", description = "Prefetch the next partition before one is read in order.")
    private boolean prefetch;

    @Option(names = "--dismiss", description = "Dismiss each partition after it was read in order.")
    private boolean dismiss;

    private List<long[][]> partitions;
    private volatile boolean scanning;
    private volatile long deadline;

    @Override
    public Integer call() throws Exception {
        partitions = Partitions.inH2(size, partitionSize, number -> 1);
        List<Map<String, Object>> measured = new ArrayList<>();
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            for (Pattern pattern : patterns) {
                for (int pass = 0; pass < passes; pass++) {
                    measured.add(pass(pool, pattern, pass));
                }
            }
        } finally {
            pool.shutdown();
        }
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("program", "passes");
        report.put("usedBytes", SecondHeap.statistics().getUsedBytes());
        report.put("passes", measured);
        H2Programs.print(report);
        return 0;
    }

    private Map<String, Object> pass(ExecutorService pool, Pattern pattern, int number) throws Exception {
        int scanners = pattern == Pattern.SCAN ? threads : pattern == Pattern.RANDOM ? 0 : Math.max(1, threads / 2);
        long[] before = counters();
        double from = H2Programs.uptime();
        long start = System.nanoTime();
        scanning = scanners > 0;
        deadline = start + (long) (seconds * 1e9);
        List<Future<Long>> scans = new ArrayList<>();
        List<Future<Long>> lookups = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int index = i;
            if (i < scanners) {
                scans.add(pool.submit(() -> scan(index, scanners)));
            } else {
                lookups.add(pool.submit(() -> lookUp(number * threads + index, pattern == Pattern.MIXED)));
            }
        }
        long scanned = total(scans);
        double scanSeconds = (System.nanoTime() - start) / 1e9;
        scanning = false;
        long looked = total(lookups);
        long[] after = counters();
        Map<String, Object> pass = new LinkedHashMap<>();
        pass.put("pattern", pattern.name().toLowerCase());
        pass.put("from", from);
        pass.put("to", H2Programs.uptime());
        pass.put("seconds", (System.nanoTime() - start) / 1e9);
        pass.put("scannedBytes", scanned);
        pass.put("scanSeconds", scanSeconds);
        pass.put("randomReads", looked);
        pass.put("cpuSeconds", (after[0] - before[0]) / 1e9);
        pass.put("majorFaults", after[1] - before[1]);
        pass.put("deviceBytes", after[2] - before[2]);
        return pass;
    }

    private static long total(List<Future<Long>> parts) throws InterruptedException, ExecutionException {
        long total = 0;
        for (Future<Long> part : parts) {
            total += part.get();
        }
        return total;
    }

    /** Returns the number of bytes read. */
    private long scan(int index, int scanners) {
        long bytes = 0;
        long sum = 0;
        for (int p = index; p < partitions.size(); p += scanners) {
            if (prefetch && p + scanners < partitions.size()) {
                SecondHeap.prefetch(partitions.get(p + scanners));
            }
            for (long[] row : partitions.get(p)) {
                for (long value : row) {
                    sum += value;
                }
                bytes += Partitions.ROW_BYTES;
            }
            if (dismiss) {
                SecondHeap.dismiss(partitions.get(p));
            }
        }
        return bytes + (sum == 42 ? 1 : 0);
    }

    /** Returns the number of rows read, at least one, until the time is over or while other threads scan. */
    private long lookUp(long seed, boolean whileScanning) {
        SplittableRandom random = new SplittableRandom(seed);
        long sum = 0;
        long done = 0;
        do {
            long[][] rows = partitions.get(random.nextInt(partitions.size()));
            for (long value : rows[random.nextInt(rows.length)]) {
                sum += value;
            }
            done++;
        } while (whileScanning ? scanning : System.nanoTime() < deadline);
        return done + (sum == 42 ? 1 : 0);
    }

    /** Returns CPU nanoseconds, major faults, and bytes read from the device by this process so far. */
    private static long[] counters() throws IOException {
        long cpu = ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
        String stat = Files.readString(Path.of("/proc/self/stat"));
        String[] afterName = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        long read = Files.readAllLines(Path.of("/proc/self/io")).stream().filter(line -> line.startsWith("read_bytes: "))
                .mapToLong(line -> Long.parseLong(line.substring("read_bytes: ".length()))).findFirst().orElse(0);
        return new long[] {cpu, Long.parseLong(afterName[9]), read};
    }
}
