// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.transfer;

/*
 * @test TestFailedCopy
 * @summary A transfer fails half-way, after storing references from a region that it resumed to one that it opened. It leaves
 *          no references that a later marking would follow, even if that marking is not a deep one
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @build jdk.test.whitebox.WhiteBox
 * @run driver jdk.test.lib.helpers.ClassFileInstaller jdk.test.whitebox.WhiteBox
 *
 * @run main/othervm -Xbootclasspath/a:. -XX:+UnlockDiagnosticVMOptions -XX:+WhiteBoxAPI
 *                   -Xmx256m -XX:AllocateH2At=. -XX:H2Size=64m -XX:H2RegionSize=2m -XX:ParallelGCThreads=1 -XX:+VerifyH2
 *                   gc.terrace.h2.transfer.TestFailedCopy
 * @run main/othervm -Xbootclasspath/a:. -XX:+UnlockDiagnosticVMOptions -XX:+WhiteBoxAPI
 *                   -Xmx256m -XX:AllocateH2At=. -XX:H2Size=64m -XX:H2RegionSize=2m -XX:ParallelGCThreads=1 -XX:+H2UnionFind
 *                   gc.terrace.h2.transfer.TestFailedCopy
 */

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import org.terrace.SecondHeap;
import jdk.test.whitebox.WhiteBox;

import static gc.terrace.h2.H2Test.*;

public class TestFailedCopy {

    private static final int REGIONS = 32;
    private static final int NEARLY_A_REGION = (2 << 20) - (64 << 10);

    public static void main(String[] args) {
        requireH2();
        long resumed = freshLabel();
        Object[] living = moveToH2(new Object[] {"a region with room"}, resumed);
        List<byte[]> filling = new ArrayList<>();
        while (SecondHeap.statistics().getRegionsInUse() < REGIONS * 7 / 8 + 1) {
            filling.add(moveToH2(new byte[NEARLY_A_REGION]));
        }
        // Deep markings that free nothing become rare. Just after one, the next one is not soon.
        for (int i = 0; i < 100 && SecondHeap.statistics().getDeepMarkings() < 3; i++) {
            majorGC();
        }
        long deep = SecondHeap.statistics().getDeepMarkings();
        assertEquals(deep, 3, "deep markings");

        byte[] shared = new byte[NEARLY_A_REGION];
        Object[] first = {shared};
        byte[] between = new byte[4 << 10]; // separates the roots, because adjacent objects move together
        Object[] second = {shared};
        long opened = freshLabel();
        SecondHeap.tagRoot(first, opened);
        SecondHeap.tagRoot(second, resumed);
        SecondHeap.move(opened);
        long failed = SecondHeap.statistics().getFailedTransfers();
        WhiteBox.getWhiteBox().setUintxVMFlag("H2FailTransferAt", 2L);
        SecondHeap.transfer();
        assertEquals(SecondHeap.statistics().getFailedTransfers(), failed + 1, "failed transfers");
        assertInH1(shared, "what was to be moved");

        SecondHeap.hold(opened);
        SecondHeap.hold(resumed);
        majorGC();
        assertEquals(SecondHeap.statistics().getDeepMarkings(), deep, "deep markings");
        SecondHeap.move(opened);
        SecondHeap.move(resumed);
        SecondHeap.transfer();
        assertInH2(shared, "what both refer to");
        assertInH2(second, "what was to go into the region with room");
        assertSame(second[0], shared, "what the second refers to");
        Reference.reachabilityFence(between);
        Reference.reachabilityFence(living);
        Reference.reachabilityFence(filling);
    }
}
