// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.memory.MemoryManager;
import org.apache.spark.storage.RDDInfo;
import org.apache.spark.storage.StorageLevel;

/** A local Spark with four tasks at a time and 60 MB of memory for execution and storage, whatever the size of the heap. */
final class LocalSpark implements AutoCloseable {

    static final int CORES = 4;
    static final long MEMORY = 60L << 20;

    /** Size of a partition of {@link #data} in bytes. */
    static final long PARTITION = 5L << 20;

    /** However busy the machine is. Spark's listeners alone would be given ten seconds. */
    private static final int PATIENCE_MINUTES = 3;
    private static final int ARRAY_BYTES = 8 << 10;

    final JavaSparkContext sc;

    private LocalSpark(SparkConf conf) {
        sc = new JavaSparkContext(conf);
    }

    static SparkConf conf() {
        return new SparkConf(false).setMaster("local[" + CORES + "]").setAppName("test")
                .set("spark.ui.enabled", "false").set("spark.ui.liveUpdate.period", "0")
                .set("spark.driver.host", "127.0.0.1").set("spark.driver.bindAddress", "127.0.0.1")
                .set("spark.serializer", "org.apache.spark.serializer.KryoSerializer")
                .set("spark.testing.memory", String.valueOf(MEMORY * 10 / 6 + (10 << 20)))
                .set("spark.testing.reservedMemory", String.valueOf(10 << 20))
                .set("spark.cleaner.referenceTracking", "false");
    }

    static LocalSpark stock() {
        return new LocalSpark(conf());
    }

    static LocalSpark with(SparkConf conf) {
        return new LocalSpark(conf);
    }

    static LocalSpark on(ObedientHeap heap, String... settings) {
        PluginOnObedientHeap.heap = heap;
        SparkConf conf = conf().set("spark.plugins", PluginOnObedientHeap.class.getName())
                .set(TerraceExecutorPlugin.TRANSFER_FRACTION, "0.4");
        for (int i = 0; i < settings.length; i += 2) {
            conf.set(settings[i], settings[i + 1]);
        }
        return new LocalSpark(conf);
    }

    /** An RDD whose partitions take {@link #PARTITION} each when they are cached as objects. */
    JavaRDD<double[]> data(int partitions) {
        List<Integer> seeds = IntStream.range(0, partitions).boxed().collect(Collectors.toList());
        return sc.parallelize(seeds, partitions).mapPartitions(LocalSpark::arrays);
    }

    private static Iterator<double[]> arrays(Iterator<Integer> seeds) {
        List<Iterator<double[]>> all = new ArrayList<>();
        seeds.forEachRemaining(seed -> all.add(
                IntStream.range(0, (int) (PARTITION / ARRAY_BYTES)).mapToObj(i -> array(seed, i)).iterator()));
        return all.isEmpty() ? Collections.emptyIterator() : all.get(0);
    }

    private static double[] array(int seed, int i) {
        double[] array = new double[ARRAY_BYTES / Double.BYTES - 2];
        Arrays.fill(array, seed + i);
        return array;
    }

    static double sum(JavaRDD<double[]> data) {
        return data.map(array -> Arrays.stream(array).sum()).reduce(Double::sum);
    }

    /**
     * Returns the state of an RDD. Spark's listeners receive changes of blocks with a delay, so this waits for them. The setting
     * liveUpdate.period makes them show each change.
     */
    RDDInfo info(JavaRDD<?> rdd) {
        try {
            sc.sc().listenerBus().waitUntilEmpty(TimeUnit.MINUTES.toMillis(PATIENCE_MINUTES));
        } catch (TimeoutException e) {
            throw new AssertionError(e);
        }
        for (RDDInfo info : sc.sc().getRDDStorageInfo()) {
            if (info.id() == rdd.id()) {
                return info;
            }
        }
        return new RDDInfo(rdd.id(), "not cached", 0, StorageLevel.NONE(), false, null, null, null, null);
    }

    BlockMover mover() {
        return PluginOnObedientHeap.executorPlugin.mover();
    }

    CachedBlocks blocks() {
        return mover().blocks();
    }

    long storageUsed() {
        return SparkEnv.get().memoryManager().onHeapStorageMemoryUsed();
    }

    void assertAccounted() {
        assertEquals("", mistake(mover()));
    }

    /**
     * Returns an error of the store's accounting, or an empty string. The accounting must consist of the landing zone and all
     * blocks that have not moved. The check is atomic, because the mover runs concurrently.
     */
    static String mistake(BlockMover mover) {
        MemoryManager memory = SparkEnv.get().memoryManager();
        CachedBlocks blocks = mover.blocks();
        synchronized (memory) {
            synchronized (blocks) {
                long expected = blocks.values().stream().mapToLong(entry -> entry.size()).sum() + mover.landingHeld();
                long used = memory.onHeapStorageMemoryUsed();
                return used == expected ? "" : used + " instead of " + expected;
            }
        }
    }

    /** Waits for a condition that background threads establish, however busy the machine is. */
    static <T> T until(Predicate<T> holds, Callable<T> now) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(PATIENCE_MINUTES);
        T found = now.call();
        while (!holds.test(found)) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("it stays at " + found);
            }
            Thread.sleep(50);
            found = now.call();
        }
        return found;
    }

    @Override
    public void close() {
        sc.close();
    }
}
