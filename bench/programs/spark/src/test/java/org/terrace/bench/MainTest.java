// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.terrace.bench.Programs.run;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that each program runs on a small input and prints one correct line of JSON. */
class MainTest {

    @TempDir
    private Path dir;

    @Test
    void pageRankOfAStar() throws IOException {
        Path edges = Files.write(dir.resolve("edges"), List.of("# a star", "1 0", "2 0", "2 0", "0\t1", "0 2", "7 7"));
        JsonNode report = run("pagerank", edges.toString(), "--iterations", "20", "--partitions", "2");
        assertEquals("pagerank", report.at("/workload").asText());
        assertEquals(4, report.at("/result/vertices").asInt());
        assertEquals(0, report.at("/result/top/0/0").asInt());
        assertEquals(7, report.at("/result/top/1/0").asInt(), "refers to itself: rank 1");
        assertEquals(1, report.at("/result/top/2/0").asInt());
        double hub = report.at("/result/top/0/1").asDouble();
        double spoke = report.at("/result/top/2/1").asDouble();
        assertEquals(0.15 + 0.85 * 2 * spoke, hub, 0.05);
        assertEquals(0.15 + 0.85 * hub / 2, spoke, 0.05);
        assertEquals(hub + 2 * spoke + 1, report.at("/result/rankSum").asDouble(), 1e-4);
        assertEquals(2, report.at("/cached/inMemory").asInt());
        assertEquals(0, report.at("/cached/onDisk").asInt());
    }

    @Test
    void whatIsCachedDoesNotChangeRanks() throws IOException {
        String edges = Files.write(dir.resolve("edges"), List.of("1 0", "2 0", "0 1", "0 2", "7 7")).toString();
        String[] program = {"pagerank", edges, "--iterations", "3", "--partitions", "2"};
        JsonNode links = run(program);
        JsonNode both = run(with(program, "--persist-contributions"));
        assertEquals(links.at("/result"), both.at("/result"));
        assertEquals(2, links.at("/cached/partitions").asInt());
        assertEquals(2 + 3 * 2, both.at("/cached/partitions").asInt(), "links, and contributions of each iteration");
    }

    @Test
    void logisticRegressionReadsTheDataOncePerIteration() throws IOException {
        JsonNode report = run("logreg", "--rows", "2000", "--columns", "10", "--iterations", "25", "--partitions", "4");
        assertEquals(2000, report.at("/result/rows").asInt());
        assertEquals(26, report.at("/result/losses").asInt(), "MLlib's last pass finds that it is done");
        assertTrue(report.at("/result/loss").asDouble() < Math.log(2));
        assertEquals(4, report.at("/cached/cached").asInt());
    }

    @Test
    void theResultIsTheSameWhereverTheDataIs() throws IOException {
        String[] program = {"logreg", "--rows", "2000", "--columns", "10", "--partitions", "2", "--storage-level"};
        JsonNode inMemory = run(with(program, "MEMORY_ONLY"));
        JsonNode onDisk = run(with(program, "DISK_ONLY"));
        assertEquals(inMemory.at("/result"), onDisk.at("/result"));
        assertEquals(2, onDisk.at("/cached/onDisk").asInt());
        assertTrue(onDisk.at("/spilled/cachedBytes").asLong() > 2000 * 10 * 8);
    }

    @Test
    void packageGraph() throws IOException {
        Path dump = Files.write(dir.resolve("dump"), List.of(
                "Package: a", "Depends: b (>= 1), c | d:any", "Suggests: b", "Description: Depends: x", "",
                "Package: b", "Provides: c", "", "Package: e", "Pre-Depends: a"));
        Path out = dir.resolve("graph");
        JsonNode report = run("packagegraph", out.toString(), dump.toString());
        assertEquals(3, report.at("/result/packages").asInt());
        assertEquals(5, report.at("/result/vertices").asInt());
        assertEquals(4, report.at("/result/edges").asInt());
        List<String> names = Files.readAllLines(dir.resolve("graph.names"));
        List<String> edges = new ArrayList<>();
        for (String edge : Files.readAllLines(out)) {
            String[] ends = edge.split(" ");
            edges.add(names.get(Integer.parseInt(ends[0])) + names.get(Integer.parseInt(ends[1])));
        }
        assertEquals(List.of("ab", "ac", "ad", "ea"), edges);
    }

    @Test
    void callGraphOfTheJdkHasWhatIsThere() throws IOException {
        Path out = dir.resolve("calls");
        JsonNode report = run("callgraph", out.toString(), "--jars", dir.resolve("none").toString());
        assertTrue(report.at("/result/classes").asInt() > 10_000);
        List<String> names = Files.readAllLines(dir.resolve("calls.names"));
        String caller = names.indexOf("java/util/ArrayList.<init>()V") + " ";
        String callee = " " + names.indexOf("java/util/AbstractList.<init>()V");
        try (java.util.stream.Stream<String> edges = Files.lines(out)) {
            assertTrue(edges.anyMatch(edge -> edge.startsWith(caller) && edge.endsWith(callee)));
        }
    }

    @Test
    void aWrongArgumentIsAnError() {
        assertEquals(2, Main.run("pagerank", "--iterations", "many", "x"));
        assertEquals(0, Main.run("--help"));
    }

    private static String[] with(String[] arguments, String last) {
        String[] all = Arrays.copyOf(arguments, arguments.length + 1);
        all[arguments.length] = last;
        return all;
    }
}
