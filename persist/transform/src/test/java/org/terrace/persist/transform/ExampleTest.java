// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

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
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the example program of the documentation as documented, with the packaged agent. It is killed and continues. */
@Tag("packed")
class ExampleTest {
    private static final Pattern LINE = Pattern.compile("Hello, persistent heap! (\\d+), (\\d+) in this run");
    private static final String AGENT = System.getProperty("packed.agent");

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
        // The class path has only the library and its dependencies, because the agent contains Byte Buddy.
        String classPath = Sources.LIBRARY + ":"
                + Path.of(com.sun.jna.Native.class.getProtectionDomain().getCodeSource().getLocation().getPath());
        Process process = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-javaagent:" + AGENT, "-cp",
                classPath, "examples/Count.java", directory.resolve("count.heap").toString())
                .redirectError(new File(directory.toFile(), "stderr")).start();
        List<Integer> numbers = new ArrayList<>();
        try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream()))) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                Matcher matcher = LINE.matcher(line);
                assertTrue(matcher.matches(), line);
                numbers.add(Integer.valueOf(matcher.group(1)));
                assertEquals(numbers.size(), Integer.parseInt(matcher.group(2)), "a transient field starts anew");
                if (numbers.size() == lines) {
                    process.toHandle().destroyForcibly(); // its output can still be read
                }
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
        assertTrue(numbers.size() >= lines, numbers + " " + Files.readString(directory.resolve("stderr")));
        return numbers;
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
