// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.tiers;

/*
 * @test TestWrites
 * @summary With H2TierPolicy=writes, written data becomes fast, and data that is only read does not. Written pages that are paged out
 *          and return count once, and unwritten ones never. With the policy monitor, data that is read becomes fast
 * @requires os.family == "linux"
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2FastSize=64m -XX:H2TierPolicy=writes
 *                   -XX:H2SampleInterval=200 -XX:H2SampleBudget=10 -Xlog:gc+h2=debug
 *                   gc.terrace.tiers.TestWrites writes
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2FastSize=64m -XX:H2TierPolicy=writes
 *                   -XX:H2SampleInterval=100 -XX:H2SampleBudget=50 -XX:+UnlockDiagnosticVMOptions -XX:H2ResidentLimit=1m
 *                   -Xlog:gc+h2=debug
 *                   gc.terrace.tiers.TestWrites leaves
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2FastSize=64m -XX:H2TierPolicy=writes -XX:-H2HugePages
 *                   -XX:H2SampleInterval=200 -XX:H2SampleBudget=10 -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   -Xlog:gc+h2=debug
 *                   gc.terrace.tiers.TestWrites writes
 * @run main/othervm -Xmx256m -XX:AllocateH2OnNode=0 -XX:H2Size=256m -XX:H2RegionSize=16m -XX:H2FastSize=64m
 *                   -XX:H2TierPolicy=writes -XX:H2SampleInterval=200 -XX:H2SampleBudget=10 -Xlog:gc+h2=debug
 *                   gc.terrace.tiers.TestWrites writes
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2FastSize=32m -XX:H2TierPolicy=monitor
 *                   -XX:H2SampleInterval=200 -XX:H2SampleBudget=10 -Xlog:gc+h2=debug
 *                   gc.terrace.tiers.TestWrites monitor
 */

import java.lang.ref.Reference;
import java.util.function.ToLongFunction;
import org.terrace.SecondHeap;
import org.terrace.SecondHeap.Tier;
import org.terrace.SecondHeapLabelUsage;
import org.terrace.SecondHeapMXBean;

import static gc.terrace.h2.H2Test.*;

public class TestWrites {

    private static final int PAGE = 4096;
    // Each array occupies a region of 16 MB.
    private static final int SIZE = 15 << 20;
    private static final int ARRAYS = 2;

    private static final byte[][] WRITTEN = new byte[ARRAYS][SIZE], READ = new byte[ARRAYS][SIZE];

    private static volatile byte sink;
    private static byte turn;

    public static void main(String[] args) throws Exception {
        requireH2();
        if (STOCK) {
            return;
        }
        long written = freshLabel();
        long read = freshLabel();
        // Hints have no effect.
        SecondHeap.place(read, Tier.FAST);
        moveToH2(WRITTEN, written);
        moveToH2(READ, read);
        switch (args[0]) {
            case "writes":
                useUntilFast(written, SIZE);
                assertEquals(usage(read).getFastBytes(), 0, "fast bytes of what is only read");
                assertTrue(usage(read).getHeat() < 0.01 && usage(written).getHeat() > 0.01, usage(written) + ", " + usage(read));
                check(SIZE);
                break;
            case "leaves":
                leaveAndComeBack(written);
                break;
            default:
                // Used enough to become fast by itself, but less than the data that is read.
                useUntilFast(read, SIZE / 3);
                assertEquals(usage(written).getFastBytes(), 0, "fast bytes of what is used less");
                check(SIZE / 3);
        }
        SecondHeap.labels().forEach(System.out::println);
    }

    private static void useUntilFast(long label, int size) throws InterruptedException {
        waitFor(() -> {
            write(size);
            read(READ);
            return usage(label).getFastBytes() >= ARRAYS * SIZE;
        });
        assertTrue(usage(label).getFastBytes() >= ARRAYS * SIZE, "used most: " + SecondHeap.labels());
    }

    /**
     * Writes data once, and then pages it out and in many times. It would become hot if written pages counted again when they are read.
     * Each region is sampled between two turns.
     */
    private static void leaveAndComeBack(long label) throws InterruptedException {
        // The VM keeps 64 MB of dismissed data in memory.
        byte[][] kept = moveToH2(new byte[4][SIZE]);
        SecondHeap.dismiss(kept);
        int regions = 2 * ARRAYS + kept.length;
        write(SIZE);
        for (int i = 0; i < 20; i++) {
            long before = SecondHeap.statistics().getPagedOutBytes();
            SecondHeap.dismiss(WRITTEN);
            awaitMore(SecondHeapMXBean::getPagedOutBytes, before, ARRAYS * SIZE, "bytes paged out");
            read(WRITTEN);
            awaitMore(SecondHeapMXBean::getSamples, SecondHeap.statistics().getSamples(), 2 * regions, "samples");
        }
        assertTrue(usage(label).getHeat() < 0.1, "written in one window of many: " + usage(label));
        assertEquals(usage(label).getFastBytes(), 0, "fast bytes of what is not hot");
        check(SIZE);
        Reference.reachabilityFence(kept);
    }

    private static void awaitMore(ToLongFunction<SecondHeapMXBean> counter, long before, long more, String what)
            throws InterruptedException {
        waitFor(() -> counter.applyAsLong(SecondHeap.statistics()) - before >= more);
        assertTrue(counter.applyAsLong(SecondHeap.statistics()) - before >= more, "no more " + what + ": " + SecondHeap.statistics());
    }

    private static void write(int size) {
        turn++;
        for (byte[] array : WRITTEN) {
            for (int i = 0; i < size; i += PAGE) {
                array[i] = turn;
            }
        }
    }

    private static void read(byte[][] arrays) {
        for (byte[] array : arrays) {
            for (int i = 0; i < SIZE; i += PAGE) {
                sink += array[i];
            }
        }
    }

    private static void check(int size) {
        for (byte[] array : WRITTEN) {
            for (int i = 0; i < SIZE; i++) {
                assertEquals(array[i], i < size && i % PAGE == 0 ? turn : 0, "a byte of what was written");
            }
        }
        for (byte[] array : READ) {
            for (int i = 0; i < SIZE; i++) {
                assertEquals(array[i], 0, "a byte of what was read");
            }
        }
    }

    private static SecondHeapLabelUsage usage(long label) {
        return SecondHeap.labels().stream().filter(usage -> usage.getLabel() == label).findAny().orElseThrow();
    }
}
