// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.types.PersistentByteArray;

/** Tests how many private copies of written pages remain in memory after checkpoints, according to the kernel. */
class PrivateCopiesTest {
    private static final int LOG_BYTES = 64 << 10;
    /** Four times the size of the log. */
    private static final int MOST_COPIES = 4 * LOG_BYTES / 4096;
    private static final int HOT = 20;
    private static final int PAGES = 1000;

    @TempDir
    Path directory;
    private Path file;
    private Heap heap;
    private PersistentByteArray bytes;

    @BeforeEach
    void open() {
        file = directory.resolve("copies.heap");
        heap = Heap.open(file, HeapOptions.defaults().maxSize(16 << 20).logSize(LOG_BYTES).withoutBackground());
        bytes = heap.root("bytes", PersistentByteArray.class, () -> new PersistentByteArray(heap, PAGES << 12));
        // All pages together exceed the limit.
        change(0, PAGES, 1);
        heap.checkpoint();
    }

    @AfterEach
    void close() {
        heap.close();
    }

    /** Changes pages outside of blocks, so that the log does not request checkpoints. */
    private void change(int from, int to, int value) {
        for (int page = from; page < to; page++) {
            bytes.set(page << 12, (byte) value);
        }
    }

    private int copies() throws IOException {
        List<String> lines = Files.readAllLines(Path.of("/proc/self/smaps"));
        int kilobytes = 0;
        boolean ours = false;
        for (String line : lines) {
            if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                ours = line.endsWith(file.toRealPath().toString());
            } else if (ours && line.startsWith("Anonymous:")) {
                kilobytes += Integer.parseInt(line.replaceAll("\\D", ""));
            }
        }
        return kilobytes / 4;
    }

    @Test
    void moreThanMayStayAreAllDropped() throws IOException {
        assertEquals(0, copies());
        change(0, MOST_COPIES, 2);
        heap.checkpoint();
        assertEquals(MOST_COPIES, copies());
        change(0, MOST_COPIES + 1, 3);
        heap.checkpoint();
        assertEquals(0, copies());
    }

    @Test
    void pagesThatAreChangedAgainStay() throws IOException {
        for (int round = 2; round < 10; round++) {
            change(0, HOT, round);
            heap.checkpoint();
            assertEquals(HOT, copies());
        }
    }

    @Test
    void pagesThatTheNextCheckpointDoesNotWriteAreDropped() throws IOException {
        for (int from = 0; from + HOT <= PAGES; from += HOT) {
            change(from, from + HOT, 2);
            heap.checkpoint();
            assertEquals(HOT, copies());
        }
    }

    /** A private copy is changed again, or discarded and loaded from the file. In both cases, loads must return the last stored value. */
    @Test
    void whatIsLoadedIsWhatWasStoredLast() {
        byte[] expected = bytes.toArray();
        Random random = new Random(1);
        for (int round = 0; round < 200; round++) {
            int from = random.nextInt(PAGES - MOST_COPIES);
            int to = from + random.nextInt(MOST_COPIES);
            change(from, to, round);
            for (int page = from; page < to; page++) {
                expected[page << 12] = (byte) round;
            }
            heap.checkpoint();
            assertArrayEquals(expected, bytes.toArray());
        }
        heap.close();
        heap = Heap.open(file);
        bytes = heap.root("bytes", PersistentByteArray.class, () -> null);
        assertArrayEquals(expected, bytes.toArray());
    }
}
