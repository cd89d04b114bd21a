// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;

/** The plugin that Spark loads in the tests. Spark creates the instance, so the test accesses static fields. */
public final class PluginOnObedientHeap implements SparkPlugin {

    static ObedientHeap heap;
    static TerraceDriverPlugin driverPlugin;
    static TerraceExecutorPlugin executorPlugin;

    @Override
    public DriverPlugin driverPlugin() {
        driverPlugin = new TerraceDriverPlugin();
        return driverPlugin;
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        executorPlugin = new TerraceExecutorPlugin(heap);
        return executorPlugin;
    }
}
