// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.objects;

/*
 * @test TestTransferConcurrent
 * @summary Threads tag, move, query, collect and allocate at the same time
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:+VerifyBeforeGC -XX:+VerifyAfterGC
 *                   -XX:VerifySubSet=threads,heap,string_table,jni_handles,codecache_oops
 *                   gc.terrace.h2.objects.TestTransferConcurrent
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m -Xint
 *                   gc.terrace.h2.objects.TestTransferConcurrent
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m -XX:ParallelGCThreads=4
 *                   -XX:-UseTLAB
 *                   gc.terrace.h2.objects.TestTransferConcurrent
 */

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import gc.terrace.h2.Tree;
import org.terrace.SecondHeap;
import org.terrace.SecondHeap.State;

import static gc.terrace.h2.H2Test.*;

public class TestTransferConcurrent {

    private static final int THREADS = 6;
    private static final int ROUNDS = 15;

    public static void main(String[] args) throws Exception {
        requireH2();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        AtomicBoolean done = new AtomicBoolean();
        Thread[] threads = new Thread[THREADS];
        for (int t = 0; t < THREADS; t++) {
            int n = t;
            threads[t] = new Thread(() -> {
                try {
                    work(n);
                } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                }
            });
        }
        Thread asker = new Thread(() -> {
            Object object = new Object();
            for (long i = 0; !done.get(); i++) {
                SecondHeap.state(object);
                SecondHeap.tagRoot(object, i % 10 - 1000);
                SecondHeap.untag(object);
                SecondHeap.tagRoot(new Object(), -2000);
                SecondHeap.statistics();
                if (i % 100 == 0) {
                    SecondHeap.move(-2000);
                    SecondHeap.hold(-2000);
                    object = new Object();
                    Thread.yield();
                }
            }
        });
        asker.start();
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        done.set(true);
        asker.join();
        if (failure.get() != null) {
            throw new RuntimeException(failure.get());
        }
    }

    private static void work(int n) {
        Tree[] trees = new Tree[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            long label = freshLabel();
            trees[round] = Tree.make(400, label);
            SecondHeap.tagRoot(trees[round], label);
            SecondHeap.move(label);
            switch ((round + n) % 3) {
                case 0:
                    System.gc();
                    break;
                case 1:
                    SecondHeap.transfer();
                    break;
                default:
                    minorGC();
                    break;
            }
            State state = SecondHeap.state(trees[round]);
            if (!STOCK) {
                assertTrue(state != State.IN_H1, "a due tree became " + state);
                assertTrue((round + n) % 3 == 2 || state == State.IN_H2, "a transferred tree is " + state);
            }
            for (int i = 0; i <= round; i++) {
                trees[i].check(400, trees[i].seed);
                Tree tree = trees[i];
                tree.extra = trees[round];
            }
        }
        majorGC();
        for (Tree tree : trees) {
            assertInH2(tree, "a tree");
            tree.assertInH2();
            assertSame(tree.extra, trees[ROUNDS - 1], "the last tree");
        }
    }
}
