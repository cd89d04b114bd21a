// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.transfer;

/*
 * @test TestTransferTails
 * @summary A label continues in the region that an earlier transfer left unfinished, even after a failed transfer
 * @library / /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:+VerifyBeforeGC -XX:+VerifyAfterGC
 *                   -XX:VerifySubSet=threads,heap,string_table,jni_handles,codecache_oops
 *                   gc.terrace.h2.transfer.TestTransferTails
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -XX:H2RegionSize=2m -XX:-UseCompressedOops
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:H2FailTransferAt=20
 *                   gc.terrace.h2.transfer.TestTransferTails
 */

import gc.terrace.h2.Tree;
import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

public class TestTransferTails {

    private static final int SIZE = 100;
    private static final int TREES = 40;

    public static void main(String[] args) {
        requireH2();
        long[] labels = { freshLabel(), freshLabel() };
        long before = SecondHeap.statistics().getRegionsInUse();
        Tree[] trees = new Tree[TREES];
        for (int i = 0; i < TREES; i++) {
            trees[i] = Tree.make(SIZE, i);
            trees[i].extra = i == 0 ? null : trees[i - 1];
            SecondHeap.tagRoot(trees[i], labels[i % 2]);
            SecondHeap.move(labels[i % 2]);
            SecondHeap.transfer();
            for (int k = 0; k <= i; k++) {
                trees[k].check(SIZE, k);
                assertSame(trees[k].extra, k == 0 ? null : trees[k - 1], "the tree before tree " + k);
            }
        }
        trees[TREES - 1].assertInH2();
        long regions = SecondHeap.statistics().getRegionsInUse() - before;
        assertTrue(STOCK || regions <= 4, TREES + " small trees of two labels took " + regions + " regions");
        // An object that does not fit into the tail opens a new region, and the next object goes to the tail.
        Object[] large = moveToH2(new Object[] { new long[200_000], Tree.make(SIZE, 1) }, labels[0]);
        ((Tree) large[1]).check(SIZE, 1);
        moveToH2(Tree.make(SIZE, 2), labels[0]).check(SIZE, 2);
        long regionsWithLarge = SecondHeap.statistics().getRegionsInUse() - before;
        assertTrue(STOCK || regionsWithLarge <= regions + 2, "a large array took " + (regionsWithLarge - regions));
    }
}
