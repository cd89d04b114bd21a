// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.objects;

/*
 * @test TestTransferReferences
 * @summary Weak, soft and phantom references to objects in H2 are not cleared while these are reachable, and are queued once
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:+VerifyBeforeGC -XX:+VerifyAfterGC
 *                   -XX:VerifySubSet=threads,heap,string_table,jni_handles,codecache_oops
 *                   gc.terrace.h2.objects.TestTransferReferences
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:ParallelGCThreads=1 -XX:-ParallelRefProcEnabled
 *                   gc.terrace.h2.objects.TestTransferReferences
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:ParallelGCThreads=4 -XX:-UseCompressedOops
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.objects.TestTransferReferences
 */

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;

import static gc.terrace.h2.H2Test.*;

import gc.terrace.h2.Tree;

public class TestTransferReferences {

    public static void main(String[] args) throws Exception {
        requireH2();
        referentsInH2();
        referencesMadeBeforeTheMove();
        reachableFromH2Only();
        softOnes();
        finalizable();
        queues();
    }

    private static void referentsInH2() {
        Tree[] trees = new Tree[100];
        for (int i = 0; i < trees.length; i++) {
            trees[i] = Tree.make(5, i);
        }
        moveToH2(trees);
        List<Reference<Tree>> references = new ArrayList<>();
        WeakHashMap<Object, Integer> map = new WeakHashMap<>();
        for (int i = 0; i < trees.length; i++) {
            references.add(new WeakReference<>(trees[i]));
            references.add(new SoftReference<>(trees[i].left));
            map.put(trees[i], i);
        }
        for (int round = 0; round < 4; round++) {
            if (round % 2 == 0) {
                minorGC();
            }
            majorGC();
            for (int i = 0; i < trees.length; i++) {
                assertSame(references.get(2 * i).get(), trees[i], "weak referent " + i);
                assertSame(references.get(2 * i + 1).get(), trees[i].left, "soft referent " + i);
                assertEquals(map.get(trees[i]), Integer.valueOf(i), "value of weak key " + i);
            }
        }
        assertEquals(map.size(), trees.length, "the size of the map");
    }

    private static void referencesMadeBeforeTheMove() {
        List<Tree> trees = new ArrayList<>();
        List<WeakReference<Tree>> references = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            Tree tree = Tree.make(3, i);
            references.add(new WeakReference<>(tree));
            if (i % 3 == 0) {
                trees.add(tree);
            }
        }
        if (trees.size() % 2 == 0) {
            minorGC();
        }
        moveToH2(trees);
        for (int i = 0; i < references.size(); i++) {
            Tree tree = references.get(i).get();
            assertSame(tree, i % 3 == 0 ? trees.get(i / 3) : null, "referent " + i);
            if (tree != null) {
                assertInH2(tree, "referent " + i);
                tree.check(3, i);
            }
        }
    }

    // The only strong path leads from H1 to H2 and back to H1.
    private static void reachableFromH2Only() {
        Object[] holder = moveToH2(new Object[200]);
        List<WeakReference<Object>> references = fill(holder);
        for (int round = 0; round < 3; round++) {
            minorGC();
            majorGC();
            for (int i = 0; i < holder.length; i++) {
                assertTrue(references.get(i).get() != null, "referent " + i + " was cleared");
                assertSame(references.get(i).get(), holder[i], "referent " + i);
            }
        }
        Arrays.fill(holder, null);
        majorGC();
        for (WeakReference<Object> reference : references) {
            assertSame(reference.get(), null, "a referent that H2 has forgotten");
        }
    }

    private static List<WeakReference<Object>> fill(Object[] holder) {
        List<WeakReference<Object>> references = new ArrayList<>();
        for (int i = 0; i < holder.length; i++) {
            holder[i] = Tree.make(2, i);
            references.add(new WeakReference<>(holder[i]));
        }
        return references;
    }

    private static void softOnes() {
        List<SoftReference<Object>> soft = new ArrayList<>();
        Object[] inH2 = moveToH2(new Object[] { new byte[1000], "x" });
        for (int i = 0; i < 50; i++) {
            soft.add(new SoftReference<>(i % 2 == 0 ? inH2 : Tree.make(3, i)));
        }
        moveToH2(new Object[] { soft });
        minorGC();
        for (int i = 0; i < 50; i++) {
            Object referent = soft.get(i).get();
            if (i % 2 == 0) {
                assertSame(referent, inH2, "soft referent " + i);
            } else if (referent != null) {
                ((Tree) referent).check(3, i);
            }
        }
    }

    static final class Finalizable {
        static int finalized;
        final int[] id = { 77 };

        @Override
        @SuppressWarnings({ "deprecation", "removal" })
        protected void finalize() {
            synchronized (Finalizable.class) {
                if (id[0] == 77) {
                    finalized++;
                }
                id[0] = 0;
            }
        }
    }

    // Objects with finalizers may move. They must not be finalized before they are unreachable, nor twice.
    private static void finalizable() throws Exception {
        Object[] holder = new Object[100];
        for (int i = 0; i < holder.length; i++) {
            holder[i] = new Finalizable();
        }
        moveToH2(holder);
        majorGC();
        System.runFinalization();
        synchronized (Finalizable.class) {
            assertEquals(Finalizable.finalized, 0, "live objects that were finalized");
        }
        for (Object element : holder) {
            assertEquals(((Finalizable) element).id[0], 77, "the id of a finalizable object");
        }
        for (int i = 0; i < 100; i++) {
            new Finalizable();
        }
        majorGC();
        // A frame may still refer to the last one.
        waitFor(() -> {
            System.runFinalization();
            return finalized() >= 99;
        });
        synchronized (Finalizable.class) {
            assertTrue(Finalizable.finalized >= 99, Finalizable.finalized + " of 100 were finalized");
            assertTrue(Finalizable.finalized <= 100, Finalizable.finalized + " were finalized, expected 100");
        }
        assertEquals(((Finalizable) holder[99]).id[0], 77, "the id of the last finalizable object");
    }

    private static int finalized() {
        synchronized (Finalizable.class) {
            return Finalizable.finalized;
        }
    }

    // References to objects that die with their region are queued once, and references to live objects are not.
    private static void queues() throws Exception {
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        Set<Reference<?>> ofLive = new HashSet<>();
        Set<Reference<?>> ofDead = new HashSet<>();
        List<Object> live = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            Object[] root = { new byte[i], 1000 + i };
            moveToH2(root);
            Reference<?> reference = i % 2 == 0 ? new PhantomReference<>(root, queue) : new WeakReference<>(root, queue);
            if (i % 4 < 2) {
                live.add(root);
                ofLive.add(reference);
            } else {
                ofDead.add(reference);
            }
        }
        majorGC();
        majorGC();
        minorGC();
        Set<Reference<?>> queued = new HashSet<>();
        // A frame may still refer to the last one.
        int least = ofDead.size() - 1;
        for (Reference<?> reference; (reference = queue.remove(queued.size() < least ? 60_000 : 500)) != null;) {
            assertTrue(!ofLive.contains(reference), "a reference to a live object was queued");
            assertTrue(ofDead.contains(reference), "an unknown reference was queued");
            assertTrue(queued.add(reference), "a reference was queued twice");
        }
        System.out.println(queued.size() + " of " + ofDead.size() + " references to dropped objects were queued");
        assertTrue(queued.size() >= least, "too few references were queued");
        assertEquals(live.size(), 20, "live objects");
    }
}
