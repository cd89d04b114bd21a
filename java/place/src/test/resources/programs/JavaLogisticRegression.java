// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;

final class JavaLogisticRegression {

    private final double[] w = {0.5};

    static double parse(String line) {
        return Double.parseDouble(line.split(" ")[0]);
    }

    double run(JavaSparkContext sc, String file, int iterations) {
        JavaRDD<Double> points = sc.textFile(file)
                .map(JavaLogisticRegression::parse) // place: fast points map
                .cache();
        IntStream.range(0, iterations).forEach(i -> {
            double at = w[0];
            w[0] -= points.map(x -> x * (1 / (1 + Math.exp(-x * at)) - 1)).reduce(Double::sum);
        });
        return w[0];
    }
}
