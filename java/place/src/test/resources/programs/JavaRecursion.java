// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import java.util.Arrays;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;

/** Recursion is no loop for the analysis, and it does not know how often a loop runs. A profile does. */
final class JavaRecursion {

    static long run(JavaSparkContext sc, int turns) {
        JavaRDD<Integer> deep = sc.parallelize(Arrays.asList(1, 2, 3, 4), 2).cache(); // place: slow deep parallelize
        JavaRDD<Integer> twice = sc.parallelize(Arrays.asList(5, 6, 7, 8), 2).cache(); // place: fast twice parallelize
        JavaRDD<Integer> never = sc.parallelize(Arrays.asList(9, 10), 2).cache(); // place: fast never parallelize
        long sum = again(deep, turns);
        for (int i = 0; i < 2; i++) {
            sum += twice.count();
        }
        for (int i = turns; i < 2; i++) {
            sum += never.count();
        }
        return sum;
    }

    private static long again(JavaRDD<Integer> data, int left) {
        return left == 0 ? 0 : data.count() + again(data, left - 1);
    }
}
