// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import java.util.Arrays;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

final class JavaConnectedComponents {

    static long run(JavaSparkContext sc, String file) {
        JavaPairRDD<String, String> edges = sc.textFile(file)
                .mapToPair(line -> new Tuple2<>(line.split(" ")[0], line.split(" ")[1]))
                .flatMapToPair(e -> Arrays.asList(e, new Tuple2<>(e._2(), e._1())).iterator()) // place: fast edges flatMapToPair
                .cache();
        JavaPairRDD<String, String> labels = edges.keys().distinct()
                .mapToPair(v -> new Tuple2<>(v, v)) // place: heap labels mapToPair
                .cache();
        long changed = labels.count();
        while (changed > 0) {
            JavaPairRDD<String, String> before = labels;
            JavaPairRDD<String, String> offered = edges.join(before).mapToPair(e -> e._2()).reduceByKey(JavaConnectedComponents::lower);
            labels = before.join(offered)
                    .mapValues(pair -> lower(pair._1(), pair._2())) // place: heap labels mapValues
                    .cache();
            changed = labels.join(before).filter(v -> !v._2()._1().equals(v._2()._2())).count();
            before.unpersist();
        }
        return labels.values().distinct().count();
    }

    private static String lower(String a, String b) {
        return a.compareTo(b) < 0 ? a : b;
    }
}
