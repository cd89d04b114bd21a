// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.report;

/*
 * @test TestThreadDump
 * @summary A thread dump with locks finds the ownable synchronizers in H2, and does not read other objects there
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management jdk.management
 *
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -Xlog:gc+h2=debug:file=h2.log
 *                   gc.terrace.h2.report.TestThreadDump
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -XX:H2RegionSize=2m -XX:-UseCompressedOops
 *                   -XX:ParallelGCThreads=4 -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:H2DeepMarkingInterval=2
 *                   -Xlog:gc+h2=debug:file=h2.log
 *                   gc.terrace.h2.report.TestThreadDump
 */

import java.io.IOException;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.ObjectName;

import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

public class TestThreadDump {

    private static final int NODES = 40_000;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private static final class Node {
        final ReentrantLock lock = new ReentrantLock();
        final Semaphore neverOwned = new Semaphore(1);
        final long[] data = new long[50];
    }

    private static class Looked {
        long known;
        long objects;
        long cards;
    }

    public static void main(String[] args) throws Exception {
        requireH2();
        Node[] nodes = new Node[NODES];
        for (int i = 0; i < NODES; i++) {
            nodes[i] = new Node();
        }
        held(List.of(), null);
        // Locks are acquired before the move, after it, and after a collection has cleaned the cards.
        List<ReentrantLock> locked = new ArrayList<>();
        lock(locked, nodes, 7);
        moveToH2(nodes);
        assertInH2(nodes[100].lock, "a lock");
        held(locked, nodes);
        lock(locked, nodes, 5000);
        held(locked, nodes);
        minorGC(2);
        held(locked, nodes);
        majorGC();
        lock(locked, nodes, NODES - 1);
        held(locked, nodes);
        locked.remove(1).unlock();
        held(locked, nodes);
        majorGC();
        held(locked, nodes);
        ofOthers(nodes);
        afterRegionsWereEmptied(nodes, locked);
        otherKinds();
        byCommand(locked);
        deadlock(nodes);
    }

    private static void lock(List<ReentrantLock> locked, Node[] nodes, int i) {
        nodes[i].lock.lock();
        locked.add(nodes[i].lock);
    }

    private static Set<Integer> synchronizers(String thread) {
        Set<Integer> hashes = new HashSet<>();
        for (ThreadInfo info : THREADS.dumpAllThreads(true, true)) {
            if (info.getThreadName().equals(thread)) {
                for (LockInfo lock : info.getLockedSynchronizers()) {
                    hashes.add(lock.getIdentityHashCode());
                }
            }
        }
        return hashes;
    }

    // Checks that the dump finds the synchronizers of this thread, and scans few other objects.
    private static void held(List<ReentrantLock> locked, Node[] nodes) throws IOException {
        assertEquals(synchronizers(Thread.currentThread().getName()).size(), locked.size(), "owned synchronizers");
        if (nodes != null && !STOCK) {
            Looked looked = looked();
            System.out.println("looked at " + looked.objects + " objects on " + looked.cards + " of " + looked.known + " cards");
            assertTrue(looked.known > NODES / 4, "synchronizers are known on " + looked.known + " cards");
            assertTrue(looked.objects < 200 * (locked.size() + 1), "the dump looked at " + looked.objects + " objects of H2");
        }
    }

    // Parses the log of the last dump.
    private static Looked looked() throws IOException {
        Pattern pattern = Pattern.compile("begin on (\\d+) cards of H2, scanned (\\d+) objects on (\\d+) of them");
        Looked looked = null;
        for (String line : Files.readAllLines(Path.of("h2.log"))) {
            Matcher m = pattern.matcher(line);
            if (m.find()) {
                looked = new Looked();
                looked.known = Long.parseLong(m.group(1));
                looked.objects = Long.parseLong(m.group(2));
                looked.cards = Long.parseLong(m.group(3));
            }
        }
        assertTrue(looked != null, "the log does not tell what a dump has looked at");
        return looked;
    }

    private static void ofOthers(Node[] nodes) throws Exception {
        CountDownLatch owns = new CountDownLatch(1);
        CountDownLatch ends = new CountDownLatch(1);
        Thread other = new Thread(() -> {
            for (int i = 1000; i < 1020; i++) {
                nodes[i].lock.lock();
            }
            owns.countDown();
            await(ends);
            for (int i = 1000; i < 1020; i++) {
                nodes[i].lock.unlock();
            }
        }, "other");
        other.start();
        await(owns);
        assertEquals(synchronizers("other").size(), 20, "synchronizers of another thread");
        majorGC();
        minorGC();
        assertEquals(synchronizers("other").size(), 20, "synchronizers of another thread, after collections");
        ends.countDown();
        other.join();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(2, TimeUnit.MINUTES), "the other thread does not go on");
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    // A marking through H2 finds the dropped nodes, and evacuates the remaining ones.
    private static void afterRegionsWereEmptied(Node[] nodes, List<ReentrantLock> locked) throws IOException {
        for (int i = 0; i < NODES; i++) {
            if (i % 10 != 0 && !locked.contains(nodes[i].lock)) {
                nodes[i] = null;
            }
        }
        for (int i = 0; i < 4; i++) {
            majorGC();
        }
        System.out.println(SecondHeap.statistics());
        assertEquals(synchronizers(Thread.currentThread().getName()).size(), locked.size(), "owned, after regions were emptied");
    }

    private static void otherKinds() throws Exception {
        ReentrantReadWriteLock[] locks = new ReentrantReadWriteLock[100];
        for (int i = 0; i < locks.length; i++) {
            locks[i] = new ReentrantReadWriteLock(i % 2 == 0);
        }
        moveToH2(locks);
        int before = synchronizers(Thread.currentThread().getName()).size();
        for (int i = 0; i < 10; i++) {
            locks[i].writeLock().lock();
            locks[i + 10].readLock().lock();        // has no owner
        }
        assertEquals(synchronizers(Thread.currentThread().getName()).size(), before + 10, "owned write locks");
        for (int i = 0; i < 10; i++) {
            locks[i].writeLock().unlock();
            locks[i + 10].readLock().unlock();
        }
        // The workers of a pool are synchronizers that own themselves while they run.
        ThreadPoolExecutor pool = new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(),
                                                         r -> new Thread(r, "worker"));
        CountDownLatch runs = new CountDownLatch(1);
        CountDownLatch ends = new CountDownLatch(1);
        pool.execute(() -> {
            runs.countDown();
            await(ends);
        });
        await(runs);
        SecondHeap.tagRoot(pool, freshLabel());
        majorGC();
        assertEquals(synchronizers("worker").size(), 1, "synchronizers of a worker");
        ends.countDown();
        pool.shutdown();
    }

    private static void byCommand(List<ReentrantLock> locked) throws Exception {
        String text = (String) ManagementFactory.getPlatformMBeanServer().invoke(
            new ObjectName("com.sun.management:type=DiagnosticCommand"), "threadPrint",
            new Object[] { new String[] { "-l" } }, new String[] { String[].class.getName() });
        int count = 0;
        for (String part : text.split("\n\n")) {
            if (part.startsWith("\"" + Thread.currentThread().getName() + "\"") || part.contains("Locked ownable")) {
                count += part.split("ReentrantLock\\$NonfairSync\\)", -1).length - 1;
            }
        }
        assertTrue(count >= locked.size(), "Thread.print -l names " + count + " locks");
    }

    private static void deadlock(Node[] nodes) throws Exception {
        ReentrantLock a = nodes[10].lock;
        ReentrantLock b = nodes[20].lock;
        CountDownLatch both = new CountDownLatch(2);
        interlocked(a, b, both);
        interlocked(b, a, both);
        await(both);
        waitFor(() -> THREADS.findDeadlockedThreads() != null);
        assertEquals(THREADS.findDeadlockedThreads().length, 2, "deadlocked threads");
    }

    private static void interlocked(ReentrantLock first, ReentrantLock second, CountDownLatch both) {
        Thread thread = new Thread(() -> {
            first.lock();
            both.countDown();
            await(both);
            second.lock();
        });
        thread.setDaemon(true);
        thread.start();
    }
}
