// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;

final class JavaShapes {

    /** A local variable that a lambda changes must be an array. */
    static long cell(JavaSparkContext sc, int turns) {
        JavaRDD<Integer> start = sc.parallelize(Arrays.asList(1, 2)).cache(); // place: fast start parallelize
        List<JavaRDD<Integer>> all = new ArrayList<>();
        IntStream.range(0, turns).forEach(i -> {
            JavaRDD<Integer> next = start.map(x -> x + i).cache(); // place: slow next map
            all.add(next);
        });
        return all.get(0).count();
    }

    static <T> T phase(Supplier<T> body) {
        return body.get();
    }

    static long reference(JavaSparkContext sc) {
        JavaRDD<Integer> counted = sc.parallelize(Arrays.asList(1, 2)).cache(); // place: slow counted parallelize
        JavaRDD<Integer> looped = sc.parallelize(Arrays.asList(1, 2)).cache(); // place: fast looped parallelize
        long sum = phase(counted::count);
        for (String word : Arrays.asList("a", "b")) {
            sum += phase(() -> looped.map(x -> word).count());
        }
        return sum;
    }

    /** The loop assigns to a parameter, whose first value is from outside the loop. */
    static JavaRDD<Integer> parameter(JavaRDD<Integer> given, int turns) {
        JavaRDD<Integer> fixed = given.map(x -> x + 1).cache(); // place: fast fixed map
        for (int i = 0; i < turns; i++) {
            given = given.union(fixed).cache(); // place: slow given union
        }
        return given;
    }
}
