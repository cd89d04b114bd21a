// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.h2;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Small runs in a JVM without a second heap: what the programs do by themselves. */
class H2ProgramsTest {

    @Test
    void eachShapeIsAsLargeAsAsked() {
        for (Shape shape : Shape.values()) {
            assertEquals(32 << 20, shape.bytes * shape.build(32 << 20).size(), shape.bytes, shape.name());
        }
        Object[] nodes = (Object[]) Shape.NODES.block();
        assertEquals(511, ((Shape.Node) nodes[511]).value);
        assertEquals(510, ((Shape.Node) nodes[511]).next.value);
        Object[] boxed = (Object[]) Shape.BOXED.block();
        assertEquals(List.of(1000, 1000L, 0.0, "10000"), List.of(boxed).subList(0, 4));
    }

    @Test
    void sizesHaveUnits() {
        H2Programs.Size size = new H2Programs.Size();
        long[] sizes = {size.convert("7"), size.convert("512k"), size.convert("16M"), size.convert("1g")};
        assertArrayEquals(new long[] {7, 512 << 10, 16 << 20, 1 << 30}, sizes);
        assertEquals(2, H2Programs.run("transfer", "--size", "much"));
    }

    @Test
    void transfer() throws IOException {
        JsonNode report = run("transfer", "--shape", "boxed", "--size", "1m", "--repeats", "1");
        assertEquals("boxed", report.at("/shape").asText());
        assertEquals(0, report.at("/movedBytes").asLong(), "there is no second heap");
    }

    @Test
    void groupsKeepWhatIsAsked() throws IOException {
        JsonNode newest = run("groups", "--count", "10", "--size", "10k", "--links", "chain", "--keep", "newest");
        assertEquals(1, newest.at("/keptGroups").asInt());
        JsonNode most = run("groups", "--count", "100", "--size", "10k", "--fraction", "0.9");
        assertEquals(90, most.at("/keptGroups").asInt(), 9);
    }

    @Test
    void fillWaitsAfterEachStep() throws IOException {
        InputStream in = System.in;
        System.setIn(new ByteArrayInputStream("\n\n".getBytes(StandardCharsets.US_ASCII)));
        try {
            assertEquals(2, lines("fill", "--steps", "0,1m").size());
        } finally {
            System.setIn(in);
        }
    }

    @Test
    void growSumsEveryRow() throws IOException {
        JsonNode report = run("grow", "--partitions", "3", "--size", "1240", "--open", "2");
        assertFalse(report.at("/outOfMemory").asBoolean());
        assertEquals(3 * 45, report.at("/sum").asInt(), "rows 0 to 9 of each, whether replaced or not");
    }

    @Test
    void passesReadEverything() throws IOException {
        JsonNode report = run("passes", "--size", "2m", "--partition", "512k", "--passes", "1", "--seconds", "0.1",
                "--pattern", "scan,random,mixed", "--prefetch");
        assertEquals(2 << 20, report.at("/passes/0/scannedBytes").asLong());
        assertTrue(report.at("/passes/1/randomReads").asLong() > 0);
        double seconds = report.at("/passes/1/seconds").asDouble();
        assertTrue(seconds >= 0.1 && seconds < 3, seconds + " seconds: at least as many as asked, not those by default");
        assertEquals(2 << 20, report.at("/passes/2/scannedBytes").asLong());
        assertTrue(report.at("/passes/1/cpuSeconds").asDouble() >= 0);
    }

    @Test
    void hotLooksEachSecond() throws IOException {
        JsonNode report = run("hot", "--size", "4m", "--partition", "512k", "--hot", "1m", "--stay", "1", "--sets", "2");
        assertEquals(2, report.at("/seconds").size());
        assertTrue(report.at("/seconds/1/reads").asLong() > 0);
        assertEquals(2, H2Programs.run("hot", "--size", "4m", "--partition", "512k", "--hot", "3m", "--sets", "2"), "more than all");
    }

    private static JsonNode run(String... arguments) throws IOException {
        List<JsonNode> lines = lines(arguments);
        assertEquals(1, lines.size());
        return lines.get(0);
    }

    private static List<JsonNode> lines(String... arguments) throws IOException {
        PrintStream out = System.out;
        ByteArrayOutputStream captured = new ByteArrayOutputStream();
        System.setOut(new PrintStream(captured, true, StandardCharsets.UTF_8));
        try {
            assertEquals(0, H2Programs.run(arguments));
        } finally {
            System.setOut(out);
        }
        List<JsonNode> lines = new ArrayList<>();
        for (String line : captured.toString(StandardCharsets.UTF_8).split("\n")) {
            lines.add(new ObjectMapper().readTree(line));
        }
        return lines;
    }
}
