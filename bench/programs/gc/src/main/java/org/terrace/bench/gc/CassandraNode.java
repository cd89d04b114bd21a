// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.gc;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.cassandra.service.EmbeddedCassandraService;
import org.apache.cassandra.transport.SimpleClient;

/** A Cassandra cluster of one node in this JVM. Clients connect over the loopback interface. */
final class CassandraNode {

    // A loopback address for this process only, so that no other process can take a port before Cassandra does.
    private static final String HOST = address(ProcessHandle.current().pid());
    private static final int PORT = 19042;
    private static final int MEMTABLE_SHARE = 4;

    /** Starts the node with its files in the folder. A JVM can have only one node. */
    CassandraNode(Path folder) throws IOException {
        Path settings = folder.resolve("cassandra.yaml");
        try (InputStream template = CassandraNode.class.getResourceAsStream("cassandra.yaml")) {
            Files.writeString(settings, new String(template.readAllBytes(), StandardCharsets.UTF_8)
                    .replace("@FOLDER@", folder.toString())
                    .replace("@HOST@", HOST)
                    .replace("@NATIVE_PORT@", Integer.toString(PORT))
                    .replace("@MEMTABLE_MB@", Long.toString((Runtime.getRuntime().maxMemory() >> 20) / MEMTABLE_SHARE)));
        }
        System.setProperty("cassandra.config", settings.toUri().toString());
        System.setProperty("cassandra.storagedir", folder.toString());
        // The node is alone, so it need not wait for others.
        System.setProperty("cassandra.skip_wait_for_gossip_to_settle", "0");
        System.setProperty("cassandra.ring_delay_ms", "100");
        new EmbeddedCassandraService().start();
    }

    SimpleClient client() throws IOException {
        return new SimpleClient(HOST, PORT).connect(false);
    }

    private static String address(long pid) {
        return "127." + (1 + (pid >> 16 & 0x7f)) + "." + (pid >> 8 & 0xff) + "." + (pid & 0xff);
    }
}
