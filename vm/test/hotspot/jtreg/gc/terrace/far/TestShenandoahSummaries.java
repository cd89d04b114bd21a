// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.far;

/*
 * @test
 * @summary Under Shenandoah, marking and the update of references leave out unwritten pages with summaries, and miss no written reference
 * @library / /test/lib
 * @modules java.management jdk.management
 * @build jdk.test.whitebox.WhiteBox
 * @run driver jdk.test.lib.helpers.ClassFileInstaller jdk.test.whitebox.WhiteBox
 * @run driver/timeout=300 gc.terrace.far.TestShenandoahSummaries
 */

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jdk.test.lib.Platform;
import jdk.test.lib.process.OutputAnalyzer;
import jdk.test.whitebox.WhiteBox;

public class TestShenandoahSummaries {

    private static final Pattern MARKING = Pattern.compile("Marking: .*prefetched (\\d+) pages");
    private static final Pattern EVACUATION = Pattern.compile("Evacuation: prefetched (\\d+) pages");
    private static final Pattern SUMMARIZED = Pattern.compile("Marking from summaries: (\\d+) of (\\d+) pages, with (\\d+) references");
    private static final Pattern CREATED = Pattern.compile("Summaries: created (\\d+), kept (\\d+)");
    private static final int QUIET = 8;
    private static final int WRITING = 4;

    public static final class Program {
        static final int NODES = 60_000;
        static final int CHANGING = 10_000;
        // Of an object that crosses to the next page, only the next page is written.
        static final int STRIDE = 19;
        static volatile byte[] garbage;

        static final class Node {
            Node other;
            Object value;
            final byte[] data = new byte[300];
            // May be on the next page, and is null at first.
            Object last;
        }

        private static void collect(byte[][] changing) {
            // Each cycle finds half-empty regions, so it has references to update.
            for (int j = 0; j < changing.length; j++) {
                changing[j] = j % 2 == 0 || changing[j] == null ? new byte[1_000] : changing[j];
            }
            System.gc();
        }

        public static void main(String[] arguments) throws Exception {
            byte[][] changing = new byte[CHANGING][];
            Node[] nodes = new Node[NODES];
            for (int i = 0; i < NODES; i++) {
                nodes[i] = new Node();
                nodes[i].other = nodes[i / 2];
                garbage = new byte[300];
            }
            for (int i = 0; i < QUIET; i++) {
                collect(changing);
            }
            for (int round = 1; round <= WRITING; round++) {
                for (int i = round; i < NODES; i += 200) {
                    // Only this field refers to the new arrays.
                    nodes[i].value = new Object[] { new Object[] { i } };
                }
                for (int i = 4 * round; i < NODES; i += STRIDE) {
                    nodes[i].last = new Object[] { i };
                }
                collect(changing);
            }
            collect(changing);
            for (int round = 1; round <= WRITING; round++) {
                for (int i = round; i < NODES; i += 200) {
                    check((Integer) ((Object[]) ((Object[]) nodes[i].value)[0])[0] == i, i);
                }
                for (int i = 4 * round; i < NODES; i += STRIDE) {
                    check((Integer) ((Object[]) nodes[i].last)[0] == i, i);
                }
            }
            WhiteBox.getWhiteBox().fullGC();
            System.gc();
            for (int i = 1; i < NODES; i++) {
                check(nodes[i].other == nodes[i / 2] && nodes[i].data.length == 300, i);
            }
        }

        private static void check(boolean condition, int node) {
            if (!condition) {
                throw new AssertionError("node " + node);
            }
        }
    }

    private static OutputAnalyzer run(String... more) throws Exception {
        List<String> flags = Far.tortured(1, "-XX:+UseShenandoahGC", "-XX:+UnlockExperimentalVMOptions",
                                          "-XX:-ShenandoahImplicitGCInvokesConcurrent", "-Xms192m", "-Xmx192m", "-XX:ConcGCThreads=2",
                                          "-XX:-CreateCoredumpOnCrash", "-Xbootclasspath/a:.", "-XX:+WhiteBoxAPI");
        flags.addAll(List.of(more));
        return Far.run(flags, Program.class.getName());
    }

    private static List<Long> numbers(Pattern pattern, OutputAnalyzer output, int group) {
        List<Long> all = new ArrayList<>();
        Matcher found = pattern.matcher(output.getStdout());
        while (found.find()) {
            all.add(Long.parseLong(found.group(group)));
        }
        return all;
    }

    public static void main(String[] arguments) throws Exception {
        OutputAnalyzer output = run();
        output.shouldHaveExitValue(0);
        List<Long> marking = numbers(MARKING, output, 1);
        List<Long> evacuation = numbers(EVACUATION, output, 1);
        List<Long> summarized = numbers(SUMMARIZED, output, 1);
        List<Long> created = numbers(CREATED, output, 1);
        List<Long> kept = numbers(CREATED, output, 2);
        System.out.println("prefetched by marking " + marking + ", by evacuation " + evacuation + "; marked from summaries " + summarized
                           + "; created " + created + ", kept " + kept);
        long all = created.get(0);
        Far.check(all > 5000, "the first cycle created %d summaries", all);
        Far.check(summarized.size() >= QUIET + WRITING + 1, "%d markings", summarized.size());
        // Torture changes which pages are absent at any time, and postpones every second evacuation.
        long best = 0;
        long left = 0;
        for (int i = 1; i < QUIET; i++) {
            best = marking.get(i) < all / 5 ? Math.max(best, summarized.get(i)) : best;
            left = created.get(i) > 0 ? Math.max(left, kept.get(i)) : left;
        }
        Far.check(best > all / 2, "at most %d of %d pages were marked from summaries", best, all);
        Far.check(left > all / 4, "at most %d of %d pages were left out by the update", left, all);
        Far.check(summarized.get(QUIET) < best, "pages that were written were marked from summaries: %s", summarized);
        List<Long> usable = numbers(SUMMARIZED, output, 2);
        Far.check(usable.get(usable.size() - 1) == 0, "a full collection has left summaries: %s", usable);
        if (Platform.isDebugBuild()) {
            // Verification finds that writes are forgotten.
            OutputAnalyzer forgetful = run("-XX:+FarMemoryForgetWrites");
            forgetful.shouldNotHaveExitValue(0);
            forgetful.shouldMatch("is not what its summary describes|Must be marked in complete bitmap");
        }
    }
}
