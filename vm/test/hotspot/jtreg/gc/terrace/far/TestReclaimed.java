// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.far;

/*
 * @test TestReclaimed
 * @summary Deferred large arrays that young collections reclaim during marking are neither marked nor counted
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=300 gc.terrace.far.TestReclaimed
 */

import java.util.List;
import java.util.SplittableRandom;

import jdk.test.lib.process.OutputAnalyzer;

public class TestReclaimed {
    // On a busy machine, the program may replace no array while one is deferred.
    private static final int ATTEMPTS = 6;

    public static final class Program {
        static final int SLOTS = 60;
        static final int DEPTH = 15;
        static final byte[][] ARRAYS = new byte[SLOTS][];
        static volatile byte[] garbage;
        static volatile boolean stop;

        public static void main(String[] arguments) throws Exception {
            SplittableRandom random = new SplittableRandom(1);
            Object[] tree = tree(DEPTH);
            for (int i = 0; i < 50_000; i++) {
                garbage = new byte[1000];      // the tree becomes old, at addresses below those of the arrays
            }
            for (int i = 0; i < SLOTS; i++) {
                ARRAYS[i] = new byte[600_000];
            }
            Thread cycles = new Thread(() -> {
                while (!stop) {
                    System.gc();
                }
            });
            cycles.start();
            long end = System.nanoTime() + 12_000_000_000L;
            for (int i = 0; System.nanoTime() < end; i++) {
                int slot = random.nextInt(SLOTS);
                if (ARRAYS[slot][599_999] != 0) {
                    throw new AssertionError("slot " + slot);
                }
                ARRAYS[slot] = new byte[600_000];
                for (int k = 0; k < 2000; k++) {
                    garbage = new byte[1000];
                }
            }
            stop = true;
            cycles.join();
            if (count(tree) != (2 << DEPTH) - 1) {
                throw new AssertionError("the tree has " + count(tree) + " nodes");
            }
        }

        /** Objects to mark, so that a marking takes a while. */
        static Object[] tree(int depth) {
            return depth == 0 ? new Object[2] : new Object[] { tree(depth - 1), tree(depth - 1) };
        }

        static int count(Object[] tree) {
            return tree[0] == null ? 1 : 1 + count((Object[]) tree[0]) + count((Object[]) tree[1]);
        }
    }

    public static void main(String[] arguments) throws Exception {
        List<String> flags = Far.tortured(1, "-Xmx256m", "-Xms256m", "-Xmn4m", "-XX:G1HeapRegionSize=1m", "-XX:ConcGCThreads=1");
        Far.Marked sum = run(flags);
        for (int i = 1; i < ATTEMPTS && sum.reclaimed == 0; i++) {
            sum = run(flags);
        }
        Far.check(sum.complete > 0 && sum.reclaimed > 0, "no deferred array was reclaimed: %s", sum);
    }

    private static Far.Marked run(List<String> flags) throws Exception {
        OutputAnalyzer output = Far.run(flags, Program.class.getName());
        output.shouldHaveExitValue(0);
        Far.Marked sum = Far.marked(output);
        System.out.println(sum);
        return sum;
    }
}
