// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.apache.spark.api.java.JavaRDD;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import scala.Tuple2;

/** Aggregations over cached orders. An order consists of some fifty small objects: strings, a map and a list of positions. */
@Command(name = "nested", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "Aggregations over cached records that consist of strings, a map and a list of small objects.")
final class NestedRecords implements Callable<Integer> {

    @Mixin
    private RecordOptions data = new RecordOptions(400_000, 5);

    @Mixin
    private SparkOptions options;

    @Override
    public Integer call() {
        try (Workbench bench = new Workbench("nested", options)) {
            JavaRDD<Order> orders = orders(bench).persist(options.level());
            long cached = bench.phase("load", orders::count);
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("records", cached);
            bench.phase("ask", () -> {
                for (int round = 0; round < data.rounds; round++) {
                    result.put("revenue", orders.mapToPair(order -> new Tuple2<>(order.city, order.value()))
                            .reduceByKey(Long::sum).collectAsMap().entrySet().stream()
                            .collect(TreeMap::new, (all, city) -> all.put(city.getKey(), city.getValue()), Map::putAll));
                    result.put("gifts", orders.filter(order -> "yes".equals(order.attributes.get("gift"))).count());
                    result.put("characters", orders.map(Order::characters).reduce(Long::sum));
                }
                return null;
            });

            Map<String, Object> parameters = new LinkedHashMap<>();
            data.report(parameters);
            bench.report(parameters, result);
        }
        return 0;
    }

    private JavaRDD<Order> orders(Workbench bench) {
        long start = data.seed;
        return bench.numbers(data.records, data.partitions).map(number -> new Order(number, start));
    }

    /** An order of a customer. */
    static final class Order implements Serializable {

        private static final long serialVersionUID = 1;
        private static final int CITIES = 20;
        private static final int MOST_POSITIONS = 8;

        final String customer;
        final String city;
        final Map<String, String> attributes = new HashMap<>();
        final List<Position> positions = new ArrayList<>();

        Order(long number, long seed) {
            SplittableRandom random = new SplittableRandom(seed * 1_000_003 + number);
            customer = "customer " + number;
            city = "city " + random.nextInt(CITIES);
            attributes.put("gift", random.nextInt(10) == 0 ? "yes" : "no");
            attributes.put("carrier", "carrier " + random.nextInt(CITIES));
            attributes.put("note", "leave it at door " + random.nextInt(1000));
            attributes.put("phone", "+30 " + random.nextInt(1_000_000_000));
            for (int i = 1 + random.nextInt(MOST_POSITIONS); i > 0; i--) {
                positions.add(new Position(random));
            }
        }

        long value() {
            long value = 0;
            for (Position position : positions) {
                value += (long) position.count * position.cents;
            }
            return value;
        }

        long characters() {
            long characters = customer.length() + city.length();
            for (Map.Entry<String, String> attribute : attributes.entrySet()) {
                characters += attribute.getKey().length() + attribute.getValue().length();
            }
            for (Position position : positions) {
                characters += position.article.length();
            }
            return characters;
        }
    }

    /** A quantity of one article. */
    static final class Position implements Serializable {

        private static final long serialVersionUID = 1;

        final String article;
        final int count;
        final int cents;

        Position(SplittableRandom random) {
            article = "article " + random.nextInt(100_000);
            count = 1 + random.nextInt(5);
            cents = random.nextInt(10_000);
        }
    }
}
