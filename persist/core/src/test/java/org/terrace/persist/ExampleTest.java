// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the example program of the documentation as documented. It is killed and continues. */
class ExampleTest {
    @TempDir
    Path directory;

    @Test
    void theExampleIsKilledAndGoesOn() throws IOException, InterruptedException {
        List<Integer> first = runAndKill(3);
        int last = first.get(first.size() - 1);
        assertTrue(last >= 45, "counted to " + last);
        int next = runAndKill(1).get(0);
        // One more number may have been counted and not printed.
        assertTrue(next == last + 1 || next == last + 2, "went on from " + last + " with " + next);
    }

    /** Returns all numbers that the program printed. These are at least the given number of lines, and possibly more until its end. */
    private List<Integer> runAndKill(int lines) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-cp",
                System.getProperty("java.class.path"),
                "examples/Simple.java", directory.resolve("simple.heap").toString()).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        List<Integer> numbers = new ArrayList<>();
        try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream()))) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                assertEquals("Hello, persistent heap!", line.replaceFirst(" \\d+$", ""));
                numbers.add(Integer.valueOf(line.replaceFirst(".* ", "")));
                if (numbers.size() == lines) {
                    process.toHandle().destroyForcibly(); // its output can still be read
                }
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
        assertTrue(numbers.size() >= lines, "the program ended after " + numbers);
        return numbers;
    }
}
