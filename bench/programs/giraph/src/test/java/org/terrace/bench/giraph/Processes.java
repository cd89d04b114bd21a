// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.giraph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs programs simultaneously in separate processes, because Giraph takes 10 seconds to end. */
final class Processes implements AutoCloseable {

    private static final int DEGREE = 8;

    private final Path folder;
    private final int scale;
    private final Map<Program, Process> processes = new EnumMap<>(Program.class);
    private final Map<Program, Integer> iterations = new EnumMap<>(Program.class);

    Processes(Path folder, int scale) {
        this.folder = folder;
        this.scale = scale;
    }

    void start(Program program, int supersteps, String home, List<String> vm, String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of(home, "bin/java").toString(), "-Xmx100m"));
        command.addAll(vm);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), GiraphPrograms.class.getName(), program.name().toLowerCase(),
                "--scale", String.valueOf(scale), "--degree", String.valueOf(DEGREE), "--iterations", String.valueOf(supersteps),
                "--dir", Files.createDirectory(folder.resolve(program.name())).toString()));
        command.addAll(List.of(options));
        iterations.put(program, supersteps);
        processes.put(program, new ProcessBuilder(command).redirectError(file(program, "log"))
                .redirectOutput(file(program, "out")).start());
    }

    private File file(Program program, String kind) {
        return folder.resolve(program + "." + kind).toFile();
    }

    Plain graph(Program program) {
        return new Plain(scale, DEGREE, 1, program.bothWays());
    }

    /** Waits for the end of a program, checks its result against a plain implementation, and returns its output. */
    String right(Program program) throws Exception {
        Digest expected = new Digest();
        graph(program).run(program, iterations.get(program)).forEach(expected::accept);
        assertTrue(processes.get(program).waitFor(5, TimeUnit.MINUTES), "it does not end");
        String printed = Files.readString(file(program, "out").toPath());
        assertEquals(0, processes.get(program).exitValue(), Files.readString(file(program, "log").toPath()));
        String result = printed.substring(printed.indexOf("\"result\": ") + "\"result\": ".length()).strip();
        if (program == Program.PAGERANK) { // sums of floating-point numbers in any order
            for (String number : new String[] {"vertices", "sum", "greatest"}) {
                double value = number(number, expected.json());
                assertEquals(value, number(number, result), value * 1e-9, number);
            }
        } else {
            assertEquals(expected.json() + "}", result.replaceAll("\"sum\": [^,]*", sum(expected.json())));
        }
        return printed;
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

    @Override
    public void close() {
        processes.values().forEach(Process::destroyForcibly);
    }
}
