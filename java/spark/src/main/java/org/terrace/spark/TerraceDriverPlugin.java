// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import java.util.Collections;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.ui.SparkUI;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.terrace.SecondHeap.Tier;
import scala.Option;

/** The driver's part of the plugin. Collects the executors' reports, and shows them in Spark's user interface. */
final class TerraceDriverPlugin implements DriverPlugin {

    private static final Logger LOG = LoggerFactory.getLogger(TerracePlugin.class);

    private ExecutorReports reports;
    private PlacementPlan plan; // null without a plan
    private SparkContext sc;

    ExecutorReports reports() {
        return reports;
    }

    @Override
    public Map<String, String> init(SparkContext sc, PluginContext context) {
        this.sc = sc;
        reports = new ExecutorReports(sc.conf().getInt("spark.ui.retainedDeadExecutors", 100));
        if (!sc.conf().getBoolean(TerraceExecutorPlugin.ENABLED, true)) {
            return Collections.emptyMap();
        }
        if (sc.conf().contains(PlacementPlan.OPTION)) {
            String file = sc.conf().get(PlacementPlan.OPTION);
            plan = PlacementPlan.read(file);
            LOG.info("Terrace: the plan {} assigns tiers to the RDDs of {} creation sites", file, plan.size());
        }
        if (sc.ui().isDefined()) {
            addTab(sc);
        }
        return plan == null ? Collections.emptyMap() : Collections.singletonMap(TierQuestions.PLANNED, "true");
    }

    private void addTab(SparkContext sc) {
        sc.addSparkListener(reports);
        SparkUI ui = sc.ui().get();
        try {
            new SecondHeapTab(ui, reports).attach(sc.conf());
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            LOG.warn("Terrace: cannot add a page to the user interface of this version of Spark", e);
        }
    }

    @Override
    public void registerMetrics(String appId, PluginContext context) {
        TerraceExecutorPlugin.registerMetricsInDriver(context.metricRegistry());
    }

    /** {@inheritDoc} The message is a report, or the id of an RDD whose tier an executor asks for. */
    @Override
    public Object receive(Object message) {
        if (message instanceof Integer) {
            return tierOf((Integer) message).name();
        }
        reports.add(ExecutorReport.fromMessage(message));
        return null;
    }

    private Tier tierOf(Integer rddId) {
        Option<RDD<?>> rdd = sc.persistentRdds().get(rddId);
        if (rdd.isEmpty()) {
            return Tier.AUTO; // unpersisted meanwhile
        }
        String site = rdd.get().getCreationSite();
        Tier tier = plan.tierOf(site);
        LOG.info("Terrace: RDD {}, {}, belongs to tier {}", rddId, site, tier);
        return tier;
    }
}
