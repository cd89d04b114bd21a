// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.h2;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.terrace.SecondHeap;
import org.terrace.SecondHeapStatistics;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Fills H2 in steps, and pauses after each step for an external observer of this process. */
@Command(name = "fill", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "Fills the second heap in steps. After each step it prints a line and waits for a line of input.")
final class Fill implements Callable<Integer> {

    private static final long BATCH_BYTES = 128 << 20;

    @Option(names = "--steps", paramLabel = "BYTES", split = ",", defaultValue = "0,256m,1g",
            converter = H2Programs.Size.class, description = "Amount of data in H2 at each step.")
    private List<Long> steps;

    // Each batch refers to the previous one, so that regions have dependencies.
    private final List<Object> batches = new ArrayList<>();

    @Override
    public Integer call() throws IOException {
        SecondHeap.move(1);
        long filled = 0;
        for (long step : steps) {
            while (filled < step) {
                long batch = Math.min(BATCH_BYTES, step - filled);
                List<Object> blocks = Shape.BOXED.build(batch);
                if (!batches.isEmpty()) {
                    blocks.add(batches.get(batches.size() - 1));
                }
                batches.add(blocks);
                SecondHeap.tagRoot(blocks, 1);
                SecondHeap.transfer();
                filled += batch;
            }
            SecondHeapStatistics statistics = SecondHeap.statistics();
            Map<String, Object> report = new LinkedHashMap<>();
            report.put("usedBytes", statistics.getUsedBytes());
            report.put("regions", statistics.getRegionsInUse());
            report.put("capacityBytes", statistics.getCapacityBytes());
            H2Programs.print(report);
            if (System.in.read() < 0) {
                break;
            }
        }
        return 0;
    }
}
