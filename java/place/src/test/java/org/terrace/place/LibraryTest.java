// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests plans of Spark's libraries. The expected tiers were derived by hand from their sources. */
class LibraryTest {

    private static final Path GRAPHX = jar("org.apache.spark.graphx.Pregel");
    private static final Path MLLIB = jar("org.apache.spark.mllib.clustering.KMeans");

    @TempDir
    Path folder;

    private static Path jar(String type) {
        try {
            return Path.of(Class.forName(type, false, LibraryTest.class.getClassLoader())
                    .getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (ClassNotFoundException | URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void assertTiers(Map<String, Tier> expected, Plan plan) {
        Map<String, Tier> found = new HashMap<>();
        plan.entries().stream().filter(Plan.Entry::persisted).forEach(entry -> found.put(entry.site(), entry.tier()));
        List<String> wrong = new ArrayList<>();
        expected.forEach((site, tier) -> {
            if (found.get(site) != tier) {
                wrong.add(site + ": " + tier + " expected, but " + found.get(site));
            }
        });
        assertTrue(wrong.isEmpty(), wrong + " in " + plan.entries());
    }

    @Test
    void graphx() throws Exception {
        Plan plan = PlacementTest.plan(GRAPHX);
        assertEquals(45, plan.persistCalls());
        assertEquals(22, plan.unpersistCalls());
        assertTiers(Map.of(
                // Pregel: messages and both parts of each generation of the graph are unpersisted in its loop.
                "zipPartitions at VertexRDDImpl.scala:215", Tier.HEAP,
                "zipPartitions at VertexRDDImpl.scala:156", Tier.HEAP,
                "zipPartitions at VertexRDDImpl.scala:176", Tier.HEAP,
                "zipPartitions at ReplicatedVertexView.scala:112", Tier.HEAP,
                // GraphLoader persists edges and uses them in no loop. Its part of the program persists nothing else.
                "mapPartitionsWithIndex at GraphLoader.scala:77", Tier.FAST), plan);
    }

    @Test
    void mllib() throws Exception {
        Plan plan = PlacementTest.plan(MLLIB, GRAPHX);
        assertEquals(45 + 64, plan.persistCalls());
        assertEquals(22 + 73, plan.unpersistCalls());
        Map<String, Tier> expected = new HashMap<>();
        // ALS: each iteration reads the in- and out-blocks of users and items, and replaces the factors.
        expected.put("mapValues at ALS.scala:1654", Tier.FAST);
        expected.put("mapValues at ALS.scala:1663", Tier.FAST);
        expected.put("mapPartitions at ALS.scala:1290", Tier.HEAP);
        expected.put("mapValues at ALS.scala:1729", Tier.HEAP);
        // ALS: the ratings from which the blocks are built are read once.
        expected.put("mapValues at ALS.scala:1404", Tier.SLOW);
        // K-means reads its vectors in each iteration. They are persisted themselves or built from persisted norms.
        expected.put("map at KMeans.scala:221", Tier.FAST);
        expected.put("map at KMeans.scala:223", Tier.FAST);
        // K-means' initialization unpersists the costs of the previous step.
        expected.put("map at KMeans.scala:417", Tier.HEAP);
        // Gradient descent reads the scaled data in each iteration.
        expected.put("map at GeneralizedLinearAlgorithm.scala:285", Tier.FAST);
        // Random forests: each level of the trees reads the points, and replaces the numbers of the nodes.
        expected.put("mapPartitionsWithIndex at BaggedPoint.scala:84", Tier.FAST);
        expected.put("map at RandomForest.scala:319", Tier.HEAP);
        expected.put("map at GaussianMixture.scala:169", Tier.FAST);
        expected.put("repartition at Word2Vec.scala:348", Tier.FAST);
        assertTiers(expected, plan);
    }

    /** GraphX persists graphs of a program that sets no storage level. */
    @Test
    void aProgramWithItsLibrary() throws Exception {
        Compilers.newestScala(List.of(Compilers.PROGRAMS.resolve("Components.scala")), folder);
        Plan plan = PlacementTest.plan(folder, GRAPHX);
        assertTiers(Map.of("zipPartitions at VertexRDDImpl.scala:215", Tier.HEAP,
                "mapPartitionsWithIndex at GraphLoader.scala:77", Tier.SLOW), plan);
    }

    /** The plan of a program has no RDDs of a library that the program does not use. */
    @Test
    void aLibraryIsNoPartOfTheProgram() throws Exception {
        Compilers.newestScala(List.of(Compilers.PROGRAMS.resolve("Components.scala")), folder);
        Plan plan = PlacementTest.planWithLibrary(null, folder, GRAPHX);
        assertTiers(Map.of("zipPartitions at VertexRDDImpl.scala:215", Tier.HEAP,
                "mapPartitionsWithIndex at GraphLoader.scala:77", Tier.SLOW), plan);
        assertTrue(plan.entries().stream().noneMatch(entry -> entry.site().contains("SVDPlusPlus")
                || entry.site().endsWith(" at GraphImpl.scala:105")), plan.entries().toString());
        assertTrue(plan.persistCalls() < 45, "calls " + plan.persistCalls());
    }
}
