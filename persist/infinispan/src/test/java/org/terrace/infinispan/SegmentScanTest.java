// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.infinispan.commons.util.IntSets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Durability;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.types.Bytes;

/** Tests scans of a segment that changes meanwhile, and their handling of expired entries. */
class SegmentScanTest {
    private static final int ENTRIES = 1000;
    private static final long NOW = 5000;

    @TempDir
    Path directory;

    private CacheHeap heap;

    @BeforeEach
    void open() {
        heap = CacheHeap.open(directory.resolve("scan.heap"),
                HeapOptions.defaults().maxSize(64 << 20).logSize(1 << 20).durability(Durability.PROCESS), "scan", 4);
        put(0, ENTRIES, 100, -1);
    }

    @AfterEach
    void close() {
        heap.close();
    }

    private static Bytes key(int i) {
        return Bytes.copyOf(ByteBuffer.allocate(4).putInt(i * 0x9E3779B1).array());
    }

    private void put(int from, int to, int length, long expiry) {
        heap.changeInTurn(IntStream.range(from, to).mapToObj(i -> new Change(2, key(i),
                new StoredEntry(new byte[length], null, new byte[] {(byte) i}, 1, 2, expiry))).toList());
    }

    @Test
    void givesEachEntryOnceWhileOthersComeAndGo() {
        SegmentScan scan = heap.scan(2);
        Set<Bytes> seen = new HashSet<>();
        int next = ENTRIES;
        for (List<KeyedEntry> page = scan.page(true, NOW); page != null; page = scan.page(true, NOW)) {
            page.forEach(found -> assertTrue(seen.add(found.key()), "twice"));
            put(next, next + 50, 100, -1);
            heap.change(new Change(2, key(next), null));
            next += 50;
        }
        for (int i = 0; i < ENTRIES; i++) {
            assertTrue(seen.contains(key(i)), "entry " + i);
        }
    }

    @Test
    void pagesOfLargeEntriesAreShort() {
        put(0, 50, 60_000, -1);
        SegmentScan scan = heap.scan(2);
        for (List<KeyedEntry> page = scan.page(true, NOW); page != null; page = scan.page(true, NOW)) {
            assertTrue(page.stream().mapToLong(found -> found.entry().size()).sum() < 800_000);
        }
    }

    @Test
    void endsWhenTheSegmentIsClearedOrRemoved() {
        SegmentScan scan = heap.scan(2);
        assertNotNull(scan.page(false, NOW));
        heap.clear();
        put(0, ENTRIES, 100, -1);
        assertNull(scan.page(false, NOW));
        scan = heap.scan(2);
        assertNotNull(scan.page(false, NOW));
        heap.removeSegments(IntSets.immutableSet(2));
        assertNull(scan.page(false, NOW));
        put(0, ENTRIES, 100, -1);
        assertEquals(0, heap.sizeWithExpired(IntSets.immutableRangeSet(4)));
        heap.addSegments(IntSets.immutableSet(2));
        put(0, ENTRIES, 100, -1);
        assertEquals(ENTRIES, heap.size(IntSets.immutableRangeSet(4), NOW));
    }

    @Test
    void expiredEntriesAreCountedAndRemovedUntilTheyAreReplaced() {
        put(0, 300, 100, NOW - 1);
        put(300, 400, 100, NOW + 1);
        assertEquals(ENTRIES - 300, heap.size(IntSets.immutableRangeSet(4), NOW));
        assertEquals(ENTRIES, heap.sizeWithExpired(IntSets.immutableRangeSet(4)));
        assertNull(heap.get(2, key(7), NOW));
        put(7, 8, 100, -1);
        assertEquals(1, heap.get(2, key(7), NOW).created());
        List<Bytes> all = IntStream.range(0, ENTRIES).mapToObj(SegmentScanTest::key).toList();
        assertEquals(299, heap.removeExpired(2, all, NOW).size());
        assertEquals(Set.of(2), heap.mortalSegments());
        assertEquals(100, heap.removeExpired(2, all, NOW + 1).size());
        assertEquals(Set.of(), heap.mortalSegments());
        assertEquals(ENTRIES - 399, heap.sizeWithExpired(IntSets.immutableRangeSet(4)));
    }
}
