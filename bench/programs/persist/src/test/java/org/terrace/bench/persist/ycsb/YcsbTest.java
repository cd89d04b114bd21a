// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

class YcsbTest {
    private static final int RECORDS = 60;
    private static final int OPERATIONS = 300;

    @TempDir
    Path folder;

    private JsonNode run(int operations, Peer peer, Level level, Workload.Kind kind, String... more) throws IOException {
        PrintStream before = System.out;
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        System.setOut(new PrintStream(text));
        try {
            String[] arguments = {"--peer", peer.name(), "--level", level.name(), "--workload", kind.name(),
                "--dir", folder.toString(), "--records", "" + RECORDS, "--seconds", "60", "--warmup", "0",
                "--operations", "" + operations};
            assertEquals(0, new CommandLine(new Ycsb()).execute(Stream.of(arguments, more).flatMap(Arrays::stream)
                    .toArray(String[]::new)), text::toString);
        } finally {
            System.setOut(before);
        }
        return new ObjectMapper().readTree(text.toString().lines().filter(line -> line.startsWith("{")).findFirst()
                .orElseThrow());
    }

    private static Stream<Arguments> all() {
        return Arrays.stream(Peer.values()).flatMap(peer -> Arrays.stream(Workload.Kind.values())
                .filter(kind -> !kind.scans() || peer.scans != Peer.Scans.NONE).map(kind -> Arguments.of(peer, kind)));
    }

    @ParameterizedTest
    @MethodSource("all")
    void everyWorkloadRunsAndIsReadBack(Peer peer, Workload.Kind kind) throws IOException {
        Level level = peer == Peer.CHRONICLE ? Level.MAPPED : peer.levels.containsKey(Level.PROCESS) ? Level.PROCESS : Level.SYNC;
        JsonNode found = run(OPERATIONS, peer, level, kind, "--threads", "2", "--cached", "0.5");
        assertEquals(OPERATIONS, found.get("count").asInt());
        assertTrue(found.get("perSecond").asDouble() > 0);
        if (kind.inserts()) {
            assertTrue(found.get("checked").asInt() > RECORDS, "nothing was inserted");
        } else {
            assertEquals(RECORDS, found.get("checked").asInt());
        }
        assertEquals(!kind.scans(), found.has("readP50"));
        assertEquals(kind != Workload.Kind.C, found.has("changeP99"));
        assertEquals(kind.scans(), found.has("scanP50"));
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void eachChangeMayBeSynced(Peer peer) throws IOException {
        if (peer.levels.containsKey(Level.SYNC)) {
            JsonNode found = run(40, peer, Level.SYNC, Workload.Kind.F, "--threads", "4");
            assertEquals(40, found.get("count").asInt());
        }
    }

    @Test
    void aListOfWhatThereIs() throws IOException {
        PrintStream before = System.out;
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        System.setOut(new PrintStream(text));
        try {
            assertEquals(0, new CommandLine(new YcsbList()).execute());
        } finally {
            System.setOut(before);
        }
        JsonNode found = new ObjectMapper().readTree(text.toString());
        assertEquals("half reads, half updates", found.get("workloads").get("A").asText());
        assertEquals(Workload.Kind.values().length, found.get("workloads").size());
        assertEquals(Peer.values().length, found.get("peers").size());
        found.get("peers").forEach(peer -> assertTrue(peer.get("levels").size() > 0, peer.toString()));
    }

    @Test
    void recordsOfOtherSizes() throws IOException {
        JsonNode found = run(OPERATIONS, Peer.TERRACE, Level.PROCESS, Workload.Kind.A, "--fields", "1", "--field-bytes", "16");
        assertEquals(RECORDS, found.get("checked").asInt());
    }

    @Test
    void whatCannotBeMeasuredIsRefused() {
        assertEquals("--level: Chronicle Map has no level SYNC", refusal("--peer", "CHRONICLE", "--level", "SYNC"));
        assertEquals("--level: Chronicle Map has no level PROCESS", refusal("--peer", "CHRONICLE"));
        assertEquals("--level: RocksDB has no level CLOSED", refusal("--peer", "ROCKSDB", "--level", "CLOSED"));
        assertEquals("--workload: Terrace, hash map has no scans", refusal("--peer", "TERRACE", "--workload", "E"));
        assertEquals("--field-bytes: at least 16", refusal("--peer", "TERRACE", "--field-bytes", "15"));
        assertEquals("--cached: 0 to 1", refusal("--peer", "TERRACE", "--cached", "1.1"));
        assertEquals("--records, --operations, --threads: at least 1", refusal("--peer", "TERRACE", "--threads", "0"));
    }

    private String refusal(String... arguments) {
        StringWriter text = new StringWriter();
        String[] all = Arrays.stream(arguments).anyMatch("--workload"::equals) ? arguments
                : Stream.concat(Arrays.stream(arguments), Stream.of("--workload", "A")).toArray(String[]::new);
        assertEquals(2, new CommandLine(new Ycsb()).setErr(new PrintWriter(text)).execute(Stream.concat(Arrays.stream(all),
                Stream.of("--dir", folder.toString())).toArray(String[]::new)));
        return text.toString().lines().findFirst().orElseThrow();
    }
}
