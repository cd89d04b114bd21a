// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.liveness;

/*
 * @test TestDeepMarking
 * @summary A major collection that marks through H2 frees regions that only garbage of a live region refers to, and regions
 *          that are no longer referenced. It frees no other regions
 * @library / /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:H2DeepMarkingInterval=1
 *                   -XX:+VerifyH2 -XX:+VerifyBeforeGC -XX:+VerifyAfterGC
 *                   -XX:VerifySubSet=threads,heap,string_table,jni_handles,codecache_oops
 *                   gc.terrace.h2.liveness.TestDeepMarking
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2RegionSize=2m -XX:-UseCompressedOops
 *                   -XX:+UnlockDiagnosticVMOptions -XX:H2DeepMarkingInterval=1 -XX:+H2UnionFind -XX:+VerifyH2
 *                   -XX:ParallelGCThreads=4
 *                   gc.terrace.h2.liveness.TestDeepMarking
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2RegionSize=2m -XX:ParallelGCThreads=1 -Xint
 *                   -XX:+UnlockDiagnosticVMOptions -XX:H2DeepMarkingInterval=1 -XX:+VerifyH2
 *                   -XX:+UnlockExperimentalVMOptions -XX:ObjectAlignmentInBytes=16
 *                   gc.terrace.h2.liveness.TestDeepMarking
 * @run main/othervm -Xmx48m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2RegionSize=2m -XX:H2HighThreshold=100 -Xlog:gc+h2
 *                   gc.terrace.h2.liveness.TestDeepMarking lastResort
 * @run main/othervm -Xmx48m -XX:AllocateH2At=. -XX:H2Size=80m -XX:H2RegionSize=2m -Xlog:gc+h2
 *                   gc.terrace.h2.liveness.TestDeepMarking lastResort
 */

import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import gc.terrace.h2.Tree;
import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

public class TestDeepMarking {

    private static final int SIZE = 200;

    public static void main(String[] args) throws Exception {
        requireH2();
        if (args.length > 0) {
            garbageInH2DoesNotFillH1();
            return;
        }
        garbageKeepsNothing();
        garbageKeepsNoClassLoader();
        oneOfAHundred();
        survivorsOfARandomGraph();
    }

    // A live object shares its region with garbage that refers to various objects.
    private static void garbageKeepsNothing() {
        Object[] group = moveToH2(new Object[] { Tree.make(SIZE, 1), new Object[4] });
        Tree otherRegion = moveToH2(Tree.make(SIZE, 2));
        Object[] garbage = (Object[]) group[1];
        garbage[0] = otherRegion;
        garbage[1] = Tree.make(SIZE, 3);
        List<WeakReference<Object>> weak = new ArrayList<>();
        weak.add(new WeakReference<>(garbage));
        weak.add(new WeakReference<>(garbage[0]));
        weak.add(new WeakReference<>(garbage[1]));
        long regions = regionsInUse();
        otherRegion = null;
        garbage = null;
        group[1] = null;
        collect();
        for (int i = 0; i < weak.size(); i++) {
            assertTrue(STOCK || weak.get(i).get() == null, "garbage in H2 keeps object " + i);
        }
        assertTrue(STOCK || regionsInUse() < regions, "garbage in H2 keeps another region");
        ((Tree) group[0]).check(SIZE, 1);
    }

    private static void garbageKeepsNoClassLoader() throws Exception {
        Object[] group = moveToH2(new Object[] { Tree.make(SIZE, 1), ofItsOwnLoader() });
        WeakReference<ClassLoader> loader = new WeakReference<>(group[1].getClass().getClassLoader());
        collect();
        assertTrue(loader.get() != null && group[1].toString().equals("a proxy"), "the loader of a reachable object");
        group[1] = null;
        collect();
        assertTrue(loader.get() == null, "garbage in H2 keeps a class loader");
        ((Tree) group[0]).check(SIZE, 1);
    }

    private static Object ofItsOwnLoader() {
        ClassLoader loader = new ClassLoader(TestDeepMarking.class.getClassLoader()) { };
        return Proxy.newProxyInstance(loader, new Class<?>[] { Comparable.class }, (proxy, method, args) -> "a proxy");
    }

    // Objects are freed in several rounds, so later collections encounter the fillers of earlier ones.
    private static void oneOfAHundred() {
        Object[] all = moveToH2(new Object[20_000]);
        for (int i = 0; i < all.length; i++) {
            all[i] = new Object[] { i, new int[i % 7], new Object[i % 3] };
        }
        moveToH2(new Object[] { all.clone() });
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < all.length; i++) {
                if (i % 100 > 3 - round) {
                    all[i] = null;
                }
            }
            collect();
            minorGC();
            for (int i = 0; i < all.length; i++) {
                if (all[i] != null) {
                    Object[] element = (Object[]) all[i];
                    assertEquals(element[0], i, "element " + i);
                    assertEquals(((int[]) element[1]).length, i % 7, "array of element " + i);
                    if (i % 3 != 0) {
                        ((Object[]) element[2])[i % 3 - 1] = new Object[] { element };
                    }
                }
                if (i % 100 == 50) {
                    all[i] = null;
                }
            }
        }
    }

    // Trees in many regions refer to each other in all directions, and some of them stay alive.
    private static void survivorsOfARandomGraph() {
        Random random = new Random(42);
        Tree[] trees = new Tree[60];
        for (int i = 0; i < trees.length; i++) {
            trees[i] = Tree.make(SIZE, i);
            if (i % 4 != 0) {
                moveToH2(trees[i], i % 7);
            }
        }
        for (int round = 0; round < 5; round++) {
            for (Tree tree : trees) {
                if (tree != null) {
                    tree.left.right.extra = trees[random.nextInt(trees.length)];
                    tree.right.extra = new Object[] { trees[random.nextInt(trees.length)] };
                }
            }
            trees[random.nextInt(trees.length)] = null;
            trees[random.nextInt(trees.length)] = null;
            collect();
            for (Tree tree : trees) {
                if (tree != null) {
                    tree.check(SIZE, tree.seed);
                    checkIfAny(tree.left.right.extra);
                    checkIfAny(((Object[]) tree.right.extra)[0]);
                }
            }
        }
    }

    private static void checkIfAny(Object tree) {
        if (tree != null) {
            ((Tree) tree).check(SIZE, ((Tree) tree).seed);
        }
    }

    // Each round drops 20 MB that garbage in H2 refers to, and H1 has 48 MB. The dropped objects stay in H1,
    // or move like the garbage until H2 is nearly full.
    private static void garbageInH2DoesNotFillH1() {
        Object[] group = moveToH2(new Object[] { Tree.make(SIZE, 1), new Object[10] });
        for (int round = 0; round < 10; round++) {
            Object[] slots = (Object[]) group[1];
            Object[] next = new Object[10];
            for (int i = 0; i < slots.length; i++) {
                slots[i] = new byte[2 << 20];
            }
            group[1] = null;
            Object[] more = moveToH2(new Object[] { group, next });
            group = more;
            for (int depth = 0; depth < round; depth++) {
                more = (Object[]) more[0];
            }
        }
        long deep = SecondHeap.statistics().getDeepMarkings();
        System.out.println(SecondHeap.statistics() + ", deep markings: " + deep);
        assertTrue(STOCK || deep > 0, "not one collection marked through H2");
    }

    private static void collect() {
        minorGC();
        majorGC();
        majorGC();
    }

    private static long regionsInUse() {
        return SecondHeap.statistics().getRegionsInUse();
    }
}
