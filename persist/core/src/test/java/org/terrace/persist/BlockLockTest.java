// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.terrace.persist.blocks.BlockLock;
import org.terrace.persist.blocks.Stall;
import org.terrace.persist.medium.Site;
import org.terrace.persist.types.PersistentByteArray;
import org.terrace.persist.types.PersistentList;

/** Tests blocks and reads that wait for threads that wait for them. */
@Timeout(60)
class BlockLockTest extends DiskSetUp {
    private static final int READERS = 4;
    private static final int READ_MILLIS = 240;
    /** Longer than any wait of a test, even on a busy machine. */
    private static final Duration LONG = Duration.ofMinutes(10);

    private Heap heap;
    private PersistentList<Integer> list;

    private Heap open(String name, Duration stallLimit) {
        return Heap.open(disk.path(name), HeapOptions.defaults().maxSize(4 << 20).logSize(1 << 20).durability(Durability.PROCESS)
                .stallLimit(stallLimit));
    }

    @BeforeEach
    void open() {
        open(Duration.ofMillis(300));
    }

    private void open(Duration stallLimit) {
        heap = open(stallLimit + ".heap", stallLimit);
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

    /** @return the exception of the thread for which the block waits */
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
            stalled(assertThrows(Exception.class, () -> heap.atomic(this::sumInParallel)));
        } finally {
            pool.shutdown();
        }
    }

    /** Computes a sum in this thread and in at least one thread of the pool. */
    private int sumInParallel() {
        Thread own = Thread.currentThread();
        CountDownLatch helped = new CountDownLatch(1);
        return IntStream.range(0, 2000).parallel().map(i -> {
            if (Thread.currentThread() == own) {
                awaitUninterruptibly(helped);
            } else {
                helped.countDown();
            }
            return list.get(i);
        }).sum();
    }

    private static <T> T get(ExecutorService pool, java.util.concurrent.Callable<T> task) {
        try {
            return pool.submit(task).get();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** A store to a valid object waits for the block. A store to an invalid object does not. */
    @Test
    void aReferenceStoredForABlockThatWaitsForItIsRefusedOrStored() {
        Cell valid = new Cell(heap, 1, null);
        heap.setRoot("cell", valid);
        Cell invalid = new Cell(heap, 2, null);
        Cell next = new Cell(heap, 3, null);
        for (Cell value : new Cell[] {next, valid}) {
            stalled(assertThrows(Exception.class,
                    () -> heap.atomic(() -> CompletableFuture.runAsync(() -> valid.next(value)).join())));
            heap.atomic(() -> CompletableFuture.runAsync(() -> invalid.next(value)).join());
            assertEquals(value, invalid.next());
        }
        assertNull(valid.next());
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

    /** Each wait of the block is much shorter than the limit, and all are at one place. Together they take longer. */
    @Test
    void aBlockThatMakesProgressIsWaitedFor() throws Exception {
        heap.close();
        open(Duration.ofSeconds(3));
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
            Thread.sleep(120);
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

    /** A warning names both threads, because the block may wait for the closing one. */
    @Test
    void closingWaitsForABlockWithoutALimit() throws Exception {
        Heap closed = open("closed.heap", Duration.ofMillis(50));
        CountDownLatch begun = new CountDownLatch(1);
        BlockingQueue<Integer> queue = new LinkedBlockingQueue<>();
        FutureTask<Integer> block = new FutureTask<>(() -> closed.atomic(() -> {
            begun.countDown();
            return take(queue);
        }));
        new Thread(block, "runs a block").start();
        begun.await();
        List<String> told = new CopyOnWriteArrayList<>();
        FutureTask<Void> closing = new FutureTask<>(closed::close, null);
        LoggedWarnings.during(told, () -> {
            new Thread(closing, "closes").start();
            while (told.isEmpty() && !closing.isDone()) {
                Thread.onSpinWait();
            }
            return null;
        });
        assertFalse(closing.isDone(), "a heap is closed although a block runs");
        assertTrue(told.get(0).contains("thread closes ") && told.get(0).contains("thread runs a block")
                && told.get(0).contains("neither") && told.get(0).contains("BlockLockTest.take"), told.get(0));
        assertTrue(closed.isWritable());
        queue.add(1);
        closing.get();
        assertEquals(1, block.get());
        assertFalse(closed.isWritable());
    }

    /** The writer waits for the read, and the tasks for which the read waits pass the writer. */
    @Test
    void aReadThatWaitsForReadsOfOthersPassesAWriter() throws Exception {
        heap.close();
        open(LONG);
        Thread writer = new Thread(() -> list.set(0, 7));
        int sum = heap.read(() -> {
            writer.start();
            awaitState(writer, Thread.State.TIMED_WAITING);
            int here = list.parallelStream().mapToInt(x -> x).sum();
            return here + CompletableFuture.supplyAsync(() -> list.get(1)).join()
                    + CompletableFuture.supplyAsync(() -> heap.read(() -> list.get(2))).join();
        });
        assertEquals(1999 * 1000 + 3, sum);
        writer.join();
        assertEquals(7, list.get(0));
    }

    /** At that time the first waiting read has ended, and the writer still waits for the second. */
    @Test
    void aReadThatHasPassedAWriterLetsOthersPass() throws Exception {
        heap.close();
        open(LONG);
        Thread writer = new Thread(() -> list.set(0, 7));
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch firstIsOver = new CountDownLatch(1);
        FutureTask<Integer> second = new FutureTask<>(() -> heap.read(() -> {
            reading.countDown();
            awaitUninterruptibly(firstIsOver);
            return CompletableFuture.supplyAsync(() -> heap.read(() -> list.get(2))).join();
        }));
        heap.read(() -> {
            writer.start();
            awaitState(writer, Thread.State.TIMED_WAITING);
            new Thread(second).start();
            awaitUninterruptibly(reading);
            return null;
        });
        firstIsOver.countDown();
        assertEquals(2, second.get());
        writer.join();
        assertEquals(7, list.get(0));
    }

    /** The rest of the block's time does not count, because it computes. */
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

    /** A wait for the device or for log space ends by itself. The limit in this test is zero. */
    @Test
    void aBlockThatTheDeviceDelaysIsWaitedFor() throws Exception {
        CountDownLatch mayWrite = new CountDownLatch(1);
        disk.at(Site.CHECKPOINT_PAGE, () -> awaitUninterruptibly(mayWrite));
        PersistentByteArray bytes = heap.atomic(() -> new PersistentByteArray(heap, 100_000));
        BlockingQueue<BlockLock.Holder> holder = new LinkedBlockingQueue<>();
        FutureTask<Void> fills = new FutureTask<>(() -> {
            holder.add(new BlockLock.Holder());
            for (int i = 0; i < 20; i++) {
                heap.atomic(() -> bytes.set(0, new byte[100_000], 0, 100_000));
            }
        }, null);
        Thread filling = new Thread(fills);
        filling.start();
        BlockLock.Holder waiting = holder.take();
        awaitState(filling, Thread.State.WAITING);
        new Stall(heap.path(), 0, true).look(List.of(waiting), true);
        FutureTask<Boolean> other = new FutureTask<>(() -> list.add(4));
        Thread adding = new Thread(other);
        adding.start();
        awaitState(adding, Thread.State.TIMED_WAITING);
        mayWrite.countDown();
        fills.get();
        assertTrue(other.get());
    }

    /** Verifies the assumption of {@link #aBlockThatTheDeviceDelaysIsWaitedFor}. */
    @Test
    void aBlockThatWaitsForAnotherThreadIsNotWaitedForWithoutALimit() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        BlockingQueue<BlockLock.Holder> holder = new LinkedBlockingQueue<>();
        Thread thread = new Thread(() -> {
            holder.add(new BlockLock.Holder());
            awaitUninterruptibly(end);
        });
        thread.start();
        BlockLock.Holder waiting = holder.take();
        awaitState(thread, Thread.State.WAITING);
        stalled(assertThrows(HeapException.class, () -> new Stall(heap.path(), 0, true).look(List.of(waiting), true)));
        end.countDown();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void awaitState(Thread thread, Thread.State state) {
        while (thread.getState() != state) {
            assertTrue(thread.isAlive(), "the thread does not wait");
            Thread.onSpinWait();
        }
    }

    /** Uses two pool tasks, one of which waits for a future. With the default limit, the other would give up after a second. */
    @Test
    void aLimitThatTheUserHasSetHoldsForPoolsToo() throws Exception {
        heap.close();
        open(LONG);
        ForkJoinPool pool = new ForkJoinPool(2);
        try {
            CompletableFuture<Integer> future = new CompletableFuture<>();
            CountDownLatch begun = new CountDownLatch(1);
            Future<Integer> block = pool.submit(() -> heap.atomic(() -> {
                begun.countDown();
                return future.join();
            }));
            begun.await();
            Future<Integer> other = pool.submit(() -> list.set(0, 1));
            Thread.sleep(2000);
            future.complete(7);
            assertEquals(7, block.get());
            assertEquals(0, other.get());
        } finally {
            pool.shutdown();
        }
    }

    @Test
    void readsThatOverlapLetAWriterIn() throws Exception {
        assertFewReadsComeBeforeAWriter(() -> {
            long end = System.nanoTime() + Duration.ofMillis(READ_MILLIS).toNanos();
            while (System.nanoTime() < end) {
                Thread.yield();
            }
        });
    }

    /** A waiting read lets other reads pass, but that must end. */
    @Test
    void readsThatOverlapAndWaitLetAWriterIn() throws Exception {
        heap.close();
        open(LONG);
        assertFewReadsComeBeforeAWriter(() -> sleep(READ_MILLIS));
        assertFewReadsComeBeforeAWriter(() -> CompletableFuture.runAsync(() -> sleep(READ_MILLIS),
                task -> new Thread(task).start()).join());
    }

    private static void sleep(int millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Four threads read with overlaps, so that one of them always reads. */
    private void assertFewReadsComeBeforeAWriter(Runnable read) throws Exception {
        int most = 100;
        AtomicInteger reads = new AtomicInteger();
        AtomicBoolean written = new AtomicBoolean();
        CountDownLatch reading = new CountDownLatch(READERS);
        List<FutureTask<Void>> readers = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            int first = i * READ_MILLIS / READERS;
            readers.add(new FutureTask<>(() -> {
                sleep(first);
                while (!written.get() && reads.get() < most) {
                    heap.read(() -> {
                        reading.countDown();
                        read.run();
                        return list.get(1);
                    });
                    reads.incrementAndGet();
                }
            }, null));
        }
        readers.forEach(reader -> new Thread(reader).start());
        reading.await();
        int before = reads.get();
        list.set(0, 9);
        int meanwhile = reads.get() - before;
        written.set(true);
        for (FutureTask<Void> reader : readers) {
            reader.get();
        }
        assertTrue(meanwhile < most / 2, meanwhile + " reads came before a writer");
    }
}
