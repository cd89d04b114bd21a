// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.h2;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.terrace.SecondHeap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Moves one object graph in one major collection, several times. The previous graph is dropped before the next one is
 * built. So the page cache reuses its memory in each transfer except the first.
 */
@Command(name = "transfer", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "Builds an object graph and moves it to the second heap in one major collection, several times.")
final class Transfer implements Callable<Integer> {

    @Option(names = "--shape", paramLabel = "SHAPE", defaultValue = "nodes", description = "One of ${COMPLETION-CANDIDATES}.")
    private Shape shape;

    @Option(names = "--size", paramLabel = "BYTES", defaultValue = "1g", converter = H2Programs.Size.class,
            description = "Size of the graph.")
    private long size;

    @Option(names = "--repeats", paramLabel = "N", defaultValue = "3", description = "Number of repetitions.")
    private int repeats;

    @Override
    public Integer call() {
        SecondHeap.move(1);
        for (int i = 0; i < repeats; i++) {
            List<Object> graph = shape.build(size);
            SecondHeap.tagRoot(graph, 1);
            SecondHeap.transfer();
            if (SecondHeap.isAvailable() && SecondHeap.state(graph) != SecondHeap.State.IN_H2) {
                throw new IllegalStateException("the graph did not move: see the GC log");
            }
        }
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("program", "transfer");
        report.put("shape", shape.name().toLowerCase());
        report.put("movedBytes", SecondHeap.statistics().getMovedBytes());
        report.put("movedObjects", SecondHeap.statistics().getMovedObjects());
        H2Programs.print(report);
        return 0;
    }
}
