// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.graphx.Edge;
import org.apache.spark.graphx.Graph;
import org.apache.spark.graphx.lib.ConnectedComponents;
import org.apache.spark.graphx.lib.PageRank;
import org.apache.spark.mllib.clustering.KMeans;
import org.apache.spark.mllib.linalg.Vector;
import org.apache.spark.mllib.linalg.Vectors;
import org.apache.spark.storage.StorageLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.terrace.SecondHeap.Tier;
import scala.reflect.ClassTag;

/**
 * Tests the tiers of RDDs that GraphX and MLlib cache, whose lines are not in a program's own plan. The program caches only the
 * input.
 */
class InheritedTiersOfLibrariesTest {

    private static final String INPUT = "map at Input.scala:1";

    /** How names of files begin in which GraphX caches RDDs. */
    private static final List<String> GRAPHX = List.of("EdgeRDD", "VertexRDD", "ReplicatedVertexView");

    @TempDir
    Path folder;

    private final ObedientHeap heap = new ObedientHeap();

    private LocalSpark on(String tier) throws IOException {
        Path plan = Files.writeString(folder.resolve(tier), "# Terrace placement plan, version 1\n" + tier + " " + INPUT + "\n");
        return LocalSpark.on(heap, PlacementPlan.OPTION, plan.toString(), TerraceExecutorPlugin.TRANSFER_FRACTION, "0");
    }

    private static <T> JavaRDD<T> cached(LocalSpark spark, List<T> values) {
        spark.sc.setCallSite(INPUT);
        JavaRDD<T> input = spark.sc.parallelize(values, 2).persist(StorageLevel.MEMORY_ONLY());
        spark.sc.clearCallSite();
        input.count();
        return input;
    }

    /**
     * Returns the answers about RDDs of a file of a library. A library may unpersist or drop an RDD before the executor asks, so the
     * tests run it again until there are answers.
     */
    private static List<Lineage.Answer> answers(String file) {
        return PluginOnObedientHeap.driverPlugin.tiers().stream()
                .filter(answer -> answer.site.contains(" at " + file)).collect(Collectors.toList());
    }

    private static void assertAllFast(List<Lineage.Answer> answers) {
        assertEquals(Set.of(Tier.FAST), answers.stream().map(answer -> answer.tier).collect(Collectors.toSet()),
                answers.stream().map(answer -> answer.rddId + " " + answer.site + ": " + answer.reason).collect(Collectors.joining("\n")));
        assertTrue(answers.stream().allMatch(answer -> answer.reason.endsWith(INPUT)), "all are computed from the input");
    }

    private static Graph<Object, Object> graph(JavaRDD<Edge<Object>> edges) {
        ClassTag<Object> number = ClassTag.Int();
        StorageLevel level = StorageLevel.MEMORY_ONLY();
        return Graph.fromEdges(edges.rdd(), 1, level, level, number, number);
    }

    private static JavaRDD<Edge<Object>> edges(LocalSpark spark) {
        return cached(spark, IntStream.range(0, 40).mapToObj(i -> new Edge<Object>(i, (i * 7 + 1) % 40, 1)).collect(Collectors.toList()));
    }

    @Test
    void graphxPageRank() throws Exception {
        checkGraph(graph -> PageRank.run(graph, 3, 0.15, ClassTag.Int(), ClassTag.Int()).vertices().count());
    }

    @Test
    void graphxPregel() throws Exception {
        checkGraph(graph -> ConnectedComponents.run(graph, ClassTag.Int(), ClassTag.Int()).vertices().count());
    }

    private interface Algorithm {
        long run(Graph<Object, Object> graph);
    }

    private void checkGraph(Algorithm algorithm) throws Exception {
        try (LocalSpark spark = on("fast")) {
            JavaRDD<Edge<Object>> edges = edges(spark);
            LocalSpark.until(Boolean::booleanValue, () -> {
                assertEquals(40, algorithm.run(graph(edges)));
                return GRAPHX.stream().noneMatch(file -> answers(file).isEmpty());
            });
            GRAPHX.forEach(file -> assertAllFast(answers(file)));
        }
    }

    @Test
    void mllibKMeans() throws Exception {
        try (LocalSpark spark = on("fast")) {
            JavaRDD<Vector> points = cached(spark, IntStream.range(0, 200)
                    .mapToObj(i -> Vectors.dense(i % 10, i / 10)).collect(Collectors.toList()));
            LocalSpark.until(answers -> !answers.isEmpty(), () -> {
                KMeans.train(points.rdd(), 3, 5, KMeans.K_MEANS_PARALLEL(), 1);
                return answers("KMeans.scala");
            });
            assertAllFast(answers("KMeans.scala"));
        }
    }

    /** The program reads a slow input once, to make the graph that the algorithm reads. */
    @ParameterizedTest
    @ValueSource(strings = {"slow", "auto"})
    void aSlowInputDecidesNothing(String word) throws Exception {
        try (LocalSpark spark = on(word)) {
            JavaRDD<Edge<Object>> edges = edges(spark);
            LocalSpark.until(answers -> !answers.isEmpty(), () -> {
                graph(edges).vertices().count();
                return answers("EdgeRDD");
            });
            assertTrue(Set.of((long) edges.id()).containsAll(heap.tiers().keySet()), heap.tiers()::toString);
        }
    }
}
