// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.far;

/*
 * @test id=all
 * @summary Shenandoah finds, moves and updates all reachable objects, whichever pages are absent, and postpones some evacuations
 * @library / /test/lib
 * @modules java.management jdk.management
 * @build jdk.test.whitebox.WhiteBox
 * @run driver jdk.test.lib.helpers.ClassFileInstaller jdk.test.whitebox.WhiteBox
 * @run driver/timeout=300 gc.terrace.far.TestShenandoah 1 -XX:ConcGCThreads=1 -XX:-FarMemorySummaries
 */

/*
 * @test id=half
 * @library / /test/lib
 * @modules java.management jdk.management
 * @build jdk.test.whitebox.WhiteBox
 * @run driver jdk.test.lib.helpers.ClassFileInstaller jdk.test.whitebox.WhiteBox
 * @run driver/timeout=300 gc.terrace.far.TestShenandoah 2 -XX:ConcGCThreads=3 -XX:ParallelGCThreads=4 -XX:+UseStringDeduplication
 */

/*
 * @test id=few
 * @library / /test/lib
 * @modules java.management jdk.management
 * @build jdk.test.whitebox.WhiteBox
 * @run driver jdk.test.lib.helpers.ClassFileInstaller jdk.test.whitebox.WhiteBox
 * @run driver/timeout=300 gc.terrace.far.TestShenandoah 20 -XX:ConcGCThreads=2 -XX:-UseCompressedOops
 */

/*
 * @test id=aggressive
 * @library / /test/lib
 * @modules java.management jdk.management
 * @build jdk.test.whitebox.WhiteBox
 * @run driver jdk.test.lib.helpers.ClassFileInstaller jdk.test.whitebox.WhiteBox
 * @run driver/timeout=300 gc.terrace.far.TestShenandoah 2 -XX:ShenandoahGCHeuristics=aggressive -XX:+ShenandoahSuspendibleWorkers
 */

/*
 * @test id=large
 * @comment regions of several requests
 * @library / /test/lib
 * @modules java.management jdk.management
 * @build jdk.test.whitebox.WhiteBox
 * @run driver jdk.test.lib.helpers.ClassFileInstaller jdk.test.whitebox.WhiteBox
 * @run driver/timeout=300 gc.terrace.far.TestShenandoah 1 -XX:ShenandoahRegionSize=4m -XX:ConcGCThreads=2
 */

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jdk.test.lib.process.OutputAnalyzer;

public class TestShenandoah {

    private static final int SECONDS = 8;
    private static final Pattern EVACUATION = Pattern.compile("Evacuation: prefetched (\\d+) pages, paged out (\\d+)");
    private static final Pattern POSTPONED = Pattern.compile("Evacuation is postponed: ");

    public static void main(String[] arguments) throws Exception {
        List<String> flags = Far.tortured(Integer.parseInt(arguments[0]), "-XX:+UnlockExperimentalVMOptions", "-XX:+UseShenandoahGC",
                                          "-Xms256m", "-Xmx256m", "-Xbootclasspath/a:.", "-XX:+WhiteBoxAPI",
                                          "-XX:-ShenandoahImplicitGCInvokesConcurrent");
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
        checkEvacuations(output, flags.contains("-XX:ShenandoahGCHeuristics=aggressive"));
    }

    private static void checkEvacuations(OutputAnalyzer output, boolean evacuatesAlways) {
        output.shouldMatch("Verify After Updating References, .*[1-9][0-9]* reachable");
        long prefetched = 0;
        Matcher found = EVACUATION.matcher(output.getStdout());
        while (found.find()) {
            prefetched += Long.parseLong(found.group(1));
        }
        long postponed = POSTPONED.matcher(output.getStdout()).results().count();
        System.out.println("evacuations prefetched " + prefetched + " pages, " + postponed + " are postponed");
        Far.check(prefetched > 0, "evacuations prefetched nothing");
        // TestShenandoahReport requires that some are.
        Far.check(postponed == 0 || !evacuatesAlways, "%d evacuations are postponed", postponed);
    }
}
