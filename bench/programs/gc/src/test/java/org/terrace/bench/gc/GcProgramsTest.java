// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.gc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the programs on small input. */
class GcProgramsTest {

    @TempDir
    private Path folder;

    /** Returns the last output of a program, which is its only line of JSON. */
    private JsonNode run(String... arguments) throws IOException {
        List<String> words = new ArrayList<>(List.of(arguments));
        words.addAll(List.of("--dir", folder.toString(), "--warmup", "1", "--iterations", "1"));
        return printed(words);
    }

    private static JsonNode printed(List<String> words) throws IOException {
        PrintStream out = System.out;
        ByteArrayOutputStream captured = new ByteArrayOutputStream();
        System.setOut(new PrintStream(captured, true, StandardCharsets.UTF_8));
        try {
            assertEquals(0, GcPrograms.run(words.toArray(String[]::new)));
        } finally {
            System.setOut(out);
        }
        return new ObjectMapper().readTree(captured.toString(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @CsvSource({"lucene-index, 60", "jython, 3", "xalan, 3", "graph-science, 2"})
    void theResultDoesNotDependOnTheNumberOfThreads(String program, String size) throws IOException {
        JsonNode one = run(program, "--size", size, "--threads", "1");
        JsonNode three = run(program, "--size", size, "--threads", "3");
        assertEquals(one.at("/result"), three.at("/result"));
        assertEquals(program, one.at("/program").asText());
    }

    @Test
    void searchFindsTheSameWithAnyNumberOfThreads() throws IOException {
        JsonNode one = run("lucene-search", "--size", "40", "--documents", "200", "--threads", "1");
        JsonNode three = run("lucene-search", "--size", "40", "--documents", "200", "--threads", "3");
        assertEquals(one.at("/result"), three.at("/result"));
        assertEquals(40, one.at("/latencies/query/count").asInt());
    }

    @Test
    void noMoneyIsLost() throws IOException {
        JsonNode report = run("h2-database", "--size", "400", "--threads", "2");
        assertEquals(400 * 10_000, report.at("/result/1").asInt());
        assertEquals(2 * report.at("/latencies/transfer/count").asInt(), report.at("/result/2").asInt());
    }

    @ParameterizedTest
    @CsvSource({"ecj, commons-collections4", "scala, scala-parser-combinators_3"})
    void compilersCompile(String program, String library) throws IOException {
        Path sources = Path.of(System.getProperty("sources"), library + "-sources.jar");
        JsonNode report = run(program, "--size", "1", "--sources", sources.toString());
        assertTrue(report.at("/result").asLong() != 0);
        assertEquals(1, report.at("/latencies/compilation/count").asInt());
    }

    @Test
    void whatIsReadIsWhatWasWritten() throws IOException {
        JsonNode report = run("cassandra", "--size", "200");
        assertEquals(400, report.at("/latencies/read/count").asInt() + report.at("/latencies/write/count").asInt());
    }

    @Test
    void aStoreCountsOperationsByTheSecond() throws IOException {
        JsonNode report = printed(List.of("keyvalue", "--megabytes", "4", "--seconds", "2", "--before", "1"));
        assertEquals(0, report.at("/result/wrong").asInt());
        assertEquals(2, report.at("/seconds").size());
        for (JsonNode second : report.at("/seconds")) {
            assertTrue(second.size() > 0);
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 24", "9, 25", "16, 32", "17, 32", "18, 33", "1000000, 159"})
    void bucketsHaveEightForEachPowerOfTwo(long nanos, int bucket) {
        assertEquals(bucket, KeyValue.Bucket.of(nanos));
    }
}
