// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.far;

/*
 * @test TestAbort
 * @summary A full collection during marking discards deferred objects, and the next marking is complete
 * @library / /test/lib
 * @modules java.management jdk.management
 * @build jdk.test.whitebox.WhiteBox
 * @run driver jdk.test.lib.helpers.ClassFileInstaller jdk.test.whitebox.WhiteBox
 * @run driver/timeout=600 gc.terrace.far.TestAbort
 */

import java.util.List;

import jdk.test.lib.process.OutputAnalyzer;

public class TestAbort {

    // The program requests a full collection when a cycle has begun. On a busy machine, marking may have ended by then.
    private static final int ATTEMPTS = 6;

    public static void main(String[] arguments) throws Exception {
        Far.Marked sum = run();
        for (int i = 1; i < ATTEMPTS && sum.aborted == 0; i++) {
            sum = run();
        }
        Far.check(sum.complete > 0 && sum.aborted > 0, "no marking was aborted, or none was not: %s", sum);
    }

    private static Far.Marked run() throws Exception {
        List<String> flags = Far.tortured(2, "-Xmx256m", "-XX:G1HeapRegionSize=1m", "-XX:ConcGCThreads=2",
                                         "-Xbootclasspath/a:.", "-XX:+WhiteBoxAPI");
        OutputAnalyzer output = Far.run(flags, Graph.class.getName(), "12", "full");
        output.shouldHaveExitValue(0);
        output.shouldContain(Graph.DONE);
        Far.Marked sum = Far.marked(output);
        System.out.println(sum);
        return sum;
    }
}
