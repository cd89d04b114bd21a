// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.storage.StorageLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.SecondHeap.Tier;
import scala.Tuple2;

/** Tests that executors place RDDs without an entry in the plan, when programs run. */
class InheritedTiersTest {

    private static final String FAST = "fast links at A.scala:1";
    private static final String SLOW = "slow contribs at A.scala:2";

    @TempDir
    Path folder;

    private final ObedientHeap heap = new ObedientHeap();

    private LocalSpark on(String plan, String... settings) throws IOException {
        List<String> all = new ArrayList<>(List.of(settings));
        all.addAll(List.of(PlacementPlan.OPTION, plan(plan), TerraceExecutorPlugin.TRANSFER_FRACTION, "0"));
        return LocalSpark.on(heap, all.toArray(String[]::new));
    }

    private String plan(String lines) throws IOException {
        return Files.writeString(Files.createTempFile(folder, "plan", ".txt"), "# Terrace placement plan, version 1\n" + lines + "\n")
                .toString();
    }

    /** Returns an RDD with the site of one of the plan's lines, cached and computed. */
    private static JavaRDD<double[]> planned(LocalSpark spark, String line) {
        spark.sc.setCallSite(line.split(" ", 2)[1]);
        JavaRDD<double[]> rdd = spark.data(2).persist(StorageLevel.MEMORY_ONLY());
        spark.sc.clearCallSite();
        LocalSpark.sum(rdd);
        return rdd;
    }

    private static JavaRDD<double[]> derived(JavaRDD<double[]> parent) {
        return parent.map(double[]::clone).filter(array -> true).persist(StorageLevel.MEMORY_ONLY());
    }

    private static JavaRDD<double[]> planned(LocalSpark spark, String line, JavaRDD<double[]> parent) {
        spark.sc.setCallSite(line.split(" ", 2)[1]);
        JavaRDD<double[]> rdd = parent.map(double[]::clone).persist(StorageLevel.MEMORY_ONLY());
        spark.sc.clearCallSite();
        LocalSpark.sum(rdd);
        return rdd;
    }

    private void untilPlaced(JavaRDD<?> rdd, Tier tier) throws Exception {
        LocalSpark.until(tiers -> tiers.get((long) rdd.id()) == tier, heap::tiers);
    }

    @Test
    void anIntermediateRddIsFastLikeItsSource() throws Exception {
        try (LocalSpark spark = on(FAST + "\n" + SLOW)) {
            JavaRDD<double[]> links = planned(spark, FAST);
            JavaRDD<double[]> contribs = planned(spark, SLOW);
            JavaRDD<double[]> fast = derived(links);
            JavaRDD<double[]> instead = derived(contribs);
            JavaRDD<double[]> both = derived(contribs.union(links));
            JavaRDD<double[]> neither = derived(spark.data(2));
            for (JavaRDD<double[]> rdd : List.of(fast, instead, both, neither)) {
                LocalSpark.sum(rdd);
            }
            LocalSpark.until(blocks -> blocks == 14, () -> spark.blocks().movedBlocks());
            assertEquals(Map.of((long) links.id(), Tier.FAST, (long) contribs.id(), Tier.SLOW, (long) fast.id(), Tier.FAST,
                    (long) both.id(), Tier.FAST), heap.tiers());
            spark.assertAccounted();
            List.of(links, contribs, fast, instead, both, neither).forEach(rdd -> rdd.unpersist(true));
            assertEquals(Map.of(), heap.tiers());
        }
    }

    @Test
    void aShuffledRddIsPlacedLikeTheOnesItIsComputedFromAndInto() throws Exception {
        try (LocalSpark spark = on(FAST + "\n" + SLOW)) {
            JavaPairRDD<Integer, double[]> grouped = planned(spark, FAST)
                    .mapToPair(array -> new Tuple2<>((int) array[0], array)).reduceByKey((a, b) -> a)
                    .persist(StorageLevel.MEMORY_ONLY());
            grouped.count();
            LocalSpark.until(tiers -> tiers.get((long) grouped.id()) == Tier.FAST, heap::tiers);

            JavaPairRDD<Integer, double[]> other = spark.data(2)
                    .mapToPair(array -> new Tuple2<>((int) array[0], array)).reduceByKey((a, b) -> a)
                    .persist(StorageLevel.MEMORY_ONLY());
            untilPlaced(planned(spark, SLOW, other.values()), Tier.SLOW);
            LocalSpark.until(tiers -> tiers.get((long) other.id()) == Tier.SLOW, heap::tiers);
        }
    }

    /** Later jobs make an RDD that the executor has already placed an ancestor of a slow one, then of a fast one. */
    @Test
    void laterJobsMakeAnEarlierRddSlowAndFast() throws Exception {
        try (LocalSpark spark = on(FAST + "\n" + SLOW)) {
            JavaRDD<double[]> unknown = derived(spark.data(2));
            LocalSpark.sum(unknown);
            LocalSpark.until(blocks -> blocks == 2, () -> spark.blocks().movedBlocks());
            assertEquals(Map.of(), heap.tiers());
            untilPlaced(planned(spark, SLOW, unknown), Tier.SLOW);
            untilPlaced(unknown, Tier.SLOW);
            untilPlaced(planned(spark, FAST, unknown.union(spark.data(1))), Tier.FAST);
            untilPlaced(unknown, Tier.FAST);
        }
    }

    @Test
    void withoutLineageOnlyThePlanCounts() throws Exception {
        try (LocalSpark spark = on(FAST, TierQuestions.LINEAGE, "false")) {
            JavaRDD<double[]> links = planned(spark, FAST);
            LocalSpark.sum(derived(links));
            LocalSpark.until(blocks -> blocks == 4, () -> spark.blocks().movedBlocks());
            assertEquals(Map.of((long) links.id(), Tier.FAST), heap.tiers());
        }
    }

    /** Like a program with iterations, each of which computes and caches an RDD from the one before. */
    @Test
    void anIterationIsPlacedLikeTheFirst() throws Exception {
        int iterations = 60;
        try (LocalSpark spark = on(FAST)) {
            JavaRDD<Integer> state = planned(spark, FAST).map(array -> (int) array[0]);
            List<JavaRDD<Integer>> all = new ArrayList<>();
            for (int i = 0; i < iterations; i++) {
                state = state.map(number -> number + 1).persist(StorageLevel.MEMORY_ONLY());
                state.count();
                all.add(state);
            }
            for (JavaRDD<Integer> rdd : all) {
                untilPlaced(rdd, Tier.FAST);
            }
        }
    }

    @Test
    void theUserInterfaceTellsWhy() throws Exception {
        try (LocalSpark spark = on(FAST, "spark.ui.enabled", "true", "spark.ui.port", "0")) {
            JavaRDD<double[]> links = planned(spark, FAST);
            JavaRDD<double[]> fast = derived(links);
            LocalSpark.sum(fast);
            untilPlaced(fast, Tier.FAST);
            JsonNode tiers = new ObjectMapper().readTree(get(spark, "/secondheap/tiers/json"));
            assertEquals(2, tiers.size(), tiers::toString);
            assertEquals(fast.id(), tiers.get(1).get("rddId").asInt());
            assertEquals("fast", tiers.get(1).get("tier").asText());
            String reason = "computed from RDD " + links.id() + ", links at A.scala:1";
            assertEquals(reason, tiers.get(1).get("reason").asText());
            String page = get(spark, "/secondheap/");
            assertTrue(page.contains("<td>links at A.scala:1</td><td>fast</td><td>its entry in the plan</td>")
                    && page.contains("<td>" + reason + "</td>"), page);
        }
    }

    private static String get(LocalSpark spark, String path) throws IOException {
        try (InputStream in = new URL(spark.sc.sc().uiWebUrl().get() + path).openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
