// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that data which was acknowledged to a memcached client exists after the server was killed with SIGKILL. */
class MemcachedTest {
    @TempDir
    Path directory;

    /** A client for memcached's text protocol, with one command at a time. */
    private static final class Client implements AutoCloseable {
        private final Socket socket;
        private final BufferedReader in;

        Client() throws IOException {
            socket = new Socket(Loopback.ADDRESS, Loopback.MEMCACHED_PORT);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        }

        private String ask(String command) throws IOException {
            socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.US_ASCII));
            return in.readLine();
        }

        void set(String key, int flags, String value) throws IOException {
            assertEquals("STORED", ask("set " + key + " " + flags + " 0 " + value.length() + "\r\n" + value));
        }

        /** Returns {@code FLAGS VALUE}, or null. */
        String get(String key) throws IOException {
            String answer = ask("get " + key);
            if (answer.equals("END")) {
                return null;
            }
            String found = answer.split(" ")[2] + " " + in.readLine();
            assertEquals("END", in.readLine());
            return found;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    @Test
    void whatWasStoredSurvivesAKillOfTheServer() throws Exception {
        int last = 0;
        for (int kill = 0; kill < 3; kill++) {
            try (Program server = new Program(directory.resolve("stderr"), List.of("-Djava.util.logging.config.file="
                    + System.getProperty("java.util.logging.config.file")), MemcachedNode.class, directory.toString(), Loopback.ADDRESS)) {
                assertEquals("ready", server.expect());
                try (Client client = new Client()) {
                    for (int i = Math.max(0, last - 60); i < last; i++) {
                        assertEquals(i % 3 == 0 ? null : i % 7 + " value" + i, client.get("key" + i));
                    }
                    for (int end = last + 60; last < end; last++) {
                        client.set("key" + last, last % 7, "value" + last);
                        if (last % 3 == 0) {
                            assertEquals("DELETED", client.ask("delete key" + last));
                        }
                    }
                }
            }
        }
    }
}
