// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.options;

/*
 * @test TestCompressedOops
 * @summary References are compressed if both heaps fit. Class pointers are compressed in any case
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management jdk.management
 * @run driver gc.terrace.h2.options.TestCompressedOops
 */

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import jdk.test.lib.process.OutputAnalyzer;
import jdk.test.lib.process.ProcessTools;
import jtreg.SkippedException;

import static gc.terrace.h2.options.VM.*;

public class TestCompressedOops {

    private static Path directory;

    public static void main(String[] args) throws Exception {
        directory = freshDirectory("oops");
        expect(true, "-XX:H2Size=1g");
        expect(true, "-XX:H2Size=0");
        expect(false, "-XX:H2Size=1g", "-XX:-UseCompressedOops");
        long free = Files.getFileStore(directory).getUsableSpace();
        long memory = ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getTotalPhysicalMemorySize();
        if (free > 31L << 30 && memory > 15L << 30) {
            // H2 with 28 GB and the lowest 2 GB leave 2 GB for a heap that would otherwise get a quarter of memory.
            version("-XX:H2Size=28g").shouldContain("Set -Xmx, or a smaller H2Size");
            version("-XX:H2Size=28g", "-Xmx2g").shouldNotContain("Set -Xmx");
        }
        version("-XX:H2Size=2g").shouldNotContain("Set -Xmx");
        if (free < 68L << 30) {
            assertEmpty(directory);
            throw new SkippedException("the rest needs 68 GB free in the scratch directory, there are " + (free >> 30));
        }
        expect(true, "-XX:H2Size=24g");
        expect(false, "-XX:H2Size=32g").shouldMatch("(?i)compressed oops");
        expect(false, "-XX:H2Size=40g").shouldMatch("(?i)compressed oops");
        expect(false, "-XX:H2Size=40g", "-XX:+UseCompressedOops").shouldMatch("(?i)compressed oops");
        expect(true, "-XX:H2Size=40g", "-XX:ObjectAlignmentInBytes=16");
        expect(false, "-XX:H2Size=66g", "-XX:ObjectAlignmentInBytes=16");
        expect(false, "-XX:H2Size=31g", "-Xmx2g");
        assertEmpty(directory);
    }

    private static OutputAnalyzer version(String... flags) throws Exception {
        List<String> command = new ArrayList<>(List.of("-XX:AllocateH2At=" + directory, "-Xlog:gc+h2"));
        command.addAll(List.of(flags));
        command.add("-version");
        return ProcessTools.executeProcess(ProcessTools.createLimitedTestJavaProcessBuilder(command)).shouldHaveExitValue(0);
    }

    private static OutputAnalyzer expect(boolean compressed, String... flags) throws Exception {
        String[] all = new String[flags.length + 2];
        all[0] = "-XX:AllocateH2At=" + directory;
        all[1] = "-Xlog:gc*";
        System.arraycopy(flags, 0, all, 2, flags.length);
        OutputAnalyzer output = run(all);
        System.out.println(String.join(" ", flags));
        assertH2(output).shouldContain("moved true");
        output.shouldContain("UseCompressedOops " + compressed);
        output.shouldContain("UseCompressedClassPointers true");
        return output;
    }
}
