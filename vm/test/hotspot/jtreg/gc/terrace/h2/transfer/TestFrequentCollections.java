// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.transfer;

/*
 * @test TestFrequentCollections
 * @summary If the live data stays just below the high threshold, frequent major collections move it, and few of them follow
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @run driver gc.terrace.h2.transfer.TestFrequentCollections
 */

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import jdk.test.lib.process.OutputAnalyzer;

import gc.terrace.h2.Child;
import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

/** The old generation has 36 MB. The low threshold is at 18 MB, and the high one at 30 MB. */
public class TestFrequentCollections {

    private static final int BLOCK = 4 << 10;
    private static final int PER_MB = (1 << 20) / BLOCK;
    private static final int LOW_MB = 18;
    private static final int MIDDLE_MB = 24;
    private static final int HIGH_MB = 30;

    public static void main(String[] args) throws Exception {
        long never = collections("-XX:H2OverheadThreshold=100");
        long from1 = collections("-XX:H2OverheadThreshold=1");
        System.out.println(never + " major collections without the rule, " + from1 + " with it");
        assertTrue(never >= 40, "the program needs more major collections, to tell: " + never);
        assertTrue(from1 <= never / 3, "frequent collections moved too little: " + from1 + " of " + never + " are left");
    }

    private static long collections(String threshold) throws Exception {
        OutputAnalyzer output = Child.run(Churn.class,
                List.of("-Xmx48m", "-Xms48m", "-Xmn12m", "-XX:AllocateH2At=.", "-XX:H2Size=512m", "-XX:H2RegionSize=2m",
                        "-Xlog:gc,gc+h2=debug"), threshold, "-XX:+UnlockDiagnosticVMOptions", "-XX:+VerifyH2");
        output.shouldContain("transfers of System.gc(): 0");
        return Long.parseLong(output.firstMatch("major collections: (\\d+)", 1));
    }

    /** Holds 26 MB, and lets 400 MB more become old and die. */
    public static class Churn {
        public static void main(String[] args) {
            requireH2();
            List<byte[]> held = new ArrayList<>();
            for (int i = 0; i < 26 * PER_MB; i++) {
                held.add(block(i));
            }
            byte[][] ring = new byte[3 * PER_MB][];
            for (int i = 0; i < 400 * PER_MB; i++) {
                ring[i % ring.length] = block(i);
            }
            for (int i = 0; i < held.size(); i++) {
                assertEquals(held.get(i)[BLOCK / 2], (byte) i, "a byte of block " + i);
            }
            System.out.println("major collections: " + majorCount());
            held.clear();
            Arrays.fill(ring, null);
            collectOnRequest();
            System.out.println("the end");
        }

        /** Between the thresholds, only a collection for an allocation moves objects. */
        private static void collectOnRequest() {
            System.gc();
            List<byte[]> more = new ArrayList<>();
            // The sizes of the generations depend on the speed of the machine, and allocations may need a collection that moves objects.
            while (usedMB() < MIDDLE_MB) {
                more.add(block(more.size()));
            }
            long before = SecondHeap.statistics().getTransfers();
            System.gc();
            System.gc();        // arrays move only after they have survived a collection
            System.out.println("transfers of System.gc(): " + (SecondHeap.statistics().getTransfers() - before));
            long live = usedMB();
            assertTrue(live > LOW_MB && live < HIGH_MB, live + " MB are live, not between the thresholds");
            Reference.reachabilityFence(more);
        }

        private static long usedMB() {
            return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory() >> 20;
        }

        private static byte[] block(int n) {
            byte[] bytes = new byte[BLOCK];
            bytes[BLOCK / 2] = (byte) n;
            return bytes;
        }
    }
}
