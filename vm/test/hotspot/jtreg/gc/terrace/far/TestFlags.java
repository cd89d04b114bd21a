// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.far;

/*
 * @test TestFlags
 * @summary UseFarMemory selects G1. The VM rejects it with a message where it cannot work
 * @library / /test/lib
 * @run driver gc.terrace.far.TestFlags
 */

import java.util.List;

import jdk.test.lib.process.OutputAnalyzer;

public class TestFlags {

    private static final String STARTED = "the program has started";
    private static final String UNLOCK = "-XX:+UnlockDiagnosticVMOptions";
    private static final String EXPERIMENTAL = "-XX:+UnlockExperimentalVMOptions";

    public static final class Program {
        public static void main(String[] arguments) {
            System.out.println(STARTED);
            System.gc();
        }
    }

    public static void main(String[] arguments) throws Exception {
        started("-XX:+UseFarMemory").shouldContain("Using G1");
        started("-XX:+UseFarMemory", "-XX:+UseG1GC").shouldContain("Using G1");
        started("-XX:-UseFarMemory", "-XX:+UseParallelGC").shouldContain("Using Parallel");
        for (String collector : new String[] { "UseParallelGC", "UseSerialGC", "UseZGC" }) {
            refused("UseFarMemory works with G1 and Shenandoah only", "-XX:+UseFarMemory", "-XX:+" + collector);
        }
        refused("UseFarMemory works with G1 and Shenandoah only", "-XX:+UseFarMemory", EXPERIMENTAL, "-XX:+UseEpsilonGC");
        started("-XX:+UseFarMemory", "-XX:+UseShenandoahGC").shouldContain("Using Shenandoah");
        started("-XX:+UseFarMemory", "-XX:+UseShenandoahGC", "-XX:-UseG1GC").shouldContain("Using Shenandoah");
        started("-XX:+UseFarMemory", "-XX:+UseShenandoahGC", "-XX:ShenandoahGCMode=satb").shouldContain("Using Shenandoah");
        for (String mode : new String[] { "iu", "passive" }) {
            refused("remove -XX:ShenandoahGCMode=" + mode, "-XX:+UseFarMemory", "-XX:+UseShenandoahGC", EXPERIMENTAL, UNLOCK,
                    "-XX:ShenandoahGCMode=" + mode);
        }
        // Far memory turns itself on with G1 only.
        started("-XX:+UseShenandoahGC").shouldNotContain("[gc,far");
        refused("remove -XX:-UseG1GC", "-XX:+UseFarMemory", "-XX:-UseG1GC");
        refused("cannot be combined with AllocateH2At", "-XX:+UseFarMemory", "-XX:AllocateH2At=.");
        refused("cannot be combined with AllocateHeapAt", "-XX:+UseFarMemory", "-XX:AllocateHeapAt=.");
        refused("remove that", UNLOCK, "-XX:-UseFarMemory", "-XX:FarMemoryTorture=2");
        refused("remove that", UNLOCK, "-XX:-UseFarMemory", "-XX:+FarMemoryPageOut");
        refused("FarMemoryOnceAbove must not be greater than FarMemoryFreelyAbove",
                "-XX:+UseFarMemory", UNLOCK, "-XX:FarMemoryFreelyAbove=10", "-XX:FarMemoryOnceAbove=11");
        refused("outside the allowed range", "-XX:+UseFarMemory", UNLOCK, "-XX:FarMemoryFreelyAbove=101");
        // Diagnostic flags are unlocked by default in a debug build.
        String lock = "-XX:-UnlockDiagnosticVMOptions";
        refused("diagnostic", lock, "-XX:+UseFarMemory", "-XX:FarMemoryTorture=2");
        refused("needs -XX:+UnlockDiagnosticVMOptions", lock, "-XX:+UseFarMemory", "-Dterrace.far.failCall=cold:1");
        refused("the names are pagemap_open", "-XX:+UseFarMemory", UNLOCK, "-Dterrace.far.failCall=warm:1");

        // The whole heap is in memory, so far memory has no work and prints no warning.
        OutputAnalyzer idle = started("-XX:+UseFarMemory", "-XX:+ExplicitGCInvokesConcurrent");
        idle.shouldNotContain("has no effect").shouldNotContain("No summaries");
        // A step of the rebuild is not a multiple of 768K, and 4M is more than a step.
        for (String size : new String[] { "768K", "4M" }) {
            started("-XX:+UseFarMemory", "-XX:+UnlockExperimentalVMOptions", "-XX:G1RebuildRemSetChunkSize=" + size)
                .shouldContain("No summaries with G1RebuildRemSetChunkSize");
        }
    }

    private static OutputAnalyzer started(String... flags) throws Exception {
        OutputAnalyzer output = run(flags);
        output.shouldHaveExitValue(0);
        output.shouldContain(STARTED);
        return output;
    }

    private static void refused(String says, String... flags) throws Exception {
        OutputAnalyzer output = run(flags);
        output.shouldHaveExitValue(1);
        output.shouldContain(says);
        output.shouldNotContain(STARTED);
        output.shouldNotContain("A fatal error has been detected");
    }

    private static OutputAnalyzer run(String... flags) throws Exception {
        List<String> all = new java.util.ArrayList<>(List.of("-Xmx64m", "-Xlog:gc*"));
        all.addAll(List.of(flags));
        return Far.run(all, Program.class.getName());
    }
}
