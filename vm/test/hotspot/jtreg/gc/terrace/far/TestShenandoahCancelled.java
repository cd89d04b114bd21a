// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.far;

/*
 * @test id=degenerated
 * @summary If an allocation fails while Shenandoah's marking has deferred objects, the pause that completes the marking scans them
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=600 gc.terrace.far.TestShenandoahCancelled degenerated
 */

/*
 * @test id=full
 * @summary If a full collection follows instead, it marks from the start, and the next marking is complete
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=600 gc.terrace.far.TestShenandoahCancelled full
 */

import java.util.List;

import jdk.test.lib.process.OutputAnalyzer;

public class TestShenandoahCancelled {

    private static final String DONE = "all trees are right";
    private static final String SCANNED = "The pause has scanned the objects that the cancelled marking had deferred";
    private static final int SECONDS = 10;
    // A marking may also be complete before the allocation fails.
    private static final int ATTEMPTS = 8;

    /** Allocates faster than marking ends, because torture holds workers back for 50 ms. */
    public static final class Program {
        private static final int TREES = 24;
        private static final int DEPTH = 13;
        private static volatile byte[] garbage;

        private static final class Node {
            final long number;
            final Node left;
            final Node right;

            Node(long number, int depth) {
                this.number = number;
                left = depth == 0 ? null : new Node(2 * number, depth - 1);
                right = depth == 0 ? null : new Node(2 * number + 1, depth - 1);
            }

            void check(long expected, int depth) {
                Far.check(number == expected && (left == null) == (depth == 0), "node %d is %d", expected, number);
                if (depth > 0) {
                    left.check(2 * expected, depth - 1);
                    right.check(2 * expected + 1, depth - 1);
                }
            }
        }

        public static void main(String[] arguments) {
            Node[] trees = new Node[TREES];
            for (int i = 0; i < TREES; i++) {
                trees[i] = new Node(1, DEPTH);
            }
            long end = System.nanoTime() + SECONDS * 1_000_000_000L;
            for (int i = 0; System.nanoTime() < end; i++) {
                if (i % 32 == 0) {
                    System.gc();       // a concurrent cycle, during which nothing is allocated
                }
                for (int j = 0; j < 200; j++) {
                    garbage = new byte[50_000];
                }
                trees[i % TREES] = new Node(1, DEPTH);
                trees[i * 7 % TREES].check(1, DEPTH);
            }
            System.out.println(DONE);
        }
    }

    public static void main(String[] arguments) throws Exception {
        boolean degenerates = arguments[0].equals("degenerated");
        for (int i = 0; i < ATTEMPTS; i++) {
            OutputAnalyzer output = run(degenerates ? "-XX:+ShenandoahDegeneratedGC" : "-XX:-ShenandoahDegeneratedGC");
            Far.Marked sum = Far.marked(output);
            System.out.println(sum);
            boolean happened = degenerates ? output.getStdout().contains(SCANNED) : Far.fullCollections(output) > 0;
            if (happened && sum.complete > 0 && sum.aborted > 0) {
                return;
            }
        }
        throw new RuntimeException("no marking was cancelled while objects were deferred");
    }

    private static OutputAnalyzer run(String... more) throws Exception {
        List<String> flags = Far.tortured(1, "-XX:+UnlockExperimentalVMOptions", "-XX:+UseShenandoahGC", "-Xms110m", "-Xmx110m",
                                          "-XX:ShenandoahGCHeuristics=static", "-XX:ShenandoahMinFreeThreshold=20", "-XX:-ShenandoahPacing",
                                          "-XX:FarMemoryFreelyAbove=0", "-XX:FarMemoryOnceAbove=0");
        flags.addAll(List.of(more));
        OutputAnalyzer output = Far.run(flags, Program.class.getName());
        output.shouldHaveExitValue(0);
        output.shouldContain(DONE);
        output.shouldMatch("Verify (After Mark|Before Evacuation), .*[1-9][0-9]* reachable");
        return output;
    }
}
