package org.terrace.persist.transform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of the documentation, as it is started there, with the agent that users have: it is killed, and goes on. */
@Tag("packed")
class ExampleTest {
    private static final Pattern LINE = Pattern.compile("Hello, persistent heap! (\\d+), (\\d+) in this run");
    private static final String AGENT = System.getProperty("packed.agent");

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
        // The library and what it needs: the agent has Byte Buddy in it.
        String classPath = Sources.LIBRARY + ":"
                + Path.of(com.sun.jna.Native.class.getProtectionDomain().getCodeSource().getLocation().getPath());
        Process process = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-javaagent:" + AGENT, "-cp",
                classPath, "examples/Count.java", directory.resolve("count.heap").toString())
                .redirectError(new File(directory.toFile(), "stderr")).start();
        String line = null;
        try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream()))) {
            for (int i = 1; i <= lines; i++) {
                line = out.readLine();
                Matcher matcher = LINE.matcher(String.valueOf(line));
                assertTrue(matcher.matches(), line + " " + Files.readString(directory.resolve("stderr")));
                assertEquals(i, Integer.parseInt(matcher.group(2)), "a transient field starts anew");
            }
            process.destroyForcibly();
        }
        process.waitFor();
        return Integer.parseInt(line.replaceFirst(", \\d+ in this run$", "").replaceFirst(".* ", ""));
    }

    @Test
    void theJarIsTheCommandToo() throws IOException, InterruptedException {
        new Sources(directory).compile("@Persistent class Sample { int x; }");
        Process process = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-jar", AGENT, "-cp",
                Sources.LIBRARY.toString(), directory.toString()).redirectErrorStream(true).start();
        assertEquals("Sample\n", new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        assertEquals(0, process.waitFor());
    }
}
