// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A program in a separate JVM that answers lines of input and can be killed. */
final class Program implements AutoCloseable {
    private final Process process;
    private final Path errors;
    private final BufferedReader out;
    private final PrintWriter in;

    /** @param options options of the JVM */
    Program(Path errors, List<String> options, Class<?> main, String... arguments) throws IOException {
        this.errors = errors;
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java", "-Xmx256m",
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path")));
        command.addAll(options);
        command.add(main.getName());
        command.addAll(List.of(arguments));
        process = new ProcessBuilder(command).redirectError(Redirect.appendTo(errors.toFile())).start();
        out = new BufferedReader(new InputStreamReader(process.getInputStream()));
        in = new PrintWriter(process.getOutputStream(), true);
    }

    /** The next line, or null after the end. */
    String read() throws IOException {
        return out.readLine();
    }

    /** The next line, which must exist. */
    String expect() throws IOException {
        String line = read();
        if (line == null) {
            throw ended();
        }
        return line;
    }

    void checkAlive() throws IOException {
        if (!process.isAlive()) {
            throw ended();
        }
    }

    private AssertionError ended() throws IOException {
        return new AssertionError("the program ended: " + Files.readString(errors));
    }

    void write(String line) {
        in.println(line);
    }

    /** Kills the program with SIGKILL. */
    void kill() {
        process.toHandle().destroyForcibly();
    }

    void await() throws InterruptedException {
        process.waitFor();
    }

    @Override
    public void close() throws InterruptedException {
        kill();
        await();
    }
}
