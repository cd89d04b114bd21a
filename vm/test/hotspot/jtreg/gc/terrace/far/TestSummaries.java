// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.far;

/*
 * @test TestSummaries
 * @summary Marking uses the summaries of pages that were not written since the previous cycle, and does not miss written references
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=300 gc.terrace.far.TestSummaries
 */

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jdk.test.lib.process.OutputAnalyzer;

public class TestSummaries {

    private static final Pattern ASKED = Pattern.compile("(Marking|Rebuild): .*prefetched (\\d+) pages");
    private static final Pattern SUMMARIZED = Pattern.compile("Marking from summaries: (\\d+) of (\\d+) pages, with (\\d+) references");
    private static final Pattern CREATED = Pattern.compile("Summaries: created (\\d+), ");
    private static final Pattern BY_PAGE = Pattern.compile("Summaries: created .* (\\d+) of the created ones by pages of targets");
    private static final int QUIET = 6;
    private static final int WRITING = 4;

    public static final class Program {
        static final int NODES = 100_000;
        static final int PAIRS = 100_000;
        // Larger than the number of pairs on a page. Of a pair that crosses to the next page, only the next page is written.
        static final int STRIDE = 19;
        // Each array fills a page with references, too many to be written one by one.
        static final int ARRAYS = 4000;
        static final int LENGTH = 1000;
        static final int WRITTEN_ARRAYS = 10;
        static volatile byte[] garbage;

        // The last field may be on the next page, and is null at first.
        static final class Pair {
            final byte[] data = new byte[200];
            Object last;
        }

        static final class Node {
            Node other;
            Object value;
            final byte[] data = new byte[300];
        }

        public static void main(String[] arguments) throws Exception {
            Node[] nodes = new Node[NODES];
            for (int i = 0; i < NODES; i++) {
                nodes[i] = new Node();
                nodes[i].other = nodes[i / 2];
            }
            Pair[] pairs = new Pair[PAIRS];
            for (int i = 0; i < PAIRS; i++) {
                pairs[i] = new Pair();
            }
            Object[][] arrays = new Object[ARRAYS][LENGTH];
            for (int i = 0; i < ARRAYS; i++) {
                for (int j = 0; j < LENGTH; j++) {
                    arrays[i][j] = nodes[(int) ((i * 1000L + j) * 31 % 8192)];
                }
            }
            for (int i = 0; i < 200_000; i++) {
                garbage = new byte[1000];
            }
            for (int i = 0; i < QUIET; i++) {
                System.gc();
            }
            for (int round = 1; round <= WRITING; round++) {
                for (int i = round; i < NODES; i += 200) {
                    // Only this field refers to the new arrays.
                    nodes[i].value = new Object[] { new Object[] { i } };
                }
                for (int i = 4 * round; i < PAIRS; i += STRIDE) {
                    pairs[i].last = new Object[] { i };
                }
                for (int i = round; i < ARRAYS; i += ARRAYS / WRITTEN_ARRAYS) {
                    arrays[i][LENGTH - i % 7 - 1] = new Object[] { i };
                }
                System.gc();
            }
            System.gc();
            for (int round = 1; round <= WRITING; round++) {
                for (int i = round; i < NODES; i += 200) {
                    Object[] outer = (Object[]) nodes[i].value;
                    if ((Integer) ((Object[]) outer[0])[0] != i) {
                        throw new AssertionError("node " + i);
                    }
                }
                for (int i = 4 * round; i < PAIRS; i += STRIDE) {
                    if ((Integer) ((Object[]) pairs[i].last)[0] != i) {
                        throw new AssertionError("pair " + i);
                    }
                }
                for (int i = round; i < ARRAYS; i += ARRAYS / WRITTEN_ARRAYS) {
                    if ((Integer) ((Object[]) arrays[i][LENGTH - i % 7 - 1])[0] != i || arrays[i][0] != nodes[(int) (i * 31000L % 8192)]) {
                        throw new AssertionError("array " + i);
                    }
                }
            }
            if (nodes[NODES - 1].other != nodes[(NODES - 1) / 2]) {
                throw new AssertionError("a node refers to another one");
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        List<String> flags = Far.tortured(1, "-Xmx256m", "-Xms256m", "-XX:G1HeapRegionSize=1m", "-XX:ConcGCThreads=2",
                                         "-XX:MaxTenuringThreshold=0"); // young objects would be alive anyway
        OutputAnalyzer output = Far.run(flags, Program.class.getName());
        output.shouldHaveExitValue(0);
        output.shouldMatch("Verified: [1-9][0-9]* objects are reachable, 0 of them not marked");
        List<Long> marking = new ArrayList<>();
        List<Long> rebuild = new ArrayList<>();
        Matcher asked = ASKED.matcher(output.getStdout());
        while (asked.find()) {
            (asked.group(1).equals("Marking") ? marking : rebuild).add(Long.parseLong(asked.group(2)));
        }
        List<Long> summarized = new ArrayList<>();
        Matcher found = SUMMARIZED.matcher(output.getStdout());
        while (found.find()) {
            summarized.add(Long.parseLong(found.group(1)));
        }
        long byPage = 0;
        Matcher dense = BY_PAGE.matcher(output.getStdout());
        while (dense.find()) {
            byPage += Long.parseLong(dense.group(1));
        }
        Far.check(byPage > Program.ARRAYS * 9 / 10, "%d summaries by pages of targets", byPage);
        System.out.println("prefetched by marking " + marking + ", by the rebuild " + rebuild + "; marked from summaries " + summarized);
        Far.check(summarized.size() >= QUIET + WRITING + 1, "%d markings", summarized.size());
        int quiet = summarized.size() - WRITING - 2;       // the last marking before the program writes
        // The first marking may find all pages in memory: torture treats none as absent in one epoch of four.
        Matcher created = CREATED.matcher(output.getStdout());
        long all = created.find() ? Long.parseLong(created.group(1)) : 0;
        Far.check(all > 5000, "the first cycle created %d summaries", all);
        // Pages become present and absent while marking selects its pages, which may happen in any of the quiet cycles.
        int best = 1;
        for (int i = 2; i <= quiet; i++) {
            best = summarized.get(i) > summarized.get(best) ? i : best;
        }
        Far.check(summarized.get(best) > all * 9 / 10, "%d of %d pages were marked from summaries", summarized.get(best), all);
        Far.check(marking.get(best) < all / 10, "%d of %d pages were prefetched", marking.get(best), all);
        Far.check(rebuild.get(best) < all / 10, "%d of %d pages were prefetched by the rebuild", rebuild.get(best), all);
        Far.check(summarized.get(quiet + 1) < summarized.get(best), "pages that were written were marked from summaries: %s", summarized);
    }
}
