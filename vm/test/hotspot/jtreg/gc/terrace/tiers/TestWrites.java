// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.tiers;

/*
 * @test TestWrites
 * @summary With H2TierPolicy=writes, what the program writes becomes fast, and what it reads does not, however much of it, and
 *          whether or not its pages come and go; with monitor it is the other way round
 * @requires os.family == "linux"
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2FastSize=64m -XX:H2TierPolicy=writes
 *                   -XX:H2SampleInterval=200 -XX:H2SampleBudget=10 -XX:+UnlockDiagnosticVMOptions -XX:H2ResidentLimit=1m
 *                   -Xlog:gc+h2=debug
 *                   gc.terrace.tiers.TestWrites writes
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2FastSize=64m -XX:H2TierPolicy=writes -XX:-H2HugePages
 *                   -XX:H2SampleInterval=200 -XX:H2SampleBudget=10 -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   -Xlog:gc+h2=debug
 *                   gc.terrace.tiers.TestWrites writes
 * @run main/othervm -Xmx256m -XX:AllocateH2OnNode=0 -XX:H2Size=256m -XX:H2FastSize=64m -XX:H2TierPolicy=writes
 *                   -XX:H2SampleInterval=200 -XX:H2SampleBudget=10 -Xlog:gc+h2=debug
 *                   gc.terrace.tiers.TestWrites writes
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2FastSize=32m -XX:H2TierPolicy=monitor
 *                   -XX:H2SampleInterval=200 -XX:H2SampleBudget=10 -Xlog:gc+h2=debug
 *                   gc.terrace.tiers.TestWrites monitor
 */

import org.terrace.SecondHeap;
import org.terrace.SecondHeap.Tier;
import org.terrace.SecondHeapLabelUsage;

import static gc.terrace.h2.H2Test.*;

public class TestWrites {

    private static final int PAGE = 4096;
    // Each array takes a region of 16 MB.
    private static final int SIZE = 15 << 20;
    // As much of it as is hot by itself, and not hotter than what is used as a whole.
    private static final int WRITTEN = SIZE / 3;

    private static volatile byte sink;

    private static final byte[][] WRITES = arrays(), READS = arrays();
    private static byte turn;

    public static void main(String[] args) throws Exception {
        requireH2();
        if (STOCK) {
            return;
        }
        long written = freshLabel();
        long read = freshLabel();
        // Hints do not count.
        SecondHeap.place(read, Tier.FAST);
        moveToH2(WRITES, written);
        moveToH2(READS, read);
        switch (args[0]) {
            case "writes":
                useUntilFast(written, read);
                assertEquals(usage(read).getFastBytes(), 0, "fast bytes of what is only read");
                // It was counted as not written, as far as it was counted.
                assertTrue(usage(read).getHeat() < 0.01, "only read: " + usage(read));
                break;
            default:
                useUntilFast(read, written);
                assertEquals(usage(written).getFastBytes(), 0, "fast bytes of what is used less");
        }
        check();
        SecondHeap.labels().forEach(System.out::println);
    }

    private static byte[][] arrays() {
        return new byte[2][SIZE];
    }

    private static void useUntilFast(long fast, long other) throws InterruptedException {
        waitFor(() -> {
            turn++;
            for (byte[] array : WRITES) {
                for (int i = 0; i < WRITTEN; i += PAGE) {
                    array[i] = turn;
                }
            }
            for (byte[] array : READS) {
                for (int i = 0; i < SIZE; i += PAGE) {
                    sink += array[i];
                }
                SecondHeap.dismiss(array);
            }
            return usage(fast).getFastBytes() >= 2 * SIZE;
        });
        assertTrue(usage(fast).getFastBytes() >= 2 * SIZE, usage(fast) + ", " + usage(other));
        assertTrue(usage(fast).getHeat() > 0.25, "fast: " + usage(fast));
    }

    private static void check() {
        for (byte[] array : WRITES) {
            for (int i = 0; i < SIZE; i += PAGE) {
                assertEquals(array[i], i < WRITTEN ? turn : 0, "byte " + i + " of what was written");
            }
        }
        for (byte[] array : READS) {
            for (int i = 0; i < SIZE; i++) {
                assertEquals(array[i], 0, "byte " + i + " of what was read");
            }
        }
    }

    private static SecondHeapLabelUsage usage(long label) {
        return SecondHeap.labels().stream().filter(usage -> usage.getLabel() == label).findAny().orElseThrow();
    }
}
