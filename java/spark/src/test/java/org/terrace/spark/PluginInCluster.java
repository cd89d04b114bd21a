// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;
import org.terrace.SecondHeap;

/** The plugin that the driver and the executors of a {@link ClusterSpark} load, each in its own JVM. */
public final class PluginInCluster implements SparkPlugin {

    static TerraceDriverPlugin driverPlugin;
    static TerraceExecutorPlugin executorPlugin;

    @Override
    public DriverPlugin driverPlugin() {
        driverPlugin = new TerraceDriverPlugin();
        return driverPlugin;
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        executorPlugin = new TerraceExecutorPlugin(SecondHeap.isAvailable() ? Heap.OF_THIS_VM : new ObedientHeap());
        return executorPlugin;
    }
}
