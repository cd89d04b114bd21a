// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.far;

/*
 * @test TestRequests
 * @summary Requests for absent pages begin small, grow while the system accepts them, and shrink when it does not
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=300 gc.terrace.far.TestRequests
 */

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jdk.test.lib.process.OutputAnalyzer;

public class TestRequests {

    private static final int LEAST = 32;
    private static final Pattern REQUEST = Pattern.compile(
        "Worker (\\d+): (\\d+) of at most (\\d+) pages at once, the next time at most (\\d+)");
    private static final Pattern SUM = Pattern.compile(
        "Requests: (\\d+), the largest of (\\d+) pages, at most (\\d+) allowed at the end; (\\d+) of the pages were paged out before use");

    public static final class Program {
        static final int CYCLES = 3;

        public static void main(String[] arguments) {
            byte[][] data = new byte[100_000][];
            for (int i = 0; i < data.length; i++) {
                data[i] = new byte[1000];
            }
            for (int i = 0; i < CYCLES; i++) {
                System.gc();
            }
            if (data[data.length - 1].length != 1000) {
                throw new AssertionError("an array has another length");
            }
        }
    }

    private static OutputAnalyzer run(String... more) throws Exception {
        // In each cycle, all pages are absent and are prefetched.
        List<String> flags = Far.tortured(1, "-Xmx256m", "-Xms256m", "-XX:G1HeapRegionSize=4m", "-XX:-FarMemorySummaries",
                                          "-XX:ConcGCThreads=1", "-Xlog:gc+far=trace");
        flags.addAll(List.of(more));
        OutputAnalyzer output = Far.run(flags, Program.class.getName());
        output.shouldHaveExitValue(0);
        return output;
    }

    /** Returns the permitted sizes of requests, in the order of time. */
    private static List<Integer> allowed(OutputAnalyzer output) {
        List<Integer> sizes = new ArrayList<>();
        Map<String, Integer> next = new HashMap<>();
        for (String line : output.getStdout().split("\n")) {
            if (line.contains("Pause Young (Concurrent Start)")) {
                next.clear();
            }
            Matcher request = REQUEST.matcher(line);
            if (!request.find()) {
                continue;
            }
            int pages = Integer.parseInt(request.group(2));
            int most = Integer.parseInt(request.group(3));
            // The rebuild of remembered sets prefetches at least one chunk of 64 pages.
            Far.check(pages <= Math.max(most, 64), "%s", line);
            Far.check(most == next.getOrDefault(request.group(1), LEAST), "a request of another size was announced: %s", line);
            next.put(request.group(1), Integer.parseInt(request.group(4)));
            sizes.add(most);
        }
        return sizes;
    }

    public static void main(String[] arguments) throws Exception {
        OutputAnalyzer output = run();
        List<Integer> sizes = allowed(output);
        Matcher sum = SUM.matcher(output.getStdout());
        Far.check(sum.find(), "no sum");
        int limit = Integer.parseInt(sum.group(3));
        int largest = sizes.stream().max(Integer::compare).get();
        System.out.println(sum.group() + "; " + sizes.subList(0, 20));
        Far.check(limit > 2 * LEAST && limit <= 512, "at most %d pages, with 256 MB in memory", limit);
        int next = sizes.stream().filter(size -> size != LEAST).findFirst().get();
        Far.check(sizes.get(0) == LEAST && next == 2 * LEAST, "from %d to %d", sizes.get(0), next);
        Far.check(largest > 2 * LEAST && largest <= 512, "%d pages", largest);

        // All requests from the fortieth on fail. The first cycle makes hundreds.
        sizes = allowed(run("-Dterrace.far.failCall=willneed:40+"));
        largest = sizes.stream().max(Integer::compare).get();
        int last = sizes.get(sizes.size() - 1);
        Far.check(largest > 2 * LEAST && last == LEAST, "%d, and %d at the end", largest, last);

        output = run("-Dterrace.far.failCall=willneed:1+");
        Far.check(allowed(output).stream().allMatch(size -> size == LEAST), "larger ones than the least");
        output.shouldNotMatch("Requests: .*; 0 of the pages were paged out before use");
    }
}
