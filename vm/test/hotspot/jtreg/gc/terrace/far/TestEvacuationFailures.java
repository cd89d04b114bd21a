// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.far;

/*
 * @test TestEvacuationFailures
 * @summary Marking from summaries misses no object after evacuation failures, which clear marks of the previous cycle, also on pages
 *          that they do not write, and after evacuation failures during marking
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=300 gc.terrace.far.TestEvacuationFailures
 */

import java.util.List;
import java.util.SplittableRandom;

import gc.terrace.h2.Sample;
import jdk.test.lib.Platform;
import jdk.test.lib.process.OutputAnalyzer;

public class TestEvacuationFailures {

    private static final int SECONDS = Sample.part(4);

    /** Garbage appears between the nodes of old regions. After each cycle, mixed collections evacuate these regions. */
    public static final class Program {
        static final int NODES = 150_000;
        static final int ROUNDS = 12;
        static volatile byte[] garbage;

        static final class Node {
            final int id;
            final byte[] data = new byte[300];
            Node other;

            Node(int id) {
                this.id = id;
            }
        }

        public static void main(String[] arguments) throws Exception {
            SplittableRandom random = new SplittableRandom(1);
            Node[] nodes = new Node[NODES];
            for (int i = 0; i < NODES; i++) {
                nodes[i] = new Node(i);
            }
            for (int round = 0; round < ROUNDS; round++) {
                // Runs of dead nodes, which are longer than a page.
                int start = random.nextInt(NODES - 400);
                for (int k = 0; k < 60; k++) {
                    for (int i = start; i < start + 200; i++) {
                        nodes[i] = new Node(i);
                    }
                    start = random.nextInt(NODES - 400);
                }
                for (int i = 0; i < 200; i++) {
                    Node node = nodes[random.nextInt(NODES)];
                    node.other = new Node(node.id);
                }
                System.gc();
                for (int i = 0; i < 60_000; i++) {
                    garbage = new byte[1000];
                }
            }
            System.gc();
            for (int i = 0; i < NODES; i++) {
                if (nodes[i].id != i || nodes[i].data.length != 300 || nodes[i].other != null && nodes[i].other.id != i) {
                    throw new AssertionError("node " + i);
                }
            }
        }
    }

    /** Young collections during marking fail, while threads change a graph with humongous arrays and classes that are unloaded. */
    private static void checkDuringMarking() throws Exception {
        List<String> flags = Far.tortured(2, "-Xmx256m", "-Xms256m", "-XX:G1HeapRegionSize=1m", "-XX:MaxTenuringThreshold=2", "-Xmn4m",
                                          "-XX:ConcGCThreads=2", "-XX:ParallelGCThreads=2", "-XX:+G1EvacuationFailureALot",
                                          "-XX:G1EvacuationFailureALotInterval=1", "-XX:G1EvacuationFailureALotCount=200");
        OutputAnalyzer output = Far.run(flags, Graph.class.getName(), String.valueOf(SECONDS), "all");
        output.shouldHaveExitValue(0);
        output.shouldContain(Graph.DONE);
        output.shouldMatch("Verified: [1-9][0-9]* objects are reachable, 0 of them not marked");
        boolean isMarking = false;
        int failures = 0;
        for (String line : output.asLines()) {
            isMarking = line.contains("Concurrent Mark Cycle") ? line.endsWith("Cycle") : isMarking;
            failures += isMarking && line.contains("To-space exhausted") ? 1 : 0;
        }
        System.out.println(failures + " failures during cycles");
        Far.check(failures > 0, "no evacuation failed during a cycle");
    }

    public static void main(String[] arguments) throws Exception {
        if (!Platform.isDebugBuild()) {
            System.out.println("Only a debug build lets evacuation fail");
            return;
        }
        List<String> flags = Far.tortured(1, "-Xmx256m", "-Xms256m", "-XX:G1HeapRegionSize=1m", "-XX:+UnlockExperimentalVMOptions",
                                          "-XX:MaxTenuringThreshold=0", "-XX:G1HeapWastePercent=0",
                                          "-XX:G1MixedGCLiveThresholdPercent=100", "-XX:G1OldCSetRegionThresholdPercent=3", "-Xmn20m",
                                          "-XX:InitiatingHeapOccupancyPercent=100", "-XX:-G1UseAdaptiveIHOP",
                                          "-XX:+G1EvacuationFailureALot", "-XX:G1EvacuationFailureALotInterval=1",
                                          "-XX:G1EvacuationFailureALotCount=500");
        OutputAnalyzer output = Far.run(flags, Program.class.getName());
        output.shouldHaveExitValue(0);
        output.shouldMatch("Pause Young \\(Mixed\\)");
        output.shouldMatch("To-space exhausted");
        output.shouldMatch("Marking from summaries: [1-9][0-9]{3,} of");
        output.shouldMatch("Verified: [1-9][0-9]* objects are reachable, 0 of them not marked");
        checkDuringMarking();
    }
}
