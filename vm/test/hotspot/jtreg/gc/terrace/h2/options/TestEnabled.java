// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.options;

/*
 * @test TestEnabled
 * @summary One flag turns the second heap on, selects ParallelGC and leaves nothing in the directory
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management jdk.management
 * @run driver gc.terrace.h2.options.TestEnabled
 */

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import jdk.test.lib.process.OutputAnalyzer;
import jdk.test.lib.process.ProcessTools;

import static gc.terrace.h2.options.VM.*;

public class TestEnabled {

    public static void main(String[] args) throws Exception {
        Path directory = freshDirectory("enabled");
        oneFlag(directory);
        withoutTheFlag();
        theVersionIsPrinted(directory);
        parallelMayBeNamed(directory);
        directoriesOfAllKinds(directory);
        twoAtOnce(directory);
        diagnosticFlagsAreLocked(directory);
        assertEmpty(directory);
    }

    private static void oneFlag(Path directory) throws Exception {
        OutputAnalyzer output = run(List.of("-XX:AllocateH2At=" + directory), VM.Report.class, directory.toString());
        assertH2(output);
        output.shouldContain(directory.toString());
        output.shouldContain("files 0");
        output.shouldContain("moved true");
        output.shouldContain("Transfer: ");
        output.shouldContain("UseCompressedOops true");
        output.shouldMatch("AllocateH2At selects ParallelGC instead of (G1|Serial)");
    }

    private static void withoutTheFlag() throws Exception {
        OutputAnalyzer output = run("-XX:+UseParallelGC");
        assertStarted(output);
        output.shouldContain("H2 available false");
        output.shouldNotContain("[gc,h2");
        // A size without H2 is an error. A flag that only tunes H2 is harmless without it.
        assertRefused(run("-XX:H2Size=1g"), "H2Size", "AllocateH2At");
        assertRefused(run("-XX:+UnlockExperimentalVMOptions", "-XX:+H2MarkAhead"), "H2MarkAhead", "AllocateH2At", "ParallelGC");
        output = run("-XX:H2RegionSize=4m", "-XX:H2HighThreshold=90", "-XX:H2LowThreshold=20");
        assertStarted(output);
        output.shouldContain("H2 available false");
    }

    private static void theVersionIsPrinted(Path directory) throws Exception {
        OutputAnalyzer output = ProcessTools.executeProcess(
            ProcessTools.createLimitedTestJavaProcessBuilder(
                "-XX:AllocateH2At=" + directory, "-version"));
        output.shouldHaveExitValue(0);
        output.shouldContain("Terrace");
    }

    private static void parallelMayBeNamed(Path directory) throws Exception {
        assertH2(run("-XX:+UseParallelGC", "-XX:AllocateH2At=" + directory)).shouldNotContain("selects ParallelGC");
        assertH2(run("-XX:AllocateH2At=" + directory, "-XX:+UseParallelGC")).shouldNotContain("selects ParallelGC");
        assertH2(run("-XX:AllocateH2At=" + directory, "-XX:-UseG1GC"));
    }

    private static void directoriesOfAllKinds(Path directory) throws Exception {
        Path spaces = freshDirectory("with some spaces");
        assertH2(run("-XX:AllocateH2At=" + spaces));
        assertEmpty(spaces);
        assertH2(run("-XX:AllocateH2At=" + directory + "/"));
        assertH2(run("-XX:AllocateH2At=enabled"));
        Path link = Files.createSymbolicLink(Path.of("link").toAbsolutePath(), directory);
        assertH2(run("-XX:AllocateH2At=" + link));
    }

    private static void twoAtOnce(Path directory) throws Exception {
        Thread[] threads = new Thread[2];
        Throwable[] failures = new Throwable[threads.length];
        for (int i = 0; i < threads.length; i++) {
            int n = i;
            threads[i] = new Thread(() -> {
                try {
                    assertH2(run("-XX:AllocateH2At=" + directory, "-XX:H2Size=256m")).shouldContain("moved true");
                } catch (Throwable t) {
                    failures[n] = t;
                }
            });
            threads[i].start();
        }
        for (int i = 0; i < threads.length; i++) {
            threads[i].join();
            if (failures[i] != null) {
                throw new RuntimeException(failures[i]);
            }
        }
    }

    private static void diagnosticFlagsAreLocked(Path directory) throws Exception {
        for (String flag : new String[] { "-XX:+VerifyH2", "-XX:H2Torture=10", "-XX:H2TortureSeed=1",
                                          "-XX:H2FailTransferAt=1" }) {
            assertRefused(run("-XX:AllocateH2At=" + directory, "-XX:-UnlockDiagnosticVMOptions", flag),
                          "UnlockDiagnosticVMOptions");
            assertH2(run("-XX:AllocateH2At=" + directory, "-XX:+UnlockDiagnosticVMOptions", flag));
        }
    }
}
