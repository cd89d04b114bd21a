// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares the sites of plans with the sites that Spark reports for cached RDDs when the programs run. */
class SparkTest {

    @TempDir
    static Path folder;

    private static SparkSession session;
    private static URLClassLoader loader;
    private static Path edges;

    @BeforeAll
    static void start() throws Exception {
        Compilers.newestScala(Compilers.sources(".scala"), folder);
        Compilers.javac(Compilers.sources(".java"), folder, "-g");
        edges = Files.writeString(folder.resolve("edges.txt"), "1 2\n2 3\n3 1\n4 5\n5 4\n");
        // Spark's executor loads classes with the context class loader that this thread has when the executor starts.
        loader = new URLClassLoader(new URL[] {folder.toUri().toURL()}, SparkTest.class.getClassLoader());
        Thread.currentThread().setContextClassLoader(loader);
        session = SparkSession.builder().config(new SparkConf().setMaster("local[1]").setAppName("sites")
                .set("spark.ui.enabled", "false").set("spark.driver.host", "127.0.0.1").set("spark.driver.bindAddress", "127.0.0.1")
                .set("spark.sql.shuffle.partitions", "1")).getOrCreate();
    }

    @AfterAll
    static void stop() throws Exception {
        Thread.currentThread().setContextClassLoader(SparkTest.class.getClassLoader());
        session.stop();
        loader.close();
    }

    /** Runs a program, with an empty cache at its start, and returns the creation sites of the RDDs that are cached afterwards. */
    private static Set<String> cached(String program, Object... arguments) throws Exception {
        JavaSparkContext sc = JavaSparkContext.fromSparkContext(session.sparkContext());
        sc.getPersistentRDDs().values().forEach(JavaRDD::unpersist);
        Class<?> type = loader.loadClass(program);
        var run = Arrays.stream(type.getDeclaredMethods()).filter(method -> method.getName().equals("run")).findFirst().orElseThrow();
        run.setAccessible(true);
        run.invoke(null, arguments);
        return sc.getPersistentRDDs().values().stream().map(rdd -> rdd.rdd().getCreationSite())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static void assertPlanned(String source, Set<String> cached) throws Exception {
        Set<String> planned = Truth.of(List.of(Compilers.PROGRAMS.resolve(source)), true).stream()
                .map(line -> line.split(" ", 3)[2]).collect(Collectors.toCollection(TreeSet::new));
        assertTrue(!cached.isEmpty() && planned.containsAll(cached), "planned " + planned + ", cached " + cached);
    }

    @Test
    void rdds() throws Exception {
        SparkContext sc = session.sparkContext();
        assertPlanned("PageRank.scala", cached("PageRank", sc, edges.toString(), 2));
        assertPlanned("LogisticRegression.scala", cached("LogisticRegression", sc, edges.toString(), 2));
        assertPlanned("ConnectedComponents.scala", cached("ConnectedComponents", sc, edges.toString(), 2));
        JavaSparkContext java = JavaSparkContext.fromSparkContext(sc);
        assertPlanned("JavaPageRank.java", cached("JavaPageRank", java, edges.toString(), 2));
        assertPlanned("JavaConnectedComponents.java", cached("JavaConnectedComponents", java, edges.toString()));
    }

    @Test
    void shapes() throws Exception {
        SparkContext sc = session.sparkContext();
        assertPlanned("Shapes.scala", cached("Fold", sc, 2));
        assertPlanned("Shapes.scala", cached("Through", sc, 2));
        assertPlanned("Shapes.scala", cached("Fields", sc));
    }

    @Test
    void datasets() throws Exception {
        Plan plan = PlacementTest.plan(folder);
        Set<String> cached = cached("Tables", session, 2);
        Set<String> planned = plan.entries().stream().filter(Plan.Entry::persisted).map(Plan.Entry::site)
                .filter(site -> site.contains("Tables.scala")).collect(Collectors.toSet());
        assertEquals(2, cached.size(), cached.toString());
        assertTrue(planned.stream().anyMatch(cached::contains), "planned " + planned + ", cached " + cached);
    }

    /** The RDDs that GraphX caches for a program are in the plan of its jar. */
    @Test
    void graphs() throws Exception {
        Path graphx = Path.of(Class.forName("org.apache.spark.graphx.Pregel").getProtectionDomain().getCodeSource()
                .getLocation().toURI());
        Set<String> planned = PlacementTest.plan(graphx).entries().stream().filter(Plan.Entry::persisted).map(Plan.Entry::site)
                .collect(Collectors.toSet());
        Set<String> cached = cached("Components", session.sparkContext(), edges.toString());
        assertTrue(!cached.isEmpty() && planned.containsAll(cached), "planned " + planned + ", cached " + cached);
    }
}
