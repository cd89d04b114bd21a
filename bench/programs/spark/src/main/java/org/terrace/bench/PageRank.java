// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.spark.api.java.JavaPairRDD;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import scala.Tuple2;

/** PageRank in its usual Spark formulation, with cached adjacency lists and a new RDD of ranks in each iteration. */
@Command(name = "pagerank", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "PageRank over an edge list, with cached adjacency lists.")
final class PageRank implements Callable<Integer> {

    private static final double DAMPING = 0.85;

    /** Ranks are added as multiples of this unit, so that the sum does not depend on the order. */
    private static final double UNIT = 1.0 / (1 << 20);

    @Parameters(paramLabel = "EDGES",
            description = "Text file with one edge, two vertex numbers, per line. Lines that begin with # are skipped.")
    private String edges;

    @Option(names = "--iterations", defaultValue = "10", paramLabel = "N", description = "Number of iterations.")
    private int iterations;

    @Option(names = "--partitions", defaultValue = "16", paramLabel = "N", description = "Number of partitions of the cached data.")
    private int partitions;

    @Option(names = "--top", defaultValue = "10", paramLabel = "N", description = "Number of highest ranks to print.")
    private int top;

    @Option(names = "--persist-contributions",
            description = "Also cache the contributions that each iteration sends along the edges, like the program in the Panthera paper.")
    private boolean persistContributions;

    @Mixin
    private SparkOptions options;

    @Override
    public Integer call() {
        try (Workbench bench = new Workbench("pagerank", options)) {
            JavaPairRDD<Integer, Iterable<Integer>> links = bench.sc.textFile(edges, partitions)
                    .filter(EdgeList::isEdge)
                    .mapToPair(EdgeList::parse)
                    .distinct(partitions)
                    .groupByKey(partitions)
                    .persist(options.level());
            long sources = bench.phase("load", links::count);
            JavaPairRDD<Integer, Double> ranks = bench.phase("plan", () -> iterate(links));
            Digest digest = bench.phase("iterate", () -> ranks.aggregate(new Digest(), PageRank::add, Digest::merge));
            List<Tuple2<Integer, Double>> highest = bench.phase("top", () -> ranks.takeOrdered(top, ByRank.DESCENDING));

            Map<String, Object> parameters = new LinkedHashMap<>();
            parameters.put("edges", edges);
            parameters.put("iterations", iterations);
            parameters.put("partitions", partitions);
            parameters.put("persistContributions", persistContributions);
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("sources", sources);
            result.put("vertices", digest.count());
            result.put("rankSum", digest.sum() * UNIT);
            result.put("digest", digest.hash());
            List<Object> topRanks = new ArrayList<>();
            highest.forEach(rank -> topRanks.add(List.of(rank._1(), rank._2())));
            result.put("top", topRanks);
            bench.report(parameters, result);
        }
        return 0;
    }

    private JavaPairRDD<Integer, Double> iterate(JavaPairRDD<Integer, Iterable<Integer>> links) {
        JavaPairRDD<Integer, Double> ranks = links.mapValues(targets -> 1.0);
        for (int i = 0; i < iterations; i++) {
            JavaPairRDD<Integer, Double> contributions = links.join(ranks).values()
                    .flatMapToPair(source -> {
                        List<Integer> targets = new ArrayList<>();
                        source._1().forEach(targets::add);
                        double share = source._2() / targets.size();
                        return targets.stream().map(target -> new Tuple2<>(target, share)).iterator();
                    });
            if (persistContributions) {
                contributions.persist(options.level());
            }
            ranks = contributions
                    .reduceByKey(Double::sum, partitions)
                    .mapValues(sum -> 1 - DAMPING + DAMPING * sum);
        }
        return ranks;
    }

    private static Digest add(Digest digest, Tuple2<Integer, Double> rank) {
        return digest.add(rank._1(), Math.round(rank._2() / UNIT), Double.doubleToLongBits(rank._2()));
    }

    private enum ByRank implements Comparator<Tuple2<Integer, Double>> {
        DESCENDING;

        @Override
        public int compare(Tuple2<Integer, Double> a, Tuple2<Integer, Double> b) {
            int byRank = Double.compare(b._2(), a._2());
            return byRank != 0 ? byRank : Integer.compare(a._1(), b._1());
        }
    }
}
