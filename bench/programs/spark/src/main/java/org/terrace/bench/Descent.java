// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.mllib.linalg.Vector;
import org.apache.spark.mllib.linalg.Vectors;
import org.apache.spark.mllib.optimization.Gradient;
import org.apache.spark.mllib.optimization.GradientDescent;
import org.apache.spark.mllib.optimization.SquaredL2Updater;
import org.apache.spark.mllib.optimization.Updater;
import org.apache.spark.mllib.regression.LabeledPoint;
import org.apache.spark.mllib.util.MLUtils;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import scala.Tuple2;

/** A linear model that MLlib's optimizers fit to cached data. Each iteration of gradient descent reads the data once. */
abstract class Descent implements Callable<Integer> {

    static final double REGULARIZATION = 0.01;

    @Option(names = "--rows", defaultValue = "1000000", paramLabel = "N", description = "Number of rows.")
    int rows;

    @Option(names = "--columns", defaultValue = "100", paramLabel = "N", description = "Number of values per row.")
    int columns;

    @Option(names = "--iterations", defaultValue = "25", paramLabel = "N",
            description = "Number of iterations. Each iteration reads the data once.")
    int iterations;

    @Option(names = "--partitions", defaultValue = "32", paramLabel = "N",
            description = "Number of partitions. Spark's memory must hold one partition per core while they are built.")
    int partitions;

    @Mixin
    private SparkOptions options;

    private final String name;
    private final Gradient gradient;

    Descent(String name, Gradient gradient) {
        this.name = name;
        this.gradient = gradient;
    }

    /** Returns the data, with labels in the form that the gradient needs. */
    abstract JavaRDD<LabeledPoint> data(Workbench bench);

    /** Adds further parameters of the program. */
    void describe(Map<String, Object> parameters) {
    }

    /** Returns the weights, and the loss of each iteration. */
    Tuple2<Vector, double[]> fit(JavaRDD<Tuple2<Object, Vector>> data, Gradient gradient, Updater updater, Vector zeros) {
        return GradientDescent.runMiniBatchSGD(data.rdd(), gradient, updater, 1.0, iterations, REGULARIZATION, 1.0,
                zeros, 0.0);
    }

    @Override
    public Integer call() {
        try (Workbench bench = new Workbench(name, options)) {
            JavaRDD<Tuple2<Object, Vector>> training = data(bench)
                    .map(point -> new Tuple2<Object, Vector>(point.label(), MLUtils.appendBias(point.features())))
                    .persist(options.level());
            long cached = bench.phase("load", training::count);
            Tuple2<Vector, double[]> fitted = bench.phase("train",
                    () -> fit(training, gradient, new SquaredL2Updater(), Vectors.zeros(columns + 1)));
            double[] weights = fitted._1().toArray();
            double[] losses = fitted._2();

            Map<String, Object> parameters = new LinkedHashMap<>();
            parameters.put("rows", rows);
            parameters.put("columns", columns);
            parameters.put("iterations", iterations);
            parameters.put("partitions", partitions);
            describe(parameters);
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("rows", cached);
            result.put("losses", losses.length);
            result.put("loss", losses[losses.length - 1]);
            result.put("weightSum", Arrays.stream(weights).sum());
            result.put("weights", Arrays.copyOf(weights, Math.min(weights.length, 5)));
            bench.report(parameters, result);
        }
        return 0;
    }
}
