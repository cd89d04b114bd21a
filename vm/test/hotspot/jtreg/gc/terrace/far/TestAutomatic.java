// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.far;

/*
 * @test TestAutomatic
 * @summary Without UseFarMemory, far memory turns itself on at the first cycle of a process with a memory limit and swapped-out
 *          pages (torture simulates both). Without swapped-out pages, or if the flag forbids it, it stays off
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management jdk.management jdk.jfr
 * @run driver/timeout=300 gc.terrace.far.TestAutomatic
 */

import java.util.ArrayList;
import java.util.List;

import jdk.test.lib.dcmd.JMXExecutor;
import jdk.test.lib.process.OutputAnalyzer;
import org.terrace.FarMemory;

public class TestAutomatic {

    private static final String SECONDS = "3";
    private static final String ON = "Far memory is on from now on";
    private static final String OFF = "Far memory is off. It turns itself on";

    /** Queries the state before the first cycle and after the last. */
    public static final class Program {
        public static void main(String[] arguments) throws Throwable {
            System.out.println("Available: " + FarMemory.isAvailable());
            ask("before");
            Graph.main(arguments);
            ask("after");
        }

        private static void ask(String when) {
            System.out.println(when + ": " + new JMXExecutor().execute("Terrace.far").getOutput().lines().findFirst().orElse("nothing"));
        }
    }

    public static void main(String[] arguments) throws Exception {
        OutputAnalyzer output = run("-XX:FarMemoryTorture=2", "-XX:+VerifyFarMemory");
        output.shouldContain("Available: true");
        output.shouldContain("before: " + OFF);
        output.shouldContain(ON);
        output.shouldContain("after: Absent: ");
        output.shouldMatch("Verified: [1-9][0-9]* objects are reachable, 0 of them not marked");
        Far.Marked sum = Far.marked(output);
        Far.check(sum.complete > 0 && sum.deferred > 0, "%s", sum);

        // The process has a memory limit, but no swapped-out pages.
        output = run("-XX:MaxRAM=4g");
        output.shouldNotContain(ON);
        output.shouldContain("after: " + OFF);

        output = Far.run(flags("-XX:-UseFarMemory"), Graph.class.getName(), SECONDS, "all");
        output.shouldHaveExitValue(0);
        output.shouldNotContain(ON);
    }

    private static List<String> flags(String... more) {
        List<String> all = new ArrayList<>(List.of("-XX:+UseG1GC", "-XX:+UnlockDiagnosticVMOptions", "-XX:+ExplicitGCInvokesConcurrent",
                                                   "-Xmx256m", "-Xms256m", "-XX:G1HeapRegionSize=1m"));
        all.addAll(List.of(more));
        return all;
    }

    private static OutputAnalyzer run(String... more) throws Exception {
        OutputAnalyzer output = Far.run(flags(more), Program.class.getName(), SECONDS, "all");
        output.shouldHaveExitValue(0);
        output.shouldContain(Graph.DONE);
        return output;
    }
}
