// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.bank;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A bank server in a JVM of its own. */
final class ServerProcess implements AutoCloseable {
    private static final String READY = "ready ";

    private final Process process;
    private final BufferedReader out;
    private final Path log;

    /** @param jvmOptions options of the server's JVM */
    ServerProcess(List<String> jvmOptions, BankOptions options) throws IOException {
        Files.createDirectories(options.folder());
        log = options.folder().resolve("server.log");
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), BankServer.class.getName()));
        command.addAll(options.words());
        process = new ProcessBuilder(command).redirectError(log.toFile()).start();
        out = process.inputReader();
    }

    /**
     * Waits until the server accepts requests.
     *
     * @return its address
     * @throws IOException if the server has ended instead
     */
    URI awaitReady() throws IOException {
        String line = out.readLine();
        if (line == null || !line.startsWith(READY)) {
            throw new IOException("the server said \"" + line + "\":\n" + Files.readString(log));
        }
        return URI.create("http://localhost:" + line.substring(READY.length()) + "/");
    }

    /** @throws IOException if the server has ended by itself */
    void checkAlive() throws IOException {
        if (!process.isAlive()) {
            throw new IOException("the server ended with status " + process.exitValue() + ":\n" + Files.readString(log));
        }
    }

    /** Kills the server with SIGKILL. Returns when it is dead. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly().onExit().join();
        out.close();
        process.getOutputStream().close();
    }
}
