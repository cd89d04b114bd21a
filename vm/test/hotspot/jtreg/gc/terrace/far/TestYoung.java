// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.far;

/*
 * @test TestYoung
 * @summary While the process swaps, the young generation is limited by local memory. Sizes that the user sets remain in effect
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=300 gc.terrace.far.TestYoung
 */

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jdk.test.lib.process.OutputAnalyzer;

public class TestYoung {

    private static final int HEAP = 256;
    private static final Pattern EDEN = Pattern.compile("Eden regions: (\\d+)->\\d+\\((\\d+)\\)");

    public static final class Program {
        static volatile byte[] garbage;

        public static void main(String[] arguments) throws Exception {
            for (int i = 0; i < 1_500_000; i++) {
                garbage = new byte[1000];
                if (i % 10_000 == 0) {
                    Thread.sleep(10);      // young sizes depend on results of the refresher thread
                }
            }
        }
    }

    /** Returns the largest eden size at a collection, after the first collections. */
    private static int largest(String... more) throws Exception {
        // Pauses may be of any length, so that G1 uses all permitted regions. Torture makes the process look swapped.
        List<String> flags = new ArrayList<>(List.of("-XX:+UseG1GC", "-Xmx" + HEAP + "m", "-Xms" + HEAP + "m", "-XX:G1HeapRegionSize=1m",
            "-XX:MaxGCPauseMillis=10000", "-Xlog:gc+heap=info", "-XX:+UnlockDiagnosticVMOptions"));
        flags.addAll(List.of(more));
        OutputAnalyzer output = Far.run(flags, Program.class.getName());
        output.shouldHaveExitValue(0);
        int largest = 0;
        int number = 0;
        Matcher found = EDEN.matcher(output.getStdout());
        while (found.find()) {
            if (++number > 3) {
                largest = Math.max(largest, Integer.parseInt(found.group(1)));
            }
        }
        System.out.println(String.join(" ", more) + ": " + largest + " of " + HEAP + " regions, in " + number + " collections");
        Far.check(number > 4, "%d collections", number);
        return largest;
    }

    public static void main(String[] arguments) throws Exception {
        String[] far = { "-XX:+UseFarMemory", "-XX:FarMemoryTorture=10", "-XX:MaxRAM=120m" };
        // 60 percent of the heap.
        int all = largest("-XX:-UseFarMemory", "-XX:MaxRAM=120m");
        Far.check(all > HEAP * 55 / 100, "%d regions without far memory", all);
        Far.check(largest("-XX:+UseFarMemory", "-XX:FarMemoryTorture=10") > HEAP * 55 / 100, "all is local");
        // 60 percent of 120 MB at most.
        int local = largest(far);
        Far.check(local > 0 && local <= 120 * 60 / 100, "%d regions, of 120 that are local", local);
        int given = largest(far[0], far[1], far[2], "-Xmn150m");
        Far.check(given > 140 && given <= 150, "%d regions, 150 are given", given);
    }
}
