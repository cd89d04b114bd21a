// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Spark SQL over a table of records, which is cached as its source RDD or as a Dataset. */
@Command(name = "relation", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "SQL queries, several times each, over a cached table of generated records.")
final class Relation implements Callable<Integer> {

    enum Cache {
        RDD, DATASET
    }

    private static final List<String> QUERIES = List.of(
            "SELECT count(*), sum(amount) FROM records",
            "SELECT count(*), max(name) FROM records WHERE key < 100",
            "SELECT key % 10 AS bucket, count(*), sum(amount), max(name) FROM records GROUP BY 1 ORDER BY 1",
            "SELECT key, name, amount FROM records WHERE name LIKE '%99' ORDER BY amount DESC, name LIMIT 10",
            "SELECT key, count(*) AS records FROM records GROUP BY key ORDER BY records DESC, key LIMIT 10");

    @Mixin
    private RecordOptions data = new RecordOptions(1_000_000, 3);

    @Option(names = "--keys", defaultValue = "10000", paramLabel = "N", description = "Number of different keys.")
    private int keys;

    @Option(names = "--cache", defaultValue = "RDD", paramLabel = "KIND",
            description = "RDD caches the records as objects. DATASET caches Spark SQL's columns.")
    private Cache cache;

    @Mixin
    private SparkOptions options;

    @Override
    public Integer call() {
        try (Workbench bench = new Workbench("relation", options)) {
            SparkSession session = SparkSession.builder().sparkContext(bench.sc.sc())
                    .config("spark.sql.shuffle.partitions", data.partitions).getOrCreate();
            long cached = bench.phase("load", () -> table(bench, session).count());
            Map<String, Object> answers = bench.phase("ask", () -> {
                Map<String, Object> last = new LinkedHashMap<>();
                for (int round = 0; round < data.rounds; round++) {
                    QUERIES.forEach(query -> last.put(query, answer(session, query)));
                }
                return last;
            });

            Map<String, Object> parameters = new LinkedHashMap<>();
            data.report(parameters);
            parameters.put("keys", keys);
            parameters.put("cache", cache);
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("records", cached);
            result.put("answers", answers);
            bench.report(parameters, result);
        }
        return 0;
    }

    private Dataset<Row> table(Workbench bench, SparkSession session) {
        long start = data.seed;
        int keyCount = keys;
        JavaRDD<Record> rdd = bench.numbers(data.records, data.partitions).map(number -> new Record(number, start, keyCount));
        if (cache == Cache.RDD) {
            rdd.persist(options.level());
        }
        Dataset<Row> table = session.createDataFrame(rdd, Record.class);
        if (cache == Cache.DATASET) {
            table.persist(options.level());
        }
        table.createOrReplaceTempView("records");
        return table;
    }

    private static List<String> answer(SparkSession session, String query) {
        return session.sql(query).collectAsList().stream().map(Row::toString).collect(Collectors.toList());
    }

    /** A row of the table. Spark SQL derives the columns from the getters. */
    public static final class Record implements Serializable {

        private static final long serialVersionUID = 1;

        private final int key;
        private final String name;
        private final long amount;

        Record(long number, long seed, int keys) {
            SplittableRandom random = new SplittableRandom(seed * 1_000_003 + number);
            this.key = random.nextInt(keys);
            this.name = "record " + number;
            this.amount = random.nextInt(1_000_000);
        }

        public int getKey() {
            return key;
        }

        public String getName() {
            return name;
        }

        public long getAmount() {
            return amount;
        }
    }
}
