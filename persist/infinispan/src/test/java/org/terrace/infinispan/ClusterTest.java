// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a cluster of two nodes in separate JVMs on the loopback interface. They are killed with SIGKILL, first one after the other,
 * then both at once.
 */
class ClusterTest {
    private static final int KILLS = Integer.getInteger("infinispan.kills", 3);
    private static final int KEYS = 60;

    @TempDir
    Path directory;

    private final Program[] nodes = new Program[2];
    /** The largest acknowledged value for each key. Values of a key only increase. */
    private final Map<String, Integer> acknowledged = new ConcurrentHashMap<>();
    private final AtomicInteger puts = new AtomicInteger();

    @AfterEach
    void end() throws InterruptedException {
        for (Program node : nodes) {
            if (node != null) {
                node.close();
            }
        }
    }

    /** Starts a node alone or as the second one. A node that does not wait for the first may form a separate cluster. */
    private void start(int node, int members) throws IOException {
        int[] ports = Loopback.CLUSTER_PORTS;
        List<String> options = List.of("-Dnode.address=" + Loopback.ADDRESS, "-Dnode.port=" + ports[node],
                "-Dother.port=" + ports[1 - node],
                "-Djava.net.preferIPv4Stack=true",
                "-Djava.util.logging.config.file=" + System.getProperty("java.util.logging.config.file"));
        nodes[node] = new Program(directory.resolve("stderr" + node), options, ClusterNode.class, "node" + node,
                directory.resolve("store" + node).toString(), "" + members);
        assertEquals("ready", nodes[node].expect());
    }

    /** Puts values through one node until it is killed, or until both nodes together have made {@code stop} acknowledgements. */
    private Thread writer(int node, AtomicInteger next, int stop) {
        Program program = nodes[node];
        Thread thread = new Thread(() -> {
            try {
                while (puts.get() < stop) {
                    int value = next.incrementAndGet();
                    String key = "key" + node + "-" + value % KEYS;
                    program.write("put " + key + " " + value);
                    if (!"ok".equals(program.read())) {
                        return;
                    }
                    acknowledged.put(key, value);
                    puts.incrementAndGet();
                }
            } catch (IOException e) {
                // The node was killed.
                return;
            }
        });
        thread.start();
        return thread;
    }

    private void checkEntriesOf(int node, String where) throws IOException {
        nodes[node].write("entries");
        Map<String, Integer> found = new HashMap<>();
        for (String entry : nodes[node].expect().split(" ")) {
            String[] words = entry.split("=");
            found.put(words[0], Integer.valueOf(words[1]));
        }
        acknowledged.forEach((key, value) -> assertTrue(found.getOrDefault(key, -1) >= value,
                () -> where + ": node " + node + " has " + found.get(key) + " for " + key + ", acknowledged was " + value));
    }

    @Test
    void nothingAcknowledgedIsLost() throws Exception {
        long seed = Long.getLong("infinispan.seed", System.nanoTime());
        Random random = new Random(seed);
        start(0, 1);
        start(1, 2);
        AtomicInteger[] next = {new AtomicInteger(), new AtomicInteger()};
        for (int kill = 0; kill <= KILLS; kill++) {
            boolean both = kill == KILLS;
            int victim = kill % 2;
            String where = "seed " + seed + ", kill " + kill;
            int before = puts.get() + 100 + random.nextInt(200);
            List<Thread> writers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                writers.add(writer(i, next[i], both ? Integer.MAX_VALUE : before + 200));
            }
            while (puts.get() < before) {
                nodes[0].checkAlive();
                nodes[1].checkAlive();
                Thread.sleep(1);
            }
            nodes[victim].kill();
            if (both) {
                nodes[1 - victim].kill();
            }
            for (Thread writer : writers) {
                writer.join();
            }
            nodes[victim].await();
            if (both) {
                nodes[1 - victim].await();
                // While it was alone, this node may have acknowledged values that the victim lacks.
                start(1 - victim, 1);
            }
            checkEntriesOf(1 - victim, where);
            start(victim, 2);
            checkEntriesOf(victim, where + ", after the restart");
            checkEntriesOf(1 - victim, where + ", after the restart");
        }
        assertTrue(acknowledged.size() > KEYS);
    }
}
