// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.terrace.persist.Cell;
import org.terrace.persist.Heap;
import org.terrace.persist.types.PersistentByteArray;

/**
 * Repeatedly kills a program with SIGKILL, after which it continues with its heap. One program uses its files as persistent memory.
 * {@code -Dpersist.kills=N} sets the number.
 */
class KillTest {
    private static final int THREADS = 2;
    private static final int KILLS = Integer.getInteger("persist.kills", 4);

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"SYNC", "GROUP", "PROCESS", "SYNC, mapped"})
    void whatWasAcknowledgedSurvivesTheKill(String level) throws IOException, InterruptedException {
        Path file = directory.resolve("killed.heap");
        long seed = Long.getLong("persist.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int kill = 0; kill < KILLS; kill++) {
            long[] acknowledged = runAndKill(file, level, 1 + random.nextInt(700));
            String where = level + ", seed " + seed + ", kill " + kill;
            try (Heap heap = Heap.open(file, KillWorker.OPTIONS)) {
                assertEquals(List.of(), heap.check(), where);
                for (int t = 0; t < THREADS; t++) {
                    checkList(heap, t, acknowledged[t], where);
                }
            }
        }
        System.out.println("programs killed, " + level + ": " + KILLS);
    }

    private static void checkList(Heap heap, int thread, long acknowledged, String where) {
        Cell first = heap.root("list " + thread, Cell.class);
        long last = first == null ? 0 : first.value();
        // One more number may have been committed whose acknowledgement was not read.
        assertTrue(last >= acknowledged, where + ": thread " + thread + " was told " + acknowledged + ", the heap has " + last);
        int length = first == null ? 0 : first.small();
        for (Cell c = first; c != null; c = c.next()) {
            assertEquals(last--, c.value(), where);
            assertEquals(length--, c.small(), where);
            assertEquals(c.value() * 37 % 900, ((PersistentByteArray) c.other()).length(), where);
        }
        assertEquals(0, length, where);
    }

    @Test
    void aProgramThatNobodyReadsEnds() throws IOException, InterruptedException {
        Process process = start(directory.resolve("unread.heap"), "PROCESS");
        process.getInputStream().close();
        try {
            assertTrue(process.waitFor(5, TimeUnit.MINUTES));
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private Process start(Path file, String level) throws IOException {
        return new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xmx64m", "-XX:TieredStopAtLevel=1",
                "-Dorg.terrace.persist.medium=org.terrace.persist.medium.SimulatedMedium",
                "-Dpersist.mapped=" + level.endsWith("mapped"), "-cp", System.getProperty("java.class.path"),
                KillWorker.class.getName(), file.toString(), level, "" + THREADS)
                .redirectError(new File(directory.toFile(), "stderr")).start();
    }

    private long[] runAndKill(Path file, String level, int lines) throws IOException, InterruptedException {
        Process process = start(file, level);
        long[] acknowledged = new long[THREADS];
        try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream()))) {
            for (int i = 0; i < lines; i++) {
                String line = out.readLine();
                if (line == null) {
                    throw new AssertionError("the program ended: " + java.nio.file.Files.readString(directory.resolve("stderr")));
                }
                note(line, acknowledged);
            }
            process.toHandle().destroyForcibly();
            for (String line = out.readLine(); line != null && line.matches("\\d+ \\d+"); line = out.readLine()) {
                note(line, acknowledged);
            }
        }
        process.waitFor();
        return acknowledged;
    }

    private static void note(String line, long[] acknowledged) {
        String[] words = line.split(" ");
        acknowledged[Integer.parseInt(words[0])] = Long.parseLong(words[1]);
    }
}
