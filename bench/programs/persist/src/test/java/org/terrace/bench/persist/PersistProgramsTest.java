// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PersistProgramsTest {

    @TempDir
    Path folder;

    private JsonNode run(String... arguments) throws IOException {
        PrintStream before = System.out;
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        System.setOut(new PrintStream(text));
        try {
            assertEquals(0, PersistPrograms.run(arguments));
        } finally {
            System.setOut(before);
        }
        return new ObjectMapper().readTree(text.toString().lines().reduce("", (a, line) -> line));
    }

    @ParameterizedTest
    @EnumSource(value = Store.Kind.class, names = "DEVICE", mode = EnumSource.Mode.EXCLUDE)
    void aStoreHasWhatWasPutLast(Store.Kind kind) throws Exception {
        for (Store.Level level : Store.Level.values()) {
            Path at = java.nio.file.Files.createDirectories(folder.resolve(level.name()));
            try (Store store = Store.open(kind, at, level)) {
                store.put(5, new byte[] {1, 2, 3});
                store.put(6, new byte[] {4});
                store.put(5, new byte[] {7, 8});
            }
            try (Store store = Store.open(kind, at, level)) {
                assertArrayEquals(new byte[] {7, 8}, store.get(5));
                assertArrayEquals(new byte[] {4}, store.get(6));
                assertEquals(null, store.get(7));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Store.Kind.class)
    void commitsAreCounted(Store.Kind kind) throws IOException {
        JsonNode result = run("commits", "--store", kind.name(), "--level", "PROCESS", "--dir", folder.toString(),
                "--threads", "2", "--seconds", "0.2", "--warmup", "0.1", "--keys", "50");
        assertTrue(result.get("count").asInt() > 0);
        assertTrue(result.get("p50").asDouble() <= result.get("p99").asDouble());
    }

    @Test
    void blocksOfAllPatterns() throws IOException {
        JsonNode result = run("blocks", "--dir", folder.toString(), "--mebibytes", "1", "--passes", "1");
        assertEquals(8, result.size());
        result.forEach(nanos -> assertTrue(nanos.asDouble() > 0));
    }

    @Test
    void aRecordWithItsFieldsTakesLessThanOneWithFieldsAsObjects() throws IOException {
        JsonNode result = run("space", "--dir", folder.toString(), "--records", "2000");
        assertTrue(result.get("fields in the object").asDouble() > 0.024);
        assertTrue(result.get("fields as objects").asDouble() > result.get("fields in the object").asDouble());
    }

    @ParameterizedTest
    @ValueSource(strings = {"hash", "tree", "skip-list", "list", "deque"})
    void bothKindsOfACollectionDoTheSame(String type) {
        try (org.terrace.persist.Heap heap = org.terrace.persist.Heap.open(folder.resolve("heap"))) {
            List<Subject> both = List.of(Subject.inMemory(type), heap.atomic(() -> Subject.persistent(type, heap)));
            for (long i = 0; i < 50; i++) {
                long number = i;
                both.forEach(subject -> subject.fill(number));
            }
            for (long i = 0; i < 50; i += 3) {
                long number = i;
                assertEquals(both.get(0).put(number, i * i), both.get(1).put(number, i * i));
                assertEquals(both.get(0).get(number), both.get(1).get(number));
            }
            List<Object> ours = StreamSupport.stream(both.get(1).all().spliterator(), false).map(e -> (Object) e).toList();
            List<Object> theirs = StreamSupport.stream(both.get(0).all().spliterator(), false).map(e -> (Object) e).toList();
            assertEquals(java.util.Set.copyOf(theirs), java.util.Set.copyOf(ours));
            assertEquals(theirs.size(), ours.size());
        }
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void aKilledHeapServesRequestsAgain(boolean collect) throws IOException, InterruptedException {
        Process filling = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-cp",
                System.getProperty("java.class.path"), PersistPrograms.class.getName(), "recovery", "--fill", "--objects", "1000",
                "--dir", folder.toString()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (var out = filling.inputReader()) {
            assertEquals("ready", out.readLine());
        } finally {
            filling.destroyForcibly().waitFor();
        }
        JsonNode result = run("recovery", "--dir", folder.toString(), "--collect", "" + collect, "--seconds", "0.5");
        assertEquals(1000, result.get("entries").asInt());
        assertTrue(result.get("opened").asDouble() <= result.get("firstRequest").asDouble());
        assertTrue(result.get("perSecond").asDouble() > 0);
    }

    @ParameterizedTest
    @CsvSource({"TERRACE, SYNC", "VOLATILE, PROCESS"})
    void aBankServesAgainAfterItsKill(String bank, String level) throws IOException {
        JsonNode result = run("bank", "--bank", bank, "--level", level, "--dir", folder.toString(), "--accounts", "60",
                "--branch", "20", "--clients", "2", "--before", "0.3", "--after", "0.8");
        assertTrue(result.get("killed").asDouble() > 0.3);
        assertTrue(result.get("serving").asDouble() < result.get("firstRequest").asDouble());
        assertTrue(result.get("acknowledged").asInt() > result.get("acknowledgedBefore").asInt());
        int counted = StreamSupport.stream(result.get("buckets").spliterator(), false).mapToInt(JsonNode::asInt).sum();
        assertEquals(result.get("acknowledged").asInt(), counted);
        assertEquals(bank.equals("TERRACE"), result.has("violations"));
        assertTrue(result.path("violations").isEmpty(), result::toString);
        assertEquals(0, result.path("lost").asInt());
    }
}
