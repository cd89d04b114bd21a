// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.terrace.persist.medium.CrashStates;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.medium.Site;
import org.terrace.persist.tools.Fsck;
import org.terrace.persist.types.PersistentByteArray;
import org.terrace.persist.types.PersistentLongArray;

/**
 * Tests copies of the two files of an open heap. Each file is read from beginning to end while the heap writes, in both orders, so
 * each part of a copy is from another time. A copy must be rejected or contain the commits up to one moment.
 */
public class CopiesWhileWritingTest extends DiskSetUp {
    private static final HeapOptions OPTIONS = HeapOptions.defaults().maxSize(256 << 10).logSize(16 << 10).durability(Durability.PROCESS)
            .withoutBackground().threads(1);
    private static final HeapOptions GROWING = OPTIONS.maxSize(8 << 20);
    private static final String HEAP = "test.heap";
    private static final String LOG = HEAP + ".log";
    private static final long SEED = Long.getLong("persist.seed", 11);
    private static final int ACCOUNTS = 6000;
    private static final int SECTOR = 512;

    private final Random random = new Random(SEED);
    /** Contents of the two files after each write. An unchanged file has the same array. */
    private final List<byte[]> heaps = new ArrayList<>();
    private final List<byte[]> logs = new ArrayList<>();
    private int opened;
    private int refused;

    /** Makes transfers between accounts on many pages, whose sum is 0. */
    private void transfer(Heap heap, PersistentLongArray accounts, int blocks) {
        for (int i = 0; i < blocks; i++) {
            int from = random.nextInt(ACCOUNTS);
            int to = random.nextInt(ACCOUNTS);
            heap.atomic(() -> {
                accounts.set(from, accounts.get(from) - 1);
                accounts.set(to, accounts.get(to) + 1);
            });
        }
    }

    /** Transfers from the first account, so that a replay of an earlier transfer changes the sum. */
    private void pay(Heap heap, int to) {
        PersistentLongArray accounts = accounts(heap);
        heap.atomic(() -> {
            accounts.set(0, accounts.get(0) - 1);
            accounts.set(to, accounts.get(to) + 1);
        });
    }

    private static PersistentLongArray accounts(Heap heap) {
        return heap.root("accounts", PersistentLongArray.class, () -> new PersistentLongArray(heap, ACCOUNTS));
    }

    private void create(HeapOptions options) {
        try (Heap heap = Heap.open(disk.path(HEAP), options)) {
            accounts(heap);
        }
    }

    private void note(Disk replay, Disk.Event event) {
        boolean first = event == null;
        heaps.add(first || HEAP.equals(event.file()) ? replay.contentOf(HEAP).clone() : heaps.get(heaps.size() - 1));
        logs.add(first || LOG.equals(event.file()) ? replay.contentOf(LOG).clone() : logs.get(logs.size() - 1));
    }

    private void noteAll(Disk base) {
        note(base, null);
        for (Disk.Event event : disk.events()) {
            base.apply(event);
            if (event.kind() == Disk.Event.Kind.WRITE || event.kind() == Disk.Event.Kind.EXTEND) {
                note(base, event);
            }
        }
        base.dispose();
    }

    /** @param fixedLength whether the length of the file is determined before it is copied */
    private byte[] copy(List<byte[]> states, int from, int to, boolean fixedLength) {
        int[] moments = {from, between(from, to), between(from, to), to};
        Arrays.sort(moments);
        int length = states.get(fixedLength ? from : to).length;
        byte[] copy = new byte[length];
        int at = 0;
        for (int part = 0; part < moments.length; part++) {
            byte[] state = states.get(moments[part]);
            int end = part == moments.length - 1 ? length : Math.min(length, at + random.nextInt(length / SECTOR) * SECTOR);
            end = Math.max(at, Math.min(end, state.length));
            System.arraycopy(state, at, copy, at, end - at);
            at = end;
        }
        return copy;
    }

    private int between(int from, int to) {
        return from + random.nextInt(to - from + 1);
    }

    private void assertRefusedOrWhole(Disk base, byte[] heap, byte[] log, HeapOptions options, String where) {
        Disk copied = base.copy();
        copied.replace(HEAP, heap);
        copied.replace(LOG, log);
        List<String> problems = Fsck.check(copied.path(HEAP), 1);
        try (Heap found = Heap.open(copied.path(HEAP), options)) {
            assertEquals(List.of(), found.check(), where);
            PersistentLongArray accounts = found.root("accounts", PersistentLongArray.class);
            long sum = 0;
            for (int i = 0; accounts != null && i < ACCOUNTS; i++) {
                sum += accounts.get(i);
            }
            assertEquals(0, sum, where);
            opened++;
        } catch (CorruptHeapException e) {
            assertTrue(!problems.isEmpty(), where + ": " + e.getMessage());
            refused++;
        } finally {
            copied.dispose();
        }
    }

    /** Makes copies at random times, starting with the log or with the heap file. */
    private void copyAtAnyTime(Disk base, HeapOptions options, int rounds, int longest) {
        for (int round = 0; round < rounds; round++) {
            boolean logFirst = random.nextInt(4) > 0;
            int begin = random.nextInt(heaps.size());
            int middle = Math.min(heaps.size() - 1, begin + random.nextInt(longest));
            int end = Math.min(heaps.size() - 1, middle + random.nextInt(longest));
            boolean fixedLength = random.nextBoolean();
            byte[] log = logFirst ? copy(logs, begin, middle, false) : copy(logs, middle, end, false);
            byte[] heap = logFirst ? copy(heaps, middle, end, fixedLength) : copy(heaps, begin, middle, fixedLength);
            assertRefusedOrWhole(base, heap, log, options, "round " + round + " of seed " + SEED + ", log first: " + logFirst
                    + ", moments " + begin + ", " + middle + ", " + end + " of " + heaps.size());
        }
    }

    @Test
    void whileCheckpointsWrite() {
        whileCheckpointsWrite(null);
    }

    private void without(Site site) {
        if (site != null) {
            disk.delete(site);
        }
    }

    private void whileCheckpointsWrite(Site without) {
        create(OPTIONS);
        Disk base = disk.copy();
        disk.record();
        without(without);
        Heap heap = Heap.open(disk.path(HEAP), OPTIONS);
        transfer(heap, accounts(heap), 400);
        noteAll(base.copy());
        heap.close();
        copyAtAnyTime(base, OPTIONS, 3000, 60);
        assertTrue(opened > 300 && refused > 300, opened + " opened, " + refused + " refused");
        base.dispose();
    }

    @Test
    void whileTheFileGrows() {
        create(GROWING);
        Disk base = disk.copy();
        disk.record();
        Heap heap = Heap.open(disk.path(HEAP), GROWING);
        for (int i = 0; i < 50; i++) {
            transfer(heap, accounts(heap), 12);
            heap.atomic(() -> heap.setRoot("other", new PersistentByteArray(heap, 60_000)));
        }
        noteAll(base.copy());
        heap.close();
        int grown = (int) heaps.stream().mapToInt(state -> state.length).distinct().count();
        assertTrue(grown > 2, grown + " lengths");
        copyAtAnyTime(base, GROWING, 600, 80);
        assertTrue(opened > 50 && refused > 50, opened + " opened, " + refused + " refused");
        base.dispose();
    }

    /** In this case, the copy of the superblock states that the heap is closed. */
    @Test
    void whileAClosedHeapIsOpenedAndChanged() {
        create(OPTIONS);
        try (Heap heap = Heap.open(disk.path(HEAP), OPTIONS)) {
            transfer(heap, accounts(heap), 40);
        }
        Disk base = disk.copy();
        disk.record();
        Heap heap = Heap.open(disk.path(HEAP), OPTIONS);
        transfer(heap, accounts(heap), 200);
        noteAll(base.copy());
        heap.close();
        for (int round = 0; round < 500; round++) {
            byte[] copy = copy(heaps, 0, random.nextInt(heaps.size()), true);
            System.arraycopy(heaps.get(0), 0, copy, 0, SECTOR);
            System.arraycopy(heaps.get(0), 4096, copy, 4096, SECTOR);
            assertRefusedOrWhole(base, copy, logs.get(0), OPTIONS, "round " + round + " of seed " + SEED);
        }
        assertTrue(opened > 20 && refused > 20, opened + " opened, " + refused + " refused");
        base.dispose();
    }

    /** The limit is overwritten at its old place, now inside the file, only when the new place survives a crash of the machine. */
    @Test
    void aCrashThatLosesTheGrowthIsNoCopy() {
        crashWhileTheFileGrows(null);
    }

    private void crashWhileTheFileGrows(Site without) {
        create(GROWING);
        without(without);
        Runnable crash = () -> {
            Disk crashed = disk.copy();
            new CrashStates(crashed).forEach(30, random, state -> {
                try (Heap found = Heap.open(state.path(HEAP), GROWING)) {
                    assertEquals(List.of(), found.check());
                    opened++;
                }
            });
            crashed.dispose();
        };
        disk.at(Site.CHECKPOINT_PAGE, crash);
        disk.at(Site.SUPERBLOCK, crash);
        try (Heap heap = Heap.open(disk.path(HEAP), GROWING)) {
            for (int i = 0; i < 60; i++) {
                transfer(heap, accounts(heap), 12);
                heap.atomic(() -> heap.setRoot("other", new PersistentByteArray(heap, 60_000)));
            }
        }
        assertTrue(opened > 300, opened + " states");
    }

    /** The file grows, and nothing overwrites the old place of the limit, to which an older superblock refers. */
    private void copyOfTheFormerPlace(Site without) {
        disk.dispose();
        disk = new Disk();
        create(GROWING);
        without(without);
        Heap heap = Heap.open(disk.path(HEAP), GROWING);
        pay(heap, 1);
        Disk before = disk.copy();
        assertThrows(IllegalStateException.class, () -> heap.atomic(() -> {
            new PersistentByteArray(heap, 2 << 20);
            throw new IllegalStateException("the file stays long");
        }));
        for (int i = 0; i < 2; i++) {
            pay(heap, 2);
            heap.checkpoint();
        }
        byte[] copy = disk.contentOf(HEAP).clone();
        assertTrue(copy.length > before.contentOf(HEAP).length);
        System.arraycopy(before.contentOf(HEAP), 0, copy, 0, SECTOR);
        System.arraycopy(before.contentOf(HEAP), 4096, copy, 4096, SECTOR);
        assertRefusedOrWhole(before, copy, before.contentOf(LOG), GROWING, "without " + without);
        heap.close();
        before.dispose();
    }

    @Test
    void theLimitIsNeeded() {
        assertThrows(AssertionError.class, () -> whileCheckpointsWrite(Site.PAGE_LIMIT));
    }

    @Test
    void theLimitIsNeededWhereItWas() {
        copyOfTheFormerPlace(null);
        assertEquals(1, refused);
        assertThrows(AssertionError.class, () -> copyOfTheFormerPlace(Site.PAGE_LIMIT_MOVED));
    }

    @Test
    void aSyncOfTheLimitIsNeededWhenItHasMoved() {
        assertThrows(CorruptHeapException.class, () -> crashWhileTheFileGrows(Site.PAGE_LIMIT_SYNC));
    }
}
