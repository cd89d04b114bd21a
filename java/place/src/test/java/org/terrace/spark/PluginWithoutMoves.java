// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;

/** The Spark plugin with a second heap to which nothing moves. It counts reads of cached partitions on any JVM. */
public final class PluginWithoutMoves implements SparkPlugin {

    /** Size of fast memory in bytes, so small that only the hottest RDD of a test belongs there. */
    public static final long FAST_BYTES = 1;

    private final TerracePlugin plugin = new TerracePlugin((Heap) Proxy.newProxyInstance(Heap.class.getClassLoader(),
            new Class<?>[] {Heap.class}, (proxy, method, arguments) -> result(method)));

    private static Object result(Method method) {
        switch (method.getName()) {
            case "isAvailable":
            case "hasTiers":
                return true;
            case "fastBytes":
                return FAST_BYTES;
            case "capacityBytes":
                return 1L << 30;
            default:
                return method.getReturnType() == boolean.class ? (Object) false : method.getReturnType() == long.class ? 0L : null;
        }
    }

    @Override
    public DriverPlugin driverPlugin() {
        return plugin.driverPlugin();
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return plugin.executorPlugin();
    }
}
