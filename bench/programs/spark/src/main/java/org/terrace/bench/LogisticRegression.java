// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import java.util.Map;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.mllib.linalg.Vector;
import org.apache.spark.mllib.optimization.Gradient;
import org.apache.spark.mllib.optimization.LBFGS;
import org.apache.spark.mllib.optimization.LogisticGradient;
import org.apache.spark.mllib.optimization.Updater;
import org.apache.spark.mllib.regression.LabeledPoint;
import org.apache.spark.mllib.util.LogisticRegressionDataGenerator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import scala.Tuple2;

/**
 * MLlib's logistic regression over the data of MLlib's generator. Each iteration of gradient descent is one pass over
 * the data. The alternative, L-BFGS, converges after about seven iterations, because the generator's columns are
 * similar and independent.
 */
@Command(name = "logreg", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = {
            "MLlib logistic regression over cached data from MLlib's generator.",
            "The data takes about 8 bytes per value plus 90 per row when cached as objects."})
final class LogisticRegression extends Descent {

    enum Optimizer {
        SGD, LBFGS
    }

    private static final int CORRECTIONS = 10;

    @Option(names = "--optimizer", defaultValue = "SGD", paramLabel = "NAME", description = "SGD or LBFGS.")
    private Optimizer optimizer;

    @Option(names = "--eps", defaultValue = "0.05", paramLabel = "X",
            description = "Distance between the two classes in each column of the generated data.")
    private double eps;

    LogisticRegression() {
        super("logreg", new LogisticGradient());
    }

    @Override
    JavaRDD<LabeledPoint> data(Workbench bench) {
        return LogisticRegressionDataGenerator
                .generateLogisticRDD(bench.sc.sc(), rows, columns, eps, partitions, 0.5)
                .toJavaRDD();
    }

    @Override
    void describe(Map<String, Object> parameters) {
        parameters.put("optimizer", optimizer);
        parameters.put("eps", eps);
    }

    @Override
    Tuple2<Vector, double[]> fit(JavaRDD<Tuple2<Object, Vector>> data, Gradient gradient, Updater updater, Vector zeros) {
        return optimizer == Optimizer.SGD
                ? super.fit(data, gradient, updater, zeros)
                : LBFGS.runLBFGS(data.rdd(), gradient, updater, CORRECTIONS, 0.0, iterations, REGULARIZATION, zeros);
    }
}
