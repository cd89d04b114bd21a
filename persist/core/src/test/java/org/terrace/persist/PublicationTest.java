// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.terrace.persist.blocks.Stall;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.medium.Site;

/**
 * Tests operations on an object while another thread makes it valid. The object is larger than the log, so the publication waits
 * for a checkpoint, during which the test acts.
 */
@Timeout(60)
class PublicationTest extends DiskSetUp {
    private static final String HEAP = "test.heap";
    private static final HeapOptions OPTIONS = HeapOptions.defaults().maxSize(4 << 20).logSize(64 << 10).durability(Durability.PROCESS);
    private static final int BYTES = 80_000;
    /** Superblock writes of one checkpoint. */
    private static final int WRITES = 2;

    private Heap heap;
    private Slots slots;
    private Cell stored;

    /** An array of references. */
    private static final class Slots extends PersistentObject {
        static final PersistentClass<Slots> CLASS = PersistentClass.references(Slots.class, Slots::new);
        private static final int LENGTH = BYTES / Long.BYTES;
        /** Less than a record of a publication contains. */
        private static final int STEP = 1000;

        Slots(Heap heap, Cell cell) {
            super(CLASS, heap, (LENGTH + 1L) * Long.BYTES);
            setLong(0, LENGTH);
            for (int i = 0; i < LENGTH; i++) {
                set(i, cell);
            }
        }

        private Slots(Heap heap, long offset) {
            super(heap, offset);
        }

        void set(int index, Cell cell) {
            setReference((index + 1L) * Long.BYTES, cell);
        }

        Cell get(int index) {
            return (Cell) getReference((index + 1L) * Long.BYTES);
        }

        void setAll(Cell cell) {
            for (int i = 0; i < LENGTH; i += STEP) {
                set(i, cell);
            }
        }

        List<Long> values() {
            List<Long> values = new ArrayList<>();
            for (int i = 0; i < LENGTH; i += STEP) {
                values.add(get(i) == null ? null : get(i).value());
            }
            return values;
        }
    }

    private static final class Actor {
        private final FutureTask<Void> task;
        private final Thread thread;

        Actor(Runnable code) {
            task = new FutureTask<>(code, null);
            thread = new Thread(task);
        }

        void start() {
            thread.start();
        }

        void awaitWaiting() {
            while (!task.isDone() && !Stall.isWaiting(thread)) {
                Thread.onSpinWait();
            }
        }

        void awaitEnd() throws Exception {
            task.get();
        }
    }

    @BeforeEach
    void open() {
        heap = Heap.open(disk.path(HEAP), OPTIONS);
        slots = new Slots(heap, new Cell(heap, 2, null));
        stored = new Cell(heap, 7, null);
        heap.setRoot("holder", new Cell(heap, 1, null));
        heap.checkpoint();
    }

    @AfterEach
    void close() {
        heap.close();
    }

    /**
     * Publishes the slots. When the publication waits for log space, another thread starts an operation. The checkpoint continues
     * when that operation is done or waits.
     *
     * @return the state that a crash leaves
     */
    private Disk whilePublishing(Runnable publish, Runnable code) throws Exception {
        Actor other = new Actor(code);
        Actor publishing = new Actor(publish);
        AtomicInteger writes = new AtomicInteger();
        CountDownLatch copied = new CountDownLatch(1);
        disk.at(Site.SUPERBLOCK, () -> {
            int write = writes.incrementAndGet();
            if (write == 1) {
                publishing.awaitWaiting();
                other.start();
                other.awaitWaiting();
            } else if (write > WRITES) {
                // After the next checkpoint, an opening could not detect missing log records.
                awaitUninterruptibly(copied);
            }
        });
        try {
            publishing.start();
            publishing.awaitEnd();
            assertTrue(writes.get() > 0, "the publication did not wait");
            other.awaitEnd();
            heap.psync();
            return disk.copy();
        } finally {
            copied.countDown();
        }
    }

    private void storeSlots() {
        Cell holder = heap.root("holder", Cell.class);
        heap.atomic(Isolation.CALLER, () -> {
            holder.other(slots);
            return null;
        });
    }

    private void assertSlotsHaveTheCell(Disk left) {
        List<Long> expected = Collections.nCopies((Slots.LENGTH - 1) / Slots.STEP + 1, 7L);
        assertEquals(expected, slots.values());
        assertEquals(List.of(), heap.check());
        assertLeft(left, opened -> assertEquals(expected, ((Slots) opened.root("holder", Cell.class).other()).values()));
    }

    private static void assertLeft(Disk left, Consumer<Heap> assertion) {
        try (Heap opened = Heap.open(left.path(HEAP), OPTIONS)) {
            assertion.accept(opened);
            assertEquals(List.of(), opened.check());
        } finally {
            left.dispose();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The object is not valid when the thread checks it, and is then copied to the log. */
    @Test
    void aReferenceStoredOutsideOfBlocksIsPublishedOrCommitted() throws Exception {
        assertSlotsHaveTheCell(whilePublishing(this::storeSlots, () -> slots.setAll(stored)));
    }

    /** Uses blocks that only the caller isolates. A replay must not undo such a block by an earlier copy of the publication. */
    @Test
    void aPublicationUndoesNoCommitOfAnotherThread() throws Exception {
        heap.setRoot("stored", stored);
        assertSlotsHaveTheCell(whilePublishing(this::storeSlots, () -> heap.atomic(Isolation.CALLER, () -> {
            slots.setAll(stored);
            return null;
        })));
    }

    @Test
    void anObjectThatBecomesValidByHandRefersToValidObjectsOnly() throws Exception {
        Cell byHand = new Cell(heap, 3, null);
        byHand.other(slots);
        Disk left = whilePublishing(() -> {
            byHand.validate();
            byHand.pwb();
            heap.psync();
        }, () -> byHand.next(stored));
        assertEquals(List.of(true, 7L), List.of(byHand.isValid(), byHand.next().value()));
        assertTrue(stored.isValid());
        heap.setRoot("by hand", byHand);
        assertEquals(List.of(), heap.check());
        left.dispose();
        assertLeft(disk.copy(), opened -> assertEquals(7, opened.root("by hand", Cell.class).next().value()));
    }
}
