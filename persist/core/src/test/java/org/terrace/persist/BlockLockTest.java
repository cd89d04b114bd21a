// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.terrace.persist.types.PersistentList;

/** Blocks and reads that wait for other threads, which wait for them. */
@Timeout(60)
class BlockLockTest extends DiskSetUp {
    private Heap heap;
    private PersistentList<Integer> list;

    @BeforeEach
    void open() {
        heap = Heap.open(disk.path("test.heap"), HeapOptions.defaults().maxSize(4 << 20).logSize(1 << 20)
                .durability(Durability.PROCESS).stallLimit(Duration.ofMillis(300)));
        list = heap.atomic(() -> new PersistentList<>(heap));
        heap.setRoot("list", list);
        list.addAll(IntStream.range(0, 2000).boxed().toList());
    }

    @AfterEach
    void nothingIsLeftLocked() throws Exception {
        FutureTask<Integer> another = new FutureTask<>(() -> {
            list.set(0, 5);
            return list.get(0);
        });
        new Thread(another).start();
        assertEquals(5, another.get());
        heap.close();
    }

    /** @return the error that a thread gets which the block waits for */
    private static HeapException stalled(Throwable thrown) {
        Throwable cause = thrown;
        while (!(cause instanceof HeapException)) {
            cause = cause.getCause();
        }
        String text = cause.getMessage();
        assertTrue(text.contains(Thread.currentThread().getName()) && text.contains("stallLimit") && text.contains("BlockLockTest"), text);
        return (HeapException) cause;
    }

    @Test
    void aTaskThatABlockWaitsForIsRefused() {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try {
            for (Isolation kind : Isolation.values()) {
                stalled(assertThrows(Exception.class, () -> heap.atomic(kind,
                        () -> CompletableFuture.supplyAsync(() -> list.set(0, 1)).join())));
                stalled(assertThrows(Exception.class, () -> heap.atomic(kind, () -> get(pool, () -> list.add(1)))));
            }
            stalled(assertThrows(Exception.class, () -> heap.atomic(() -> get(pool, () -> list.get(1)))));
            stalled(assertThrows(Exception.class, () -> heap.read(() -> get(pool, () -> list.add(1)))));
            stalled(assertThrows(Exception.class, () -> heap.atomic(() -> get(pool, () -> heap.read(() -> 1)))));
            stalled(assertThrows(Exception.class, () -> heap.atomic(() -> get(pool, heap::check))));
            stalled(assertThrows(Exception.class,
                    () -> heap.atomic(() -> IntStream.range(0, 2000).parallel().map(list::get).sum())));
        } finally {
            pool.shutdown();
        }
    }

    private static <T> T get(ExecutorService pool, java.util.concurrent.Callable<T> task) {
        try {
            return pool.submit(task).get();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aThreadThatABlockJoinsIsRefused() {
        List<Throwable> thrown = new ArrayList<>();
        heap.atomic(() -> {
            Thread thread = new Thread(() -> list.remove(0));
            thread.setUncaughtExceptionHandler((t, e) -> thrown.add(e));
            thread.start();
            joinUninterruptibly(thread);
        });
        stalled(thrown.get(0));
    }

    private static void joinUninterruptibly(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Each wait of the block is shorter than the limit, all of them at one place. */
    @Test
    void aBlockThatMakesProgressIsWaitedFor() throws Exception {
        BlockingQueue<Integer> queue = new LinkedBlockingQueue<>();
        CountDownLatch begun = new CountDownLatch(1);
        FutureTask<Integer> block = new FutureTask<>(() -> heap.atomic(() -> {
            begun.countDown();
            int sum = 0;
            for (int i = 0; i < 40; i++) {
                sum += take(queue);
            }
            list.set(1, sum);
            return sum;
        }));
        new Thread(block).start();
        begun.await();
        FutureTask<Integer> other = new FutureTask<>(() -> list.get(1));
        new Thread(other).start();
        for (int i = 0; i < 40; i++) {
            Thread.sleep(30);
            queue.add(1);
        }
        assertEquals(40, block.get());
        assertEquals(40, other.get());
    }

    private static int take(BlockingQueue<Integer> queue) {
        try {
            return queue.take();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void closingWaitsForABlockWithoutALimit() throws Exception {
        Heap closed = Heap.open(disk.path("closed.heap"), HeapOptions.defaults().maxSize(4 << 20).logSize(1 << 20)
                .durability(Durability.PROCESS).stallLimit(Duration.ofMillis(50)));
        CountDownLatch begun = new CountDownLatch(1);
        BlockingQueue<Integer> queue = new LinkedBlockingQueue<>();
        FutureTask<Integer> block = new FutureTask<>(() -> closed.atomic(() -> {
            begun.countDown();
            return take(queue);
        }));
        new Thread(block).start();
        begun.await();
        FutureTask<Void> closing = new FutureTask<>(closed::close, null);
        new Thread(closing).start();
        Thread.sleep(600);
        assertFalse(closing.isDone(), "a heap is closed although a block runs");
        queue.add(1);
        closing.get();
        assertEquals(1, block.get());
        assertFalse(closed.isWritable());
    }

    /** The writer waits for the read; the tasks that the read waits for come before it. */
    @Test
    void aReadThatWaitsForReadsOfOthersPassesAWriter() throws Exception {
        Thread writer = new Thread(() -> list.set(0, 7));
        int sum = heap.read(() -> {
            writer.start();
            while (writer.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            int here = list.parallelStream().mapToInt(x -> x).sum();
            return here + CompletableFuture.supplyAsync(() -> list.get(1)).join()
                    + CompletableFuture.supplyAsync(() -> heap.read(() -> list.get(2))).join();
        });
        assertEquals(1999 * 1000 + 3, sum);
        writer.join();
        assertEquals(7, list.get(0));
    }

    /** The rest of its wait is not counted: it computes. */
    @Test
    void aBlockThatTakesLongIsWaitedFor() throws Exception {
        Thread reader = new Thread(() -> list.get(3));
        AtomicInteger spins = new AtomicInteger();
        FutureTask<Integer> other = new FutureTask<>(() -> list.set(3, 30));
        heap.atomic(() -> {
            new Thread(other).start();
            reader.start();
            long end = System.nanoTime() + Duration.ofSeconds(1).toNanos();
            while (System.nanoTime() < end) {
                spins.incrementAndGet();
            }
        });
        assertEquals(3, other.get());
        reader.join();
    }

    /** A wait for the device, or for room in the log, ends by itself. */
    @Test
    void aBlockThatTheDeviceDelaysIsWaitedFor() throws Exception {
        CountDownLatch waiting = new CountDownLatch(1);
        FutureTask<Boolean> other = new FutureTask<>(() -> list.add(4));
        disk.at(org.terrace.persist.medium.Site.COMMIT, () -> {
            if (waiting.getCount() > 0) {
                waiting.countDown();
                new Thread(other).start();
            }
        });
        list.add(3);
        assertTrue(other.get());
    }

    @Test
    void readersThatFollowEachOtherLetAWriterIn() throws Exception {
        AtomicInteger written = new AtomicInteger();
        List<Thread> readers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            readers.add(new Thread(() -> {
                while (written.get() < 20) {
                    heap.read(() -> list.get(1) + list.get(2));
                }
            }));
        }
        readers.forEach(Thread::start);
        for (int i = 0; i < 20; i++) {
            list.set(0, i);
            written.incrementAndGet();
        }
        for (Thread reader : readers) {
            reader.join();
        }
    }
}
