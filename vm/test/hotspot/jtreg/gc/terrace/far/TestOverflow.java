// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.far;

/*
 * @test id=one
 * @summary Marking that restarts after an overflow of the mark stack loses no deferred objects and no summaries
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=300 gc.terrace.far.TestOverflow -XX:ConcGCThreads=1
 */

/*
 * @test id=three
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=300 gc.terrace.far.TestOverflow -XX:ConcGCThreads=3 -XX:ParallelGCThreads=3
 */

import java.util.List;

import jdk.test.lib.process.OutputAnalyzer;

public class TestOverflow {

    public static final class Program {
        // The queue of a worker has 131,072 entries.
        static final int ARRAYS = 300;
        static final int ENTRIES = 2000;
        static final int CYCLES = 6;

        /** Makes arrays whose last element is the next array. Marking continues with that one, and the other elements wait. */
        static Object[] chain() {
            Object[] next = null;
            for (int i = 0; i < ARRAYS; i++) {
                Object[] array = new Object[ENTRIES];
                for (int j = 0; j < ENTRIES - 1; j++) {
                    array[j] = new Object[] { i * ENTRIES + j };
                }
                array[ENTRIES - 1] = next;
                next = array;
            }
            return next;
        }

        public static void main(String[] arguments) {
            Object[] root = chain();
            for (int i = 0; i < CYCLES; i++) {
                System.gc();
            }
            int i = ARRAYS;
            for (Object[] array = root; array != null; array = (Object[]) array[ENTRIES - 1]) {
                i--;
                for (int j = 0; j < ENTRIES - 1; j++) {
                    if ((Integer) ((Object[]) array[j])[0] != i * ENTRIES + j) {
                        throw new AssertionError("entry " + j + " of array " + i);
                    }
                }
            }
            if (i != 0) {
                throw new AssertionError(i + " arrays are missing");
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        // Marking of the chain is deferred at an absent page, so only few pages are absent.
        List<String> flags = Far.tortured(500, "-Xmx256m", "-Xms256m", "-XX:G1HeapRegionSize=1m", "-XX:MarkStackSize=1k",
                                          "-XX:MarkStackSizeMax=1k", "-Xlog:gc+marking");
        flags.addAll(List.of(arguments));
        OutputAnalyzer output = Far.run(flags, Program.class.getName());
        output.shouldHaveExitValue(0);
        output.shouldContain("Concurrent Mark reset for overflow");
        output.shouldMatch("Verified: [1-9][0-9]* objects are reachable, 0 of them not marked");
        Far.Marked sum = Far.marked(output);
        System.out.println(sum);
        Far.check(sum.complete > 0 && sum.deferred > 0, "%s", sum);
    }
}
