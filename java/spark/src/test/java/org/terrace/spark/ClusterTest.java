// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.LongAccumulator;
import org.apache.spark.util.TaskCompletionListener;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests cached partitions when executors and tasks fail, on a cluster of several JVMs. */
class ClusterTest {

    private static final int PARTITIONS = 24; // 120 MB, two thirds of the memory of three executors

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
        Path profile = folder.resolve("profile.txt");
        try (LocalSpark spark = LocalSpark.with(cluster.conf(AccessProfile.OPTION, profile.toString()))) {
            LongAccumulator computed = spark.sc.sc().longAccumulator();
            JavaRDD<double[]> data = counted(spark, computed).persist(StorageLevel.MEMORY_ONLY());
            double expected = LocalSpark.sum(data);
            Map<String, Long> before = ClusterSpark.untilInH2(PARTITIONS);
            assertEquals(ClusterSpark.WORKERS, before.size(), before::toString);
            long lost = before.get("1");
            long once = computed.value();

            cluster.kill("1");
            assertEquals(expected, LocalSpark.sum(data));
            LocalSpark.until(found -> !found.containsKey("1") && ClusterSpark.sum(found) == PARTITIONS,
                    ClusterSpark::blocksInH2);
            long again = computed.value() - once;
            assertTrue(again >= lost * once / PARTITIONS, "computed again: " + again);
            assertEquals(List.of(), ClusterSpark.mistakes(spark));
            assertEquals(PARTITIONS, spark.info(data).numCachedPartitions());

            data.unpersist(true);
            ClusterSpark.untilInH2(0);
            assertEquals(List.of(), ClusterSpark.mistakes(spark));
            LocalSpark.until(cached -> cached >= PARTITIONS, () -> !Files.exists(profile) ? 0
                    : AccessProfileTest.sites(Files.readAllLines(profile)).values().stream().mapToLong(site -> site[0]).sum());
        }
    }

    /** A replica arrives as bytes and is cached as objects, because the level demands it. */
    @ParameterizedTest
    @ValueSource(strings = {"MEMORY_ONLY_2", "MEMORY_AND_DISK_2"})
    void replicasMoveOnTheirExecutors(String level) throws Exception {
        // Without proactive replication, which may copy a partition that was unpersisted meanwhile.
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
            assertEquals(0, ClusterSpark.sum(ClusterSpark.blocksInH2()));
            assertEquals(List.of(), ClusterSpark.mistakes(spark));
        }
    }

    /** The first attempt stores the partition after a second one on another executor has stored it. */
    @Test
    void twoAttemptsStoreTheSamePartition() throws Exception {
        String second = folder.resolve("second-attempt").toString();
        String first = folder.resolve("first-attempt").toString();
        try (LocalSpark spark = LocalSpark.with(cluster.conf("spark.speculation", "true", "spark.speculation.interval",
                "100ms", "spark.speculation.quantile", "0.5", "spark.speculation.multiplier", "1.1"))) {
            JavaRDD<double[]> data = spark.data(6).mapPartitionsWithIndex((index, values) -> {
                if (index == 5 && TaskContext.get().attemptNumber() == 0) {
                    dawdleUntil(second);
                    createAtTheEnd(first);
                } else if (index == 5) {
                    createAtTheEnd(second);
                }
                return values;
            }, false).persist(StorageLevel.MEMORY_ONLY());
            double expected = LocalSpark.sum(spark.data(6));
            assertEquals(expected, LocalSpark.sum(data));
            // The first attempt has stored the partition, or was told that it need not.
            LocalSpark.until(Boolean::booleanValue, () -> Files.exists(Path.of(first)));
            assertEquals(expected, LocalSpark.sum(data));
            long inH2 = ClusterSpark.sum(
                    LocalSpark.until(found -> ClusterSpark.sum(found) >= 6, ClusterSpark::blocksInH2));
            assertTrue(inH2 <= 7, inH2 + " partitions");
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

    /** Waits for a file, and ignores interruption. */
    private static void dawdleUntil(String exists) {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (!Files.exists(Path.of(exists))) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("there is no second attempt");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    /** Creates a file when the task ends. */
    private static void createAtTheEnd(String file) {
        TaskContext.get().addTaskCompletionListener((TaskCompletionListener) context -> {
            try {
                Files.write(Path.of(file), new byte[0]);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** An iterator that returns some values, and then throws. */
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
