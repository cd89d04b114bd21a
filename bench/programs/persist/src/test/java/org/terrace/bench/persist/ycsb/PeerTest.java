// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PeerTest {
    private static final int KILL_AFTER = 100;

    @TempDir
    Path folder;

    private static Level weakest(Peer peer) {
        return peer.levels.keySet().stream().max(Comparator.naturalOrder()).orElseThrow();
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void anUpdateChangesItsPartOnly(Peer peer) throws Exception {
        Shape shape = new Shape(10, 20, 3, 16, 0);
        byte[] record = new byte[shape.recordBytes()];
        try (Records store = peer.open(folder, weakest(peer), shape)) {
            assertNull(store.read("user7"));
            store.insert("user7", record.clone());
            store.insert("user8", record.clone());
            byte[] field = "0123456789abcdef".getBytes();
            store.update("user7", 16, field);
            System.arraycopy(field, 0, record, 16, field.length);
            assertArrayEquals(record, store.read("user7"));
            assertArrayEquals(new byte[shape.recordBytes()], store.read("user8"));
        }
        try (Records store = peer.open(folder, weakest(peer), shape)) {
            assertArrayEquals(record, store.read("user7"));
        }
    }

    @ParameterizedTest
    @EnumSource(Peer.class)
    void aScanFindsAllInOrder(Peer peer) throws Exception {
        Shape shape = new Shape(100, 100, 1, 16, 0);
        NavigableMap<String, byte[]> expected = new TreeMap<>();
        try (Records store = peer.open(folder, Level.CLOSED, shape)) {
            for (int i = 0; i < 100; i++) {
                String key = "user" + i * 7919L % 1009;
                expected.put(key, String.format("%016d", i).getBytes());
                store.insert(key, expected.get(key));
            }
            if (peer.scans == Peer.Scans.NONE) {
                assertThrows(UnsupportedOperationException.class, () -> store.scan("user0", 1, (key, record) -> { }));
                return;
            }
            for (String from : expected.keySet()) {
                List<String> found = new ArrayList<>();
                store.scan(from, 10, (key, record) -> {
                    found.add(key);
                    assertArrayEquals(expected.get(key), record);
                });
                assertEquals(expected.tailMap(from).keySet().stream().limit(10).toList(), found);
            }
        }
    }

    /** Tests the weakest level of each store, because all levels promise to survive a kill. */
    @ParameterizedTest
    @EnumSource(Peer.class)
    void whatWasAcknowledgedSurvivesAKill(Peer peer) throws Exception {
        int acknowledged = kill(peer, weakest(peer));
        try (Records store = peer.open(folder, weakest(peer), KilledPeer.SHAPE)) {
            for (int i = 0; i < KilledPeer.KEYS; i++) {
                byte[] record = store.read(KilledPeer.key(i));
                int before = KilledPeer.last(i, acknowledged);
                int after = KilledPeer.last(i, acknowledged + 1);
                if (record == null && before != after && peer == Peer.CHRONICLE) {
                    continue; // its level promises no more
                }
                int value = KilledPeer.number(record);
                assertTrue(value == before || value == after, i + " has " + value + ", not " + before + " or " + after);
            }
        }
    }

    /** Tests that {@link #kill} comes before a store writes everything anyway, so the test above is meaningful. */
    @Test
    void whatWasNotCommittedDoesNotSurviveAKill() throws Exception {
        kill(Peer.MVSTORE, Level.CLOSED);
        try (Records store = Peer.MVSTORE.open(folder, Level.CLOSED, KilledPeer.SHAPE)) {
            assertNull(store.read(KilledPeer.key(1)));
        }
    }

    /** Returns the number of changes that the program has reported. */
    private int kill(Peer peer, Level level) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("--add-") || argument.startsWith("-Dchronicle")).toList());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), KilledPeer.class.getName(), peer.name(),
                level.name(), folder.toString()));
        Path log = Files.createTempFile(folder, "killed", ".log");
        Process killed = new ProcessBuilder(command).redirectError(log.toFile()).start();
        int acknowledged = 0;
        try (BufferedReader out = killed.inputReader()) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                acknowledged = line.matches("done \\d+") ? Integer.parseInt(line.substring(5)) : acknowledged;
                if (acknowledged == KILL_AFTER) {
                    killed.toHandle().destroyForcibly(); // keeps the output readable
                }
            }
        } finally {
            killed.destroyForcibly().waitFor();
        }
        assertTrue(acknowledged >= KILL_AFTER, Files.readString(log));
        return acknowledged;
    }
}
