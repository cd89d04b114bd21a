// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function;
import scala.Tuple2;

final class JavaFlow {

    /** Spark's example. The loop joins with edges, which are made from the first value of tc. */
    static long closure(JavaSparkContext sc) {
        List<Tuple2<Integer, Integer>> graph = Arrays.asList(new Tuple2<>(1, 2));
        JavaPairRDD<Integer, Integer> tc = sc.parallelizePairs(graph).cache(); // place: fast tc parallelizePairs
        JavaPairRDD<Integer, Integer> edges = tc.mapToPair(e -> new Tuple2<>(e._2(), e._1()));
        long oldCount;
        long nextCount = tc.count();
        do {
            oldCount = nextCount;
            JavaPairRDD<Integer, Integer> longer = tc.join(edges).mapToPair(e -> new Tuple2<>(e._2()._2(), e._2()._1()));
            tc = tc.union(longer).distinct().cache(); // place: slow tc distinct
            nextCount = tc.count();
        } while (nextCount != oldCount);
        return nextCount;
    }

    static void reassigned(JavaSparkContext sc, int turns) {
        JavaRDD<Integer> data = sc.parallelize(Arrays.asList(1, 2)).cache(); // place: slow data parallelize
        System.out.println(data.count());
        data = data.map(x -> x + 1).cache(); // place: fast data map
        for (int i = 0; i < turns; i++) {
            System.out.println(data.count());
        }
    }

    /** The body of a loop is an object of an anonymous class. */
    static void anonymous(JavaSparkContext sc, int turns) {
        final JavaRDD<Integer> base = sc.parallelize(Arrays.asList(1, 2)).cache(); // place: fast base parallelize
        final JavaRDD<Integer> once = sc.parallelize(Arrays.asList(3, 4)).cache(); // place: slow once parallelize
        IntStream.range(0, turns).forEach(new IntConsumer() {
            @Override
            public void accept(int i) {
                JavaRDD<Integer> next = base.map(new Function<Integer, Integer>() { // place: slow next map
                    @Override
                    public Integer call(Integer x) {
                        return x + i;
                    }
                }).cache();
                System.out.println(next.count());
            }
        });
        System.out.println(once.count());
    }

    static void named(JavaSparkContext sc, List<String> words) {
        JavaRDD<Integer> data = sc.parallelize(Arrays.asList(1, 2)).cache(); // place: fast data parallelize
        JavaRDD<Integer> other = sc.parallelize(Arrays.asList(3, 4)).cache(); // place: slow other parallelize
        words.forEach(new Printer(data));
        System.out.println(other.count());
    }

    private static final class Printer implements Consumer<String> {

        private final JavaRDD<Integer> printed;

        Printer(JavaRDD<Integer> printed) {
            this.printed = printed;
        }

        @Override
        public void accept(String word) {
            System.out.println(word + printed.count());
        }
    }

    /** A task of a thread runs once. */
    static void threads(JavaSparkContext sc, int turns) {
        JavaRDD<Integer> data = sc.parallelize(Arrays.asList(1, 2)).cache(); // place: fast data parallelize
        JavaRDD<Integer> other = sc.parallelize(Arrays.asList(3, 4)).cache(); // place: slow other parallelize
        for (int i = 0; i < turns; i++) {
            new Thread(() -> System.out.println(data.count())).start();
        }
        new Thread(new Runnable() {
            @Override
            public void run() {
                System.out.println(other.count());
            }
        }).start();
    }

    static void iterator(Iterator<JavaRDD<Integer>> given, JavaSparkContext sc) {
        JavaRDD<Integer> data = sc.parallelize(Arrays.asList(1, 2)).cache(); // place: fast data parallelize
        while (given.hasNext()) {
            System.out.println(given.next().union(data).count());
        }
    }

    /** The compiler makes a second method, a bridge, for a generic interface. */
    static void bridge(JavaSparkContext sc, List<String> words) {
        JavaRDD<Integer> made = sc.parallelize(Arrays.asList(1, 2)).cache(); // place: fast made parallelize
        words.forEach(new Consumer<String>() {
            @Override
            public void accept(String word) {
                JavaRDD<Integer> part = made.filter(x -> x > word.length()).cache(); // place: slow part filter
                System.out.println(part.count());
            }
        });
    }
}
