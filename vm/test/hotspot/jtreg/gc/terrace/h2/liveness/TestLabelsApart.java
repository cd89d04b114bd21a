// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.liveness;

/*
 * @test TestLabelsApart
 * @summary Structures with different labels whose objects alternate in H1 do not share regions in H2, so that each is freed with its label
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m -XX:ParallelGCThreads=4
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.liveness.TestLabelsApart
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m -XX:ParallelGCThreads=1 -XX:-UseCompressedOops
 *                   gc.terrace.h2.liveness.TestLabelsApart
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:H2TransferPartSize=512k
 *                   gc.terrace.h2.liveness.TestLabelsApart
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m -XX:-UseTLAB
 *                   gc.terrace.h2.liveness.TestLabelsApart
 */

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.terrace.SecondHeap;
import org.terrace.SecondHeapLabelUsage;

import static gc.terrace.h2.H2Test.*;

public class TestLabelsApart {

    private static final int LABELS = 8;
    private static final int ROWS = 100_000;

    /** An object of 32 or 40 bytes, with an array of any size. */
    static final class Row {
        final long value;
        final Row before;
        byte[] tail;

        Row(long value, Row before) {
            this.value = value;
            this.before = before;
        }
    }

    public static void main(String[] args) throws Exception {
        requireH2();
        freed("in turns", 1, i -> null);
        freed("by four threads", 4, i -> null);
        freed("with arrays", 1, i -> i % 10_000 == 0 ? new byte[i % 20_000 == 0 ? 600_000 : 3000] : null);
        freed("with an array larger than a region", 1, i -> i == 4321 ? new byte[2_500_000] : null);
        smallLabels();
    }

    interface Tails {
        byte[] tail(int i);
    }

    /** Fills eight structures in turns, moves them, and drops all but one. */
    private static void freed(String what, int threads, Tails tails) throws Exception {
        SecondHeap.transfer();
        majorGC();
        long before = SecondHeap.statistics().getRegionsInUse();
        long[] labels = new long[LABELS];
        Row[][] last = filled(threads, tails);
        for (int i = 0; i < LABELS; i++) {
            labels[i] = freshLabel();
            SecondHeap.tagRoot(last[i], labels[i]);
        }
        for (long label : labels) {
            SecondHeap.move(label);
        }
        SecondHeap.transfer();
        for (int i = 0; i < LABELS; i++) {
            assertInH2(last[i][threads - 1], what + ", structure " + i);
            check(what, last[i], i, tails);
        }
        long full = SecondHeap.statistics().getRegionsInUse() - before;
        sizes(what, labels, bytes(threads, tails));
        for (int i = 0; i < LABELS; i++) {
            last[i] = i == 3 ? last[i] : null;
        }
        majorGC();
        majorGC();
        long kept = SecondHeap.statistics().getRegionsInUse() - before;
        System.out.println(what + ": " + full + " regions with eight labels, " + kept + " with one");
        check(what, last[3], 3, tails);
        assertTrue(STOCK || kept <= full / LABELS + 2, what + ": " + kept + " regions are left of " + full);
    }

    private static Row[][] filled(int threads, Tails tails) throws InterruptedException {
        Row[][] last = new Row[LABELS][threads];
        List<Thread> workers = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int number = t;
            Thread worker = new Thread(() -> fill(last, number, ROWS / threads, tails));
            worker.start();
            workers.add(worker);
        }
        for (Thread worker : workers) {
            worker.join();
        }
        return last;
    }

    private static void fill(Row[][] last, int thread, int rows, Tails tails) {
        for (int i = 0; i < rows; i++) {
            for (int label = 0; label < LABELS; label++) {
                Row row = new Row((long) label << 32 | i, last[label][thread]);
                row.tail = tails.tail(i);
                if (row.tail != null) {
                    row.tail[row.tail.length - 1] = (byte) (label + i);
                }
                last[label][thread] = row;
            }
        }
    }

    private static void check(String what, Row[] last, int label, Tails tails) {
        for (Row start : last) {
            int i = ROWS / last.length;
            for (Row row = start; row != null; row = row.before) {
                i--;
                assertEquals(row.value, (long) label << 32 | i, what + ": row");
                byte[] tail = tails.tail(i);
                assertEquals(row.tail == null ? 0 : row.tail.length, tail == null ? 0 : tail.length,
                             what + ": length in row " + i);
                assertTrue(tail == null || row.tail[tail.length - 1] == (byte) (label + i), what + ": array in row " + i);
            }
            assertEquals(i, 0, what + ": rows that are missing");
        }
    }

    private static long bytes(int threads, Tails tails) {
        long bytes = 0;
        for (int i = 0; i < ROWS; i++) {
            bytes += 24;
        }
        for (int i = 0; i < ROWS / threads; i++) {
            byte[] tail = tails.tail(i);
            bytes += tail == null ? 0 : threads * (long) tail.length;
        }
        return bytes;
    }

    /** All labels have the same bytes. They are more than the least that their objects need, and less than twice as many. */
    private static void sizes(String what, long[] labels, long least) {
        Map<Long, Long> bytes = bytesOfLabels();
        for (long label : labels) {
            long actual = bytes.getOrDefault(label, 0L);
            assertTrue(STOCK || (actual >= least && actual < 2 * least + 1000),
                       what + ": label has " + actual + " bytes of about " + least);
            assertTrue(STOCK || actual == bytes.get(labels[0]), what + ": labels have " + bytes);
        }
    }

    private static Map<Long, Long> bytesOfLabels() {
        return SecondHeap.labels().stream().collect(Collectors.toMap(SecondHeapLabelUsage::getLabel, SecondHeapLabelUsage::getUsedBytes));
    }

    /** Each label has one object of 40 bytes or less, and these are adjacent in H1. */
    private static void smallLabels() {
        long[][] roots = new long[1000][];
        long[] labels = new long[roots.length];
        for (int i = 0; i < roots.length; i++) {
            roots[i] = new long[] { i, 2, 3 };
        }
        for (int i = 0; i < roots.length; i++) {
            labels[i] = freshLabel();
            SecondHeap.tagRoot(roots[i], labels[i]);
            SecondHeap.move(labels[i]);
        }
        SecondHeap.transfer();
        sizes("small labels", labels, 40);
        for (int i = 0; i < roots.length; i++) {
            assertInH2(roots[i], "root " + i);
            assertEquals(roots[i][0], i, "content of root");
        }
    }
}
