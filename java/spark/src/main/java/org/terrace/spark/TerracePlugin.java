// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * Spark plugin that keeps cached partitions in the second heap (H2) of a Terrace JDK. It is enabled by
 * {@code spark.plugins=org.terrace.spark.TerracePlugin} and the VM's {@code -XX:AllocateH2At=<dir>}. The application
 * does not change. Made for Spark 3.5 and 4.1, with Scala 2.12 and 2.13.
 *
 * <p>Partitions that are cached as objects ({@code MEMORY_ONLY}, {@code MEMORY_AND_DISK} and their replicated forms)
 * move to H2. There they no longer count as storage memory and are not evicted. {@code unpersist} removes them as
 * usual. The plugin does not handle serialized levels, broadcasts and partitions with {@code AutoCloseable} values. If H2 is
 * full, further partitions stay on the heap and Spark treats them as usual.
 *
 * <p>As in stock Spark, partitions are built on the heap. The partitions that are built at the same time, one per task,
 * must fit into storage memory together (Spark acquires up to 1.5 times a partition's size). Use more partitions if
 * they do not.
 *
 * <p>Settings:
 * <dl>
 * <dt>{@code spark.terrace.enabled} (true)</dt>
 * <dd>false disables the plugin.</dd>
 * <dt>{@code spark.terrace.transferFraction} (0.4 up to 256 MB, and at least a tenth of the heap)</dt>
 * <dd>A transfer is requested when the waiting partitions take this share of Spark's memory (for execution and storage
 *     together). The range is from 0, a transfer for each partition, to 1. A smaller share leaves more free space on the heap
 *     and costs more collections. Waiting partitions may exceed Spark's memory by this share. The VM moves them earlier if
 *     the heap fills up.</dd>
 * <dt>{@code spark.terrace.landingFraction} (the value of {@code spark.memory.storageFraction})</dt>
 * <dd>The share of Spark's memory that execution may not take while no partition needs it, so that new partitions
 *     find free memory. 0 gives execution all memory that H2 freed. Partitions may then remain uncached in jobs that
 *     shuffle and cache at the same time.</dd>
 * <dt>{@code spark.terrace.plan} (none)</dt>
 * <dd>A file on the driver's machine that {@code ./terrace place --out} wrote. It says which cached RDDs stay on the heap. Where
 *     H2 has tiers ({@code -XX:H2FastSize}), it also says which RDDs belong in memory and which on the device. RDDs are
 *     identified by their creation site. The VM places RDDs that are not in the plan.</dd>
 * <dt>{@code spark.terrace.profile} (none)</dt>
 * <dd>A file on the driver's machine to which the driver writes how often tasks read the cached RDDs of each creation site. {@code
 *     ./terrace place --profile} makes a plan from it for later runs.</dd>
 * <dt>{@code spark.terrace.coldAfter} (300s)</dt>
 * <dd>With a plan, an RDD that belongs in memory is moved to the device if no task has read it for this time. It returns
 *     at the next read.</dd>
 * </dl>
 *
 * <p>Metrics of each executor, under {@code plugin.org.terrace.spark.TerracePlugin}: {@code h2.blocks},
 * {@code h2.bytes} (moved partitions, sizes as Spark estimates them), {@code due.blocks}, {@code due.bytes} (waiting
 * partitions), {@code transfers} (requested by the plugin), {@code transfers.stalled} (transfers that moved nothing),
 * {@code landing.bytes}.
 *
 * <p>The page <em>Second heap</em> of Spark's user interface shows the second heap of each executor. {@code
 * /secondheap/json} returns the same data for programs. Sizes on the page <em>Storage</em> include partitions in H2.
 */
public final class TerracePlugin implements SparkPlugin {

    private final Heap heap;

    /**
     * Called by Spark.
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
