// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.far;

/*
 * @test TestMappings
 * @summary Watching regions for writes does not divide the heap into many mappings, of which the system allows 65,530. The heap grows
 *          meanwhile
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=300 gc.terrace.far.TestMappings
 */

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jdk.test.lib.process.OutputAnalyzer;

public class TestMappings {

    private static final Pattern MAPPINGS = Pattern.compile("MAPPINGS (\\d+) before, (\\d+) after; the heap grew from (\\d+) to (\\d+) MB");
    private static final int REGIONS = 300;
    private static final int STEPS = 6;

    /** Regions with old objects, which are watched, lie between humongous arrays without references, which are not. */
    public static final class Program {

        private static long mappings() throws Exception {
            try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
                return lines.count();
            }
        }

        public static void main(String[] arguments) throws Exception {
            long before = mappings();
            long heap = Runtime.getRuntime().totalMemory();
            byte[][] arrays = new byte[REGIONS][];
            List<Object[]> nodes = new ArrayList<>();
            for (int step = 0; step < STEPS; step++) {
                for (int i = step * REGIONS / STEPS; i < (step + 1) * REGIONS / STEPS; i++) {
                    arrays[i] = new byte[600_000];
                }
                for (int i = 1; i < REGIONS; i += 2) {
                    arrays[i] = null;
                }
                System.gc();
                for (int i = 0; i < REGIONS * 500 / STEPS; i++) {
                    nodes.add(new Object[] { nodes, new byte[900] });
                }
                System.gc();
                System.gc();
            }
            System.out.println("MAPPINGS " + before + " before, " + mappings() + " after; the heap grew from " + heap / 1_000_000 + " to "
                               + Runtime.getRuntime().totalMemory() / 1_000_000 + " MB for " + nodes.size() + " nodes");
        }
    }

    public static void main(String[] arguments) throws Exception {
        List<String> flags = Far.tortured(2, "-Xmx512m", "-Xms32m", "-XX:G1HeapRegionSize=1m", "-XX:MaxTenuringThreshold=0");
        OutputAnalyzer output = Far.run(flags, Program.class.getName());
        output.shouldHaveExitValue(0);
        output.shouldMatch("Summaries: created [1-9][0-9]{3,}");
        Matcher found = MAPPINGS.matcher(output.getStdout());
        Far.check(found.find(), "the program has ended early");
        System.out.println(found.group());
        long added = Long.parseLong(found.group(2)) - Long.parseLong(found.group(1));
        Far.check(Long.parseLong(found.group(4)) > 4 * Long.parseLong(found.group(3)), "the heap did not grow");
        Far.check(added < REGIONS / 4, "%d more mappings", added);
    }
}
