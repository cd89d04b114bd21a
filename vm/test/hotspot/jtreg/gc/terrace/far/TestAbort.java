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
import java.util.regex.Pattern;

import jdk.test.lib.process.OutputAnalyzer;

public class TestAbort {

    // Torture treats no page as absent in one epoch of four, and the log then says nothing. On a busy machine, a run may abort few
    // markings.
    private static final int ATTEMPTS = 6;
    private static final Pattern DEFERRED = Pattern.compile("Marking aborted: \\d+ pages absent; deferred ([1-9]\\d*) objects");

    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < ATTEMPTS; i++) {
            if (run()) {
                return;
            }
        }
        throw new RuntimeException("no marking was aborted while objects were deferred, or none was complete");
    }

    private static boolean run() throws Exception {
        List<String> flags = Far.tortured(2, "-Xmx256m", "-XX:G1HeapRegionSize=1m", "-XX:ConcGCThreads=2",
                                         "-Xbootclasspath/a:.", "-XX:+WhiteBoxAPI");
        OutputAnalyzer output = Far.run(flags, Graph.class.getName(), "12", "full");
        output.shouldHaveExitValue(0);
        output.shouldContain(Graph.DONE);
        Far.Marked sum = Far.marked(output);
        long deferred = DEFERRED.matcher(output.getStdout()).results().count();
        System.out.println(sum + "; aborted while objects were deferred: " + deferred);
        return sum.complete > 0 && deferred > 0;
    }
}
