// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.stress;

/*
 * @test TestStressReplay
 * @key stress
 * @summary A seed replays the stress program. The model is the same with H2, without it, and however it is compiled
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @build gc.terrace.h2.stress.H2Stress
 * @run driver/timeout=600 gc.terrace.h2.stress.TestStressReplay
 */

import java.util.ArrayList;
import java.util.List;

import jdk.test.lib.process.OutputAnalyzer;
import jdk.test.lib.process.ProcessTools;

public class TestStressReplay {

    private static final String[] H2 = {
        "-XX:AllocateH2At=.", "-XX:H2Size=512m", "-XX:H2RegionSize=2m", "-XX:+UnlockDiagnosticVMOptions", "-XX:+VerifyH2"
    };

    public static void main(String[] args) throws Exception {
        String first = checksum(17, H2);
        same(first, checksum(17, H2));
        same(first, checksum(17, "-XX:+UseParallelGC"));
        List<String> other = new ArrayList<>(List.of(H2));
        other.addAll(List.of("-XX:H2Torture=20", "-XX:ParallelGCThreads=8", "-XX:TieredStopAtLevel=1"));
        same(first, checksum(17, other.toArray(new String[0])));
        if (checksum(18, H2).equals(first)) {
            throw new RuntimeException("another seed makes the same model");
        }
    }

    private static void same(String first, String second) {
        if (!first.equals(second)) {
            throw new RuntimeException("checksums of one seed: " + first + " and " + second);
        }
    }

    private static String checksum(int seed, String... flags) throws Exception {
        List<String> command = new ArrayList<>(List.of("-Xmx192m"));
        command.addAll(List.of(flags));
        command.addAll(List.of(H2Stress.class.getName(), "--seed=" + seed, "--epochs=4", "--objects=4000"));
        OutputAnalyzer output = ProcessTools.executeProcess(ProcessTools.createLimitedTestJavaProcessBuilder(command));
        output.shouldHaveExitValue(0);
        return output.firstMatch("checksum of the model (\\S+)", 1);
    }
}
