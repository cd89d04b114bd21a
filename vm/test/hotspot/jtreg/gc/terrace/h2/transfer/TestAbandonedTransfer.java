// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.transfer;

/*
 * @test TestAbandonedTransfer
 * @summary After a failed transfer, a region that contains other live objects does not keep the class loader of the failed objects alive
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @build jdk.test.whitebox.WhiteBox
 * @run driver jdk.test.lib.helpers.ClassFileInstaller jdk.test.whitebox.WhiteBox
 *
 * @run main/othervm -Xbootclasspath/a:. -XX:+UnlockDiagnosticVMOptions -XX:+WhiteBoxAPI
 *                   -Xmx128m -XX:AllocateH2At=. -XX:H2Size=64m -XX:H2RegionSize=2m -XX:+VerifyH2
 *                   gc.terrace.h2.transfer.TestAbandonedTransfer
 */

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;

import org.terrace.SecondHeap;
import jdk.test.whitebox.WhiteBox;

import static gc.terrace.h2.H2Test.*;

public class TestAbandonedTransfer {

    public static void main(String[] args) {
        requireH2();
        long label = freshLabel();
        Object[] living = moveToH2(new Object[] { "a region with room" }, label);
        WeakReference<ClassLoader> loader = failed(label);
        for (int i = 0; i < 3 && loader.get() != null; i++) {
            majorGC();
        }
        assertTrue(loader.get() == null, "a transfer that failed keeps a class loader");
        assertInH2(living, "what was there before");
        Reference.reachabilityFence(living);
    }

    private static WeakReference<ClassLoader> failed(long label) {
        ClassLoader loader = new ClassLoader(TestAbandonedTransfer.class.getClassLoader()) { };
        Object[] root = { Proxy.newProxyInstance(loader, new Class<?>[] { Comparable.class }, (proxy, method, args) -> "a proxy") };
        SecondHeap.tagRoot(root, label);
        long failed = SecondHeap.statistics().getFailedTransfers();
        WhiteBox.getWhiteBox().setUintxVMFlag("H2FailTransferAt", 1L);
        SecondHeap.transfer();
        assertEquals(SecondHeap.statistics().getFailedTransfers(), failed + 1, "failed transfers");
        assertInH1Again(root);
        SecondHeap.hold(label);
        return new WeakReference<>(loader);
    }

    private static void assertInH1Again(Object root) {
        assertTrue(SecondHeap.state(root) != SecondHeap.State.IN_H2, "the root has moved");
    }
}
