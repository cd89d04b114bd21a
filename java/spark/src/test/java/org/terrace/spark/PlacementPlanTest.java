// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.storage.StorageLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.SecondHeap.Tier;

/** Tests the reading of a plan from a file, and its effect on RDDs. */
class PlacementPlanTest {

    private static final String TITLE = "# Terrace placement plan, version 1";

    @TempDir
    Path folder;

    @Test
    void aLineIsATierAndASite() throws IOException {
        PlacementPlan plan = PlacementPlan.read(file(TITLE, "# a comment", "",
                "fast groupByKey at PageRank.scala:13 # fast: links, used in the loop",
                "  slow   flatMap at PageRank.scala:17", "heap map at A.java:1 # fast: overruled", "auto map at A.java:2"));
        assertEquals(4, plan.size());
        assertEquals(Tier.FAST, plan.tierOf("groupByKey at PageRank.scala:13"));
        assertEquals(Tier.SLOW, plan.tierOf("flatMap at PageRank.scala:17"));
        assertEquals(Tier.HEAP, plan.tierOf("map at A.java:1"));
        assertEquals(Tier.AUTO, plan.tierOf("map at A.java:2"));
        assertNull(plan.tierOf("map at A.java:3"), "not in the plan");
    }

    @Test
    void whatIsNoPlanIsRefused() throws IOException {
        assertRefused(folder.resolve("nowhere").toString(), "cannot be read by the driver");
        assertRefused(file(), "its first line is not");
        assertRefused(file("# Terrace placement plan, version 2"), "its first line is not");
        assertRefused(file(TITLE, "fast"), "line 2: a line is a tier");
        assertRefused(file(TITLE, "fast # links"), "line 2: a line is a tier");
        assertRefused(file(TITLE, "", "quick map at A.java:1"), "line 3: a line is a tier");
        assertRefused(file(TITLE, "fast map at A.java:1", "slow map at A.java:1"), "line 3: 'map at A.java:1' has two tiers");
    }

    private void assertRefused(String file, String why) {
        String message = assertThrows(IllegalArgumentException.class, () -> PlacementPlan.read(file)).getMessage();
        assertTrue(message.contains(why) && message.contains("spark.terrace.plan=" + file), message);
    }

    @Test
    void aBadPlanStopsSparkAtItsStart() {
        Exception e = assertThrows(Exception.class,
                () -> LocalSpark.on(new ObedientHeap(), PlacementPlan.OPTION, folder.resolve("nowhere").toString()).close());
        assertTrue(e.toString().contains("spark.terrace.plan="), e::toString);
    }

    @Test
    void rddsArePlacedByTheirCreationSites() throws Exception {
        ObedientHeap heap = new ObedientHeap();
        String plan = file(TITLE, "fast links at A.scala:1", "slow contribs at A.scala:2", "heap generation at A.scala:3");
        try (LocalSpark spark = LocalSpark.on(heap, PlacementPlan.OPTION, plan, TerraceExecutorPlugin.TRANSFER_FRACTION, "0")) {
            double expected = LocalSpark.sum(spark.data(4));
            List<JavaRDD<double[]>> rdds = new ArrayList<>();
            for (String site : List.of("links at A.scala:1", "contribs at A.scala:2", "generation at A.scala:3", "other at A.scala:4")) {
                spark.sc.setCallSite(site);
                rdds.add(spark.data(4).persist(StorageLevel.MEMORY_ONLY()));
                spark.sc.clearCallSite();
                assertEquals(expected, LocalSpark.sum(rdds.get(rdds.size() - 1)), "a plan changes no result");
            }
            LocalSpark.until(blocks -> blocks == 12, () -> spark.blocks().movedBlocks());
            assertEquals(Map.of((long) rdds.get(0).id(), Tier.FAST, (long) rdds.get(1).id(), Tier.SLOW,
                    (long) rdds.get(2).id(), Tier.HEAP), heap.tiers());
            for (JavaRDD<double[]> rdd : rdds) {
                assertEquals(4, spark.info(rdd).numCachedPartitions());
                assertEquals(expected, LocalSpark.sum(rdd));
            }
            assertEquals(12, heap.objectsInH2(), "the partitions that belong on the heap stay there");
            spark.assertAccounted();
            rdds.forEach(rdd -> rdd.unpersist(true));
            assertEquals(Map.of(), heap.tiers(), "nothing is left of RDDs that are gone");
            assertEquals(0, heap.dueLabels());
            spark.assertAccounted();
        }
    }

    /** RDDs that belong on the heap take at most half of Spark's memory, so that none of their partitions is evicted. */
    @Test
    void whatDoesNotFitOnTheHeapMovesToH2() throws Exception {
        ObedientHeap heap = new ObedientHeap();
        int fit = (int) (LocalSpark.MEMORY / 2 / LocalSpark.PARTITION);
        int all = 0;
        try (LocalSpark spark = LocalSpark.on(heap, PlacementPlan.OPTION, file(TITLE, "heap generation at A.scala:1"),
                TerraceExecutorPlugin.TRANSFER_FRACTION, "0")) {
            List<JavaRDD<double[]>> rdds = new ArrayList<>();
            for (int partitions : new int[] {4, 4, 2, 2, 2, 2, 2, 2}) { // 100 MB, and Spark has 60
                rdds.add(generation(spark, partitions));
                all += partitions;
                int least = all - fit;
                LocalSpark.until(blocks -> blocks >= least, () -> spark.blocks().movedBlocks());
            }
            assertTrue(heap.objectsInH2() <= all - fit + 1, "what fits stays on the heap, at least all but one: " + heap.objectsInH2());
            assertEquals(all, rdds.stream().mapToInt(rdd -> spark.info(rdd).numCachedPartitions()).sum());
            spark.assertAccounted();
            rdds.get(0).unpersist(true); // which makes space for the next generation
            JavaRDD<double[]> next = generation(spark, 2);
            LocalSpark.until(tiers -> tiers.get((long) next.id()) == Tier.HEAP, heap::tiers);
            spark.assertAccounted();
            rdds.forEach(rdd -> rdd.unpersist(true));
            next.unpersist(true);
            assertEquals(Map.of(), heap.tiers());
            assertEquals(0, heap.dueLabels());
            spark.assertAccounted();
        }
    }

    private static JavaRDD<double[]> generation(LocalSpark spark, int partitions) {
        spark.sc.setCallSite("generation at A.scala:1");
        JavaRDD<double[]> rdd = spark.data(partitions).persist(StorageLevel.MEMORY_ONLY());
        spark.sc.clearCallSite();
        LocalSpark.sum(rdd);
        return rdd;
    }

    @Test
    void whatIsNotReadForLongIsSlowUntilItIsReadAgain() throws Exception {
        ObedientHeap heap = new ObedientHeap();
        String plan = file(TITLE, "fast links at A.scala:1", "fast others at A.scala:2", "slow contribs at A.scala:3");
        try (LocalSpark spark = LocalSpark.on(heap, PlacementPlan.OPTION, plan, TerraceExecutorPlugin.TRANSFER_FRACTION, "0",
                TierQuestions.COLD_AFTER, "3s")) {
            List<JavaRDD<double[]>> rdds = new ArrayList<>();
            for (String site : List.of("links at A.scala:1", "others at A.scala:2", "contribs at A.scala:3")) {
                spark.sc.setCallSite(site);
                rdds.add(spark.data(4).persist(StorageLevel.MEMORY_ONLY()));
                LocalSpark.sum(rdds.get(rdds.size() - 1));
            }
            LocalSpark.until(blocks -> blocks == 12, () -> spark.blocks().movedBlocks());
            Long links = (long) rdds.get(0).id();
            Long others = (long) rdds.get(1).id();
            LocalSpark.until(tiers -> tiers.get(others) == Tier.SLOW, () -> {
                LocalSpark.sum(rdds.get(0));
                return heap.tiers();
            });
            // On a busy machine, a read may come too late to prevent cooling, so read again.
            LocalSpark.until(tiers -> tiers.get(links) == Tier.FAST, () -> {
                LocalSpark.sum(rdds.get(0));
                return heap.tiers();
            });
            LocalSpark.until(tiers -> tiers.get(others) == Tier.FAST, () -> {
                LocalSpark.sum(rdds.get(1));
                return heap.tiers();
            });
            LocalSpark.until(tiers -> tiers.get(links) == Tier.SLOW && tiers.get(others) == Tier.SLOW, heap::tiers);
            assertEquals(Tier.SLOW, heap.tiers().get((long) rdds.get(2).id()));
            rdds.forEach(rdd -> rdd.unpersist(true));
            assertEquals(Map.of(), heap.tiers());
        }
    }

    /** Uses the site that Spark derives from a place in a program, without an explicit call site. */
    @Test
    void aSiteIsTheOneThatSparkShows() throws Exception {
        int line = new Throwable().getStackTrace()[0].getLineNumber() + 4;
        String plan = file(TITLE, "heap filter at PlacementPlanTest.java:" + line);
        ObedientHeap heap = new ObedientHeap();
        try (LocalSpark spark = LocalSpark.on(heap, PlacementPlan.OPTION, plan)) {
            JavaRDD<double[]> kept = spark.data(2).filter(array -> true).persist(StorageLevel.MEMORY_ONLY());
            kept.count();
            LocalSpark.until(Map.of((long) kept.id(), Tier.HEAP)::equals, heap::tiers);
        }
    }

    @Test
    void withoutAPlanNothingIsPlaced() throws Exception {
        ObedientHeap heap = new ObedientHeap();
        try (LocalSpark spark = LocalSpark.on(heap, TerraceExecutorPlugin.TRANSFER_FRACTION, "0")) {
            LocalSpark.sum(spark.data(4).persist(StorageLevel.MEMORY_ONLY()));
            LocalSpark.until(blocks -> blocks == 4, () -> spark.blocks().movedBlocks());
            assertEquals(Map.of(), heap.tiers());
        }
    }

    private String file(String... lines) throws IOException {
        Path file = Files.createTempFile(folder, "plan", ".txt");
        return Files.write(file, List.of(lines)).toString();
    }
}
