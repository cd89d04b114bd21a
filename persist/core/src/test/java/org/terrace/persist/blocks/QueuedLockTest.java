// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.terrace.persist.blocks.QueuedLock.Waiter;

/** Tests the order of threads. In most tests, one thread plays several, because the lock does not check its caller. */
@Timeout(60)
class QueuedLockTest {
    private static final long SEED = Long.getLong("persist.seed", 1);

    private final QueuedLock lock = new QueuedLock();

    private Waiter waiting(boolean exclusively) {
        Waiter waiter = new Waiter();
        lock.enqueue(waiter, exclusively);
        assertFalse(lock.tryEnter(waiter));
        return waiter;
    }

    private Waiter sharing() {
        Waiter waiter = new Waiter();
        assertTrue(lock.tryShare(waiter));
        return waiter;
    }

    /** Whether the own permit is available, which means that the thread was woken. */
    private static boolean isWoken() {
        long start = System.nanoTime();
        LockSupport.parkNanos(TimeUnit.MINUTES.toNanos(1));
        return System.nanoTime() - start < TimeUnit.SECONDS.toNanos(30);
    }

    @Test
    void whoSharesComesAfterAThreadThatHasWaitedForLonger() {
        sharing();
        Waiter early = waiting(true);
        assertFalse(lock.tryShare(new Waiter()));
        Waiter sharer = waiting(false);
        Waiter late = waiting(true);
        lock.release(false);
        assertFalse(lock.tryEnter(sharer));
        assertFalse(lock.tryEnter(late));
        assertTrue(lock.tryEnter(early));
        assertFalse(lock.tryEnter(sharer));
        lock.release(true);
        assertFalse(lock.tryEnter(late));
        assertTrue(lock.tryEnter(sharer));
        assertFalse(lock.tryEnter(late));
        lock.release(false);
        assertTrue(lock.tryEnter(late));
        lock.release(true);
        assertTrue(lock.tryExclude());
    }

    @Test
    void whoGivesUpWakesThoseBehindIt() {
        sharing();
        Waiter writer = waiting(true);
        Waiter sharer = waiting(false);
        lock.leave(writer);
        assertTrue(isWoken());
        assertTrue(lock.tryEnter(sharer));
    }

    @Test
    void theLastReleaseWakesAThreadThatWantsItExclusively() {
        sharing();
        sharing();
        Waiter writer = waiting(true);
        lock.release(false);
        assertFalse(lock.tryEnter(writer));
        lock.release(false);
        assertTrue(isWoken());
        assertTrue(lock.tryEnter(writer));
    }

    @Test
    void whoHasWaitedLongIsNotOvertaken() {
        assertTrue(lock.tryExclude());
        Waiter sharer = waiting(false);
        long start = System.nanoTime();
        while (System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(2)) {
            Thread.onSpinWait();
        }
        lock.release(true);
        assertFalse(lock.tryExclude());
        assertTrue(lock.tryEnter(sharer));
        lock.release(false);
        assertTrue(lock.tryExclude());
    }

    @Test
    void whoSharesPassesAsLongAsAHolderLetsIt() {
        Waiter holder = sharing();
        Waiter writer = waiting(true);
        Waiter sharer = waiting(false);
        assertTrue(lock.letPass(holder, Long.MAX_VALUE));
        assertTrue(isWoken());
        assertTrue(lock.tryEnter(sharer));
        Waiter another = sharing();
        lock.endPassing(another);
        sharing();
        lock.endPassing(holder);
        assertFalse(lock.tryShare(new Waiter()));
        for (int i = 0; i < 4; i++) {
            assertFalse(lock.tryEnter(writer));
            lock.release(false);
        }
        assertTrue(lock.tryEnter(writer));
    }

    /** The threads sleep until they are woken, so a lost wakeup exceeds the time limit of the test. */
    @Test
    void noWakeupIsLostAndNobodySharesWhatAnotherHasExclusively() throws Exception {
        int threads = 6;
        int rounds = 20_000;
        int[] count = new int[2];
        List<FutureTask<Integer>> tasks = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Random random = new Random(SEED + i);
            tasks.add(new FutureTask<>(() -> {
                Waiter waiter = new Waiter();
                int written = 0;
                for (int k = 0; k < rounds; k++) {
                    boolean exclusively = random.nextInt(3) == 0;
                    enter(waiter, exclusively);
                    assertEquals(count[0], count[1]);
                    if (random.nextInt(20) == 0) {
                        Thread.yield();
                    }
                    if (exclusively) {
                        count[0]++;
                        count[1]++;
                        written++;
                    } else if (random.nextInt(100) == 0) {
                        lock.letPass(waiter, 0);
                        lock.endPassing(waiter);
                    }
                    lock.release(exclusively);
                }
                return written;
            }));
        }
        tasks.forEach(task -> new Thread(task).start());
        int written = 0;
        for (FutureTask<Integer> task : tasks) {
            written += task.get();
        }
        assertEquals(written, count[0]);
    }

    private void enter(Waiter waiter, boolean exclusively) {
        if (exclusively ? lock.tryExclude() : lock.tryShare(waiter)) {
            return;
        }
        lock.enqueue(waiter, exclusively);
        while (!lock.tryEnter(waiter)) {
            LockSupport.park(lock);
        }
    }
}
