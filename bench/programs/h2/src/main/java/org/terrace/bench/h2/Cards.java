// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.h2;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import org.terrace.SecondHeap;
import org.terrace.SecondHeapStatistics;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures minor collections with a growing H2, with some of its cards written before each collection. */
@Command(name = "cards", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "Fills the second heap in steps. At each step, writes some cards and runs minor collections.")
final class Cards implements Callable<Integer> {

    private static final int CARD_BYTES = 512;
    private static final long BATCH_BYTES = 512 << 20;
    private static final int BLOCK_LEAVES = 4096;
    private static final int LEAF_BYTES = 24 + 4;

    private static final class Leaf {

        Object reference;
        long value;
    }

    @Option(names = "--steps", paramLabel = "BYTES", split = ",", defaultValue = "1g,2g,4g",
            converter = H2Programs.Size.class, description = "Amount of data in H2 at each step.")
    private List<Long> steps;

    @Option(names = "--written", paramLabel = "F", split = ",", defaultValue = "0,0.001,0.01",
            description = "Fractions of all cards that are written between two collections.")
    private List<Double> written;

    @Option(names = "--repeats", paramLabel = "N", defaultValue = "5", description = "Number of collections for each fraction.")
    private int repeats;

    private final List<Leaf[]> blocks = new ArrayList<>();
    // These lists keep the objects alive, which a tag does not do.
    private final List<List<Leaf[]>> tagged = new ArrayList<>();
    private final List<Map<String, Object>> measured = new ArrayList<>();
    private final Random random = new Random(1);
    private final GarbageCollectorMXBean minor = minorCollector();
    private volatile Object garbage;

    @Override
    public Integer call() {
        SecondHeap.move(1);
        long filled = 0;
        for (long step : steps) {
            for (; filled < step; filled += BATCH_BYTES) {
                fill(Math.min(BATCH_BYTES, step - filled));
            }
            System.gc();
            collect();
            for (double fraction : written) {
                for (int i = 0; i < repeats; i++) {
                    measure(step, fraction);
                }
            }
        }
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("program", "cards");
        report.put("collections", measured);
        H2Programs.print(report);
        return 0;
    }

    private void fill(long bytes) {
        List<Leaf[]> batch = new ArrayList<>();
        for (long made = 0; made < bytes; made += BLOCK_LEAVES * LEAF_BYTES) {
            Leaf[] leaves = new Leaf[BLOCK_LEAVES];
            for (int i = 0; i < leaves.length; i++) {
                leaves[i] = new Leaf();
                leaves[i].value = i;
            }
            batch.add(leaves);
        }
        blocks.addAll(batch);
        tagged.add(batch);
        SecondHeap.tagRoot(batch, 1);
        SecondHeap.transfer();
    }

    /** Runs one collection after writes to random cards. The stored references lead to an old object. */
    private void measure(long bytes, double fraction) {
        long cards = (long) (fraction * bytes / CARD_BYTES);
        Leaf old = blocks.get(0)[0];
        for (long i = 0; i < cards; i++) {
            Leaf[] leaves = blocks.get(random.nextInt(blocks.size()));
            leaves[random.nextInt(leaves.length)].reference = old;
        }
        SecondHeapStatistics before = SecondHeap.statistics();
        long number = collect();
        SecondHeapStatistics after = SecondHeap.statistics();
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("bytes", bytes);
        one.put("written", fraction);
        one.put("writtenCards", cards);
        one.put("minorCollection", number);
        one.put("scanNanos", after.getMinorScanNanos() - before.getMinorScanNanos());
        one.put("scannedCards", after.getMinorScannedCards() - before.getMinorScannedCards());
        measured.add(one);
    }

    /** Allocates until a minor collection has happened, and returns its number, which starts at 1. */
    private long collect() {
        long before = minor.getCollectionCount();
        while (minor.getCollectionCount() == before) {
            for (int i = 0; i < 64; i++) {
                garbage = new byte[16 << 10];
            }
        }
        return minor.getCollectionCount();
    }

    private static GarbageCollectorMXBean minorCollector() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .filter(bean -> bean.getName().equals("PS Scavenge")).findFirst()
                .orElseThrow(() -> new IllegalStateException("needs ParallelGC: -XX:+UseParallelGC"));
    }
}
