// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.giraph;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Starts the processes of a test. None of them outlives the test. */
final class Children {

    static final String JAVA = Path.of(System.getProperty("java.home"), "bin/java").toString();

    private Children() {
    }

    /** Runs a JVM like this one with the test's classes, and returns its output. */
    static String java(Path folder, long minutes, List<String> options, Class<?> program, List<String> arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(JAVA));
        command.addAll(options);
        command.addAll(List.of("-Djava.io.tmpdir=" + folder, "-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(arguments);
        return run(new ProcessBuilder(command), folder, minutes);
    }

    /** Runs a process to its end, and returns its output, which goes through a file in the folder. */
    static String run(ProcessBuilder builder, Path folder, long minutes) throws Exception {
        Path out = folder.resolve("out.log");
        Process process = builder.redirectErrorStream(true).redirectOutput(out.toFile()).start();
        try {
            assertTrue(process.waitFor(minutes, TimeUnit.MINUTES), () -> "it does not end: " + read(out));
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        return read(out);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
