// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.spark.SparkConf;
import org.apache.spark.ui.JettyUtils;
import org.apache.spark.ui.JettyUtils$;
import org.apache.spark.ui.SparkUI;
import org.apache.spark.ui.SparkUITab;
import org.apache.spark.ui.UIUtils;
import scala.Function0;
import scala.Function1;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.xml.Node;
import scala.xml.Unparsed;
import scala.xml.Utility;

/**
 * The page "Second heap" of Spark's user interface.
 *
 * <p>Spark 3.5 has servlets of the package {@code javax.servlet}, 4.1 of {@code jakarta.servlet}, so a subclass of Spark's
 * {@code WebUIPage} would be bound to one of them. The responders here therefore take the request as an {@code Object} and only
 * pass it on. No name of a servlet class is in this file.
 */
final class SecondHeapTab extends SparkUITab {

    private static final String TITLE = "Second heap";
    private static final String PREFIX = "secondheap";

    private static final String EXPLANATION =
            "<p>Cached partitions in the second heap (H2) of each executor. They stay objects, use none of "
            + "Spark's memory, and are not evicted. The page <i>Storage</i> counts them as partitions in memory.</p>";
    private static final String TIERS =
            "<p>The tiers of cached RDDs, in the order in which executors asked for them.</p>";
    private static final String NOTHING =
            "<p>No executor has reported a second heap. Either the executors run without one, or they have not started yet. "
            + "The log of each executor tells the reason.</p>";

    private final SparkUI ui;
    private final ExecutorReports reports;
    private final Supplier<List<Lineage.Answer>> tiers;
    private final Method headerSparkPage;

    SecondHeapTab(SparkUI ui, ExecutorReports reports, Supplier<List<Lineage.Answer>> tiers) throws NoSuchMethodException {
        super(ui, PREFIX);
        this.ui = ui;
        this.reports = reports;
        this.tiers = tiers;
        headerSparkPage = Arrays.stream(UIUtils.class.getMethods())
                .filter(method -> method.getName().equals("headerSparkPage") && method.getParameterCount() == 7)
                .findFirst().orElseThrow(() -> new NoSuchMethodException("UIUtils.headerSparkPage"));
    }

    @Override
    public String name() {
        return TITLE;
    }

    void attach(SparkConf conf) {
        attach("/" + PREFIX, "text/html", request -> "<!DOCTYPE html>" + page(request), conf);
        attach("/" + PREFIX + "/json", "application/json", request -> json(), conf);
        attach("/" + PREFIX + "/tiers/json", "application/json", request -> tiersJson(), conf);
        ui.attachTab(this);
    }

    /** Uses raw types, because both type parameters of Spark's class name the servlet request. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private void attach(String path, String contentType, Function1<Object, String> responder, SparkConf conf) {
        Function1<Object, String> identity = Object::toString;
        ui.attachHandler(JettyUtils$.MODULE$.createServletHandler(path,
                new JettyUtils.ServletParams(responder, contentType, identity), conf, ui.basePath()));
    }

    // -- Content ------------------------------------------------------------------------------------------------------

    private Object page(Object request) {
        Function0<Seq<Node>> content = () -> new Unparsed(table(reports.list()) + tierTable(tiers.get()));
        try {
            return headerSparkPage.invoke(null, request, TITLE, content, this, Option.empty(), false, false);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    static String table(List<ExecutorReports.Entry> entries) {
        if (entries.isEmpty()) {
            return NOTHING;
        }
        StringBuilder html = new StringBuilder(EXPLANATION)
                .append("<table class=\"table table-bordered table-striped table-sm\" id=\"second-heap\"><thead><tr>");
        heading(html, "Executor");
        heading(html, "Host");
        heading(html, "State");
        for (Figure figure : Figure.values()) {
            heading(html, figure.title);
        }
        html.append("</tr></thead><tbody>");
        for (ExecutorReports.Entry entry : entries) {
            html.append("<tr>");
            cell(html, entry.report.executorId);
            cell(html, entry.report.host);
            cell(html, state(entry));
            for (Figure figure : Figure.values()) {
                cell(html, figure.show(entry.report.get(figure)));
            }
            html.append("</tr>");
        }
        return html.append("</tbody></table>").toString();
    }

    /** Returns a table of the tiers of RDDs, or an empty text without a plan. */
    static String tierTable(List<Lineage.Answer> answers) {
        if (answers.isEmpty()) {
            return "";
        }
        StringBuilder html = new StringBuilder(TIERS)
                .append("<table class=\"table table-bordered table-striped table-sm\" id=\"second-heap-tiers\"><thead><tr>");
        for (String title : new String[] {"RDD", "Creation site", "Tier", "Reason"}) {
            heading(html, title);
        }
        html.append("</tr></thead><tbody>");
        for (Lineage.Answer answer : answers) {
            html.append("<tr>");
            cell(html, Integer.toString(answer.rddId));
            cell(html, answer.site);
            cell(html, answer.tier.name().toLowerCase(Locale.ROOT));
            cell(html, answer.reason);
            html.append("</tr>");
        }
        return html.append("</tbody></table>").toString();
    }

    private static void heading(StringBuilder html, String text) {
        html.append("<th>").append(Utility.escape(text)).append("</th>");
    }

    private static void cell(StringBuilder html, String text) {
        html.append("<td>").append(Utility.escape(text)).append("</td>");
    }

    private static String state(ExecutorReports.Entry entry) {
        return entry.gone ? "gone" : "active";
    }

    private String json() {
        List<Map<String, Object>> all = new ArrayList<>();
        for (ExecutorReports.Entry entry : reports.list()) {
            Map<String, Object> executor = new LinkedHashMap<>();
            executor.put("executorId", entry.report.executorId);
            executor.put("host", entry.report.host);
            executor.put("state", state(entry));
            for (Figure figure : Figure.values()) {
                executor.put(figure.key, entry.report.get(figure));
            }
            all.add(executor);
        }
        return json(all);
    }

    private String tiersJson() {
        List<Map<String, Object>> all = new ArrayList<>();
        for (Lineage.Answer answer : tiers.get()) {
            Map<String, Object> rdd = new LinkedHashMap<>();
            rdd.put("rddId", answer.rddId);
            rdd.put("site", answer.site);
            rdd.put("tier", answer.tier.name().toLowerCase(Locale.ROOT));
            rdd.put("reason", answer.reason);
            all.add(rdd);
        }
        return json(all);
    }

    private static String json(Object value) {
        try {
            return new ObjectMapper().writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
