// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.graphx.Edge;
import org.apache.spark.graphx.Graph;
import org.apache.spark.graphx.lib.SVDPlusPlus;
import org.apache.spark.graphx.lib.SVDPlusPlus$;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import scala.Tuple2;
import scala.Tuple4;

/**
 * GraphX's SVD++ over ratings that follow a few hidden preferences. It caches the ratings, their graph and every
 * generation of the graph with MEMORY_ONLY, and has no parameter for another storage level.
 */
@Command(name = "svdplusplus", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "GraphX's SVD++ over generated ratings. It always caches with MEMORY_ONLY and ignores --storage-level.")
final class SvdPlusPlus implements Callable<Integer> {

    private static final double LOWEST = 1.0;
    private static final double HIGHEST = 5.0;
    private static final int TASTES = 4;
    private static final double NOISE = 0.5;

    @Option(names = "--users", defaultValue = "10000", paramLabel = "N", description = "Number of users.")
    private int users;

    @Option(names = "--items", defaultValue = "1000", paramLabel = "N", description = "Number of items.")
    private int items;

    @Option(names = "--ratings", defaultValue = "20", paramLabel = "N", description = "Number of ratings per user.")
    private int ratings;

    @Option(names = "--rank", defaultValue = "10", paramLabel = "N", description = "Length of the learned vectors.")
    private int rank;

    @Option(names = "--iterations", defaultValue = "3", paramLabel = "N", description = "Number of iterations.")
    private int iterations;

    @Option(names = "--partitions", defaultValue = "16", paramLabel = "N", description = "Number of partitions of the ratings.")
    private int partitions;

    @Option(names = "--seed", defaultValue = "42", paramLabel = "N", description = "Random seed of the ratings.")
    private long seed;

    @Mixin
    private SparkOptions options;

    @Override
    public Integer call() {
        try (Workbench bench = new Workbench("svdplusplus", options)) {
            Tuple2<Graph<Tuple4<double[], double[], Object, Object>, Object>, Object> model =
                    bench.phase("train", () -> SVDPlusPlus$.MODULE$.run(ratings(bench).rdd(),
                            new SVDPlusPlus.Conf(rank, iterations, LOWEST, HIGHEST, 0.007, 0.007, 0.005, 0.015)));
            long count = bench.phase("count", model._1().edges()::count);
            // After the algorithm, the items have the squared errors of its last iteration.
            int firstItem = users;
            double errors = bench.phase("errors", () -> model._1().vertices().toJavaRDD()
                    .filter(vertex -> (Long) vertex._1() >= firstItem)
                    .mapToDouble(vertex -> (Double) vertex._2()._4())
                    .sum());

            Map<String, Object> parameters = new LinkedHashMap<>();
            parameters.put("users", users);
            parameters.put("items", items);
            parameters.put("ratings", ratings);
            parameters.put("rank", rank);
            parameters.put("iterations", iterations);
            parameters.put("partitions", partitions);
            parameters.put("seed", seed);
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("ratings", count);
            result.put("mean", model._2());
            result.put("rmse", Math.sqrt(errors / count));
            bench.report(parameters, result);
        }
        return 0;
    }

    /** Generates ratings. The numbers of users precede those of items. */
    private JavaRDD<Edge<Object>> ratings(Workbench bench) {
        int firstItem = users;
        int itemCount = items;
        int each = Math.min(ratings, items);
        long start = seed;
        return bench.numbers(users, partitions)
                .flatMap(user -> ratingsOf(user, start, each, itemCount)
                        .map(rating -> new Edge<Object>(user, firstItem + rating._1(), rating._2()))
                        .iterator());
    }

    private static Stream<Tuple2<Integer, Double>> ratingsOf(long user, long seed, int count, int items) {
        SplittableRandom random = new SplittableRandom(seed * 1_000_003 + user);
        double[] taste = vector(random);
        TreeSet<Integer> rated = new TreeSet<>();
        while (rated.size() < count) {
            rated.add((int) (items * Math.pow(random.nextDouble(), 2))); // some items are popular
        }
        return rated.stream().map(item -> {
            double[] kind = vector(new SplittableRandom(~seed * 1_000_003 + item));
            double liking = IntStream.range(0, TASTES).mapToDouble(i -> taste[i] * kind[i]).sum();
            double rating = (LOWEST + HIGHEST) / 2 + liking + random.nextDouble(-NOISE, NOISE);
            return new Tuple2<>(item, Math.max(LOWEST, Math.min(HIGHEST, rating)));
        });
    }

    private static double[] vector(SplittableRandom random) {
        return random.doubles(TASTES, -1.5, 1.5).toArray();
    }
}
