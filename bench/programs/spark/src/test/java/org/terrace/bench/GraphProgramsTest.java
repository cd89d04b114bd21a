// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.terrace.bench.Programs.run;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Tuple2;

/** Tests the graph programs, most of them on a graph with obvious properties: two triangles with a common edge, and a separate path. */
class GraphProgramsTest {

    @TempDir
    private Path dir;

    private String edges;

    @BeforeEach
    void draw() throws IOException {
        edges = Files.write(dir.resolve("edges"), List.of(
                "# triangles 0 1 2 and 1 2 3; a loop and an edge that comes twice change nothing",
                "0 1", "1 2", "2 0", "3 1", "3 2", "2 3", "3 3", "10 11", "11 12")).toString();
    }

    @Test
    void components() throws IOException {
        JsonNode report = run("components", edges, "--partitions", "2");
        assertEquals(7, report.at("/result/vertices").asInt());
        assertEquals(9, report.at("/result/edges").asInt());
        assertEquals(2, report.at("/result/components").asInt());
    }

    @Test
    void theStorageLevelIsThatOfEveryGenerationOfTheGraph() throws IOException {
        JsonNode inMemory = run("components", edges, "--partitions", "2", "--storage-level", "MEMORY_ONLY");
        JsonNode onDisk = run("components", edges, "--partitions", "2", "--storage-level", "DISK_ONLY");
        assertEquals(inMemory.at("/result"), onDisk.at("/result"));
        assertEquals(0, inMemory.at("/cached/onDisk").asInt());
        assertEquals(onDisk.at("/cached/partitions").asInt(), onDisk.at("/cached/onDisk").asInt());
    }

    @Test
    void shortestPathsFollowTheDirectionOfEdges() throws IOException {
        JsonNode report = run("sssp", edges, "--partitions", "2", "--landmarks", "0");
        assertEquals(4, report.at("/result/paths").asInt(), "from 0, 1, 2, 3");
        assertEquals(0 + 2 + 1 + 2, report.at("/result/pathEdges").asInt());
    }

    @Test
    void shortestPathsToSeveralLandmarks() throws IOException {
        JsonNode report = run("sssp", edges, "--partitions", "2", "--landmarks", "0,12");
        assertEquals(4 + 3, report.at("/result/paths").asInt());
        assertEquals(5 + 0 + 1 + 2, report.at("/result/pathEdges").asInt());
    }

    @Test
    void trianglesCountOnceWhateverTheirDirection() throws IOException {
        JsonNode report = run("triangles", edges, "--partitions", "2");
        assertEquals(2, report.at("/result/triangles").asInt());
        assertEquals(7, report.at("/result/edges").asInt(), "each pair of neighbours once");
    }

    @Test
    void aRandomGraphIsTheSameEachTimeAndHasAVertexOfHighDegree() throws IOException {
        int edges = 5_000;
        List<List<String>> graphs = new ArrayList<>();
        for (String name : List.of("first", "second")) {
            Path file = dir.resolve(name);
            JsonNode report = run("randomgraph", file.toString(), "--edges", Integer.toString(edges), "--scale", "9");
            assertEquals(edges, report.at("/result/edges").asInt());
            graphs.add(Files.readAllLines(file));
        }
        assertEquals(graphs.get(0), graphs.get(1));
        assertEquals(edges, new HashSet<>(graphs.get(0)).size(), "each edge once");
        long ofTheFirst = graphs.get(0).stream().filter(edge -> edge.startsWith("0 ")).count();
        assertTrue(ofTheFirst > 10L * edges / (1 << 9), ofTheFirst + " edges begin at the first vertex");
    }

    @Test
    void aRandomGraphNeedsEnoughVertices() {
        String file = dir.resolve("random").toString();
        assertNotEquals(0, Main.run("randomgraph", file, "--edges", "5000", "--scale", "5"));
        assertFalse(Files.exists(Path.of(file)));
    }

    @Test
    void theTransitiveClosureHasAPathToEachReachableVertex() throws IOException {
        int vertices = 40;
        int paths = 0;
        for (int from = 0; from < vertices; from++) {
            BitSet reached = new BitSet();
            Deque<Integer> next = new ArrayDeque<>(List.of(from));
            while (!next.isEmpty()) {
                int vertex = next.pop();
                for (int number = 0; number < 60; number++) {
                    Tuple2<Integer, Integer> edge = TransitiveClosure.edge(42, number, vertices);
                    if (edge._1() == vertex && !reached.get(edge._2())) {
                        reached.set(edge._2());
                        next.push(edge._2());
                    }
                }
            }
            paths += reached.cardinality();
        }
        JsonNode report = run("closure", "--vertices", "40", "--edges", "60", "--partitions", "2");
        assertEquals(paths, report.at("/result/paths").asInt());
        assertTrue(report.at("/result/rounds").asInt() > 2);
        assertEquals(2 * (2 + report.at("/result/rounds").asInt()), report.at("/cached/partitions").asInt());
    }

    @Test
    void svdPlusPlusLearns() throws IOException {
        String[] program = {"svdplusplus", "--users", "200", "--items", "40", "--ratings", "10", "--partitions", "2",
            "--iterations"};
        JsonNode one = run(with(program, "1"));
        JsonNode four = run(with(program, "4"));
        assertEquals(2000, four.at("/result/ratings").asInt());
        assertEquals(3.0, four.at("/result/mean").asDouble(), 0.2);
        assertTrue(four.at("/result/rmse").asDouble() < one.at("/result/rmse").asDouble());
    }

    private static String[] with(String[] arguments, String last) {
        String[] all = java.util.Arrays.copyOf(arguments, arguments.length + 1);
        all[arguments.length] = last;
        return all;
    }
}
