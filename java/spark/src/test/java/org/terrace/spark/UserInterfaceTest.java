// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.storage.StorageLevel;
import org.junit.jupiter.api.Test;
import org.terrace.SecondHeap;

/** Tests the page of the second heap in Spark's user interface. */
class UserInterfaceTest {

    private static final int PARTITIONS = 20; // 100 MB, more than Spark's memory

    private final ObedientHeap heap = new ObedientHeap();

    @Test
    void thePageShowsWhatIsInH2() throws Exception {
        try (LocalSpark spark = withUserInterface()) {
            JavaRDD<double[]> data = spark.data(PARTITIONS).persist(StorageLevel.MEMORY_ONLY());
            LocalSpark.sum(data);
            JsonNode executor = untilReported(spark, PARTITIONS);
            assertEquals("driver", executor.get("executorId").asText());
            assertEquals("active", executor.get("state").asText());
            assertTrue(executor.get("bytesInH2").asLong() > 0.9 * PARTITIONS * LocalSpark.PARTITION, executor::toString);
            assertTrue(executor.get("movedBytes").asLong() >= executor.get("h2Used").asLong(), executor::toString);
            assertTrue(executor.get("transfers").asInt() > 0, executor::toString);
            assertEquals(heap.capacityBytes(), executor.get("h2Capacity").asLong());

            String page = get(spark, "/secondheap/");
            assertTrue(page.startsWith("<!DOCTYPE html>"), page);
            assertTrue(page.contains("<td>driver</td>") && page.contains("<td>active</td>"), page);
            assertTrue(page.contains("<td>" + executor.get("blocksInH2").asText() + "</td>"), page);
            assertTrue(get(spark, "/jobs/").contains("Second heap"), "the page is linked from the others");

            data.unpersist(true);
            untilReported(spark, 0);
        }
    }

    @Test
    void theStoragePageCountsPartitionsInH2() throws Exception {
        try (LocalSpark spark = withUserInterface()) {
            JavaRDD<double[]> data = spark.data(PARTITIONS).persist(StorageLevel.MEMORY_AND_DISK());
            LocalSpark.sum(data);
            untilReported(spark, PARTITIONS);
            JsonNode rdd = json(spark, "/api/v1/applications/" + spark.sc.sc().applicationId() + "/storage/rdd").get(0);
            assertEquals(PARTITIONS, rdd.get("numCachedPartitions").asInt());
            assertTrue(rdd.get("memoryUsed").asLong() > 0.9 * PARTITIONS * LocalSpark.PARTITION, rdd::toString);
            assertEquals(0, rdd.get("diskUsed").asLong());
        }
    }

    /** If metrics are registered before there is an application id, Spark warns and leaves the id out of their names. */
    @Test
    void metricsHaveTheApplicationInTheirNames() throws Exception {
        try (LocalSpark spark = withUserInterface()) {
            JavaRDD<double[]> data = spark.data(PARTITIONS).persist(StorageLevel.MEMORY_ONLY());
            LocalSpark.sum(data);
            untilReported(spark, PARTITIONS);
            JsonNode gauges = json(spark, "/metrics/json/").get("gauges");
            String name = spark.sc.sc().applicationId() + ".driver.plugin." + PluginOnObedientHeap.class.getName() + ".h2.blocks";
            assertTrue(gauges.has(name), gauges::toString);
            assertEquals(PARTITIONS, gauges.get(name).get("value").asInt());
        }
    }

    @Test
    void withoutH2ThePageSaysSo() throws Exception {
        assumeFalse(SecondHeap.isAvailable());
        SparkConf conf = LocalSpark.conf().set("spark.ui.enabled", "true").set("spark.ui.port", "0")
                .set("spark.plugins", TerracePlugin.class.getName());
        try (LocalSpark spark = LocalSpark.with(conf)) {
            assertEquals(0, json(spark, "/secondheap/json").size());
            assertTrue(get(spark, "/secondheap/").contains("No executor has reported"));
        }
    }

    @Test
    void executorsThatAreGoneStayUntilThereAreTooMany() {
        ExecutorReports reports = new ExecutorReports(1);
        for (String id : List.of("0", "1", "2")) {
            reports.add(ExecutorReport.fromMessage(new Object[] {id, "<host>", new long[Figure.values().length]}));
        }
        reports.onExecutorRemoved(new SparkListenerExecutorRemoved(0, "1", "lost"));
        assertEquals(3, reports.list().size());
        assertTrue(reports.list().get(1).gone);
        reports.add(reports.list().get(1).report);
        assertTrue(reports.list().get(1).gone, "a late report does not revive it");
        assertTrue(SecondHeapTab.table(reports.list()).contains("<td>&lt;host&gt;</td><td>gone</td>"));
        reports.onExecutorRemoved(new SparkListenerExecutorRemoved(0, "2", "lost"));
        assertEquals(2, reports.list().size());
        assertEquals("2", reports.list().get(1).report.executorId);
        assertFalse(reports.list().get(0).gone);
    }

    private LocalSpark withUserInterface() {
        return LocalSpark.on(heap, "spark.ui.enabled", "true", "spark.ui.port", "0",
                TerraceExecutorPlugin.TRANSFER_FRACTION, "0");
    }

    /** Waits until a number of partitions are reported to be in H2. */
    private static JsonNode untilReported(LocalSpark spark, int partitions) throws Exception {
        return LocalSpark.until(executors -> executors.size() == 1
                && executors.get(0).get("blocksInH2").asInt() == partitions, () -> json(spark, "/secondheap/json")).get(0);
    }

    private static JsonNode json(LocalSpark spark, String path) throws IOException {
        return new ObjectMapper().readTree(get(spark, path));
    }

    private static String get(LocalSpark spark, String path) throws IOException {
        try (InputStream in = new URL(spark.sc.sc().uiWebUrl().get() + path).openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
