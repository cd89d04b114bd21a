// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Heap;

/** Kills a program of ordinary classes with SIGKILL, and opens its heap again. */
@Tag("model")
class KillTest {
    @TempDir
    Path directory;

    /** Prints the committed values line by line until it is killed. */
    public static final class Worker {
        public static void main(String[] args) throws IOException {
            try (Heap heap = Heap.open(Path.of(args[0]))) {
                Account a = heap.root("a", Account.class, () -> new Account(1));
                Account b = heap.root("b", Account.class, () -> new Account(2));
                while (!System.out.checkError()) {
                    System.out.println(-a.transfer(b, 1, false));
                }
            }
        }
    }

    @Test
    void whatWasAcknowledgedIsThere() throws IOException, InterruptedException {
        Path file = directory.resolve("killed.heap");
        long acknowledged = runAndKill(file, 30);
        assertEquals(30, acknowledged);
        try (Heap heap = Heap.open(file)) {
            assertEquals(List.of(), heap.check());
            Account a = heap.root("a", Account.class);
            Account b = heap.root("b", Account.class);
            assertTrue(b.balance() >= acknowledged, "acknowledged " + acknowledged + ", the heap has " + b);
            assertEquals(0, a.balance() + b.balance());
            assertEquals(b.balance(), b.changes());
        }
    }

    private long runAndKill(Path file, int lines) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream().filter(a -> a.startsWith("-javaagent"))
                .forEach(command::add);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Worker.class.getName(), file.toString()));
        File errors = directory.resolve("stderr").toFile();
        Process process = new ProcessBuilder(command).redirectError(errors).start();
        String line = null;
        try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream()))) {
            for (int i = 0; i < lines; i++) {
                line = out.readLine();
                assertTrue(line != null, () -> "the program ended, see " + errors);
            }
            process.destroyForcibly();
        }
        process.waitFor();
        return Long.parseLong(line);
    }
}
