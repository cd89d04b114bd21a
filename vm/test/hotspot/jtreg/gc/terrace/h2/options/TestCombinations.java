// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.options;

/*
 * @test TestCombinations
 * @summary Other collectors, and flags that commit the whole heap, are rejected with a message that names them
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management jdk.management
 * @run driver gc.terrace.h2.options.TestCombinations
 */

import java.nio.file.Path;
import java.util.List;

import jdk.test.lib.process.OutputAnalyzer;

import static gc.terrace.h2.options.VM.*;

public class TestCombinations {

    public static void main(String[] args) throws Exception {
        Path directory = freshDirectory("combinations");
        String h2 = "-XX:AllocateH2At=" + directory;
        otherCollectors(h2);
        pinnedHeaps(h2, directory);
        harmlessOnes(h2);
        assertEmpty(directory);
    }

    private static void otherCollectors(String h2) throws Exception {
        for (String name : new String[] { "G1", "Serial", "Z", "Shenandoah", "Epsilon" }) {
            String use = "-XX:+Use" + name + "GC";
            // Not every build has every collector. A missing one is rejected anyway.
            if (run("-XX:+UnlockExperimentalVMOptions", use).getExitValue() != 0) {
                continue;
            }
            assertRefused(run("-XX:+UnlockExperimentalVMOptions", use, h2), "AllocateH2At", "ParallelGC");
            assertRefused(run("-XX:+UnlockExperimentalVMOptions", h2, use), "AllocateH2At", "ParallelGC");
        }
    }

    private static void pinnedHeaps(String h2, Path directory) throws Exception {
        // Rejected if the system has huge pages. Without them the VM itself turns the flags off with a message.
        for (String flag : new String[] { "-XX:+UseLargePages", "-XX:+UseHugeTLBFS", "-XX:+UseSHM" }) {
            OutputAnalyzer output = run(h2, flag);
            if (output.getExitValue() == 0) {
                assertH2(output).shouldContain("moved true");
            } else {
                assertRefused(output, "AllocateH2At", "huge pages");
            }
        }
        assertRefused(run(h2, "-XX:AllocateHeapAt=" + directory), "AllocateH2At", "AllocateHeapAt");
    }

    private static void harmlessOnes(String h2) throws Exception {
        String[][] combinations = {
            { "-XX:+UseNUMA" }, { "-XX:+AlwaysPreTouch" }, { "-XX:ParallelGCThreads=1" },
            { "-XX:-UseAdaptiveSizePolicy" }, { "-XX:ObjectAlignmentInBytes=16" }, { "-Xshare:off" }, { "-Xint" },
            { "-XX:-UseCompressedOops" }, { "-XX:-UseCompressedOops", "-XX:-UseCompressedClassPointers" },
            { "-XX:+UseTransparentHugePages" }, { "-XX:NativeMemoryTracking=summary" }, { "-XX:MaxTenuringThreshold=0" },
            { "-XX:NewRatio=1" }, { "-Xmn16m" }, { "-Xms64m" }, { "-XX:-UseTLAB" }, { "-XX:+UseCountedLoopSafepoints" }
        };
        for (String[] flags : combinations) {
            String[] all = new String[flags.length + 2];
            all[0] = h2;
            all[1] = "-XX:H2Size=256m";
            System.arraycopy(flags, 0, all, 2, flags.length);
            OutputAnalyzer output = run(all);
            System.out.println(List.of(flags));
            assertH2(output).shouldContain("moved true");
        }
    }
}
