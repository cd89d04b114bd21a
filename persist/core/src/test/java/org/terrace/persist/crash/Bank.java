// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import org.terrace.persist.Cell;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.tools.Fsck;
import org.terrace.persist.types.PersistentByteArray;

/**
 * Threads that transfer money between the accounts of a heap, count their transfers, and allocate and free objects of many sizes.
 * The sum of the accounts is constant, and each thread's counter is the number of its last transfer.
 */
public final class Bank {
    public static final int THREADS = 3;
    private static final int ACCOUNTS = 20;
    private static final int BALANCE = 1000;
    /** Interval of transfers that are also noted in a list. */
    private static final int NOTED = 20;

    private final Heap heap;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final AtomicLongArray begun = new AtomicLongArray(THREADS);
    private final AtomicLongArray acknowledged = new AtomicLongArray(THREADS);
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final List<Thread> threads = new ArrayList<>();

    public Bank(Heap heap) {
        this.heap = heap;
        heap.atomic(() -> {
            for (int i = 0; i < ACCOUNTS; i++) {
                heap.setRoot("account " + i, new Cell(heap, BALANCE, null));
            }
            for (int t = 0; t < THREADS; t++) {
                heap.setRoot("thread " + t, new Cell(heap, 0, null));
            }
        });
    }

    public void start() {
        for (int t = 0; t < THREADS; t++) {
            int number = t;
            Thread thread = new Thread(() -> work(number));
            threads.add(thread);
            thread.start();
        }
    }

    private void work(int thread) {
        Random random = new Random(thread);
        Cell counter = heap.root("thread " + thread, Cell.class);
        try {
            while (!stopped.get()) {
                long number = begun.incrementAndGet(thread);
                heap.atomic(() -> transfer(random, counter, number));
                acknowledged.set(thread, number);
            }
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        }
    }

    private void transfer(Random random, Cell counter, long number) {
        int amount = random.nextInt(50);
        Cell from = heap.root("account " + random.nextInt(ACCOUNTS), Cell.class);
        from.value(from.value() - amount);
        Cell to = heap.root("account " + random.nextInt(ACCOUNTS), Cell.class);
        to.value(to.value() + amount);
        counter.value(number);
        if (to.other() != null) {
            heap.free(to.other());
        }
        to.other(new PersistentByteArray(heap, new byte[random.nextInt(3000)]));
        if (number % NOTED == 0) {
            counter.next(new Cell(heap, (int) number, counter.next()));
        }
    }

    /** The last acknowledged transfer of each thread. */
    public long[] acknowledged() {
        return java.util.stream.IntStream.range(0, THREADS).mapToLong(acknowledged::get).toArray();
    }

    /** The last transfer that each thread has begun. */
    public long[] begun() {
        return java.util.stream.IntStream.range(0, THREADS).mapToLong(begun::get).toArray();
    }

    /** Waits until every thread has made more transfers. */
    public void awaitTransfers(int more) throws InterruptedException {
        long[] seen = begun();
        for (int t = 0; t < THREADS; t++) {
            while (acknowledged.get(t) < seen[t] + more && failure.get() == null) {
                Thread.sleep(1);
            }
        }
    }

    public void stop() throws InterruptedException {
        stopped.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        assertNull(failure.get());
    }

    /**
     * Checks that a copy is a consistent state of the bank. It must contain all transfers acknowledged before it, and none that
     * began after it.
     */
    public static void checkCopy(Path copy, HeapOptions options, long[] acknowledgedBefore, long[] begunAfter) {
        assertEquals(List.of(), Fsck.check(copy, 2));
        try (Heap heap = Heap.open(copy, options)) {
            assertEquals(List.of(), heap.check());
            long sum = 0;
            for (int i = 0; i < ACCOUNTS; i++) {
                sum += heap.root("account " + i, Cell.class).value();
            }
            assertEquals((long) BALANCE * ACCOUNTS, sum);
            for (int t = 0; t < THREADS; t++) {
                Cell counter = heap.root("thread " + t, Cell.class);
                assertTrue(counter.value() >= acknowledgedBefore[t], counter.value() + " of " + acknowledgedBefore[t]);
                assertTrue(counter.value() <= begunAfter[t], counter.value() + " of " + begunAfter[t]);
                long expected = counter.value() / NOTED * NOTED;
                for (Cell c = counter.next(); c != null; c = c.next()) {
                    assertEquals(expected, c.value());
                    expected -= NOTED;
                }
                assertEquals(0, expected);
            }
            heap.atomic(() -> heap.setRoot("more", new Cell(heap, 1, null)));
        }
    }
}
