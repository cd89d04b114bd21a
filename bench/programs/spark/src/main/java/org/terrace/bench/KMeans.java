// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import java.io.Serializable;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.mllib.clustering.KMeansModel;
import org.apache.spark.mllib.linalg.Vector;
import org.apache.spark.mllib.linalg.Vectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** MLlib's k-means over cached points. */
@Command(name = "kmeans", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "MLlib k-means over cached generated points.")
final class KMeans implements Callable<Integer> {

    /** Fewer digits than a double has, because sums depend on the order in which tasks end. */
    private static final int DIGITS = 9;

    @Option(names = "--rows", defaultValue = "200000", paramLabel = "N", description = "Number of points.")
    private int rows;

    @Option(names = "--columns", defaultValue = "20", paramLabel = "N", description = "Number of values per point.")
    private int columns;

    @Option(names = "--clusters", defaultValue = "10", paramLabel = "N",
            description = "Number of clusters in the generated points, and of clusters to find.")
    private int clusters;

    @Option(names = "--iterations", defaultValue = "10", paramLabel = "N",
            description = "Number of iterations. Each iteration reads the points once.")
    private int iterations;

    @Option(names = "--partitions", defaultValue = "16", paramLabel = "N", description = "Number of partitions of the points.")
    private int partitions;

    @Option(names = "--seed", defaultValue = "42", paramLabel = "N", description = "Random seed of the points and of the initial centres.")
    private long seed;

    @Mixin
    private SparkOptions options;

    @Override
    public Integer call() {
        try (Workbench bench = new Workbench("kmeans", options)) {
            Points points = new Points(seed, columns, clusters);
            JavaRDD<Vector> data = bench.numbers(rows, partitions).map(points::point).persist(options.level());
            long cached = bench.phase("load", data::count);
            KMeansModel model = bench.phase("train", () -> org.apache.spark.mllib.clustering.KMeans.train(data.rdd(),
                    clusters, iterations, org.apache.spark.mllib.clustering.KMeans.RANDOM(), seed));

            Map<String, Object> parameters = new LinkedHashMap<>();
            parameters.put("rows", rows);
            parameters.put("columns", columns);
            parameters.put("clusters", clusters);
            parameters.put("iterations", iterations);
            parameters.put("partitions", partitions);
            parameters.put("seed", seed);
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("rows", cached);
            result.put("clusters", model.k());
            result.put("cost", new BigDecimal(model.trainingCost(), new MathContext(DIGITS)));
            bench.report(parameters, result);
        }
        return 0;
    }

    /** Points around centres in a unit cube. */
    private static final class Points implements Serializable {

        private static final long serialVersionUID = 1;
        private static final double WIDTH = 0.2;

        private final long seed;
        private final double[][] centres;

        Points(long seed, int columns, int clusters) {
            this.seed = seed;
            SplittableRandom random = new SplittableRandom(seed);
            centres = new double[clusters][];
            for (int i = 0; i < clusters; i++) {
                centres[i] = random.doubles(columns).toArray();
            }
        }

        Vector point(long number) {
            SplittableRandom random = new SplittableRandom(seed * 1_000_003 + number);
            double[] values = centres[random.nextInt(centres.length)].clone();
            for (int i = 0; i < values.length; i++) {
                values[i] += WIDTH * (random.nextDouble() + random.nextDouble() - 1);
            }
            return Vectors.dense(values);
        }
    }
}
