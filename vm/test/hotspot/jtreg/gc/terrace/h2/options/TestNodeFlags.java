// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.options;

/*
 * @test TestNodeFlags
 * @summary Errors of AllocateH2OnNode name the flag and the remedy
 * @requires os.family == "linux"
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management jdk.management
 * @run driver gc.terrace.h2.options.TestNodeFlags
 */

import java.nio.file.Path;
import java.util.List;

import jdk.test.lib.process.OutputAnalyzer;

import static gc.terrace.h2.options.VM.*;

public class TestNodeFlags {

    private static final String ON_NODE = "-XX:AllocateH2OnNode=0";
    private static final String SIZE = "-XX:H2Size=128m";

    public static void main(String[] args) throws Exception {
        refusals();
        failures();

        assertH2(run(ON_NODE, SIZE)).shouldContain("H2: memory of node 0, 128M").shouldContain("moved true")
            .shouldNotContain("lies in memory (tmpfs)");
        assertH2(run(ON_NODE)).shouldContain("moved true");
        assertH2(run(ON_NODE, SIZE, "-XX:-UseCompressedOops")).shouldContain("moved true");
        assertH2(run(ON_NODE, SIZE, "-XX:H2FastSize=32m")).shouldContain("Tiers: up to 32M of H2 fast, policy hints");
        assertStarted(run("-XX:AllocateH2OnNode=-1")).shouldContain("H2 available false");
        Path directory = freshDirectory("directory");
        assertH2(run("-XX:AllocateH2OnNode=-1", "-XX:AllocateH2At=" + directory, SIZE)).shouldContain("moved true");
        assertEmpty(directory);
    }

    private static void refusals() throws Exception {
        assertRefused(run("-XX:AllocateH2OnNode=777"), "AllocateH2OnNode=777: there is no such node; nodes with memory: ",
                      "AllocateH2At=<directory>");
        assertRefused(run("-XX:AllocateH2OnNode=-2"), "AllocateH2OnNode");
        assertRefused(run("-XX:AllocateH2OnNode=1024"), "AllocateH2OnNode");
        assertRefused(run(ON_NODE, "-XX:AllocateH2At=."), "AllocateH2OnNode cannot be combined with AllocateH2At");
        assertRefused(run(ON_NODE, "-XX:AllocateH2At="), "AllocateH2At= names no directory");
        assertRefused(run(ON_NODE, "-XX:H2Size=64t"), "H2Size is ", "AllocateH2OnNode=0 has ", "choose a smaller size or another node");
        assertRefused(run(SIZE), "H2Size is set", "AllocateH2OnNode=<node>");
        assertRefused(run("-XX:H2FastSize=64m"), "H2FastSize is set", "AllocateH2OnNode=<node>");
        assertRefused(run(ON_NODE, "-XX:+UseG1GC"), "AllocateH2OnNode: the second heap works with ParallelGC only");
        assertRefused(run(ON_NODE, "-XX:+UseFarMemory"), "UseFarMemory cannot be combined with AllocateH2OnNode");
        assertRefused(run(ON_NODE, "-XX:AllocateHeapAt=."), "AllocateH2OnNode cannot be combined with AllocateHeapAt");
    }

    /** Tests a container or a kernel that does not permit the calls. */
    private static void failures() throws Exception {
        for (String rule : new String[] { "get_policy:1", "bind:1" }) {
            assertRefused(runWith(rule), "AllocateH2OnNode=0: ", "Operation not permitted", "a container needs the capability SYS_NICE");
        }
        assertRefused(runWith("get_policy:1:38"), "the kernel was built without NUMA", "AllocateH2At=<directory>");
        assertRefused(runWith("populate:1:22"), "H2FastSize", "Linux 5.14");
        assertRefused(runWith("page_nodes:1"), "H2FastSize: pages cannot be moved from node 0", "or remove H2FastSize");
    }

    private static OutputAnalyzer runWith(String rule) throws Exception {
        return run(List.of(ON_NODE, SIZE, "-XX:H2FastSize=32m", "-XX:+UnlockDiagnosticVMOptions", "-Dterrace.h2.failCall=" + rule),
                   Report.class);
    }
}
