package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of the documentation, as it is started there: it is killed, and goes on. */
class ExampleTest {
    @TempDir
    Path directory;

    @Test
    void theExampleIsKilledAndGoesOn() throws IOException, InterruptedException {
        int last = runAndKill(3);
        assertTrue(last >= 45, "counted to " + last);
        int next = runAndKill(1);
        assertTrue(next > last && next <= last + 3, "went on from " + last + " with " + next);
    }

    /** The last number that the program printed. */
    private int runAndKill(int lines) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-cp",
                System.getProperty("java.class.path"),
                "examples/Simple.java", directory.resolve("simple.heap").toString()).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        String line = "";
        try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream()))) {
            for (int i = 0; i < lines; i++) {
                line = out.readLine();
            }
            process.destroyForcibly();
        }
        process.waitFor();
        assertEquals("Hello, persistent heap!", line.replaceFirst(" \\d+$", ""));
        return Integer.parseInt(line.replaceFirst(".* ", ""));
    }
}
