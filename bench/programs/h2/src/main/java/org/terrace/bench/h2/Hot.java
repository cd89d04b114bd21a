// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.h2;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.terrace.SecondHeap;
import org.terrace.SecondHeapLabelUsage;
import org.terrace.SecondHeapStatistics;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Reads rows of some partitions in H2, and after a while of other partitions. Every second it records the fraction of
 * the hot partitions that is in fast memory.
 */
@Command(name = "hot", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "Reads a hot part of the second heap, which changes over time. Reports which regions are fast.")
final class Hot implements Callable<Integer> {

    private static final double SECOND = 1e9;
    private static final int READS_BETWEEN_LOOKS = 1000;

    @Spec
    private CommandSpec spec;

    @Option(names = "--size", paramLabel = "BYTES", defaultValue = "1g", converter = H2Programs.Size.class,
            description = "Size of the data.")
    private long size;

    @Option(names = "--hot", paramLabel = "BYTES", defaultValue = "128m", converter = H2Programs.Size.class,
            description = "Size of the hot part.")
    private long hot;

    @Option(names = "--partition", paramLabel = "BYTES", defaultValue = "16m", converter = H2Programs.Size.class,
            description = "Size of each partition. Each partition has a label.")
    private long partitionSize;

    @Option(names = "--stay", paramLabel = "S", defaultValue = "60", description = "Seconds before the hot part changes.")
    private int stay;

    @Option(names = "--sets", paramLabel = "N", defaultValue = "4", description = "Number of hot parts, one after the other.")
    private int sets;

    private List<long[][]> partitions;

    @Override
    public Integer call() {
        int hotCount = (int) (hot / partitionSize);
        if (hotCount < 1 || hotCount * sets > size / partitionSize) {
            throw new ParameterException(spec.commandLine(),
                    "--hot: at least one --partition, and not more than --size in all --sets together");
        }
        partitions = Partitions.inH2(size, partitionSize, number -> number);
        List<Map<String, Object>> seconds = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(1);
        long start = System.nanoTime();
        long sum = 0;
        for (int second = 0; second < sets * stay; second++) {
            int set = second / stay;
            long reads = 0;
            while (System.nanoTime() - start < (second + 1) * SECOND) {
                for (int i = 0; i < READS_BETWEEN_LOOKS; i++) {
                    long[][] rows = partitions.get(set * hotCount + random.nextInt(hotCount));
                    for (long value : rows[random.nextInt(rows.length)]) {
                        sum += value;
                    }
                }
                reads += READS_BETWEEN_LOOKS;
            }
            seconds.add(look(set * hotCount, hotCount, reads));
        }
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("program", "hot");
        report.put("usedBytes", SecondHeap.statistics().getUsedBytes());
        report.put("sum", sum);
        report.put("seconds", seconds);
        H2Programs.print(report);
        return 0;
    }

    private Map<String, Object> look(int first, int count, long reads) {
        long fastHot = 0;
        long usedHot = 0;
        for (SecondHeapLabelUsage usage : SecondHeap.labels()) {
            if (usage.getLabel() >= first && usage.getLabel() < first + count) {
                fastHot += usage.getFastBytes();
                usedHot += usage.getUsedBytes();
            }
        }
        SecondHeapStatistics statistics = SecondHeap.statistics();
        Map<String, Object> second = new LinkedHashMap<>();
        second.put("reads", reads);
        second.put("hotBytes", usedHot);
        second.put("fastHotBytes", Math.min(fastHot, usedHot));
        second.put("toFastBytes", statistics.getMigratedToFastBytes());
        second.put("toSlowBytes", statistics.getMigratedToSlowBytes());
        second.put("sampleNanos", statistics.getSampleNanos());
        return second;
    }
}
