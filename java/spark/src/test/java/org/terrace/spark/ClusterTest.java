package org.terrace.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.LongAccumulator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens to cached partitions when executors and tasks fail, on a cluster of several JVMs. */
class ClusterTest {

    private static final int PARTITIONS = 24; // 120 MB: two thirds of what three executors have for all

    @TempDir
    private static Path folder;

    private static ClusterSpark cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = new ClusterSpark(folder);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void partitionsOfALostExecutorAreComputedAgain() throws Exception {
        try (LocalSpark spark = LocalSpark.with(cluster.conf())) {
            LongAccumulator computed = spark.sc.sc().longAccumulator();
            JavaRDD<double[]> data = counted(spark, computed).persist(StorageLevel.MEMORY_ONLY());
            double expected = LocalSpark.sum(data);
            Map<String, Long> before = ClusterSpark.untilInH2(PARTITIONS);
            assertEquals(ClusterSpark.WORKERS, before.size(), before::toString);
            long lost = before.get("1");
            long once = computed.value();

            cluster.kill("1");
            assertEquals(expected, LocalSpark.sum(data));
            Map<String, Long> after = ClusterSpark.untilInH2(PARTITIONS);
            assertFalse(after.containsKey("1"), after::toString);
            long again = computed.value() - once;
            assertTrue(again >= lost * once / PARTITIONS, "computed again: " + again);
            assertEquals(List.of(), ClusterSpark.mistakes(spark));
            assertEquals(PARTITIONS, spark.info(data).numCachedPartitions());

            data.unpersist(true);
            ClusterSpark.untilInH2(0);
            assertEquals(List.of(), ClusterSpark.mistakes(spark));
        }
    }

    /** A copy arrives as bytes and is cached as objects, because that is what the level says. */
    @ParameterizedTest
    @ValueSource(strings = {"MEMORY_ONLY_2", "MEMORY_AND_DISK_2"})
    void replicasMoveOnTheirExecutors(String level) throws Exception {
        // Not proactive: Spark may otherwise copy a partition that was unpersisted meanwhile.
        try (LocalSpark spark = LocalSpark.with(cluster.conf("spark.storage.replication.proactive", "false"))) {
            LongAccumulator computed = spark.sc.sc().longAccumulator();
            JavaRDD<double[]> data = counted(spark, computed).persist(StorageLevel.fromString(level));
            double expected = LocalSpark.sum(data);
            ClusterSpark.untilInH2(2 * PARTITIONS);
            assertEquals(List.of(), ClusterSpark.mistakes(spark));
            long once = computed.value();

            cluster.kill("0");
            assertEquals(expected, LocalSpark.sum(data));
            assertEquals(once, computed.value(), "there is a copy of each partition");
            data.unpersist(true);
            ClusterSpark.untilInH2(0);
            assertEquals(List.of(), ClusterSpark.mistakes(spark));
        }
    }

    @Test
    void serializedReplicasStayWithSpark() throws Exception {
        try (LocalSpark spark = LocalSpark.with(cluster.conf())) {
            JavaRDD<double[]> data = spark.data(6).persist(StorageLevel.MEMORY_ONLY_SER_2());
            assertEquals(LocalSpark.sum(spark.data(6)), LocalSpark.sum(data));
            assertEquals(6, spark.info(data).numCachedPartitions());
            assertEquals(0, ClusterSpark.blocksInH2().values().stream().mapToLong(Long::longValue).sum());
            assertEquals(List.of(), ClusterSpark.mistakes(spark));
        }
    }

    /** The first attempt is so slow that a second one on another executor stores the partition, too. */
    @Test
    void twoAttemptsStoreTheSamePartition() throws Exception {
        try (LocalSpark spark = LocalSpark.with(cluster.conf("spark.speculation", "true", "spark.speculation.interval",
                "100ms", "spark.speculation.quantile", "0.5", "spark.speculation.multiplier", "1.1"))) {
            LongAccumulator stragglers = spark.sc.sc().longAccumulator();
            JavaRDD<double[]> data = spark.data(6).mapPartitionsWithIndex((index, values) -> {
                boolean straggles = index == 5 && TaskContext.get().attemptNumber() == 0;
                if (straggles) {
                    dawdle();
                }
                stragglers.add(index == 5 ? 1 : 0);
                return values;
            }, false).persist(StorageLevel.MEMORY_ONLY());
            assertEquals(LocalSpark.sum(spark.data(6)), LocalSpark.sum(data));
            TimeUnit.SECONDS.sleep(4); // until the straggler has stored, or was told that it need not
            assertEquals(LocalSpark.sum(spark.data(6)), LocalSpark.sum(data));
            long inH2 = ClusterSpark.blocksInH2().values().stream().mapToLong(Long::longValue).sum();
            assertTrue(inH2 == 6 || inH2 == 7, ClusterSpark.blocksInH2()::toString);
            assertEquals(List.of(), ClusterSpark.mistakes(spark));
            data.unpersist(true);
            ClusterSpark.untilInH2(0);
            assertEquals(List.of(), ClusterSpark.mistakes(spark));
        }
    }

    /** Every partition fails once, half-way through being unrolled. */
    @Test
    void halfAPartitionIsNeverCached() throws Exception {
        try (LocalSpark spark = LocalSpark.with(cluster.conf("spark.task.maxFailures", "8"))) {
            JavaRDD<double[]> data = spark.data(PARTITIONS)
                    .mapPartitions(values -> TaskContext.get().attemptNumber() > 0 ? values : new Failing(values))
                    .persist(StorageLevel.MEMORY_ONLY());
            assertEquals(LocalSpark.sum(spark.data(PARTITIONS)), LocalSpark.sum(data));
            ClusterSpark.untilInH2(PARTITIONS);
            assertEquals(List.of(), ClusterSpark.mistakes(spark));
        }
    }

    private static JavaRDD<double[]> counted(LocalSpark spark, LongAccumulator computed) {
        return spark.data(PARTITIONS).map(array -> {
            computed.add(1);
            return array;
        });
    }

    /** Is slow, and does not listen. */
    private static void dawdle() {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
        while (System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
    }

    /** Some values, then an exception. */
    private static final class Failing implements Iterator<double[]> {

        private static final int GOOD = 200;

        private final Iterator<double[]> values;
        private int returned;

        Failing(Iterator<double[]> values) {
            this.values = values;
        }

        @Override
        public boolean hasNext() {
            return values.hasNext();
        }

        @Override
        public double[] next() {
            if (returned++ == GOOD) {
                throw new IllegalStateException("provoked");
            }
            return values.next();
        }
    }
}
