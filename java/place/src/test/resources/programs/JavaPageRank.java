// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.StorageLevel;
import scala.Tuple2;

final class JavaPageRank {

    static long run(JavaSparkContext sc, String file, int iterations) {
        JavaPairRDD<String, Iterable<String>> links = sc.textFile(file, 2)
                .mapToPair(line -> new Tuple2<>(line.split(" ")[0], line.split(" ")[1]))
                .distinct()
                .groupByKey() // place: fast links groupByKey
                .persist(StorageLevel.MEMORY_ONLY());
        JavaPairRDD<String, Double> ranks = links.mapValues(targets -> 1.0);
        for (int i = 0; i < iterations; i++) {
            JavaPairRDD<String, Double> contribs = links.join(ranks).values()
                    .flatMapToPair(source -> { // place: slow contribs flatMapToPair
                        List<Tuple2<String, Double>> shares = new ArrayList<>();
                        source._1().forEach(target -> shares.add(new Tuple2<>(target, source._2())));
                        return shares.iterator();
                    })
                    .persist(StorageLevel.MEMORY_AND_DISK_SER());
            ranks = contribs.reduceByKey(Double::sum).mapValues(sum -> 0.15 + 0.85 * sum);
        }
        return ranks.count();
    }
}
