// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Heap;
import org.terrace.persist.crash.Ways.Way;

/**
 * Tests a program that stores references in many ways and halts with its heaps open. All acknowledged changes must exist.
 * {@code -Dpersist.waysKilled=N} sets the number of ways. {@link ReachabilityTest} covers more states without ending a process.
 */
class WaysKillTest {
    private static final int WAYS = Integer.getInteger("persist.waysKilled", 100);
    private static final int WAYS_OF_A_PROGRAM = 100;
    private static final long SEED = Long.getLong("persist.seed", 20211026);

    @TempDir
    Path directory;

    @Test
    void whatIsStoredInAnyWaySurvivesTheEndOfTheProcess() throws IOException, InterruptedException {
        List<Way> ways = Way.chosen(WAYS, SEED);
        int programs = 0;
        int kept = 0;
        for (int from = 0; from < ways.size(); from += WAYS_OF_A_PROGRAM) {
            int to = Math.min(ways.size(), from + WAYS_OF_A_PROGRAM);
            List<String> acknowledged = runUntilItHalts(from, to);
            assertEquals(to - from, acknowledged.size());
            for (int i = from; i < to; i++) {
                check(ways.get(i), i, acknowledged.get(i - from));
                kept++;
            }
            programs++;
        }
        System.out.println("ways to store whose process ended, of which all was kept: " + kept + " of " + ways.size());
        System.out.println("programs killed, ways to store: " + programs);
    }

    private void check(Way way, int number, String acknowledged) throws IOException {
        String where = "way " + number + " of seed " + SEED + ", " + way;
        try (Heap heap = WaysWorker.open(directory, number)) {
            assertEquals(acknowledged, WaysWorker.ACKNOWLEDGED + number + " " + way.show(heap, "w"), where);
            assertEquals(List.of(), heap.check(), where);
            assertEquals(List.of(), heap.checkCollections(), where);
        }
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(f -> f.getFileName().toString().startsWith(number + ".heap")).toList()) {
                Files.delete(file);
            }
        }
    }

    private List<String> runUntilItHalts(int from, int to) throws IOException, InterruptedException {
        Path output = directory.resolve("output");
        Process process = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xmx400m", "-XX:TieredStopAtLevel=1",
                "-cp", System.getProperty("java.class.path"), WaysWorker.class.getName(), directory.toString(), "" + WAYS, "" + SEED,
                "" + from, "" + to).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertEquals(true, process.waitFor(10, TimeUnit.MINUTES), "the program hangs");
        } finally {
            process.destroyForcibly().waitFor();
        }
        assertEquals(WaysWorker.STATUS, process.exitValue(), () -> "the program failed:\n" + read(output));
        return read(output).lines().filter(line -> line.startsWith(WaysWorker.ACKNOWLEDGED)).toList();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
