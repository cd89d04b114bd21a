// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Creates a random graph with the degrees of a social network, which is the same on every machine: R-MAT (Chakrabarti, Zhan and
 * Faloutsos, SDM 2004) with the probabilities of Graph500.
 */
@Command(name = "randomgraph", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "Writes a random graph with few vertices of high degree as an edge list, in order of the source. "
            + "Each edge occurs once.")
final class RandomGraph implements Callable<Integer> {

    // The probabilities that source and target are in the lower half, only the source, and only the target.
    private static final double BOTH = 0.57;
    private static final double SOURCE = 0.19;
    private static final double TARGET = 0.19;

    @Parameters(paramLabel = "OUT", description = "The edge list to write.")
    private Path out;

    @Option(names = "--scale", defaultValue = "20", paramLabel = "N",
            description = "The edges choose from 2 to the power of N vertices. Vertices without an edge get no number.")
    private int scale;

    @Option(names = "--edges", defaultValue = "1000000", paramLabel = "N", description = "Number of edges.")
    private int edges;

    @Option(names = "--seed", defaultValue = "42", paramLabel = "N", description = "Random seed.")
    private long seed;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        // At most a quarter of all pairs, as the search for the last new edges gets long in a dense graph.
        if (scale < 1 || scale > 30 || edges < 1 || edges > 1L << Math.max(0, 2 * scale - 2)) {
            throw new ParameterException(spec.commandLine(), "--scale: 1 to 30, --edges: 1 to a quarter of the square of the vertices");
        }
        long start = System.nanoTime();
        EdgeList graph = new EdgeList(out);
        try (graph) {
            write(graph);
        }
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("workload", "randomgraph");
        report.put("result", Map.of("vertices", graph.vertices(), "edges", graph.edges()));
        report.put("seconds", Map.of("total", Workbench.secondsSince(start)));
        Workbench.print(report);
        return 0;
    }

    private void write(EdgeList graph) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        long[] pairs = new long[edges];
        int distinct = 0;
        while (distinct < edges) {
            for (int i = distinct; i < edges; i++) {
                pairs[i] = pair(random);
            }
            Arrays.parallelSort(pairs);
            distinct = removeRepeats(pairs);
        }
        // Numbers in order of occurrence spread the vertices of high degree over all partitions.
        int[] numbers = new int[1 << scale];
        for (long pair : pairs) {
            int source = number(numbers, (int) (pair >>> 32), graph);
            graph.edge(source, number(numbers, (int) pair, graph));
        }
    }

    /** Returns source and target in the upper and the lower half. Chooses one of four parts of the adjacency matrix for each bit. */
    private long pair(SplittableRandom random) {
        long source = 0;
        long target = 0;
        for (int bit = 0; bit < scale; bit++) {
            double part = random.nextDouble();
            boolean upperSource = part >= BOTH + SOURCE;
            boolean upperTarget = upperSource ? part >= BOTH + SOURCE + TARGET : part >= BOTH;
            source = source << 1 | (upperSource ? 1 : 0);
            target = target << 1 | (upperTarget ? 1 : 0);
        }
        return source << 32 | target;
    }

    /** Moves the different elements of a sorted array to its front. Returns their number. */
    private static int removeRepeats(long[] sorted) {
        int distinct = 1;
        for (int i = 1; i < sorted.length; i++) {
            if (sorted[i] != sorted[distinct - 1]) {
                sorted[distinct++] = sorted[i];
            }
        }
        return distinct;
    }

    private static int number(int[] numbers, int vertex, EdgeList graph) {
        if (numbers[vertex] == 0) {
            numbers[vertex] = graph.vertex("v" + vertex) + 1;
        }
        return numbers[vertex] - 1;
    }
}
