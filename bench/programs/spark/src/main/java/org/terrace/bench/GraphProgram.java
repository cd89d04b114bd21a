// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.spark.graphx.Graph;
import org.apache.spark.graphx.GraphLoader;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import scala.reflect.ClassTag;

/**
 * A GraphX algorithm over an edge list. GraphX caches the graph and each of its successive generations at the storage
 * levels of the first. It always caches messages with MEMORY_ONLY.
 */
abstract class GraphProgram implements Callable<Integer> {

    @Parameters(paramLabel = "EDGES",
            description = "Text file with one edge, two vertex numbers, per line. Lines that begin with # are skipped.")
    private String edges;

    @Option(names = "--partitions", defaultValue = "16", paramLabel = "N", description = "Number of partitions of the graph.")
    private int partitions;

    @Mixin
    private SparkOptions options;

    private final String name;

    GraphProgram(String name) {
        this.name = name;
    }

    /** Loads the graph. */
    abstract Graph<Object, Object> load(Workbench bench, String edges, int partitions);

    /** Runs the algorithm and puts its results into {@code result}. */
    abstract void solve(Workbench bench, Graph<Object, Object> graph, Map<String, Object> result);

    /** Adds further parameters of the program. */
    void describe(Map<String, Object> parameters) {
    }

    @Override
    public Integer call() {
        try (Workbench bench = new Workbench(name, options)) {
            Map<String, Object> result = new LinkedHashMap<>();
            Graph<Object, Object> graph = bench.phase("load", () -> {
                Graph<Object, Object> loaded = load(bench, edges, partitions);
                result.put("vertices", loaded.vertices().count());
                result.put("edges", loaded.edges().count());
                return loaded;
            });
            solve(bench, graph, result);

            Map<String, Object> parameters = new LinkedHashMap<>();
            parameters.put("edges", edges);
            parameters.put("partitions", partitions);
            describe(parameters);
            bench.report(parameters, result);
        }
        return 0;
    }

    /** Returns the graph as it is in the file. Scala's integers are objects in Java. */
    final Graph<Object, Object> asListed(Workbench bench, String edges, int partitions) {
        return GraphLoader.edgeListFile(bench.sc.sc(), edges, false, partitions, options.level(), options.level());
    }

    final SparkOptions options() {
        return options;
    }

    static ClassTag<Object> intTag() {
        return ClassTag.Int();
    }
}
