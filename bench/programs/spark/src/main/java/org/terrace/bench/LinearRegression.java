// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import java.util.Map;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.mllib.optimization.LeastSquaresGradient;
import org.apache.spark.mllib.regression.LabeledPoint;
import org.apache.spark.mllib.util.LinearDataGenerator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** MLlib's least squares over the data of MLlib's generator. */
@Command(name = "linreg", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "MLlib linear regression over cached data from MLlib's generator.")
final class LinearRegression extends Descent {

    @Option(names = "--eps", defaultValue = "0.1", paramLabel = "X", description = "Noise in the generated data.")
    private double eps;

    LinearRegression() {
        super("linreg", new LeastSquaresGradient());
    }

    @Override
    JavaRDD<LabeledPoint> data(Workbench bench) {
        return LinearDataGenerator.generateLinearRDD(bench.sc.sc(), rows, columns, eps, partitions, 0.0).toJavaRDD();
    }

    @Override
    void describe(Map<String, Object> parameters) {
        parameters.put("eps", eps);
    }
}
