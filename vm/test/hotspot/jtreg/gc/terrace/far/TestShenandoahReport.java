// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.far;

/*
 * @test TestShenandoahReport
 * @summary The command Terrace.far reports evacuations of Shenandoah: what they prefetched, how many were postponed, and released regions
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=300 gc.terrace.far.TestShenandoahReport
 */

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jdk.test.lib.dcmd.JMXExecutor;
import jdk.test.lib.process.OutputAnalyzer;

public class TestShenandoahReport {

    private static final int CYCLES = 6;

    /** Each cycle finds half-empty regions, and regions without live objects. */
    public static final class Program {
        private static final int ARRAYS = 40_000;
        private static final byte[][] LIVE = new byte[ARRAYS][];

        public static void main(String[] arguments) throws Exception {
            for (int i = 0; i < CYCLES; i++) {
                for (int j = 0; j < ARRAYS; j++) {
                    LIVE[j] = j % 2 == 0 || LIVE[j] == null ? new byte[1_000] : LIVE[j];
                }
                System.gc();
            }
            System.out.println(new JMXExecutor().execute("Terrace.far").getOutput());
        }
    }

    public static void main(String[] arguments) throws Exception {
        // Each cycle decides about evacuation, also if most garbage is in regions without live objects.
        List<String> flags = Far.tortured(1, "-XX:+UseShenandoahGC", "-Xms256m", "-Xmx256m", "-XX:+UnlockExperimentalVMOptions",
                                          "-XX:ShenandoahImmediateThreshold=100");
        OutputAnalyzer output = Far.run(flags, Program.class.getName());
        output.shouldHaveExitValue(0);
        output.shouldMatch("Cycles: [0-9]+, [0-9]+ aborted; marking [0-9.]+ s, evacuation and references [0-9.]+ s");
        output.shouldMatch("pages: [0-9]+ marked from summaries, [1-9][0-9]* prefetched, [1-9][0-9]* paged out");
        output.shouldMatch("Summaries: on, [0-9]+ pages, [0-9]+K");
        Matcher found = Pattern.compile("Evacuation was postponed in (\\d+) cycles; the memory of (\\d+) empty regions was released")
            .matcher(output.getStdout());
        Far.check(found.find(), "no line about evacuations");
        // Torture postpones every second one. A cycle may end after the report.
        long postponed = Long.parseLong(found.group(1));
        long logged = Pattern.compile("Evacuation is postponed: ").matcher(output.getStdout()).results().count();
        Far.check(postponed > 0 && postponed <= logged, "%d of %d evacuations are postponed", postponed, logged);
        Far.check(Long.parseLong(found.group(2)) > 0, "no regions are released");
    }
}
