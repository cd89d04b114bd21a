// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.transfer;

/*
 * @test TestManyLabels
 * @summary Many small labels share regions in proportion to their bytes, and a few labels do not share. A label that grows gets
 *          its own regions. Evacuation keeps the labels of live objects, and a region has objects of one tier only
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=1g -Xlog:gc+h2
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.transfer.TestManyLabels many
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=64m -XX:H2RegionSize=2m -Xlog:gc+h2
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.transfer.TestManyLabels grows
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=64m -XX:H2RegionSize=2m -Xlog:gc+h2
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:H2DeepMarkingInterval=1 -XX:-UseCompressedOops
 *                   gc.terrace.h2.transfer.TestManyLabels dropped
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=128m -XX:H2RegionSize=2m -XX:H2FastSize=32m -Xlog:gc+h2
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.transfer.TestManyLabels tiers
 */

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

import org.terrace.SecondHeap;
import org.terrace.SecondHeap.State;
import org.terrace.SecondHeap.Tier;
import org.terrace.SecondHeapLabelUsage;
import org.terrace.SecondHeapStatistics;

import static gc.terrace.h2.H2Test.*;

public class TestManyLabels {

    private static final int KB = 1 << 10;

    public static void main(String[] args) throws Exception {
        requireH2();
        if (STOCK) {
            return;
        }
        switch (args[0]) {
            case "many":
                few();
                for (int count : new int[] { 1_000, 10_000, 100_000 }) {
                    many(count);
                }
                oneByOne();
                break;
            case "grows":
                grows();
                break;
            case "dropped":
                dropped();
                break;
            case "tiers":
                tiers();
                break;
            default:
                throw new IllegalArgumentException(args[0]);
        }
    }

    /** Moves a root of 144 bytes for each label. */
    private static void many(int count) {
        long label = freshLabel() << 20;
        byte[][] roots = new byte[count][];
        SecondHeapStatistics before = SecondHeap.statistics();
        for (int i = 0; i < count; i++) {
            roots[i] = new byte[128];
            Arrays.fill(roots[i], (byte) i);
            SecondHeap.tagRoot(roots[i], label + i);
            SecondHeap.move(label + i);
        }
        SecondHeap.transfer();
        SecondHeapStatistics after = SecondHeap.statistics();
        long opened = after.getRegionsInUse() - before.getRegionsInUse();
        long bytes = after.getMovedBytes() - before.getMovedBytes();
        System.out.println(count + " labels: " + opened + " regions were opened for " + bytes + " bytes");
        assertEquals(after.getFailedTransfers(), before.getFailedTransfers(), "failed transfers");
        assertEquals(after.getTransfers() - before.getTransfers(), 1, "transfers");
        assertEquals(after.getMovedObjects() - before.getMovedObjects(), count, "objects that moved");
        long regionBytes = after.getCapacityBytes() / after.getRegionsTotal();
        assertTrue(opened <= bytes / regionBytes + 1, opened + " regions were opened for " + bytes + " bytes");
        // No structure is due any more.
        majorGC();
        assertEquals(SecondHeap.statistics().getTransfers(), after.getTransfers(), "transfers without anything to move");
        for (int i = 0; i < count; i++) {
            assertState(State.IN_H2, roots[i], "root " + i);
            assertTrue(roots[i][0] == (byte) i && roots[i][127] == (byte) i, "root " + i + " has changed");
        }
    }

    /** Labels of different transfers share regions, too, if a quarter of all regions are sparse. */
    private static void oneByOne() {
        SecondHeapStatistics before = SecondHeap.statistics();
        Object[] roots = new Object[100];
        for (int i = 0; i < roots.length; i++) {
            roots[i] = moveToH2(new byte[KB]);
        }
        long opened = regionsInUse() - before.getRegionsInUse();
        assertTrue(opened <= before.getRegionsTotal() / 4 + 1, opened + " regions were opened for 100 KB");
        for (Object root : roots) {
            assertInH2(root, "a root");
        }
    }

    /** If a few labels move together, each has its own region, which dies with it. */
    private static void few() {
        long before = regionsInUse();
        byte[][] roots = shared(freshLabel() << 20, 2, KB);
        assertEquals(regionsInUse(), before + 2, "regions with two labels");
        roots[0] = null;
        majorGC();
        majorGC();
        assertEquals(regionsInUse(), before + 1, "regions without the first of them");
        assertInH2(roots[1], "the second root");
    }

    /** Less than a quarter of a region of 2 MB goes to a shared region, and more goes to a region of its own. */
    private static void grows() {
        long label = freshLabel() << 20;
        byte[][] neighbours = shared(label, 20, 10 * KB);
        long regions = regionsInUse();
        assertEquals(regions, 1, "regions of small labels");
        byte[][] parts = new byte[6][];
        for (int i = 0; i < 4; i++) {
            parts[i] = moveToH2(new byte[100 * KB], label);
            assertEquals(regionsInUse(), regions, "regions with " + (i + 1) + " parts of a small label");
        }
        assertEquals(usage(label).getRegions(), 1, "regions with objects of the label");
        parts[4] = moveToH2(new byte[400 * KB], label);
        assertEquals(regionsInUse(), regions + 1, "regions when the label has grown");
        parts[5] = moveToH2(new byte[100 * KB], label);
        assertEquals(regionsInUse(), regions + 1, "regions when it grows in its own");
        assertEquals(usage(label).getRegions(), 2, "regions with objects of the label");
        assertEquals(usage(label).getUsedBytes(), 10 * KB + 16 + 5 * (100 * KB + 16) + 400 * KB + 16, "bytes of the label");
        assertEquals(usage(label + 1).getUsedBytes(), 10 * KB + 16, "bytes of its neighbour");
        // The label's own region dies with its objects, and the shared one does not.
        parts[4] = null;
        parts[5] = null;
        majorGC();
        majorGC();
        assertEquals(regionsInUse(), regions, "regions without what has grown");
        assertInH2(neighbours[1], "what shares the region");
        assertInH2(parts[3], "what shares the region");
    }

    /** Moves a root for each of a number of consecutive labels in one transfer. */
    private static byte[][] shared(long label, int count, int bytes) {
        byte[][] roots = new byte[count][];
        for (int i = 0; i < count; i++) {
            roots[i] = new byte[bytes];
            SecondHeap.tagRoot(roots[i], label + i);
            SecondHeap.move(label + i);
        }
        SecondHeap.transfer();
        return roots;
    }

    private static void dropped() {
        long label = freshLabel() << 20;
        int count = 80;
        byte[][] roots = new byte[count][];
        for (int i = 0; i < count; i++) {
            roots[i] = new byte[(50 + i) * KB];
            Arrays.fill(roots[i], (byte) i);
            SecondHeap.tagRoot(roots[i], label + i);
            SecondHeap.move(label + i);
        }
        SecondHeap.transfer();
        long regions = regionsInUse();
        assertTrue(regions <= 5, "labels of 7 MB took " + regions + " regions of 2 MB");
        for (int i = 0; i < count; i++) {
            assertEquals(usage(label + i).getUsedBytes(), (50 + i) * KB + 16, "bytes of label " + i);
            if (i % 4 != 0) {
                roots[i] = null;
            }
        }
        majorGC();
        majorGC();
        assertTrue(regionsInUse() <= 2, "labels of 2 MB have " + regionsInUse() + " regions of 2 MB");
        Set<Long> left = new HashSet<>();
        SecondHeap.labels().forEach(usage -> left.add(usage.getLabel()));
        for (int i = 0; i < count; i++) {
            assertTrue(left.contains(label + i) == (i % 4 == 0), "label " + i + ", of " + left);
            if (i % 4 == 0) {
                assertEquals(usage(label + i).getUsedBytes(), (50 + i) * KB + 16, "bytes of label " + i);
                assertTrue(roots[i][0] == (byte) i && roots[i][roots[i].length - 1] == (byte) i, "root " + i + " has changed");
            }
        }
        Arrays.fill(roots, null);
        majorGC();
        majorGC();
        assertEquals(regionsInUse(), 0, "regions when all is dead");
    }

    private static void tiers() throws Exception {
        Tier[] tiers = { Tier.FAST, Tier.SLOW, Tier.AUTO };
        long label = freshLabel() << 20;
        byte[][] roots = new byte[30][];
        for (int i = 0; i < roots.length; i++) {
            roots[i] = new byte[20 * KB];
            SecondHeap.place(label + i, tiers[i % 3]);
            SecondHeap.tagRoot(roots[i], label + i);
            SecondHeap.move(label + i);
        }
        SecondHeap.transfer();
        assertEquals(regionsInUse(), 3, "regions for three tiers");
        for (int i = 0; i < roots.length; i++) {
            SecondHeapLabelUsage usage = usage(label + i);
            assertEquals(usage.getUsedBytes(), 20 * KB + 16, "bytes of label " + i);
            assertEquals(usage.getFastBytes(), i % 3 == 0 ? 20 * KB + 16 : 0, "fast bytes of label " + i);
            assertEquals(usage.getTier(), tiers[i % 3].name(), "tier of label " + i);
        }
    }

    private static long regionsInUse() {
        return SecondHeap.statistics().getRegionsInUse();
    }

    private static SecondHeapLabelUsage usage(long label) {
        return SecondHeap.labels().stream().filter(usage -> usage.getLabel() == label).findAny().orElseThrow();
    }
}
