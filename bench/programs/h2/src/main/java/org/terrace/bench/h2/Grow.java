// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.h2;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import org.terrace.SecondHeap;
import org.terrace.SecondHeapStatistics;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A program whose data grows beyond H1. It writes to new partitions for a while, and later only reads them. */
@Command(name = "grow", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "Creates partitions, updates the newest ones, and keeps all of them.")
final class Grow implements Callable<Integer> {

    private static final int ROW_LONGS = 13; // 120 bytes, and 4 for the reference
    private static final int ROW_BYTES = 16 + 8 * ROW_LONGS + 4;

    @Option(names = "--partitions", paramLabel = "N", defaultValue = "96", description = "Number of partitions.")
    private int partitions;

    @Option(names = "--size", paramLabel = "BYTES", defaultValue = "16m", converter = H2Programs.Size.class,
            description = "Size of each partition.")
    private long size;

    @Option(names = "--open", paramLabel = "N", defaultValue = "8", description = "Number of newest partitions that are updated.")
    private int open;

    @Option(names = "--updates", paramLabel = "F", defaultValue = "0.25",
            description = "Fraction of an open partition's rows that are replaced for each new partition.")
    private double updates;

    @Option(names = "--tag", description = "Tag each partition when it is created.")
    private boolean tag;

    @Option(names = "--move", description = "Advise to move a partition once it is no longer updated.")
    private boolean move;

    private final List<long[][]> all = new ArrayList<>();
    private final Random random = new Random(1);

    @Override
    public Integer call() {
        long start = System.nanoTime();
        boolean full = false;
        try {
            grow();
        } catch (OutOfMemoryError e) {
            full = true;
        }
        int made = all.size();
        long sum = full ? 0 : sum();
        all.clear(); // otherwise there is no space for the report
        SecondHeapStatistics h2 = SecondHeap.statistics();
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("program", "grow");
        report.put("outOfMemory", full);
        report.put("partitions", made);
        report.put("sum", sum);
        report.put("seconds", (System.nanoTime() - start) / 1e9);
        report.put("movedBytes", h2.getMovedBytes());
        report.put("transfers", h2.getTransfers());
        report.put("usedBytes", h2.getUsedBytes());
        H2Programs.print(report);
        return 0;
    }

    private void grow() {
        Deque<long[][]> updated = new ArrayDeque<>();
        for (int p = 0; p < partitions; p++) {
            long[][] partition = new long[(int) (size / ROW_BYTES)][];
            if (tag) {
                SecondHeap.tagRoot(partition, p);
            }
            for (int row = 0; row < partition.length; row++) {
                partition[row] = row(row);
            }
            updated.add(partition);
            all.add(partition);
            updated.forEach(this::update);
            if (updated.size() > open) {
                updated.remove();
                if (move) {
                    SecondHeap.move(p - open);
                }
            }
        }
    }

    private void update(long[][] partition) {
        int replaced = (int) (partition.length * updates);
        for (int i = 0; i < replaced; i++) {
            int row = random.nextInt(partition.length);
            partition[row] = row(row);
        }
    }

    private static long[] row(int value) {
        long[] row = new long[ROW_LONGS];
        row[0] = value;
        return row;
    }

    private long sum() {
        long sum = 0;
        for (long[][] partition : all) {
            for (long[] row : partition) {
                sum += row[0];
            }
        }
        return sum;
    }
}
