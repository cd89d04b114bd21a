// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.report;

/*
 * @test TestReport
 * @summary The diagnostic command Terrace.h2 reports the usage of H2 by label, its garbage, and what keeps labels alive
 * @library / /java/api/src/main/java
 * @modules java.management jdk.management
 *
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.report.TestReport
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -XX:-UseCompressedOops -XX:ParallelGCThreads=1
 *                   gc.terrace.h2.report.TestReport
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+H2UnionFind
 *                   gc.terrace.h2.report.TestReport
 */

import java.lang.management.ManagementFactory;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.ObjectName;

import gc.terrace.h2.Tree;
import org.terrace.SecondHeap;
import org.terrace.SecondHeapStatistics;

import static gc.terrace.h2.H2Test.*;

public class TestReport {

    private static final int SIZE = 5_000;

    /** The row of a label in the table. */
    private static final class Row {
        final int regions;
        final int held;
        final double used;
        final double resident;
        final double garbage;        // -1: not known
        final int share;             // of garbage, in percent
        final double waited;
        final String holders;

        Row(String report, long label) {
            Matcher row = Pattern.compile("^ *" + label + " +(\\d+) +(\\d+) +([\\d.]+) +([\\d.]+)"
                                          + " +(?:-|([\\d.]+) +(\\d+)%) +([\\d.]+)(.*)$",
                                          Pattern.MULTILINE).matcher(report);
            assertTrue(row.find(), "no row of label " + label + " in " + report);
            regions = Integer.parseInt(row.group(1));
            held = Integer.parseInt(row.group(2));
            used = Double.parseDouble(row.group(3));
            resident = Double.parseDouble(row.group(4));
            garbage = row.group(5) == null ? -1 : Double.parseDouble(row.group(5));
            share = row.group(6) == null ? -1 : Integer.parseInt(row.group(6));
            waited = Double.parseDouble(row.group(7));
            holders = row.group(8).trim();
        }
    }

    private static final class Holder {
        Tree tree;
    }

    private static Tree ofStatic;
    private static Holder holder;

    public static void main(String[] args) throws Exception {
        requireH2();
        if (STOCK) {
            return;
        }
        empty();
        unknownGarbage();
        tags();
        ends();
        held();
        cards();
        heldByAnotherLabel();
        garbage();
        manyLabels();
    }

    private static void empty() throws Exception {
        String report = report();
        assertContains(report, " 0 of ");
        assertContains(report, "Transfers: 0, 0 abandoned");
        assertContains(report("-objects"), "Objects: 0.0M");
    }

    /** Nothing was marked through yet. */
    private static void unknownGarbage() throws Exception {
        long label = freshLabel();
        Object[] root = moveToH2(new Object[] { Tree.make(SIZE, 5) }, label);
        root[0] = null;
        String report = report();
        assertContains(report, "garbage is not known");
        assertContains(report, "Garbage is known after the first marking through H2");
        assertTrue(new Row(report, label).garbage == -1, "garbage of a label before a marking");
        root = null;
        String detailed = report("-objects");
        assertContains(detailed, "A major collection came first, and freed ");
        assertTrue(!detailed.contains("and freed 0 regions"), "the dead regions were not freed first");
        assertContains(detailed, "known to be garbage");
    }

    /** Tags of objects that have moved, or that a collection found dead, do not count. */
    private static void tags() throws Exception {
        long label = freshLabel();
        Object[] tagged = new Object[10];
        for (int i = 0; i < tagged.length; i++) {
            tagged[i] = new int[100];
            SecondHeap.tagRoot(tagged[i], i < 4 ? label : label + 1);
        }
        freshLabel();
        assertTags(10);
        SecondHeap.move(label);
        SecondHeap.transfer();
        assertTags(6);
        for (int i = 4; i < 7; i++) {
            tagged[i] = null;
        }
        minorGC();
        majorGC();
        assertTags(3);
        for (Object object : tagged) {
            if (object != null) {
                SecondHeap.untag(object);
            }
        }
        assertTags(0);
    }

    private static void assertTags(int count) throws Exception {
        assertContains(report(), "Hints: " + count + " tagged roots in H1");
        assertEquals(SecondHeap.statistics().getTaggedRoots(), (long) count, "tagged roots");
    }

    /** Arrays just above a half of a region. */
    private static void ends() throws Exception {
        int half = (int) SecondHeap.statistics().getRegionSizeBytes() / 2;
        majorGC();      // frees what the test has dropped
        double before = unused();
        byte[][] arrays = new byte[4][];
        for (int i = 0; i < arrays.length; i++) {
            arrays[i] = new byte[half];
        }
        moveToH2(arrays, freshLabel());
        double added = unused() - before;
        double expected = 4.0 * half / (1 << 20);
        assertTrue(added > 0.7 * expected && added < 1.3 * expected, added + " MB unused, not " + expected);
    }

    private static double unused() throws Exception {
        Matcher line = Pattern.compile("^Unused at the ends of regions: ([\\d.]+)M$", Pattern.MULTILINE).matcher(report());
        assertTrue(line.find(), "no line about the ends of regions");
        return Double.parseDouble(line.group(1));
    }

    private static void held() throws Exception {
        long label = freshLabel();
        ofStatic = moveToH2(Tree.make(SIZE, 1), label);
        holder = new Holder();
        holder.tree = ofStatic;
        Row row = new Row(report(), label);
        SecondHeapStatistics statistics = SecondHeap.statistics();
        assertTrue(row.held == row.regions && row.holders.isEmpty(), "a new label is held from outside");
        assertTrue(Math.abs(row.used - statistics.getUsedBytes() / 1048576.0) < 0.1,
                   row.used + " MB used, statistics: " + statistics.getUsedBytes());
        assertTrue(row.resident > 0 && row.resident <= row.used, row.resident + " MB in memory");
        assertTrue(row.garbage == 0, row.garbage + " MB garbage");

        Tree onStack = ofStatic;
        String detailed = report("-objects");
        assertContains(detailed, Tree.class.getName());
        assertContains(detailed, "static fields of " + TestReport.class.getName());
        assertContains(detailed, "1  " + Holder.class.getName() + "\n");
        assertContains(detailed, "stacks of threads");
        onStack.check(SIZE, 1);
        ofStatic = null;
        holder = null;
    }

    private static void cards() throws Exception {
        Object[] array = moveToH2(new Object[1000], freshLabel());
        long before = cardPages();
        array[0] = new int[1];
        minorGC(1);
        assertTrue(cardPages() > before, "no page of the card table was read");
        array[0] = null;
    }

    private static long cardPages() throws Exception {
        Matcher line = Pattern.compile("young objects: [\\d.]+M, and (\\d+) pages of the card table").matcher(report());
        assertTrue(line.find(), "no pages of the card table in " + report());
        return Long.parseLong(line.group(1));
    }

    private static void heldByAnotherLabel() throws Exception {
        long first = freshLabel();
        long second = freshLabel();
        Object[] root = new Object[] { moveToH2(Tree.make(SIZE, 2), first) };
        root = moveToH2(root, second);
        majorGC();
        String report = report();
        Row row = new Row(report, first);
        assertEquals(row.held, 0, "regions of the first label held from outside");
        assertTrue(row.holders.startsWith(second + " ("), "the first label is kept by " + row.holders);
        row = new Row(report, second);
        assertTrue(row.held > 0, "nothing holds the second label");
        ((Tree) root[0]).check(SIZE, 2);

        // A reference from H1 to the middle of the first structure.
        Tree inner = ((Tree) root[0]).left;
        majorGC();
        assertTrue(new Row(report(), first).held > 0, "a reference from a stack does not count");
        assertSame(inner.root, root[0], "the root");
        inner = null;

        // Cards that are scanned because they refer to H1 contain references into H2, too.
        ((Tree) root[0]).left.extra = new int[1];
        majorGC();
        assertEquals(new Row(report(), first).held, 0, "regions that refer to H1, held from outside");
        ((Tree) root[0]).left.extra = null;
    }

    private static void garbage() throws Exception {
        long label = freshLabel();
        // In one region. With two, one could become all garbage and be freed.
        Object[] group = moveToH2(new Object[] { Tree.make(SIZE / 2, 3), Tree.make(SIZE / 2, 4) }, label);
        assertTrue(new Row(report("-objects"), label).garbage == 0, "garbage where there is none");
        group[1] = null;
        majorGC();
        Row row = new Row(report("-objects"), label);
        assertTrue(row.garbage > 0.4 * row.used && row.garbage < 0.6 * row.used,
                   row.garbage + " MB of " + row.used + " MB are garbage");
        assertTrue(row.share >= 40 && row.share <= 60, row.share + " percent are garbage");
        assertTrue(new Row(report(), label).garbage == row.garbage, "garbage is remembered");
        assertContains(report(), "Garbage is what the last marking through H2 found, ");
        ((Tree) group[0]).check(SIZE / 2, 3);
    }

    private static void manyLabels() throws Exception {
        Object[] kept = new Object[5];
        long last = 0;
        for (int i = 0; i < kept.length; i++) {
            last = freshLabel();
            kept[i] = moveToH2(Tree.make(i == 4 ? 2 * SIZE : 10, i), last);
        }
        majorGC();
        String report = report("-labels=1");
        Row largest = new Row(report, last);
        assertTrue(largest.used > 0, "the largest label");
        assertContains(report, "and 4 labels more");
        assertContains(report("-labels=0"), "at least 1");
        ((Tree) kept[4]).check(2 * SIZE, 4);
    }

    private static String report(String... arguments) throws Exception {
        String report = (String) ManagementFactory.getPlatformMBeanServer().invoke(
            new ObjectName("com.sun.management:type=DiagnosticCommand"), "terraceH2", new Object[] { arguments },
            new String[] { String[].class.getName() });
        System.out.println(String.join(" ", arguments) + "\n" + report);
        return report;
    }

    private static void assertContains(String text, String part) {
        assertTrue(text.contains(part), "no '" + part + "' in: " + text);
    }
}
