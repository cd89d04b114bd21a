// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.ui.SparkUI;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/** The driver's part of the plugin. Collects the executors' reports, and shows them in Spark's user interface. */
final class TerraceDriverPlugin implements DriverPlugin {

    private static final Logger LOG = LoggerFactory.getLogger(TerracePlugin.class);

    private ExecutorReports reports;
    private TierAnswers answers; // null without a plan
    private AccessProfile profile; // null without one
    private SparkContext sc;

    ExecutorReports reports() {
        return reports;
    }

    /** Returns the tiers of RDDs that executors have asked for, with the reasons. */
    List<Lineage.Answer> tiers() {
        return answers == null ? Collections.emptyList() : answers.list();
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
            PlacementPlan plan = PlacementPlan.read(file);
            answers = new TierAnswers(new Lineage(plan::tierOf, sc.conf().getBoolean(TierQuestions.LINEAGE, true)));
            LOG.info("Terrace: the plan {} assigns tiers to the RDDs of {} creation sites", file, plan.size());
        }
        if (sc.ui().isDefined()) {
            addTab(sc);
        }
        Map<String, String> told = new HashMap<>();
        if (answers != null) {
            told.put(TierQuestions.PLANNED, "true");
        }
        if (sc.conf().contains(AccessProfile.OPTION)) {
            profile = new AccessProfile(sc.conf().get(AccessProfile.OPTION), sc.appName(), this::siteOfCached);
            sc.addSparkListener(profile);
            profile.start(sc.conf().getInt(AccessProfile.PERIOD, AccessProfile.WRITE_SECONDS));
            told.put(AccessProfile.PROFILED, "true");
        }
        return told;
    }

    private String siteOfCached(int rddId) {
        Option<RDD<?>> rdd = sc.persistentRdds().get(rddId);
        return rdd.isEmpty() ? null : rdd.get().getCreationSite();
    }

    private void addTab(SparkContext sc) {
        sc.addSparkListener(reports);
        SparkUI ui = sc.ui().get();
        try {
            new SecondHeapTab(ui, reports, this::tiers).attach(sc.conf());
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            LOG.warn("Terrace: cannot add a page to the user interface of this version of Spark", e);
        }
    }

    @Override
    public void registerMetrics(String appId, PluginContext context) {
        TerraceExecutorPlugin.registerMetricsInDriver(context.metricRegistry());
    }

    @Override
    public void shutdown() {
        if (profile != null) {
            profile.end();
            TerraceExecutorPlugin.forgetCountsInDriver();
        }
    }

    /** {@inheritDoc} The message is a report, has counts of reads, or asks for the tier of an RDD. */
    @Override
    public Object receive(Object message) {
        if (TierAnswers.isQuestion(message)) {
            Option<RDD<?>> rdd = sc.persistentRdds().get(TierAnswers.rddId(message));
            return answers.answer(message, rdd.isEmpty() ? null : rdd.get());
        }
        if (message instanceof Map.Entry) {
            profile.add((Map.Entry<?, ?>) message);
            return null;
        }
        reports.add(ExecutorReport.fromMessage(message));
        return null;
    }
}
