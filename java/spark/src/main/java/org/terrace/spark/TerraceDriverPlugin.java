// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import java.util.Collections;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.ui.SparkUI;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Collects what executors report of their second heaps, and shows it in Spark's user interface. */
final class TerraceDriverPlugin implements DriverPlugin {

    private static final Logger LOG = LoggerFactory.getLogger(TerracePlugin.class);

    private ExecutorReports reports;

    ExecutorReports reports() {
        return reports;
    }

    @Override
    public Map<String, String> init(SparkContext sc, PluginContext context) {
        reports = new ExecutorReports(sc.conf().getInt("spark.ui.retainedDeadExecutors", 100));
        if (!sc.conf().getBoolean(TerraceExecutorPlugin.ENABLED, true) || sc.ui().isEmpty()) {
            return Collections.emptyMap();
        }
        sc.addSparkListener(reports);
        SparkUI ui = sc.ui().get();
        try {
            new SecondHeapTab(ui, reports).attach(sc.conf());
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            LOG.warn("Terrace: cannot add a page to the user interface of this version of Spark", e);
        }
        return Collections.emptyMap();
    }

    @Override
    public Object receive(Object message) {
        reports.add(ExecutorReport.fromMessage(message));
        return null;
    }
}
