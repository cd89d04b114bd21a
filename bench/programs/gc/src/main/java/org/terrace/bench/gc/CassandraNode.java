package org.terrace.bench.gc;

import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.cassandra.service.EmbeddedCassandraService;
import org.apache.cassandra.transport.SimpleClient;

/** A Cassandra of one node in this JVM, which clients reach over the loopback. */
final class CassandraNode {

    private static final String HOST = "127.0.0.1";
    private static final int MEMTABLE_SHARE = 4;

    private final int port;

    /** Starts it, with its files in the folder. There can be one in a JVM. */
    CassandraNode(Path folder) throws IOException {
        List<Integer> ports = freePorts(2);
        port = ports.get(0);
        Path settings = folder.resolve("cassandra.yaml");
        try (InputStream template = CassandraNode.class.getResourceAsStream("cassandra.yaml")) {
            Files.writeString(settings, new String(template.readAllBytes(), StandardCharsets.UTF_8)
                    .replace("@FOLDER@", folder.toString())
                    .replace("@NATIVE_PORT@", Integer.toString(port))
                    .replace("@STORAGE_PORT@", ports.get(1).toString())
                    .replace("@MEMTABLE_MB@", Long.toString((Runtime.getRuntime().maxMemory() >> 20) / MEMTABLE_SHARE)));
        }
        System.setProperty("cassandra.config", settings.toUri().toString());
        System.setProperty("cassandra.storagedir", folder.toString());
        // It waits for nobody.
        System.setProperty("cassandra.skip_wait_for_gossip_to_settle", "0");
        System.setProperty("cassandra.ring_delay_ms", "100");
        new EmbeddedCassandraService().start();
    }

    SimpleClient client() throws IOException {
        return new SimpleClient(HOST, port).connect(false);
    }

    private static List<Integer> freePorts(int count) throws IOException {
        List<ServerSocket> held = new ArrayList<>();
        List<Integer> ports = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            held.add(new ServerSocket(0));
            ports.add(held.get(i).getLocalPort());
        }
        for (ServerSocket socket : held) {
            socket.close();
        }
        return ports;
    }
}
