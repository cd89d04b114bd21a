// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.memory.MemoryManager;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.storage.RDDInfo;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.storage.memory.MemoryStore;
import org.apache.spark.util.LongAccumulator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.terrace.SecondHeap;
import scala.Tuple2;

/** Tests caching and the accounting of the plugin in a real Spark, on an {@link ObedientHeap}. */
class TerracePluginTest {

    private static final int MANY = 40; // partitions with 200 MB in total, more than three times Spark's memory

    private static final long MB = 1 << 20;

    private final ObedientHeap heap = new ObedientHeap();

    @BeforeAll
    static void print() {
        System.out.println("Spark " + org.apache.spark.package$.MODULE$.SPARK_VERSION());
    }

    @Test
    void stockSparkKeepsAThird() {
        try (LocalSpark spark = LocalSpark.stock()) {
            JavaRDD<double[]> data = spark.data(MANY).persist(StorageLevel.MEMORY_ONLY());
            LocalSpark.sum(data);
            assertTrue(spark.info(data).numCachedPartitions() <= MANY / 2, spark.info(data)::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"MEMORY_ONLY", "MEMORY_AND_DISK"})
    void allPartitionsStayCachedAsObjects(String level) {
        double expected;
        try (LocalSpark spark = LocalSpark.stock()) {
            expected = LocalSpark.sum(spark.data(MANY));
        }
        try (LocalSpark spark = LocalSpark.on(heap)) {
            LongAccumulator computed = spark.sc.sc().longAccumulator();
            JavaRDD<double[]> data = spark.data(MANY).map(array -> {
                computed.add(1);
                return array;
            }).persist(StorageLevel.fromString(level));
            assertEquals(expected, LocalSpark.sum(data));
            long once = computed.value();
            for (int pass = 0; pass < 3; pass++) {
                assertEquals(expected, LocalSpark.sum(data));
            }
            assertEquals(once, computed.value(), "nothing is computed twice");
            assertAllInMemory(spark, data, MANY);
            assertEquals(0, spark.mover().stalls());
            assertTrue(spark.blocks().movedBytes() > 2 * LocalSpark.MEMORY, "most of it is in H2");
            spark.assertAccounted();
        }
    }

    /** Only the pressure gate can free memory here, because nothing is transferred ahead of time. */
    @Test
    void memoryPressureAloneMovesBlocksInsteadOfEvicting() {
        try (LocalSpark spark = LocalSpark.on(heap, TerraceExecutorPlugin.TRANSFER_FRACTION, "1")) {
            JavaRDD<double[]> first = spark.data(MANY / 2).persist(StorageLevel.MEMORY_AND_DISK());
            JavaRDD<double[]> second = spark.data(MANY / 2).persist(StorageLevel.MEMORY_AND_DISK());
            LocalSpark.sum(first);
            LocalSpark.sum(second);
            assertAllInMemory(spark, first, MANY / 2);
            assertAllInMemory(spark, second, MANY / 2);
            spark.assertAccounted();
        }
    }

    @Test
    void tasksThatAreFasterThanTransfersLoseNothing() {
        heap.setTransferMillis(100);
        try (LocalSpark spark = LocalSpark.on(heap, TerraceExecutorPlugin.TRANSFER_FRACTION, "0.2")) {
            JavaRDD<double[]> data = spark.data(MANY).persist(StorageLevel.MEMORY_AND_DISK());
            LocalSpark.sum(data);
            assertAllInMemory(spark, data, MANY);
        }
    }

    /** Grouping takes all the execution memory it can acquire before the first partition is unrolled. */
    @Test
    void shufflesLeaveRoomForThePartitionsTheyMake() {
        try (LocalSpark spark = LocalSpark.on(heap)) {
            JavaRDD<double[]> some = spark.data(MANY)
                    .mapToPair(array -> new Tuple2<>((int) array[0], array))
                    .groupByKey(14)
                    .flatMap(group -> {
                        List<double[]> arrays = new ArrayList<>();
                        group._2().forEach(arrays::add);
                        return arrays.subList(0, arrays.size() / 5).iterator();
                    })
                    .persist(StorageLevel.MEMORY_AND_DISK());
            assertTrue(some.count() > 0);
            assertAllInMemory(spark, some, 14);
        }
    }

    @Test
    void executionTakesFromTheLandingZoneBeforeItEvicts() {
        try (LocalSpark spark = LocalSpark.on(heap)) {
            JavaRDD<double[]> data = spark.data(4).persist(StorageLevel.MEMORY_AND_DISK_SER());
            LocalSpark.sum(data);
            MemoryManager memory = SparkEnv.get().memoryManager();
            synchronized (memory) {
                long granted = memory.acquireExecutionMemory(LocalSpark.MEMORY, 1, MemoryMode.ON_HEAP);
                assertEquals(LocalSpark.MEMORY / 2.0, granted, 1 << 20, "storage keeps its share");
                memory.releaseExecutionMemory(granted, 1, MemoryMode.ON_HEAP);
            }
            assertAllInMemory(spark, data, 4);
            assertEquals(LocalSpark.MEMORY / 2.0, spark.storageUsed(), 1 << 20);
            spark.assertAccounted();
        }
    }

    @Test
    void unpersistReleasesEverythingOnce() {
        try (LocalSpark spark = LocalSpark.on(heap)) {
            long before = spark.storageUsed();
            for (int round = 0; round < 3; round++) {
                JavaRDD<double[]> data = spark.data(MANY).persist(StorageLevel.MEMORY_AND_DISK());
                LocalSpark.sum(data);
                assertAllInMemory(spark, data, MANY);
                data.unpersist(true);
                assertEquals(0, spark.blocks().movedBlocks());
                assertEquals(0, spark.blocks().movedBytes());
                assertEquals(0, spark.blocks().dueBytes());
                assertEquals(0, heap.tags(), "blocks that had not moved are untagged");
                assertEquals(0, heap.dueLabels(), "the label of an RDD without blocks is held");
                spark.assertAccounted();
            }
            assertTrue(spark.storageUsed() <= before + (1 << 20), "only broadcasts may be left");
        }
    }

    @Test
    void aBlockThatWaitsCanBeUnpersisted() {
        try (LocalSpark spark = LocalSpark.on(heap, TerraceExecutorPlugin.TRANSFER_FRACTION, "1")) {
            JavaRDD<double[]> data = spark.data(2).persist(StorageLevel.MEMORY_ONLY());
            LocalSpark.sum(data);
            assertEquals(2, spark.blocks().dueBlocks());
            assertTrue(spark.blocks().dueBytes() >= 2 * LocalSpark.PARTITION * 0.9);
            data.unpersist(true);
            assertEquals(0, spark.blocks().dueBlocks());
            assertEquals(0, heap.tags());
            spark.assertAccounted();
        }
    }

    @Test
    void aFullH2LeavesSparkAsItIs() {
        heap.setFull(true);
        try (LocalSpark spark = LocalSpark.on(heap)) {
            JavaRDD<double[]> data = spark.data(MANY).persist(StorageLevel.MEMORY_AND_DISK());
            double sum = LocalSpark.sum(data);
            assertEquals(sum, LocalSpark.sum(data));
            RDDInfo info = spark.info(data);
            assertEquals(MANY, info.numCachedPartitions());
            assertTrue(info.diskSize() > 0, "what is too much goes to disk");
            assertEquals(0, spark.blocks().movedBlocks());
            assertTrue(spark.mover().stalls() > 0);
            assertTrue(spark.mover().stalls() < 10, "no collection for each block: " + spark.mover().stalls());
            spark.assertAccounted();

            heap.setFull(false); // H2 has free space again
            JavaRDD<double[]> more = spark.data(MANY).persist(StorageLevel.MEMORY_AND_DISK());
            LocalSpark.sum(more);
            assertTrue(spark.blocks().movedBlocks() >= MANY / 2);
            spark.assertAccounted();
        }
    }

    @Test
    void partitionsThatShareDataAreNotTransferredForTheirEstimates() {
        heap.setShare(0.05);
        try (LocalSpark spark = LocalSpark.on(heap)) {
            JavaRDD<double[]> first = spark.data(MANY).persist(StorageLevel.MEMORY_AND_DISK());
            LocalSpark.sum(first);
            assertAllInMemory(spark, first, MANY);
            long transfers = spark.mover().transfers();
            JavaRDD<double[]> second = spark.data(MANY).persist(StorageLevel.MEMORY_AND_DISK());
            LocalSpark.sum(second);
            assertAllInMemory(spark, second, MANY);
            assertEquals(transfers, spark.mover().transfers());
            assertTrue(spark.blocks().dueBytes() > LocalSpark.MEMORY, "they are not charged any more");
            spark.assertAccounted();

            second.unpersist(true);
            spark.assertAccounted();
        }
    }

    /** The learned share may not apply to the waiting partitions. */
    @Test
    void estimatesCountWhereH2CouldNotTakeThemAll() {
        heap.setShare(0.05);
        try (LocalSpark spark = LocalSpark.on(heap)) {
            JavaRDD<double[]> first = spark.data(MANY).persist(StorageLevel.MEMORY_AND_DISK());
            LocalSpark.sum(first);
            heap.setCapacity(heap.movedBytes() + LocalSpark.MEMORY);
            heap.setFull(true);
            long before = spark.blocks().dueBytes();
            JavaRDD<double[]> second = spark.data(MANY).persist(StorageLevel.MEMORY_AND_DISK());
            LocalSpark.sum(second);
            assertTrue(spark.info(second).diskSize() > 0, "what is too much goes to disk");
            assertTrue(spark.blocks().dueBytes() <= Math.max(before, LocalSpark.MEMORY) + LocalSpark.MEMORY);
            spark.assertAccounted();
        }
    }

    @Test
    void whatH2DoesNotTakeIsChargedAgain() throws Exception {
        heap.setShare(0.05);
        try (LocalSpark spark = LocalSpark.on(heap)) {
            LocalSpark.sum(spark.data(MANY).persist(StorageLevel.MEMORY_ONLY()));
            heap.transfer(); // the mover learns the share from this transfer
            JavaRDD<double[]> waiting = spark.data(10).persist(StorageLevel.MEMORY_ONLY());
            LocalSpark.sum(waiting);
            JavaRDD<double[]> pressure = spark.data(4).persist(StorageLevel.MEMORY_ONLY());
            LocalSpark.sum(pressure);
            assertTrue(spark.blocks().unchargedBytes() >= 9 * LocalSpark.PARTITION);
            heap.setFull(true);
            heap.setCapacity(0);
            JavaRDD<double[]> more = spark.data(MANY).persist(StorageLevel.MEMORY_AND_DISK());
            LocalSpark.sum(more);
            assertTrue(spark.mover().stalls() > 0);
            more.unpersist(true);
            pressure.unpersist(true);
            LocalSpark.until(bytes -> bytes == 0, spark.blocks()::unchargedBytes);
            spark.assertAccounted();
        }
    }

    @Test
    void blocksThatTheVmMovedMeanwhileAreNotCounted() {
        try (LocalSpark spark = LocalSpark.on(heap, TerraceExecutorPlugin.TRANSFER_FRACTION, "0.5",
                TerraceExecutorPlugin.LANDING_FRACTION, "0")) {
            for (int round = 0; round < 3; round++) {
                JavaRDD<double[]> data = spark.data(5).persist(StorageLevel.MEMORY_ONLY());
                LocalSpark.sum(data);
                heap.transfer();
                JavaRDD<double[]> more = spark.data(2).persist(StorageLevel.MEMORY_ONLY());
                LocalSpark.sum(more);
                data.unpersist(true);
                more.unpersist(true);
            }
            assertEquals(0, spark.mover().transfers());
        }
    }

    @Test
    void sizesAreCorrectedByWhatMoved() {
        SizeCorrection correction = new SizeCorrection();
        assertEquals(1, correction.share());
        correction.observe(0, 100); // bytes that others moved
        assertEquals(1, correction.share());
        correction.observe(1000, 600);
        assertEquals(0.6, correction.share(), 1e-9);
        correction.observe(2000, 700);
        assertEquals((300 + 100) / 1500.0, correction.share(), 1e-9);
        correction.observe(2_000_000, 700);
        assertEquals(SizeCorrection.LEAST, correction.share());
        correction.observe(3_000_000, 9_000_000);
        assertEquals(1, correction.share());
    }

    @Test
    void collectionsThatNobodyHereAskedForAreNoticed() throws Exception {
        try (LocalSpark spark = LocalSpark.on(heap, TerraceExecutorPlugin.TRANSFER_FRACTION, "1")) {
            JavaRDD<double[]> data = spark.data(4).persist(StorageLevel.MEMORY_ONLY());
            LocalSpark.sum(data);
            assertEquals(4, spark.blocks().dueBlocks());
            heap.transfer();
            LocalSpark.until(moved -> moved == 4, spark.blocks()::movedBlocks);
            assertEquals(0, spark.mover().transfers());
            spark.assertAccounted();
            assertAllInMemory(spark, data, 4);
        }
    }

    @Test
    void serializedLevelsAndBroadcastsAreLeftAlone() {
        try (LocalSpark spark = LocalSpark.on(heap)) {
            JavaRDD<double[]> data = spark.data(4).persist(StorageLevel.MEMORY_ONLY_SER());
            LocalSpark.sum(data);
            double[] big = new double[100_000];
            int length = spark.sc.broadcast(big).value().length;
            assertEquals(big.length, length);
            assertEquals(0, spark.blocks().dueBlocks());
            assertEquals(0, spark.blocks().arrivedBytes());
            assertEquals(0, heap.tags());
        }
    }

    @Test
    void closeableValuesStayWithSparkWhichClosesThem() {
        Closeable.closed = 0;
        try (LocalSpark spark = LocalSpark.on(heap, TerraceExecutorPlugin.TRANSFER_FRACTION, "0")) {
            JavaRDD<Closeable> data = spark.sc.parallelize(List.of(1, 2, 3), 3).map(i -> new Closeable())
                    .persist(StorageLevel.MEMORY_ONLY());
            assertEquals(3, data.count());
            assertEquals(0, heap.tags());
            data.unpersist(true);
            assertEquals(3, Closeable.closed);
        }
    }

    @Test
    void movedBlocksKeepTheirSizeForTheUserInterface() {
        try (LocalSpark spark = LocalSpark.on(heap, TerraceExecutorPlugin.TRANSFER_FRACTION, "0")) {
            JavaRDD<double[]> data = spark.data(4).persist(StorageLevel.MEMORY_ONLY());
            LocalSpark.sum(data);
            assertTrue(spark.info(data).memSize() >= 4 * LocalSpark.PARTITION * 0.9);
            MemoryStore store = SparkEnv.get().blockManager().memoryStore();
            BlockId id = new RDDBlockId(data.id(), 0);
            assertTrue(store.contains(id));
            assertTrue(store.getSize(id) >= LocalSpark.PARTITION * 0.9);
        }
    }

    @Test
    void theAccountingSurvivesConcurrentCachingAndUnpersisting() throws Exception {
        heap.setTransferMillis(5);
        try (LocalSpark spark = LocalSpark.on(heap, TerraceExecutorPlugin.TRANSFER_FRACTION, "0.2")) {
            ExecutorService users = Executors.newFixedThreadPool(3);
            List<Future<Double>> sums = new ArrayList<>();
            Queue<JavaRDD<?>> left = new ConcurrentLinkedQueue<>();
            for (int user = 0; user < 3; user++) {
                Random random = new Random(user);
                sums.add(users.submit((Callable<Double>) () -> {
                    double sum = 0;
                    for (int round = 0; round < 10; round++) {
                        JavaRDD<double[]> data = spark.data(1 + random.nextInt(10)).persist(
                                random.nextBoolean() ? StorageLevel.MEMORY_AND_DISK() : StorageLevel.MEMORY_ONLY());
                        sum += LocalSpark.sum(data);
                        if (random.nextInt(4) > 0) {
                            data.unpersist(random.nextBoolean());
                        } else {
                            left.add(data);
                        }
                    }
                    return sum;
                }));
            }
            for (Future<Double> sum : sums) {
                heap.setFull(true);
                Thread.sleep(300);
                heap.setFull(false);
                assertTrue(sum.get() > 0);
            }
            users.shutdown();
            spark.assertAccounted();
            left.forEach(rdd -> rdd.unpersist(true));
            // Some unpersist calls return before the blocks are removed.
            LocalSpark.until(bytes -> bytes == 0, () -> spark.blocks().dueBytes() + spark.blocks().movedBytes());
            assertEquals(0, heap.tags());
            spark.assertAccounted();
        }
    }

    @Test
    void stoppingGivesTheLandingZoneBack() {
        LocalSpark spark = LocalSpark.on(heap);
        assertEquals(LocalSpark.MEMORY / 2.0, spark.mover().landingHeld(), 1 << 20);
        BlockMover mover = spark.mover();
        spark.close();
        assertEquals(0, mover.landingHeld());
        assertEquals(0, heap.tags());
        assertEquals(0, heap.dueLabels());
    }

    @Test
    void withoutH2NothingIsChanged() throws Exception {
        assumeFalse(SecondHeap.isAvailable());
        try (LocalSpark spark = LocalSpark.with(
                LocalSpark.conf().set("spark.plugins", TerracePlugin.class.getName()))) {
            assertEquals(java.util.LinkedHashMap.class, entriesClass());
            JavaRDD<double[]> data = spark.data(2).cache();
            LocalSpark.sum(data);
            assertEquals(2, spark.info(data).numCachedPartitions());
        }
    }

    @Test
    void itCanBeSwitchedOff() throws Exception {
        try (LocalSpark spark = LocalSpark.on(heap, TerraceExecutorPlugin.ENABLED, "false")) {
            assertNull(spark.mover());
            assertEquals(java.util.LinkedHashMap.class, entriesClass());
        }
    }

    @Test
    void fractionsAreChecked() {
        for (String key : List.of(TerraceExecutorPlugin.TRANSFER_FRACTION, TerraceExecutorPlugin.LANDING_FRACTION)) {
            // If Spark cannot start, its heartbeat thread remains, and after 60 failures (ten minutes) would end this JVM.
            Exception e = assertThrows(IllegalArgumentException.class, () -> LocalSpark.on(heap, key, "1.5",
                    "spark.executor.heartbeat.maxFailures", Integer.toString(Integer.MAX_VALUE)).close());
            assertTrue(e.getMessage().contains(key), e.getMessage());
        }
    }

    @Test
    void portionsAreWorthACollectionAndNoMore() {
        SparkConf conf = new SparkConf(false);
        assertEquals(50, TerraceExecutorPlugin.portion(conf, 60 * MB, 500 * MB) / MB);
        assertEquals(160, TerraceExecutorPlugin.portion(conf, 400 * MB, 1000 * MB) / MB);
        assertEquals(256, TerraceExecutorPlugin.portion(conf, 1000 * MB, 2000 * MB) / MB);
        assertEquals(6000, TerraceExecutorPlugin.portion(conf, 35_000 * MB, 60_000 * MB) / MB);
        conf.set(TerraceExecutorPlugin.TRANSFER_FRACTION, "0.5");
        assertEquals(17_500, TerraceExecutorPlugin.portion(conf, 35_000 * MB, 60_000 * MB) / MB);
        conf.set(TerraceExecutorPlugin.TRANSFER_FRACTION, "0");
        assertEquals(0, TerraceExecutorPlugin.portion(conf, 60 * MB, 500 * MB));
    }

    @Test
    void onlyArraysWithValuesThatNeedNoClosingCanMove() {
        assertTrue(CachedBlocks.canMove(new double[1]));
        assertTrue(CachedBlocks.canMove(new Object[] {"a", null}));
        assertTrue(!CachedBlocks.canMove(new Object[0]));
        assertTrue(!CachedBlocks.canMove(new int[0]));
        assertTrue(!CachedBlocks.canMove(new Object[] {"a", new Closeable()}));
    }

    private static Class<?> entriesClass() throws ReflectiveOperationException {
        java.lang.reflect.Field entries = MemoryStore.class.getDeclaredField("entries");
        entries.setAccessible(true);
        return entries.get(SparkEnv.get().blockManager().memoryStore()).getClass();
    }

    private static void assertAllInMemory(LocalSpark spark, JavaRDD<?> data, int partitions) {
        RDDInfo info = spark.info(data);
        assertEquals(partitions, info.numCachedPartitions(), info::toString);
        assertEquals(0, info.diskSize(), info::toString);
        MemoryStore store = SparkEnv.get().blockManager().memoryStore();
        List<Integer> missing = IntStream.range(0, partitions).boxed()
                .filter(i -> !store.contains(new RDDBlockId(data.id(), i))).collect(Collectors.toList());
        assertEquals(List.of(), missing);
    }

    static final class Closeable implements AutoCloseable {

        private static int closed;

        @Override
        public void close() {
            closed++;
        }
    }
}
