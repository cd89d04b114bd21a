// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.far;

/*
 * @test id=all
 * @summary Shenandoah's marking that defers objects finds all reachable objects, whichever pages are absent
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=300 gc.terrace.far.TestShenandoah 1 -XX:ConcGCThreads=1
 */

/*
 * @test id=half
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=300 gc.terrace.far.TestShenandoah 2 -XX:ConcGCThreads=3 -XX:ParallelGCThreads=4 -XX:+UseStringDeduplication
 */

/*
 * @test id=few
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=300 gc.terrace.far.TestShenandoah 20 -XX:ConcGCThreads=2 -XX:-UseCompressedOops
 */

/*
 * @test id=aggressive
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=300 gc.terrace.far.TestShenandoah 2 -XX:ShenandoahGCHeuristics=aggressive -XX:+ShenandoahSuspendibleWorkers
 */

import java.util.List;

import jdk.test.lib.process.OutputAnalyzer;

public class TestShenandoah {

    private static final int SECONDS = 8;

    public static void main(String[] arguments) throws Exception {
        List<String> flags = Far.tortured(Integer.parseInt(arguments[0]), "-XX:+UnlockExperimentalVMOptions", "-XX:+UseShenandoahGC",
                                          "-XX:-FarMemorySummaries", "-Xms256m", "-Xmx256m");
        flags.addAll(List.of(arguments).subList(1, arguments.length));
        OutputAnalyzer output = Far.run(flags, Graph.class.getName(), String.valueOf(SECONDS), "all");
        output.shouldHaveExitValue(0);
        output.shouldContain("Using Shenandoah");
        output.shouldContain(Graph.DONE);
        // VerifyFarMemory lets Shenandoah verify that all reachable objects are marked.
        output.shouldMatch("Verify (After Mark|Before Evacuation), .*[1-9][0-9]* reachable");
        Far.Marked sum = Far.marked(output);
        System.out.println(sum);
        Far.check(sum.complete > 0, "%s", sum);
        Far.check(sum.scans > 0 && sum.swept > 0 && sum.asked > 0, "%s", sum);
        Far.check(sum.givenBack <= sum.asked, "%s", sum);
    }
}
