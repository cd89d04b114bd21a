// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.heap.ObjectHeader;
import org.terrace.persist.types.PersistentByteArray;

/** Tests proxies of objects that were freed or never committed, after other objects have reused their space. */
class ReusedRoomTest {
    /** For the largest slots, of which a page has 16. */
    private static final int SLOT_LENGTH = 220;
    private static final int EXTENT_LENGTH = 1000;

    @TempDir
    Path directory;
    private Heap heap;

    @BeforeEach
    void open() {
        heap = Heap.open(directory.resolve("test.heap"), HeapOptions.defaults().maxSize(8 << 20).durability(Durability.PROCESS));
    }

    @AfterEach
    void close() {
        heap.close();
    }

    private static long at(PersistentObject object) {
        return object.offset();
    }

    private PersistentByteArray make(int length) {
        return new PersistentByteArray(heap, length);
    }

    /** Allocates free slots until the slot that is freed is the next to be used. */
    private long onlyFreeRoom(int length) {
        for (int i = 0; i < 200; i++) {
            PersistentByteArray first = heap.atomic(() -> make(length));
            heap.free(first);
            PersistentByteArray second = heap.atomic(() -> make(length));
            if (at(second) == at(first)) {
                heap.free(second);
                return at(second);
            }
        }
        throw new AssertionError("no room is used again");
    }

    /** Creates and removes an object in one of three ways. */
    private PersistentByteArray madeAndGone(int way, int length) {
        if (way == 0) {
            PersistentByteArray made = heap.atomic(() -> make(length));
            heap.atomic(() -> heap.free(made));
            return made;
        } else if (way == 1) {
            PersistentByteArray made = make(length);
            heap.free(made);
            return made;
        }
        PersistentByteArray[] made = new PersistentByteArray[1];
        assertThrows(IllegalStateException.class, () -> heap.atomic(() -> {
            made[0] = make(length);
            throw new IllegalStateException("rolled back");
        }));
        return made[0];
    }

    private static void assertGone(List<PersistentByteArray> proxies, PersistentByteArray present) {
        for (PersistentByteArray proxy : proxies) {
            assertTrue(proxy.isFreed());
            assertThrows(FreedObjectException.class, proxy::length);
            assertTrue(!proxy.equals(present));
        }
    }

    @Test
    void aSlotsLastObjectsAreAllToldFromItsPresentOne() {
        long offset = onlyFreeRoom(SLOT_LENGTH);
        List<PersistentByteArray> gone = new ArrayList<>();
        while (gone.size() < ObjectHeader.GENERATIONS - 1) {
            PersistentByteArray one = madeAndGone(gone.size() % 3, SLOT_LENGTH);
            assertEquals(offset, at(one));
            gone.add(one);
        }
        PersistentByteArray present = heap.atomic(() -> make(SLOT_LENGTH));
        assertEquals(offset, at(present));
        assertGone(gone, present);
        assertEquals(SLOT_LENGTH, present.length());
    }

    @Test
    void aStaleProxyCannotFreeOrBeReferredTo() {
        onlyFreeRoom(SLOT_LENGTH);
        PersistentByteArray stale = madeAndGone(0, SLOT_LENGTH);
        PersistentByteArray present = heap.atomic(() -> make(SLOT_LENGTH));
        assertEquals(at(stale), at(present));
        assertThrows(FreedObjectException.class, () -> heap.free(stale));
        assertThrows(FreedObjectException.class, () -> heap.setRoot("stale", stale));
        assertThrows(FreedObjectException.class, () -> heap.atomic(() -> stale.set(0, (byte) 1)));
        assertEquals(0, present.get(0));
    }

    @Test
    void objectsOfWholeBlocksAreToldFromThoseBefore() {
        List<PersistentByteArray> gone = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            gone.add(madeAndGone(i % 3, EXTENT_LENGTH));
        }
        PersistentByteArray present = heap.atomic(() -> make(EXTENT_LENGTH));
        long reused = gone.stream().filter(proxy -> at(proxy) == at(present)).count();
        assertTrue(reused > 0, "no proxy was of the room that is used again");
        assertGone(gone, present);
    }
}
