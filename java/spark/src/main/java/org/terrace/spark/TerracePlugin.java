// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * Keeps the cached partitions of Spark in the second heap (H2) of a Terrace JDK. Switched on by
 * {@code spark.plugins=org.terrace.spark.TerracePlugin} and the VM's {@code -XX:AllocateH2At=<dir>}; the application
 * does not change. Made for Spark 3.5 and 4.1, with Scala 2.12 and 2.13.
 *
 * <p>Partitions that are cached as objects ({@code MEMORY_ONLY}, {@code MEMORY_AND_DISK} and their replicated forms)
 * move to H2. There they count no longer as storage memory and are not evicted; {@code unpersist} removes them as
 * ever. Serialized levels, broadcasts and partitions with {@code AutoCloseable} values are left alone. If H2 is full,
 * what does not fit stays on the heap and Spark treats it as usual.
 *
 * <p>As in stock Spark, partitions are built on the heap: those that are being built at the same time, one per task,
 * must fit into storage memory together (Spark asks for up to 1.5 times a partition's size). Use more partitions if
 * they do not.
 *
 * <p>Settings:
 * <dl>
 * <dt>{@code spark.terrace.enabled} (true)</dt>
 * <dd>false leaves Spark as it is.</dd>
 * <dt>{@code spark.terrace.transferFraction} (0.4 up to 256 MB, and at least a tenth of the heap)</dt>
 * <dd>A transfer is asked for when the partitions that wait for it take this share of Spark's memory (that for
 *     execution and storage together). From 0, each partition at once, to 1. Less leaves more room on the heap and
 *     costs more collections. Partitions that wait may exceed Spark's memory by as much; the VM moves them earlier if
 *     the heap fills up.</dd>
 * <dt>{@code spark.terrace.landingFraction} (the value of {@code spark.memory.storageFraction})</dt>
 * <dd>The share of Spark's memory that execution may not take while no partition needs it, so that new partitions
 *     find room. 0 gives execution all memory that H2 freed, at the risk that partitions are not cached in jobs that
 *     shuffle and cache at the same time.</dd>
 * <dt>{@code spark.terrace.plan} (none)</dt>
 * <dd>A file on the driver's machine that {@code ./terrace place --out} wrote: which cached RDDs stay on the heap, and, where
 *     H2 has tiers ({@code -XX:H2FastSize}), which belong into memory and which onto the device. RDDs are known by where
 *     the program makes them. What the plan does not name is placed by the VM.</dd>
 * <dt>{@code spark.terrace.coldAfter} (300s)</dt>
 * <dd>With a plan: an RDD that belongs into memory and that no task has read for so long belongs onto the device, until one
 *     reads it again.</dd>
 * </dl>
 *
 * <p>Metrics of each executor, under {@code plugin.org.terrace.spark.TerracePlugin}: {@code h2.blocks},
 * {@code h2.bytes} (moved partitions, sizes as Spark estimates them), {@code due.blocks}, {@code due.bytes} (those that
 * wait), {@code transfers} (asked for by the plugin), {@code transfers.stalled} (that moved nothing),
 * {@code landing.bytes}.
 *
 * <p>The page <em>Second heap</em> of Spark's user interface shows what each executor has there, and {@code
 * /secondheap/json} the same for programs. Sizes on the page <em>Storage</em> include partitions in H2.
 */
public final class TerracePlugin implements SparkPlugin {

    private final Heap heap;

    /**
     * For Spark.
     *
     * @throws IllegalStateException if the class path has this plugin without the API, which the jar of the plugin contains
     */
    public TerracePlugin() {
        this(heapOfThisVm());
    }

    TerracePlugin(Heap heap) {
        this.heap = heap;
    }

    private static Heap heapOfThisVm() {
        try {
            Class.forName("org.terrace.SecondHeap", false, TerracePlugin.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("Terrace: the class org.terrace.SecondHeap is not on the class path of the Spark plugin. "
                    + "Give --jars the jar terrace-spark-<version>.jar, which contains it, instead of the plugin's classes alone", e);
        }
        return Heap.OF_THIS_VM;
    }

    @Override
    public DriverPlugin driverPlugin() {
        return new TerraceDriverPlugin();
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return new TerraceExecutorPlugin(heap);
    }
}
