// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.far;

/*
 * @test TestForgottenWrites
 * @summary VerifyFarMemory detects marking from summaries of pages that were written. Without this fault the same program passes
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=300 gc.terrace.far.TestForgottenWrites
 */

import java.util.List;

import jdk.test.lib.Platform;
import jdk.test.lib.process.OutputAnalyzer;

public class TestForgottenWrites {

    private static OutputAnalyzer run(String flag) throws Exception {
        List<String> flags = Far.tortured(1, "-Xmx256m", "-Xms256m", "-XX:G1HeapRegionSize=1m", "-XX:ConcGCThreads=2",
                                          "-XX:MaxTenuringThreshold=0", "-XX:-CreateCoredumpOnCrash", flag);
        return Far.run(flags, TestSummaries.Program.class.getName());
    }

    public static void main(String[] arguments) throws Exception {
        if (!Platform.isDebugBuild()) {
            System.out.println("Only a debug build has the fault");
            return;
        }
        run("-XX:-FarMemoryForgetWrites").shouldHaveExitValue(0);
        OutputAnalyzer output = run("-XX:+FarMemoryForgetWrites");
        output.shouldNotHaveExitValue(0);
        output.shouldMatch("concurrent marking missed [1-9][0-9]* of [1-9][0-9]* reachable objects");
    }
}
