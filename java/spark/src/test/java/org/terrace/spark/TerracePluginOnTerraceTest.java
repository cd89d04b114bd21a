// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.storage.RDDInfo;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.storage.memory.DeserializedMemoryEntry;
import org.apache.spark.storage.memory.MemoryStore;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.terrace.SecondHeap;

/** Tests the plugin on a Terrace JDK with H2 on. Run with {@code mvn -Dterrace.jdk=HOME}. */
class TerracePluginOnTerraceTest {

    @BeforeAll
    static void sayWhatIsSkipped() {
        if (Boolean.getBoolean("terrace.expected")) {
            assertTrue(SecondHeap.isAvailable(), "terrace.jdk was given but it has no second heap");
        }
        if (!SecondHeap.isAvailable()) {
            System.out.println("SKIPPED: Spark on the second heap; run it with -Dterrace.jdk=<home of a Terrace JDK>");
        }
    }

    @BeforeEach
    void withH2() {
        assumeTrue(SecondHeap.isAvailable(), "no second heap on this VM");
    }

    @ParameterizedTest
    @ValueSource(strings = {"MEMORY_ONLY", "MEMORY_AND_DISK"})
    void moreThanTheHeapHoldsIsCachedAsObjects(String level) {
        int partitions = (int) (2 * Runtime.getRuntime().maxMemory() / LocalSpark.PARTITION);
        try (LocalSpark spark = onTerrace()) {
            JavaRDD<double[]> data = spark.data(partitions);
            double expected = LocalSpark.sum(data);
            data.persist(StorageLevel.fromString(level));
            for (int pass = 0; pass < 3; pass++) {
                assertEquals(expected, LocalSpark.sum(data));
            }
            assertEquals(partitions, spark.info(data).numCachedPartitions());
            assertEquals(0, spark.info(data).diskSize());
            assertTrue(inH2(data, partitions) > partitions * 0.8, "most are in H2");
        }
    }

    @Test
    void unpersistedDataMakesRoomForMore() {
        int partitions = (int) (Runtime.getRuntime().maxMemory() / LocalSpark.PARTITION);
        try (LocalSpark spark = onTerrace()) {
            for (int round = 0; round < 3; round++) {
                JavaRDD<double[]> data = spark.data(partitions).cache();
                LocalSpark.sum(data);
                assertEquals(partitions, spark.info(data).numCachedPartitions());
                assertTrue(inH2(data, partitions) > partitions * 0.5);
                data.unpersist(true);
            }
            assertTrue(SparkEnv.get().memoryManager().onHeapStorageMemoryUsed() <= LocalSpark.MEMORY);
        }
    }

    @Test
    void unpersistGivesTheSpaceBack() {
        int partitions = (int) (Runtime.getRuntime().maxMemory() / LocalSpark.PARTITION);
        long bytes = partitions * LocalSpark.PARTITION;
        try (LocalSpark spark = onTerrace()) {
            JavaRDD<double[]> data = spark.data(partitions).cache();
            LocalSpark.sum(data);
            long full = SecondHeap.statistics().getUsedBytes();
            long freed = SecondHeap.statistics().getRegionsFreed();
            assertTrue(full > bytes / 2, () -> SecondHeap.statistics().toString());
            data.unpersist(true);
            System.gc(); // a major collection frees the regions of partitions that are no longer cached
            assertTrue(SecondHeap.statistics().getUsedBytes() < full - bytes / 2, () -> SecondHeap.statistics().toString());
            assertTrue(SecondHeap.statistics().getRegionsFreed() > freed);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"MEMORY_ONLY", "MEMORY_AND_DISK"})
    void datasetsLargerThanSparksMemoryStayInMemory(String level) {
        int partitions = 80;
        try (LocalSpark spark = onTerrace()) {
            SparkSession session = SparkSession.builder().sparkContext(spark.sc.sc()).getOrCreate();
            Dataset<Row> data = session.range(0, 20_000_000, 1, partitions).selectExpr("id", "rand(7) a", "rand(8) b");
            String sum = "sum(id + cast(1000 * a as bigint) + cast(1000 * b as bigint))";
            long expected = data.selectExpr(sum).first().getLong(0);
            data.persist(StorageLevel.fromString(level));
            for (int pass = 0; pass < 2; pass++) {
                assertEquals(expected, data.selectExpr(sum).first().getLong(0));
            }
            RDDInfo info = spark.sc.sc().getRDDStorageInfo()[0];
            assertEquals(partitions, info.numCachedPartitions());
            assertEquals(0, info.diskSize());
            assertTrue(info.memSize() > 4 * LocalSpark.MEMORY, info::toString);
        }
    }

    private static LocalSpark onTerrace() {
        return LocalSpark.with(LocalSpark.conf().set("spark.plugins", TerracePlugin.class.getName()));
    }

    private static int inH2(JavaRDD<?> data, int partitions) {
        MemoryStore store = SparkEnv.get().blockManager().memoryStore();
        int count = 0;
        for (int i = 0; i < partitions; i++) {
            Object entry = entry(store, new RDDBlockId(data.id(), i));
            if (SecondHeap.state(((DeserializedMemoryEntry<?>) entry).value()) == SecondHeap.State.IN_H2) {
                count++;
            }
        }
        return count;
    }

    private static Object entry(MemoryStore store, RDDBlockId id) {
        try {
            java.lang.reflect.Field entries = MemoryStore.class.getDeclaredField("entries");
            entries.setAccessible(true);
            CachedBlocks blocks = (CachedBlocks) entries.get(store);
            synchronized (blocks) {
                return blocks.get(id);
            }
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}
