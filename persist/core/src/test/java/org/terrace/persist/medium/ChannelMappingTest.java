// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.HeapException;

/**
 * Tests that stores to a mapped file reach the file, including across segments. Uses an ordinary file, because persistent memory
 * may be missing.
 */
class ChannelMappingTest {
    private static final long SEGMENT = 1 << 30;

    @TempDir
    Path directory;
    private MediumFile file;

    @BeforeEach
    void create() {
        MappedMedium medium = new MappedMedium();
        MediumFile plain = medium.open(directory.resolve("file"), Medium.Mode.CREATE);
        plain.extend(0, 4096);
        file = medium.mapped(plain);
    }

    @AfterEach
    void close() {
        file.close();
    }

    private static byte[] bytes(int length, int first) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (first + i);
        }
        return bytes;
    }

    private void check(long position, byte[] written) {
        byte[] read = new byte[written.length];
        file.read(position, read, 0, read.length);
        assertArrayEquals(written, read);
    }

    private void write(long position, byte[] bytes) {
        file.write(position, bytes, 0, bytes.length, Site.COMMIT);
        check(position, bytes);
    }

    @Test
    void aPartOfAnArrayIsWritten() {
        file.write(100, bytes(50, 0), 10, 20, Site.COMMIT);
        check(99, new byte[1]);
        check(100, bytes(20, 10));
        check(120, new byte[1]);
    }

    @Test
    void aFileThatGrowsIsMappedFurther() {
        write(4000, bytes(96, 1));
        file.extend(4096, 3 << 20);
        write(4090, bytes(500_000, 2));
        check(4000, bytes(90, 1));
        assertEquals(3 << 20, file.size());
    }

    @Test
    void aWriteGoesAcrossTheEndOfASegment() {
        file.extend(SEGMENT - 4096, SEGMENT + 4096);
        write(SEGMENT - 1000, bytes(3000, 3));
        write(SEGMENT, bytes(10, 4));
        write(SEGMENT - 10, bytes(10, 5));
        check(SEGMENT, bytes(10, 4));
    }

    @Test
    void aThreadThatIsInterruptedWritesAndStaysInterrupted() {
        Thread.currentThread().interrupt();
        write(0, bytes(100, 6));
        assertTrue(Thread.interrupted());
    }

    @Test
    void nothingIsWrittenBehindTheEnd() {
        HeapException e = assertThrows(HeapException.class, () -> write(4090, bytes(10, 0)));
        assertTrue(e.getMessage().contains("ends at byte 4096"), e.getMessage());
        assertEquals(4096, file.size());
    }

    @Test
    void aFileThatIsClosedTakesNoStore() {
        write(0, bytes(10, 0));
        file.close();
        HeapException e = assertThrows(HeapException.class, () -> file.write(0, new byte[1], 0, 1, Site.COMMIT));
        assertTrue(e.getMessage().contains("is closed"), e.getMessage());
    }
}
