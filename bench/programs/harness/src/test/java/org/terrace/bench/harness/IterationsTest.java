// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class IterationsTest {

    private static Iterations iterations(String... words) {
        Iterations made = new Iterations();
        CommandLine.populateCommand(made, words);
        return made;
    }

    @Test
    void whatWarmsUpIsNotReported() throws Exception {
        PrintStream out = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true));
        AtomicInteger times = new AtomicInteger();
        try {
            iterations("--warmup", "2", "--iterations", "3").run("some", Map.of("size", 7), latencies -> {
                latencies.record("read", times.incrementAndGet() * 1_000_000L);
                return "same";
            });
        } finally {
            System.setOut(out);
        }
        JsonNode report = new ObjectMapper().readTree(printed.toByteArray());
        assertEquals(5, times.get());
        assertEquals("same", report.at("/result").asText());
        assertEquals(7, report.at("/parameters/size").asInt());
        assertEquals(3, report.at("/seconds").size());
        assertEquals(3, report.at("/latencies/read/count").asInt());
        assertEquals(4, report.at("/latencies/read/p50").asDouble(), 0.01);
        assertEquals(5, report.at("/latencies/read/max").asDouble(), 0.01);
        assertTrue(report.at("/from").asDouble() <= report.at("/to").asDouble());
    }

    @Test
    void anotherResultEndsTheProgram() {
        AtomicInteger times = new AtomicInteger();
        IllegalStateException problem = assertThrows(IllegalStateException.class, () -> iterations("--warmup", "1")
                .run("some", Map.of(), latencies -> times.incrementAndGet() / 3));
        assertTrue(problem.getMessage().contains("was 0 before, and is 1 now"), problem.getMessage());
    }
}
