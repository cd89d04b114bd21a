// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.StorageLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the caching of Spark SQL, which stores batches of columns as blocks of an RDD. */
class DatasetTest {

    private static final int PARTITIONS = 12;
    private static final long ROWS = 1_200_000; // with three columns, 24 MB in batches

    @TempDir
    private static Path dir;

    private final ObedientHeap heap = new ObedientHeap();

    @ParameterizedTest
    @ValueSource(strings = {"MEMORY_ONLY", "MEMORY_AND_DISK", "MEMORY_AND_DISK_2"})
    void persistedDatasetsMove(String level) throws Exception {
        checkThatAllMoves(data -> data.persist(StorageLevel.fromString(level)));
    }

    @Test
    void cachedDatasetsMove() throws Exception {
        checkThatAllMoves(Dataset::cache);
    }

    /** The blocks of a local checkpoint are rows instead of batches. */
    @Test
    void localCheckpointsMove() throws Exception {
        checkThatAllMoves(data -> data.localCheckpoint());
    }

    @Test
    void reliableCheckpointsAreFilesAndStayOut() {
        try (LocalSpark spark = onHeap()) {
            spark.sc.setCheckpointDir(dir.toString());
            Dataset<Row> data = numbers(session(spark)).checkpoint();
            assertEquals(sum(numbers(session(spark))), sum(data));
            assertEquals(0, spark.blocks().arrivedBytes());
        }
    }

    @Test
    void cachedTablesMoveAndUncachedOnesGo() throws Exception {
        try (LocalSpark spark = onHeap()) {
            SparkSession session = session(spark);
            numbers(session).createOrReplaceTempView("numbers");
            long expected = sum(session.table("numbers"));
            session.sql("CACHE TABLE numbers");
            assertEquals(expected, sum(session.table("numbers")));
            untilMoved(spark, PARTITIONS);
            session.sql("UNCACHE TABLE numbers");
            assertNothingLeft(spark);
        }
    }

    /** Batches with more columns than rows, and with columns that can be null. */
    @Test
    void columnsOfEveryKindComeBackAsTheyWere() throws Exception {
        try (LocalSpark spark = onHeap()) {
            Dataset<Row> data = session(spark).range(0, 20_000, 1, 3).selectExpr("id",
                    "if(id % 3 = 0, null, cast(id as string)) text", "cast(id as decimal(20,2)) / 7 ratio",
                    "array(id, id + 1) list", "map(id, cast(id as string)) map",
                    "named_struct('a', id, 'b', id % 2 = 0) pair",
                    "cast(id as timestamp) time", "cast(cast(id as string) as binary) bytes");
            String all = "cast(sum(cast(hash(id, text, ratio, list, to_json(map), pair, time, bytes) as bigint)) as bigint)";
            long expected = data.selectExpr(all).first().getLong(0);
            Dataset<Row> cached = data.cache();
            for (int pass = 0; pass < 2; pass++) {
                assertEquals(expected, cached.selectExpr(all).first().getLong(0));
            }
            untilMoved(spark, 3);
        }
    }

    @ParameterizedTest
    @MethodSource("levelsThatAreSparks")
    void serializedAndOffHeapLevelsStayWithSpark(StorageLevel level) {
        try (LocalSpark spark = LocalSpark.on(heap, TerraceExecutorPlugin.TRANSFER_FRACTION, "0",
                "spark.memory.offHeap.enabled", "true", "spark.memory.offHeap.size", "100m")) {
            Dataset<Row> data = numbers(session(spark)).persist(level);
            assertTrue(sum(data) > 0);
            assertEquals(0, spark.blocks().arrivedBytes());
            assertEquals(0, heap.tags());
        }
    }

    private static Stream<StorageLevel> levelsThatAreSparks() {
        return Stream.of(StorageLevel.MEMORY_ONLY_SER(), StorageLevel.MEMORY_AND_DISK_SER(), StorageLevel.OFF_HEAP(),
                StorageLevel.DISK_ONLY());
    }

    private interface Caching {
        Dataset<Row> apply(Dataset<Row> data);
    }

    private void checkThatAllMoves(Caching caching) throws Exception {
        try (LocalSpark spark = onHeap()) {
            Dataset<Row> data = numbers(session(spark));
            long expected = sum(data);
            Dataset<Row> cached = caching.apply(data);
            for (int pass = 0; pass < 2; pass++) {
                assertEquals(expected, sum(cached));
            }
            untilMoved(spark, PARTITIONS);
            assertEquals(0, spark.mover().stalls());
            spark.assertAccounted();
            cached.unpersist(true);
            spark.sc.getPersistentRDDs().values().forEach(rdd -> rdd.unpersist(true));
            assertNothingLeft(spark);
        }
    }

    private static void untilMoved(LocalSpark spark, int blocks) throws Exception {
        LocalSpark.until(moved -> moved == blocks, spark.blocks()::movedBlocks);
    }

    /** Waits, because some ways to uncache return before it is done. */
    private static void assertNothingLeft(LocalSpark spark) throws Exception {
        LocalSpark.until(left -> left == 0, () -> spark.blocks().dueBlocks() + spark.blocks().movedBlocks());
        spark.assertAccounted();
    }

    private LocalSpark onHeap() {
        return LocalSpark.on(heap, TerraceExecutorPlugin.TRANSFER_FRACTION, "0", "spark.sql.warehouse.dir", dir.toString(),
                "spark.sql.adaptive.enabled", "false");
    }

    private static SparkSession session(LocalSpark spark) {
        return SparkSession.builder().sparkContext(spark.sc.sc()).getOrCreate();
    }

    private static Dataset<Row> numbers(SparkSession session) {
        return session.range(0, ROWS, 1, PARTITIONS).selectExpr("id", "id * id % 1009 square", "sqrt(id) root");
    }

    private static long sum(Dataset<Row> data) {
        return data.selectExpr("sum(id + square + cast(root as bigint))").first().getLong(0);
    }
}
