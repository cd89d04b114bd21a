package org.terrace.bench;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.mllib.linalg.Vector;
import org.apache.spark.mllib.linalg.Vectors;
import org.apache.spark.mllib.optimization.GradientDescent;
import org.apache.spark.mllib.optimization.LBFGS;
import org.apache.spark.mllib.optimization.LogisticGradient;
import org.apache.spark.mllib.optimization.SquaredL2Updater;
import org.apache.spark.mllib.util.LogisticRegressionDataGenerator;
import org.apache.spark.mllib.util.MLUtils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import scala.Tuple2;

/**
 * MLlib's logistic regression over the data of MLlib's generator. By gradient descent each iteration is one pass over the
 * data; L-BFGS, the other choice, is done after some seven, because the generator's columns are alike and independent.
 */
@Command(name = "logreg", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = {
            "MLlib logistic regression over cached data from MLlib's generator.",
            "The data takes about 8 bytes per value plus 90 per row when cached as objects."})
final class LogisticRegression implements Callable<Integer> {

    enum Optimizer {
        SGD, LBFGS
    }

    private static final int CORRECTIONS = 10;
    private static final double REGULARIZATION = 0.01;

    @Option(names = "--rows", defaultValue = "1000000", paramLabel = "N", description = "Rows of the data.")
    private int rows;

    @Option(names = "--columns", defaultValue = "100", paramLabel = "N", description = "Values per row.")
    private int columns;

    @Option(names = "--iterations", defaultValue = "25", paramLabel = "N",
            description = "Iterations, each of which reads the data once.")
    private int iterations;

    @Option(names = "--optimizer", defaultValue = "SGD", paramLabel = "NAME", description = "SGD or LBFGS.")
    private Optimizer optimizer;

    @Option(names = "--partitions", defaultValue = "32", paramLabel = "N",
            description = "Partitions of the data; those being built, one per core, must fit into Spark's memory.")
    private int partitions;

    @Option(names = "--eps", defaultValue = "0.05", paramLabel = "X",
            description = "The generator's distance between the two classes, per column.")
    private double eps;

    @Mixin
    private SparkOptions options;

    @Override
    public Integer call() {
        try (Workbench bench = new Workbench("logreg", options)) {
            JavaRDD<Tuple2<Object, Vector>> training = LogisticRegressionDataGenerator
                    .generateLogisticRDD(bench.sc.sc(), rows, columns, eps, partitions, 0.5)
                    .toJavaRDD()
                    .map(point -> new Tuple2<Object, Vector>(point.label(), MLUtils.appendBias(point.features())))
                    .persist(options.level());
            long cached = bench.phase("load", training::count);
            Tuple2<Vector, double[]> fitted = bench.phase("train", () -> train(training));
            double[] weights = fitted._1().toArray();
            double[] losses = fitted._2();

            Map<String, Object> parameters = new LinkedHashMap<>();
            parameters.put("rows", rows);
            parameters.put("columns", columns);
            parameters.put("iterations", iterations);
            parameters.put("optimizer", optimizer);
            parameters.put("partitions", partitions);
            parameters.put("eps", eps);
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

    private Tuple2<Vector, double[]> train(JavaRDD<Tuple2<Object, Vector>> data) {
        Vector zeros = Vectors.zeros(columns + 1);
        return optimizer == Optimizer.SGD
                ? GradientDescent.runMiniBatchSGD(data.rdd(), new LogisticGradient(), new SquaredL2Updater(), 1.0,
                        iterations, REGULARIZATION, 1.0, zeros, 0.0)
                : LBFGS.runLBFGS(data.rdd(), new LogisticGradient(), new SquaredL2Updater(), CORRECTIONS, 0.0,
                        iterations, REGULARIZATION, zeros);
    }
}
