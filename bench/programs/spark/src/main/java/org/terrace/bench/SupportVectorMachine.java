// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import java.util.Map;
import java.util.Random;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.mllib.linalg.Vectors;
import org.apache.spark.mllib.optimization.HingeGradient;
import org.apache.spark.mllib.random.RandomRDDs;
import org.apache.spark.mllib.regression.LabeledPoint;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** MLlib's linear support vector machine over normally distributed values that a hidden hyperplane divides. */
@Command(name = "svm", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "MLlib's linear support vector machine over cached data: normal values from MLlib's generator.")
final class SupportVectorMachine extends Descent {

    @Option(names = "--seed", defaultValue = "42", paramLabel = "N", description = "Random seed of the data.")
    private long seed;

    SupportVectorMachine() {
        super("svm", new HingeGradient());
    }

    @Override
    JavaRDD<LabeledPoint> data(Workbench bench) {
        double[] normal = new Random(seed).doubles(columns, -1, 1).toArray();
        return RandomRDDs.normalJavaVectorRDD(bench.sc, rows, columns, partitions, seed)
                .map(values -> new LabeledPoint(Vectors.dense(normal).dot(values) > 0 ? 1 : 0, values));
    }

    @Override
    void describe(Map<String, Object> parameters) {
        parameters.put("seed", seed);
    }
}
