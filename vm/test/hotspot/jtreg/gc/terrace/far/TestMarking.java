// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.far;

/*
 * @test id=all
 * @summary Marking that defers objects finds all reachable objects, whichever pages are absent. If all pages are always absent, marking
 *          from summaries would keep garbage alive as long as an object beside it
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=300 gc.terrace.far.TestMarking 1 -XX:ConcGCThreads=1 -XX:-FarMemorySummaries
 */

/*
 * @test id=half
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=300 gc.terrace.far.TestMarking 2 -XX:ConcGCThreads=3 -XX:ParallelGCThreads=4
 */

/*
 * @test id=few
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=300 gc.terrace.far.TestMarking 20 -XX:ConcGCThreads=2 -XX:-UseCompressedOops
 */

/*
 * @test id=once
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=300 gc.terrace.far.TestMarking 2 -XX:FarMemoryFreelyAbove=100 -XX:FarMemoryOnceAbove=0 -XX:ConcGCThreads=2
 */

/*
 * @test id=alignment
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=300 gc.terrace.far.TestMarking 2 -XX:ObjectAlignmentInBytes=16 -XX:FarMemoryTortureSeed=7
 */

/*
 * @test id=verified
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=600 gc.terrace.far.TestMarking 2 -XX:+VerifyDuringGC -XX:+VerifyAfterGC
 */

import java.util.List;

import gc.terrace.h2.Sample;
import jdk.test.lib.process.OutputAnalyzer;

public class TestMarking {

    private static final int SECONDS = Sample.part(8);

    public static void main(String[] arguments) throws Exception {
        List<String> flags = Far.tortured(Integer.parseInt(arguments[0]), "-Xmx256m", "-XX:G1HeapRegionSize=1m", "-Xms256m");
        flags.addAll(List.of(arguments).subList(1, arguments.length));
        String mode = flags.contains("-XX:+VerifyDuringGC") ? "keep" : "all";
        OutputAnalyzer output = Far.run(flags, Graph.class.getName(), String.valueOf(SECONDS), mode);
        output.shouldHaveExitValue(0);
        output.shouldContain(Graph.DONE);
        output.shouldMatch("Verified: [1-9][0-9]* objects are reachable, 0 of them not marked");
        output.shouldMatch("Released the memory of [1-9][0-9]* free regions");
        Far.Marked sum = Far.marked(output);
        System.out.println(sum);
        Far.check(sum.complete > 0 && sum.aborted <= Far.fullCollections(output), "%s", sum);
        Far.check(sum.deferred > 0 && sum.swept > 0 && sum.asked > 0, "%s", sum);
        Far.check(sum.givenBack <= sum.asked, "%s", sum);
    }
}
