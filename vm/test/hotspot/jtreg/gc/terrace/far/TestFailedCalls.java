// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.far;

/*
 * @test TestFailedCalls
 * @summary Whichever call of the operating system fails, the program continues, and marking is complete
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=600 gc.terrace.far.TestFailedCalls
 */

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import gc.terrace.h2.Sample;
import jdk.test.lib.process.OutputAnalyzer;

public class TestFailedCalls {

    private static final int TABLES = 11;
    private static final int SAMPLE = 2;
    // The program runs at least three cycles, in which each call occurs.
    private static final String SECONDS = "1";
    private static final Set<String> TESTED = new HashSet<>();

    public static void main(String[] arguments) throws Exception {
        check(false, "pagemap_open:1", "UseFarMemory has no effect: /proc/self/pagemap cannot be opened");
        check(false, "pagemap_scan:1", "no PAGEMAP_SCAN");
        check(false, "pagemap_scan:1+", "no PAGEMAP_SCAN");
        check(false, "pagemap_scan:2", "PAGEMAP_SCAN failed");
        check(false, "pagemap_scan:2+", "PAGEMAP_SCAN failed");
        check(false, "pagemap_scan:1+,pagemap_read:1", "Reading /proc/self/pagemap failed");
        check(false, "pagemap_scan:1+,pagemap_read:1+", "Reading /proc/self/pagemap failed");
        List<Integer> tables = IntStream.rangeClosed(1, TABLES).boxed().collect(Collectors.toList());
        for (int i : Sample.of(tables, SAMPLE)) {
            check(true, "table_reserve:" + i, "UseFarMemory has no effect: no memory for its tables");
            check(true, "table_commit:" + i, "UseFarMemory has no effect: no memory for its tables");
        }
        check(true, "table_reserve:" + (TABLES + 1), "marking is not verified");
        check(true, "table_commit:" + (TABLES + 1) + "+", "marking is not verified");
        check(true, "userfaultfd:1", "No summaries of pages: the system refuses userfaultfd");
        check(true, "userfaultfd_api:1", "No summaries of pages: userfaultfd does not watch writes");
        check(true, "pagemap_scan:1+", "No summaries of pages: they need PAGEMAP_SCAN");
        check(true, "userfaultfd_register:1", "UFFDIO_REGISTER failed");
        check(true, "userfaultfd_register:1+", "UFFDIO_REGISTER failed");
        check(true, "written_scan:5", "PAGEMAP_SCAN of written pages failed");
        check(true, "written_scan:1+", "PAGEMAP_SCAN of written pages failed");
        check(true, "table_discard:1+", "Made to fail");
        check(true, "willneed:1", "madvise(MADV_WILLNEED) failed");
        check(true, "willneed:1+", "madvise(MADV_WILLNEED) failed");
        check(true, "read_roots:1+", "Made to fail: read_roots");
        check(true, "cold:1+", "madvise(MADV_COLD) failed");
        check(true, "pageout:1+", "madvise(MADV_PAGEOUT) failed", "-XX:+FarMemoryPageOut");
        check(true, "free:1+", "madvise(MADV_FREE) failed");
        check(false, "status_open:1+", "Made to fail: status_open");
        check(true, "faults_open:1+", "major faults: program 0, concurrent 0");
        check(true, "own_faults:1+", "Made to fail: own_faults");
        check(true, "huge_pages_open:1+", "Made to fail: huge_pages_open");

        OutputAnalyzer names = Far.run(Far.tortured(2, "-Dterrace.far.failCall=?"), Graph.class.getName(), SECONDS);
        Matcher listed = Pattern.compile("the names are (.*)").matcher(names.getOutput());
        Far.check(listed.find(), "no names");
        for (String name : listed.group(1).trim().split(" ")) {
            Far.check(TESTED.contains(name), "%s is not tested", name);
        }
    }

    private static void check(boolean tortured, String rules, String says, String... more) throws Exception {
        for (String rule : rules.split(",")) {
            TESTED.add(rule.substring(0, rule.indexOf(':')));
        }
        List<String> flags = Far.tortured(tortured ? 2 : 0, "-Xmx256m", "-XX:G1HeapRegionSize=1m", "-Dterrace.far.failCall=" + rules);
        flags.addAll(List.of(more));
        System.out.println(rules);
        OutputAnalyzer output = Far.run(flags, Graph.class.getName(), SECONDS);
        output.shouldHaveExitValue(0);
        output.shouldContain(Graph.DONE);
        output.shouldContain(says);
    }
}
