// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.far;

/*
 * @test TestRootRegions
 * @summary The scan of root regions, for which pauses wait, does not read absent pages that survivors refer to. While nothing is
 *          swapped out, it is not delayed by a search for absent pages
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=300 gc.terrace.far.TestRootRegions
 */

import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;

import jdk.test.lib.process.OutputAnalyzer;

public class TestRootRegions {

    private static final Pattern DEFERRED = Pattern.compile("Root regions: deferred (\\d+) objects");
    private static final Pattern FOUND = Pattern.compile("Before root regions: looked up (\\d+) of");
    private static final Pattern SUMMARIZED = Pattern.compile("Marking from summaries: (\\d+) of");

    /** Survivors are the only objects that refer to some old nodes. */
    public static final class Program {
        static final int NODES = 100_000;
        static final int YOUNG = 5000;
        static final int CYCLES = 10;
        static volatile byte[] garbage;

        static final class Node {
            final int id;
            final byte[] data = new byte[300];

            Node(int id) {
                this.id = id;
            }
        }

        public static void main(String[] arguments) throws Exception {
            Node[] nodes = new Node[NODES];
            for (int i = 0; i < NODES; i++) {
                nodes[i] = new Node(i);
            }
            for (int i = 0; i < 4; i++) {
                System.gc();                               // the nodes become old
            }
            SplittableRandom random = new SplittableRandom(1);
            Object[][] young = new Object[YOUNG][];
            for (int cycle = 0; cycle < CYCLES; cycle++) {
                for (int i = 0; i < YOUNG; i++) {
                    int id = random.nextInt(NODES);
                    young[i] = new Object[] { id, nodes[id] };
                    nodes[id] = null;
                }
                System.gc();
                for (int i = 0; i < 20_000; i++) {
                    garbage = new byte[1000];
                }
                for (Object[] holder : young) {
                    Node node = (Node) holder[1];
                    int id = (Integer) holder[0];
                    if (node != null && (node.id != id || node.data.length != 300)) {
                        throw new AssertionError("node " + id);
                    }
                    if (node != null) {
                        nodes[id] = node;
                    }
                }
            }
        }
    }

    private static List<Long> numbers(Pattern pattern, OutputAnalyzer output) {
        return pattern.matcher(output.getStdout()).results().map(found -> Long.parseLong(found.group(1))).toList();
    }

    public static void main(String[] arguments) throws Exception {
        List<String> flags = Far.tortured(1, "-Xmx256m", "-Xms256m", "-XX:G1HeapRegionSize=1m", "-XX:MaxTenuringThreshold=2",
                                          "-XX:ConcGCThreads=2");
        OutputAnalyzer output = Far.run(flags, Program.class.getName());
        output.shouldHaveExitValue(0);
        output.shouldMatch("Verified: [1-9][0-9]* objects are reachable, 0 of them not marked");
        List<Long> deferred = numbers(DEFERRED, output);
        List<Long> summarized = numbers(SUMMARIZED, output);
        System.out.println("deferred by the scan of root regions " + deferred + "; marked from summaries " + summarized);
        // Torture treats no page as absent in one epoch of four.
        Far.check(deferred.stream().filter(objects -> objects > Program.YOUNG / 2).count() >= 3, "deferred only %s objects", deferred);
        Far.check(numbers(FOUND, output).stream().anyMatch(pages -> pages > 0), "did not look for absent pages");
        // The pages of these objects are marked from summaries nevertheless.
        Far.check(summarized.stream().anyMatch(pages -> pages > Program.NODES * 328L / 4096 / 2), "%s pages from summaries", summarized);
        checkNothingSwapped();
    }

    private static void checkNothingSwapped() throws Exception {
        OutputAnalyzer output = Far.run(List.of("-XX:+UseFarMemory", "-XX:+ExplicitGCInvokesConcurrent", "-Xmx256m"),
                                        Program.class.getName());
        output.shouldHaveExitValue(0);
        // A busy machine may swap out a part of the process in some cycles.
        Far.check(numbers(FOUND, output).contains(0L), "looked up %s pages although nothing was swapped out", numbers(FOUND, output));
    }
}
