// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.giraph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each program gets the result of a plain one. They run at once, in processes of their own: Giraph takes 10 seconds to end. */
class GiraphProgramsTest {

    private static final int SCALE = 10;
    private static final int DEGREE = 8;
    private static final int ITERATIONS = 5;

    @TempDir
    private static Path folder;

    private static final Map<Program, Process> PROCESSES = new EnumMap<>(Program.class);

    @BeforeAll
    static void startAll() throws IOException {
        for (Program program : Program.values()) {
            PROCESSES.put(program, start(program));
        }
    }

    private static Process start(Program program) throws IOException {
        Path own = Files.createDirectory(folder.resolve(program.name()));
        return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-Xmx100m",
                "-cp", System.getProperty("java.class.path"), GiraphPrograms.class.getName(), program.name().toLowerCase(),
                "--scale", String.valueOf(SCALE), "--degree", String.valueOf(DEGREE),
                "--iterations", String.valueOf(ITERATIONS), "--dir", own.toString())
                .redirectError(log(program)).redirectOutput(out(program)).start();
    }

    private static File log(Program program) {
        return folder.resolve(program + ".log").toFile();
    }

    private static File out(Program program) {
        return folder.resolve(program + ".out").toFile();
    }

    @AfterAll
    static void endAll() {
        PROCESSES.values().forEach(Process::destroyForcibly);
    }

    @ParameterizedTest
    @EnumSource
    void aPlainProgramGetsTheSame(Program program) throws Exception {
        Digest expected = new Digest();
        new Plain(SCALE, DEGREE, 1, program.bothWays()).run(program, ITERATIONS).forEach(expected::accept);
        assertTrue(PROCESSES.get(program).waitFor(3, TimeUnit.MINUTES), "it does not end");
        String printed = Files.readString(out(program).toPath());
        assertEquals(0, PROCESSES.get(program).exitValue(), Files.readString(log(program).toPath()));
        String result = printed.substring(printed.indexOf("\"result\": ") + "\"result\": ".length()).strip();
        if (program == Program.PAGERANK) { // sums of floating-point numbers in any order
            for (String number : new String[] {"vertices", "sum", "greatest"}) {
                double value = number(number, expected.json());
                assertEquals(value, number(number, result), value * 1e-9, number);
            }
        } else {
            assertEquals(expected.json() + "}", result.replaceAll("\"sum\": [^,]*", sum(expected.json())));
        }
    }

    /** Their sum depends on their order, their checksum does not. */
    private static String sum(String json) {
        Matcher found = Pattern.compile("\"sum\": [^,]*").matcher(json);
        assertTrue(found.find(), json);
        return found.group();
    }

    private static double number(String name, String json) {
        Matcher found = Pattern.compile('"' + name + "\": ([^,}]+)").matcher(json);
        assertTrue(found.find(), json);
        return Double.parseDouble(found.group(1));
    }

    @Test
    void aLabelIsTheLeastOfTheMostFrequent() {
        assertEquals(3, Communities.mostFrequent(new long[] {7, 3, 9, 3, 7, 1}, 6));
        assertEquals(1, Communities.mostFrequent(new long[] {7, 3, 9, 1, 1, 1}, 4));
        assertEquals(5, Communities.mostFrequent(new long[] {5}, 1));
    }
}
