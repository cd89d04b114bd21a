// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.far;

/*
 * @test TestManyObjects
 * @summary With millions of objects on absent pages, the memory for deferred objects and summaries is bounded, and remark has no work
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=900 gc.terrace.far.TestManyObjects
 */

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jdk.test.lib.dcmd.JMXExecutor;
import jdk.test.lib.process.OutputAnalyzer;

public class TestManyObjects {

    private static final int OBJECTS = 3_000_000;
    private static final int HEAP = 192;
    private static final Pattern REMARK = Pattern.compile(
        "Remark: (\\d+) objects were marked after concurrent marking, (\\d+) by it; (\\d+) pages have deferred objects");

    public static final class Program {
        static final int CYCLES = 3;
        static final int PER_ARRAY = 1000;

        static final class Node {
            Node other;
            final long number;

            Node(long number) {
                this.number = number;
            }
        }

        public static void main(String[] arguments) throws Exception {
            Node[][] nodes = new Node[OBJECTS / PER_ARRAY][];
            // The arrays become old before the nodes are created, so they are on other pages.
            for (int i = 0; i < nodes.length; i++) {
                nodes[i] = new Node[PER_ARRAY];
            }
            for (int i = 0; i < nodes.length; i++) {
                for (int j = 0; j < PER_ARRAY; j++) {
                    nodes[i][j] = new Node((long) i * PER_ARRAY + j);
                    // The targets of a page are on as many pages, so a summary needs an entry for each reference.
                    long mixed = (i * 1000L + j) * 0x9E3779B97F4A7C15L >>> 20;
                    nodes[i][j].other = nodes[i == 0 ? 0 : (int) (mixed % i)][i == 0 ? 0 : (int) (mixed / 31 % PER_ARRAY)];
                }
            }
            for (int i = 0; i < CYCLES; i++) {
                System.gc();
            }
            System.out.println(new JMXExecutor().execute("VM.native_memory scale=KB").getOutput());
            if (Boolean.parseBoolean(arguments[0])) {
                System.out.println(new JMXExecutor().execute("Terrace.far").getOutput());
            }
            for (int i = 0; i < nodes.length; i++) {
                if (nodes[i][i % PER_ARRAY].number != (long) i * PER_ARRAY + i % PER_ARRAY) {
                    throw new AssertionError("node " + i);
                }
            }
        }
    }

    private static OutputAnalyzer run(boolean far, String... more) throws Exception {
        List<String> flags = new ArrayList<>(List.of("-XX:+UseG1GC", "-Xmx" + HEAP + "m", "-Xms" + HEAP + "m",
            "-XX:G1HeapRegionSize=1m", "-XX:ConcGCThreads=2", "-XX:NativeMemoryTracking=summary",
            "-XX:+ExplicitGCInvokesConcurrent", "-XX:-G1UseAdaptiveIHOP",
            "-XX:InitiatingHeapOccupancyPercent=95",
            "-XX:+UnlockDiagnosticVMOptions"));
        flags.addAll(List.of(more));
        OutputAnalyzer output = Far.run(flags, Program.class.getName(), String.valueOf(far));
        output.shouldHaveExitValue(0);
        return output;
    }

    private static long number(OutputAnalyzer output, String pattern) {
        Matcher found = Pattern.compile(pattern).matcher(output.getStdout());
        Far.check(found.find(), "no %s", pattern);
        return Long.parseLong(found.group(1));
    }

    private static long committed(OutputAnalyzer output) {
        return number(output, "GC \\(reserved=\\d+KB, committed=(\\d+)KB\\)");
    }

    public static void main(String[] arguments) throws Exception {
        // All pages are absent, and each object is deferred. The thresholds make the VM treat the heap as having much free space.
        OutputAnalyzer output = run(true, "-XX:+UseFarMemory", "-XX:+VerifyFarMemory", "-XX:FarMemoryTorture=1",
                                    "-XX:FarMemoryFreelyAbove=10", "-XX:FarMemoryOnceAbove=5");
        Far.Marked sum = Far.marked(output);
        System.out.println(sum);
        Far.check(sum.deferred + sum.scans > OBJECTS / 2, "%s", sum);

        long heap = HEAP * 1024;
        long tables = number(output, "Tables: at most (\\d+)K");
        long summaries = number(output, "Summaries: on, \\d+ pages, (\\d+)K");
        long tooMany = number(output, "Summaries: created \\d+, kept \\d+, (\\d+) pages with too many references");
        System.out.println("Tables " + tables + "K, summaries " + summaries + "K, heap " + heap + "K; " + tooMany + " pages without");
        // One bit for each 8 bytes, and eight bits for each page.
        Far.check(tables <= heap / 64 + heap / 4096 + 100, "tables of %d KB", tables);
        // The budget, and an index of 4 bytes per page.
        Far.check(summaries > 0 && summaries <= heap / 32 + heap / 1024 + 100, "summaries of %d KB", summaries);
        Far.check(tooMany > 0, "the budget was not reached");
        long more = committed(output) - committed(run(false));
        System.out.println("The collector takes " + more + "K more");
        Far.check(more <= heap / 64 + heap / 32 + heap / 1024 + heap / 4096 + 2048, "the collector takes %d KB more", more);

        Matcher remark = REMARK.matcher(output.getStdout());
        int remarks = 0;
        long late = 0;
        while (remark.find()) {
            remarks++;
            late += Long.parseLong(remark.group(1));
            Far.check(Long.parseLong(remark.group(3)) == 0, "%s", remark.group());
        }
        System.out.println(remarks + " remarks; " + late + " objects were marked by them");
        Far.check(remarks >= Program.CYCLES, "%d remarks", remarks);
        Far.check(late < OBJECTS / 1000, "remarks marked %d objects", late);
    }
}
