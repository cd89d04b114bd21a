// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.terrace.persist.medium.Disk;

/** Tests heap files combined with logs of other times, as produced by copying an open heap, and forged positions. */
class CopiesTest extends DiskSetUp {
    private static final HeapOptions OPTIONS = HeapOptions.defaults().maxSize(256 << 10).logSize(16 << 10).durability(Durability.PROCESS)
            .withoutBackground().threads(1);
    private static final int COMMITS = 250;
    private static final long SEED = Long.getLong("persist.seed", 7);
    private static final int POSITION = 56;

    /** The states of the disk after each commit. Each commit makes two cells equal. */
    private List<Disk> states() {
        List<Disk> states = new ArrayList<>();
        Heap heap = Heap.open(disk.path("test.heap"), OPTIONS);
        states.add(disk.copy());
        heap.atomic(() -> {
            heap.setRoot("a", new Cell(heap, 0, null));
            heap.setRoot("b", new Cell(heap, 0, null));
        });
        states.add(disk.copy());
        Cell a = heap.root("a", Cell.class);
        Cell b = heap.root("b", Cell.class);
        for (int i = 1; i <= COMMITS; i++) {
            int number = i;
            heap.atomic(() -> {
                a.value(number);
                b.value(number);
                a.other(new Cell(heap, number, null));
            });
            states.add(disk.copy());
        }
        heap.close();
        return states;
    }

    /** The number of the last commit, -1 before the first, or null if the opening is rejected. */
    private static Long opened(Disk copy) {
        try (Heap heap = Heap.open(copy.path("test.heap"), OPTIONS)) {
            assertEquals(List.of(), heap.check());
            Cell a = heap.root("a", Cell.class);
            Cell b = heap.root("b", Cell.class);
            if (a == null) {
                assertEquals(null, b);
                return -1L;
            }
            assertEquals(a.value(), b.value());
            return a.value();
        } catch (CorruptHeapException e) {
            assertTrue(e.getMessage().contains("test.heap"), e.getMessage());
            return null;
        }
    }

    private static void copyLog(Disk from, Disk to) {
        byte[] log = from.contentOf("test.heap.log");
        System.arraycopy(log, 0, to.contentOf("test.heap.log"), 0, log.length);
    }

    @Test
    void aLogThatWasCopiedBeforeItsHeapFileIsRefusedOrWhole() {
        List<Disk> states = states();
        Random random = new Random(SEED);
        int refused = 0;
        for (int round = 0; round < 1000; round++) {
            int logOf = random.nextInt(states.size());
            int heapOf = logOf + random.nextInt(Math.min(60, states.size() - logOf));
            Disk copy = states.get(heapOf).copy();
            copyLog(states.get(logOf), copy);
            Long last = opened(copy);
            refused += last == null ? 1 : 0;
            String where = "log after " + (logOf - 1) + ", heap file after " + (heapOf - 1) + ", seed " + SEED;
            assertTrue(last == null || last == logOf - 1L || logOf <= 1 && last <= 0, where + ": " + last);
            copy.dispose();
        }
        assertTrue(refused > 100 && refused < 900, "refused " + refused);
        states.forEach(Disk::dispose);
    }

    @Test
    void aForgedPositionIsRefused() {
        List<Disk> states = states();
        Disk killed = states.get(COMMITS);
        long whole = opened(killed.copy());
        long right = ByteBuffer.wrap(killed.contentOf("test.heap")).order(ByteOrder.LITTLE_ENDIAN).getLong(POSITION);
        for (long position : new long[] {0, right - 8, right + 8, right + 4096, right + (8 << 10), right + (16 << 10), right + (1 << 30)}) {
            Disk copy = killed.copy();
            ByteBuffer heap = ByteBuffer.wrap(copy.contentOf("test.heap")).order(ByteOrder.LITTLE_ENDIAN);
            for (int at : new int[] {0, 4096}) {
                heap.putLong(at + POSITION, position);
                HeapBytes.sealSuperblock(heap, at);
            }
            assertEquals(null, opened(copy), "position " + position + " in place of " + right + " of a heap with " + whole);
            copy.dispose();
        }
        states.forEach(Disk::dispose);
    }
}
