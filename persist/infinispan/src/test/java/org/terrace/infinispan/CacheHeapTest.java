// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.infinispan.commons.util.IntSet;
import org.infinispan.commons.util.IntSets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.types.Bytes;

/** Tests operations between the steps of a removal of segments. */
class CacheHeapTest {
    private static final IntSet FIRST = IntSets.immutableSet(0);
    private static final IntSet BOTH = IntSets.immutableRangeSet(2);

    @TempDir
    Path directory;
    private CacheHeap heap;
    private static int callers;

    @BeforeEach
    void open() {
        heap = CacheHeap.open(directory.resolve("a.heap"), HeapOptions.defaults().maxSize(4 << 20).logSize(1 << 20), "a", 2);
    }

    @AfterEach
    void close() {
        heap.close();
    }

    /** A class of the program that opens the heap. */
    private static final class Caller {
        static {
            callers++;
        }
    }

    @Test
    void theClassesOfTheOptionsAreKept() {
        HeapOptions options = HeapOptions.defaults().maxSize(4 << 20).logSize(1 << 20).classes(Caller.class);
        CacheHeap.open(directory.resolve("b.heap"), options, "b", 2).close();
        assertEquals(1, callers);
    }

    private static Bytes key(int i) {
        return Bytes.copyOf(ByteBuffer.allocate(Integer.BYTES).putInt(i).array());
    }

    /** Fills a segment with more than half of the heap's capacity. */
    private void fill(int segment) {
        List<Change> changes = new ArrayList<>();
        for (int i = 0; i < 2500; i++) {
            changes.add(new Change(segment, key(i), new StoredEntry(new byte[900], null, null, -1, -1, -1)));
        }
        heap.changeInTurn(changes);
    }

    @Test
    void aSegmentIsRemovedWhileTheCacheIsCleared() {
        fill(0);
        heap.change(new Change(1, key(0), new StoredEntry(new byte[1], null, null, -1, -1, -1)));
        List<Segment> detached = heap.detach(FIRST);
        assertEquals(1, heap.sizeWithExpired(BOTH));
        heap.clear();
        detached.forEach(heap::discard);
        assertEquals(0, heap.sizeWithExpired(BOTH));
        fill(1);
    }

    @Test
    void theRoomOfARemovedSegmentIsFreeAfterACloseThatCameBetween() {
        fill(0);
        List<Segment> detached = heap.detach(FIRST);
        heap.close();
        detached.forEach(heap::discard);
        open();
        assertEquals(0, heap.sizeWithExpired(BOTH));
        fill(0);
        assertEquals(2500, heap.sizeWithExpired(BOTH));
    }
}
