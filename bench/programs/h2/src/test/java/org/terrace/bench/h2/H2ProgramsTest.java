// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.h2;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.terrace.bench.harness.Parallel;
import picocli.CommandLine;

/** Tests small runs of the programs in a JVM without a second heap. */
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
        assertTrue(report.at("/passes/1/from").asDouble() + 0.09 <= report.at("/passes/1/to").asDouble(), "uptimes, in seconds");
    }

    @Test
    void hotLooksEachSecond() throws IOException {
        JsonNode report = run("hot", "--size", "4m", "--partition", "512k", "--hot", "1m", "--stay", "1", "--sets", "2");
        assertEquals(2, report.at("/seconds").size());
        assertTrue(report.at("/seconds/1/reads").asLong() > 0);
        assertEquals(2, H2Programs.run("hot", "--size", "4m", "--partition", "512k", "--hot", "3m", "--sets", "2"), "more than all");
    }

    @ParameterizedTest
    @ValueSource(strings = {"caffeine", "lru"})
    void cacheReplacesAndEvictsByTheWindow(String kind) throws IOException {
        JsonNode report = run("cache", "--kind", kind, "--megabytes", "4", "--seconds", "2", "--window", "1", "--warmup", "0");
        assertEquals(kind, report.at("/kind").asText());
        assertEquals(0, report.at("/wrong").asLong());
        assertEquals(2 * report.at("/capacity").asInt(), report.at("/keys").asInt());
        int capacity = report.at("/capacity").asInt();
        // Caffeine evicts concurrently. The program waits only after 128 pending writes per processor, rounded up.
        int pending = 2 * 128 * Runtime.getRuntime().availableProcessors();
        int entries = report.at("/entries").asInt();
        assertTrue(capacity / 2 < entries && entries <= capacity + pending, entries + " entries, capacity " + capacity);
        for (int i = 0; i < 2; i++) {
            long operations = report.at("/operations").get(i).asLong();
            long hits = report.at("/hits").get(i).asLong();
            assertTrue(0 < hits && hits < operations, hits + " of " + operations + ": twice as many keys as entries");
            assertEquals(0.1, report.at("/replacements").get(i).asDouble() / hits, 0.03, "of " + hits + " found");
        }
        assertEquals(2, report.at("/operations").size());
        assertEquals(0, report.at("/h2/movedBytes").asLong(), "there is no second heap");
    }

    @Test
    void lruDropsWhatWasNotUsed() {
        Map<Integer, byte[]> cache = Cache.Kind.LRU.make(2);
        cache.put(1, new byte[0]);
        cache.put(2, new byte[0]);
        cache.get(1);
        cache.compute(3, (key, old) -> new byte[0]);
        assertEquals(Set.of(1, 3), cache.keySet());
    }

    /** A map that loses some replacements of values. */
    private static final class Forgetful extends ConcurrentHashMap<Integer, byte[]> {

        private static final long serialVersionUID = 1;

        @Override
        public byte[] compute(Integer key, BiFunction<? super Integer, ? super byte[], ? extends byte[]> function) {
            byte[] made = function.apply(key, get(key));
            putIfAbsent(key, made);
            return made;
        }
    }

    @Test
    void valuesThatComeBackAreWrong() throws Exception {
        Cache cache = new Cache();
        CommandLine.populateCommand(cache, "--kind", "LRU", "--megabytes", "1", "--seconds", "1", "--window", "1", "--warmup", "0");
        JsonNode report = printed(1, () -> cache.run(new Forgetful())).get(0);
        assertTrue(report.at("/wrong").asLong() > 0);
    }

    @ParameterizedTest
    @CsvSource({"--skew, --megabytes=1 --skew=1", "--seconds, --megabytes=1 --window=7", "--updates, --megabytes=1 --updates=101",
        "--threads, --megabytes=1 --threads=0", "--warmup, --megabytes=1 --warmup=-1", "--megabytes, --megabytes=0"})
    void cacheNamesTheOptionThatIsWrong(String option, String options) {
        PrintStream err = System.err;
        ByteArrayOutputStream captured = new ByteArrayOutputStream();
        System.setErr(new PrintStream(captured, true, StandardCharsets.UTF_8));
        try {
            assertEquals(2, H2Programs.run(("cache --kind lru --seconds 60 " + options).split(" ")));
        } finally {
            System.setErr(err);
        }
        String message = captured.toString(StandardCharsets.UTF_8);
        assertTrue(message.startsWith(option + ": "), message);
    }

    @ParameterizedTest
    @CsvSource({"map, a", "map, c", "map, d", "caffeine, f", "infinispan, b"})
    void hotValuesAreInFastMemoryWithoutH2(String kind, String mix) throws IOException {
        JsonNode report = run("hot-values", "--kind", kind, "--mix", mix, "--size", "4m", "--partition", "512k", "--window", "512k",
                "--seconds", "1");
        assertEquals(0, report.at("/wrong").asLong());
        JsonNode second = report.at("/seconds/0");
        assertTrue(second.at("/reads").asLong() > 0);
        assertEquals(!mix.equals("c"), second.at("/writes").asLong() > 0);
        assertTrue(second.at("/looks").asLong() > 0);
        assertEquals(second.at("/looks").asLong(), second.at("/inH1").asLong(), "there is no second heap");
        assertEquals(0, second.at("/gathered").asLong(), "values in H1 are fast");
        assertEquals(2, H2Programs.run("hot-values", "--size", "1k"), "less than a partition");
    }

    @Test
    void noMoreKeysThanPossible() throws Exception {
        int most = 100;
        for (int round = 0; round < 1000; round++) {
            HotValues.Keys keys = new HotValues.Keys(most - 10, most);
            AtomicInteger wrong = new AtomicInteger();
            long inserted = Parallel.sum(4, number -> {
                int count = 0;
                for (int i = 0; i < 10; i++) {
                    int key = keys.insert();
                    count += key >= 0 ? 1 : 0;
                    wrong.addAndGet(key >= most || keys.count() > most ? 1 : 0);
                }
                return count;
            });
            assertEquals(10, inserted, "round " + round);
            assertEquals(0, wrong.get(), "round " + round);
        }
    }

    @Test
    void serviceReadsWhatItWrote() throws IOException {
        JsonNode report = run("service", "--megabytes", "1", "--seconds", "1", "--updates", "50");
        assertTrue(report.at("/operationsPerSecond").asDouble() > 0);
        assertEquals(0, report.at("/wrong").asLong());
        assertEquals(2, H2Programs.run("service", "--megabytes", "1", "--seconds", "0"));
    }

    @Test
    void serviceReadsWhatItWroteToRocks(@TempDir Path folder) throws IOException {
        JsonNode report = run("service", "--megabytes", "1", "--seconds", "1", "--updates", "50", "--rocksdb", folder.toString());
        assertTrue(report.at("/operationsPerSecond").asDouble() > 0);
        assertEquals(0, report.at("/wrong").asLong());
        assertTrue(Files.exists(folder.resolve("CURRENT")), "no database was written");
    }

    private static JsonNode run(String... arguments) throws IOException {
        List<JsonNode> lines = lines(arguments);
        assertEquals(1, lines.size());
        return lines.get(0);
    }

    private static List<JsonNode> lines(String... arguments) throws IOException {
        return printed(0, () -> H2Programs.run(arguments));
    }

    /** Returns the output of a program, which must end with this status. */
    private static List<JsonNode> printed(int status, Callable<Integer> program) throws IOException {
        PrintStream out = System.out;
        ByteArrayOutputStream captured = new ByteArrayOutputStream();
        System.setOut(new PrintStream(captured, true, StandardCharsets.UTF_8));
        try {
            assertEquals(status, assertDoesNotThrow(program::call));
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
