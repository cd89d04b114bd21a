// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.liveness;

/*
 * @test TestRegionsFreed
 * @summary Regions whose objects are all unreachable are freed and used again. References to objects that the whole program shares
 *          do not keep them alive
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=64m -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:+VerifyBeforeGC -XX:+VerifyAfterGC
 *                   -XX:VerifySubSet=threads,heap,string_table,jni_handles,codecache_oops
 *                   gc.terrace.h2.liveness.TestRegionsFreed
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=64m -XX:H2RegionSize=2m -XX:ParallelGCThreads=1
 *                   gc.terrace.h2.liveness.TestRegionsFreed
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=64m -XX:H2RegionSize=2m -XX:ParallelGCThreads=4
 *                   -XX:-UseCompressedOops
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.liveness.TestRegionsFreed
 */

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import gc.terrace.h2.Tree;
import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

public class TestRegionsFreed {

    interface Maker {
        Object make(int n);
    }

    public static void main(String[] args) throws Exception {
        requireH2();
        freed("trees", n -> Tree.make(500, n));
        freed("large arrays", n -> new Object[] { new long[400_000], new byte[n] });
        freed("cycles across the heaps", n -> new Object[] { "filled in later", null });
        freed("small boxes", n -> new Object[] { n, (long) n, (short) n, (byte) n, (char) n, n % 2 == 0 });
        freed("literals", n -> new Object[] { "a literal", ("made and interned " + n).intern(), "" });
        freed("enums and classes", n -> new Object[] { TimeUnit.DAYS, String.class, TimeUnit.class });
        freed("empty collections", n -> new Object[] { List.of(), Optional.empty(), new ArrayList<>(), Locale.ROOT });
        freed("lambdas", n -> {
            int[] captured = { n };
            return new Object[] { (Runnable) () -> System.out.println(n), (Runnable) () -> { },
                                  (Runnable) () -> System.out.println(captured[0]) };
        });
        moreThanFits();
        kept();
    }

    private static void freed(String what, Maker maker) {
        long before = regionsInUse();
        List<WeakReference<Object>> roots = new ArrayList<>();
        long between = moved(maker, roots);
        assertTrue(STOCK || between >= before + 8, what + ": " + between + " regions in use, " + before + " before");
        // During the first collection, a frame may still have a reference.
        minorGC();
        majorGC();
        majorGC();
        long after = regionsInUse();
        int gone = 0;
        for (WeakReference<Object> root : roots) {
            gone += root.get() == null ? 1 : 0;
        }
        System.out.println(what + ": " + gone + " of 8 gone, regions " + before + ", " + between + ", " + after);
        assertEquals(gone, 8, "roots that are gone, of " + what);
        assertTrue(after <= before, what + ": " + after + " regions are in use, " + before + " were before");
    }

    /** Moves eight objects, each with its own label, and returns how many regions are in use while all of them live. */
    private static long moved(Maker maker, List<WeakReference<Object>> weak) {
        Object[] roots = new Object[8];
        for (int i = 0; i < roots.length; i++) {
            roots[i] = moveToH2(maker.make(i));
            if (roots[i] instanceof Object[] && ((Object[]) roots[i])[1] == null) {
                ((Object[]) roots[i])[1] = new Object[] { roots[i] };
            }
            weak.add(new WeakReference<>(roots[i]));
        }
        long inUse = regionsInUse();
        Reference.reachabilityFence(roots);
        return inUse;
    }

    private static long regionsInUse() {
        return SecondHeap.statistics().getRegionsInUse();
    }

    // Moves 200 MB through an H2 of 64 MB.
    private static void moreThanFits() {
        Tree[] last = new Tree[4];
        for (int i = 0; i < 100; i++) {
            Tree tree = Tree.make(2000, i);
            tree.extra = new long[200_000];
            moveToH2(tree);
            last[i % last.length] = tree;
            if (i % 2 == 1) {
                // Limits the chain, because a region stays as long as a region that once referred to it.
                tree.left.extra = last[(i - 1) % last.length];
            }
            for (int k = 0; k < last.length; k++) {
                if (last[k] != null) {
                    last[k].check(2000, last[k].seed);
                }
            }
        }
        System.out.println(SecondHeap.statistics());
    }

    // One object keeps its region and the regions it refers to alive.
    private static void kept() {
        Tree[] trees = { Tree.make(100, 1), Tree.make(100, 2), Tree.make(100, 3) };
        for (Tree tree : trees) {
            moveToH2(tree);
        }
        trees[0].extra = trees[1];
        trees[1].extra = trees[2];
        Object[] part = trees[0].left.left.boxes;
        trees = null;
        for (int round = 0; round < 3; round++) {
            minorGC();
            majorGC();
            Tree node = (Tree) part[0];
            node.root.check(100, 1);
            ((Tree) node.root.extra).check(100, 2);
            ((Tree) ((Tree) node.root.extra).extra).check(100, 3);
            // Overwrites regions that might have been freed.
            moveToH2(Tree.make(5000, round));
        }
    }
}
