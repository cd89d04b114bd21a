// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.apache.spark.api.java.JavaPairRDD;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import scala.Tuple2;

/**
 * The transitive closure of a random graph. Each round adds the paths that are longer by one edge, until none is new, and
 * caches all paths. The variable of the cached paths therefore has another RDD in each round.
 */
@Command(name = "closure", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "Transitive closure of a random directed graph, with the paths of each round cached.")
final class TransitiveClosure implements Callable<Integer> {

    @Option(names = "--vertices", defaultValue = "500", paramLabel = "N", description = "Number of vertices.")
    private int vertices;

    @Option(names = "--edges", defaultValue = "1000", paramLabel = "N", description = "Number of random edges.")
    private int edges;

    @Option(names = "--partitions", defaultValue = "16", paramLabel = "N", description = "Number of partitions of the paths.")
    private int partitions;

    @Option(names = "--seed", defaultValue = "42", paramLabel = "N", description = "Random seed of the graph.")
    private long seed;

    @Mixin
    private SparkOptions options;

    @Override
    public Integer call() {
        try (Workbench bench = new Workbench("closure", options)) {
            int bound = vertices;
            long origin = seed;
            // Keyed by their targets, so that a join with paths from there extends them at the front.
            JavaPairRDD<Integer, Integer> reversed = bench.numbers(edges, partitions)
                    .mapToPair(number -> edge(origin, number, bound).swap())
                    .distinct(partitions)
                    .persist(options.level());
            long distinct = bench.phase("load", reversed::count);
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("edges", distinct);
            JavaPairRDD<Integer, Integer> closure = bench.phase("extend", () -> extend(reversed, result));
            Digest digest = bench.phase("digest", () -> closure.aggregate(new Digest(),
                    (paths, path) -> paths.add(path._1(), path._2()), Digest::merge));
            result.put("digest", digest.hash());

            Map<String, Object> parameters = new LinkedHashMap<>();
            parameters.put("vertices", vertices);
            parameters.put("edges", edges);
            parameters.put("partitions", partitions);
            parameters.put("seed", seed);
            bench.report(parameters, result);
        }
        return 0;
    }

    private JavaPairRDD<Integer, Integer> extend(JavaPairRDD<Integer, Integer> reversed, Map<String, Object> result) {
        JavaPairRDD<Integer, Integer> paths = reversed.mapToPair(Tuple2::swap).persist(options.level());
        long before = 0;
        long count = paths.count();
        int rounds = 0;
        while (count > before) {
            JavaPairRDD<Integer, Integer> longer = paths.join(reversed, partitions)
                    .mapToPair(path -> path._2().swap());
            paths = paths.union(longer).distinct(partitions).persist(options.level());
            before = count;
            count = paths.count();
            rounds++;
        }
        result.put("paths", count);
        result.put("rounds", rounds);
        return paths;
    }

    /** Returns an edge of the graph. */
    static Tuple2<Integer, Integer> edge(long seed, long number, int vertices) {
        SplittableRandom random = new SplittableRandom(seed * 1_000_003 + number);
        return new Tuple2<>(random.nextInt(vertices), random.nextInt(vertices));
    }
}
