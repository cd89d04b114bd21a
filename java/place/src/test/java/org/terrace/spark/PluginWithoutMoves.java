// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;
import org.terrace.SecondHeap;

/** The Spark plugin with a second heap to which nothing moves. It counts reads of cached partitions on any JVM. */
public final class PluginWithoutMoves implements SparkPlugin {

    /** Size of fast memory in bytes, enough for one RDD of a test. */
    public static final long FAST_BYTES = 1;

    private final TerracePlugin plugin = new TerracePlugin(new Heap() {
        @Override
        public boolean isAvailable() {
            return true;
        }

        @Override
        public void tagRoot(Object root, long label) {
        }

        @Override
        public void untag(Object root) {
        }

        @Override
        public void move(long label) {
        }

        @Override
        public void hold(long label) {
        }

        @Override
        public boolean hasTiers() {
            return true;
        }

        @Override
        public void place(long label, SecondHeap.Tier tier) {
        }

        @Override
        public long fastBytes() {
            return FAST_BYTES;
        }

        @Override
        public boolean isInH2(Object object) {
            return false;
        }

        @Override
        public void transfer() {
        }

        @Override
        public void prefetch(Object root) {
        }

        @Override
        public void dismiss(Object root) {
        }

        @Override
        public long transfers() {
            return 0;
        }

        @Override
        public long movedBytes() {
            return 0;
        }

        @Override
        public long transferMillis() {
            return 0;
        }

        @Override
        public long capacityBytes() {
            return 1L << 30;
        }

        @Override
        public long usedBytes() {
            return 0;
        }
    });

    @Override
    public DriverPlugin driverPlugin() {
        return plugin.driverPlugin();
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return plugin.executorPlugin();
    }
}
