// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.objects;

/*
 * @test TestTransferMonitors
 * @summary Identity hashes and monitors remain the same before, during and after the move
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:+VerifyBeforeGC -XX:+VerifyAfterGC
 *                   -XX:VerifySubSet=threads,heap,string_table,jni_handles,codecache_oops
 *                   gc.terrace.h2.objects.TestTransferMonitors
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -Xint
 *                   gc.terrace.h2.objects.TestTransferMonitors
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -XX:TieredStopAtLevel=1 -XX:-UseCompressedOops
 *                   gc.terrace.h2.objects.TestTransferMonitors
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -XX:+UseBiasedLocking -XX:BiasedLockingStartupDelay=0
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.objects.TestTransferMonitors
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -XX:ParallelGCThreads=1
 *                   -XX:+UnlockDiagnosticVMOptions -XX:GuaranteedAsyncDeflationInterval=100
 *                   gc.terrace.h2.objects.TestTransferMonitors
 */

import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

public class TestTransferMonitors {

    private static final int THREADS = 4;

    public static void main(String[] args) throws Exception {
        requireH2();
        hashes();
        hashesAsKeys();
        heldDuringTheMove();
        contendedDuringTheMove();
        waitedForDuringTheMove();
        lockedInH2();
        locksOfJavaUtilConcurrent();
        manyInflated();
    }

    private static void hashes() {
        int count = 10_000;
        Object[] objects = new Object[count];
        int[] hashes = new int[count];
        for (int i = 0; i < count; i++) {
            objects[i] = i % 3 == 0 ? new Object() : i % 3 == 1 ? new int[i % 10] : new Object[] { objects[i / 2] };
            if (i % 2 == 0) {
                hashes[i] = System.identityHashCode(objects[i]);
            }
        }
        moveToH2(objects);
        Set<Integer> distinct = new HashSet<>();
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < count; i++) {
                int hash = System.identityHashCode(objects[i]);
                if (hashes[i] == 0) {
                    hashes[i] = hash;
                }
                assertEquals(hash, hashes[i], "hash " + i);
                distinct.add(hash);
            }
            minorGC();
            majorGC();
        }
        assertTrue(distinct.size() > count * 9 / 10, "only " + distinct.size() + " hashes for " + count + " objects");
    }

    private static void hashesAsKeys() {
        int count = 2000;
        Object[] keys = new Object[count];
        Map<Object, Integer> byIdentity = new IdentityHashMap<>();
        Map<Object, Integer> byHash = new HashMap<>();
        for (int i = 0; i < count; i++) {
            keys[i] = new Object();
            byIdentity.put(keys[i], i);
            byHash.put(keys[i], i);
        }
        Object[] holder = { byIdentity, keys };
        moveToH2(holder);
        moveToH2(byHash);
        for (int i = 0; i < count; i++) {
            assertEquals(byIdentity.get(keys[i]), Integer.valueOf(i), "value of identity key " + i);
            assertEquals(byHash.get(keys[i]), Integer.valueOf(i), "value of key " + i);
            byIdentity.put(new Object(), -i);
        }
        majorGC();
        assertEquals(byIdentity.size(), 2 * count, "keys by identity");
        for (int i = 0; i < count; i++) {
            assertEquals(byIdentity.remove(keys[i]), Integer.valueOf(i), "removed value of identity key " + i);
        }
    }

    // The thread that requests the transfer holds the locks, so the mark words are on its stack.
    private static void heldDuringTheMove() {
        Object[] locks = new Object[100];
        for (int i = 0; i < locks.length; i++) {
            locks[i] = new Object[1];
            if (i % 3 == 0) {
                System.identityHashCode(locks[i]);
            }
        }
        long label = freshLabel();
        SecondHeap.tagRoot(locks, label);
        SecondHeap.move(label);
        heldDuringTheMove(locks, 0);
        // Objects that did not move while they were locked move now.
        SecondHeap.transfer();
        majorGC();
        for (Object lock : locks) {
            assertTrue(!Thread.holdsLock(lock), "a lock is still held");
            synchronized (lock) {
                assertTrue(Thread.holdsLock(lock), "a lock is not held");
            }
        }
    }

    private static void heldDuringTheMove(Object[] locks, int depth) {
        if (depth == locks.length) {
            SecondHeap.transfer();
            minorGC();
            for (Object lock : locks) {
                assertTrue(Thread.holdsLock(lock), "a lock was lost");
                synchronized (lock) {
                    ((Object[]) lock)[0] = lock;
                }
            }
            return;
        }
        Object lock = locks[depth];
        synchronized (lock) {
            synchronized (lock) {
                heldDuringTheMove(locks, depth + 1);
            }
            assertTrue(Thread.holdsLock(lock), "a lock was lost on the way back");
            assertSame(((Object[]) lock)[0], lock, "what was written under the lock");
        }
    }

    private static void contendedDuringTheMove() throws Exception {
        long label = freshLabel();
        int[] lock = new int[1];
        SecondHeap.tagRoot(lock, label);
        SecondHeap.move(label);
        Thread[] threads = new Thread[THREADS];
        int hash = System.identityHashCode(lock);
        synchronized (lock) {
            for (int i = 0; i < THREADS; i++) {
                threads[i] = new Thread(() -> {
                    for (int n = 0; n < 1000; n++) {
                        synchronized (lock) {
                            lock[0]++;
                        }
                    }
                });
                threads[i].start();
            }
            for (Thread thread : threads) {
                while (thread.getState() != Thread.State.BLOCKED) {
                    Thread.sleep(1);
                }
            }
            SecondHeap.transfer();
            assertEquals(lock[0], 0, "entries while the monitor was held");
        }
        for (Thread thread : threads) {
            thread.join();
        }
        synchronized (lock) {
            assertEquals(lock[0], THREADS * 1000, "increments under the monitor");
        }
        assertEquals(System.identityHashCode(lock), hash, "the hash of the contended object");
        SecondHeap.transfer();
        assertInH2(lock, "the lock");
        assertEquals(System.identityHashCode(lock), hash, "the hash of the contended object in H2");
    }

    private static void waitedForDuringTheMove() throws Exception {
        Object[] lock = new Object[1];
        long label = freshLabel();
        SecondHeap.tagRoot(lock, label);
        SecondHeap.move(label);
        CountDownLatch waiting = new CountDownLatch(THREADS);
        CountDownLatch woken = new CountDownLatch(THREADS);
        for (int i = 0; i < THREADS; i++) {
            new Thread(() -> {
                synchronized (lock) {
                    waiting.countDown();
                    while (lock[0] == null) {
                        try {
                            lock.wait();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    }
                    woken.countDown();
                }
            }).start();
        }
        waiting.await();
        SecondHeap.transfer();
        majorGC();
        synchronized (lock) {
            lock[0] = "go";
            lock.notifyAll();
        }
        assertTrue(woken.await(60, TimeUnit.SECONDS), woken.getCount() + " threads were not woken");
        SecondHeap.transfer();
        assertInH2(lock, "the lock that was waited for");
    }

    static final class Counter {
        int count;
        Object last = "none";

        synchronized void increment(Object by) {
            count++;
            last = by;
        }
    }

    private static void lockedInH2() throws Exception {
        Counter[] counters = new Counter[8];
        for (int i = 0; i < counters.length; i++) {
            counters[i] = new Counter();
        }
        moveToH2(counters);
        Thread[] threads = new Thread[THREADS];
        for (int t = 0; t < THREADS; t++) {
            threads[t] = new Thread(() -> {
                for (int n = 0; n < 5000; n++) {
                    counters[n % counters.length].increment(new int[] { n });
                }
            });
            threads[t].start();
        }
        while (threads[0].isAlive()) {
            majorGC();
            minorGC();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (Counter counter : counters) {
            assertEquals(counter.count, THREADS * 5000 / counters.length, "a counter");
            assertTrue(((int[]) counter.last)[0] >= 4900, "the last value is " + ((int[]) counter.last)[0]);
            assertInH2(counter, "a counter");
            System.identityHashCode(counter);
        }
        // Wait and notify on monitors of objects that were allocated in H2.
        Semaphore done = new Semaphore(0);
        new Thread(() -> {
            synchronized (counters[0]) {
                counters[0].count = -1;
                counters[0].notifyAll();
            }
            done.release();
        }).start();
        synchronized (counters[0]) {
            while (counters[0].count != -1) {
                counters[0].wait(100);
            }
        }
        done.acquire();
    }

    private static void locksOfJavaUtilConcurrent() throws Exception {
        ReentrantLock lock = new ReentrantLock(true);
        Condition condition = lock.newCondition();
        ReentrantReadWriteLock readWrite = new ReentrantReadWriteLock();
        Semaphore semaphore = new Semaphore(1);
        int[] counts = new int[3];
        Object[] holder = { lock, condition, readWrite, semaphore, counts };
        moveToH2(holder);
        Thread[] threads = new Thread[THREADS];
        for (int t = 0; t < THREADS; t++) {
            threads[t] = new Thread(() -> {
                for (int n = 0; n < 500; n++) {
                    lock.lock();
                    try {
                        counts[0]++;
                        condition.signalAll();
                    } finally {
                        lock.unlock();
                    }
                    readWrite.writeLock().lock();
                    counts[1]++;
                    readWrite.writeLock().unlock();
                    semaphore.acquireUninterruptibly();
                    counts[2]++;
                    semaphore.release();
                }
            });
            threads[t].start();
        }
        lock.lock();
        try {
            while (counts[0] < THREADS * 500) {
                condition.await(10, TimeUnit.MILLISECONDS);
                majorGC();
            }
        } finally {
            lock.unlock();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (int count : counts) {
            assertEquals(count, THREADS * 500, "a count");
        }
    }

    // Monitors are inflated when their objects move, and deflated afterwards.
    private static void manyInflated() throws Exception {
        int count = 2000;
        Object[] objects = new Object[count];
        int[] hashes = new int[count];
        for (int i = 0; i < count; i++) {
            objects[i] = new Object();
            hashes[i] = System.identityHashCode(objects[i]);
            synchronized (objects[i]) {
                objects[i].wait(0, 1);
            }
        }
        moveToH2(objects);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < count; i++) {
                synchronized (objects[i]) {
                    assertEquals(System.identityHashCode(objects[i]), hashes[i], "hash " + i);
                    if (round == 1) {
                        objects[i].wait(0, 1);
                    }
                }
            }
            Thread.sleep(300);
            majorGC();
        }
    }
}
