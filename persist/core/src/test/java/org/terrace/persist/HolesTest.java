// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.terrace.persist.heap.files.HeapImage;

/**
 * Tests reads of a heap whose bitmap has holes. On tmpfs, a load from a hole in a mapped file allocates space, and faults if there
 * is none.
 */
class HolesTest {
    private static final Path MEMORY = Path.of("/dev/shm");

    @Test
    void whatReadsTheHeapTakesNoRoom() throws Exception {
        assumeTrue(Files.isWritable(MEMORY), "no directory on tmpfs");
        Path directory = Files.createTempDirectory(MEMORY, "holes");
        Path file = directory.resolve("test.heap");
        HeapOptions options = HeapOptions.defaults().maxSize(8L << 30).logSize(64 << 10).durability(Durability.PROCESS);
        try {
            try (Heap heap = Heap.open(file, options)) {
                heap.atomic(() -> heap.setRoot("cell", new Cell(heap, 1, null)));
                heap.checkpoint();
                long before = blocks(file);
                assertEquals(List.of(), heap.check());
                assertEquals(List.of(), heap.checkCollections());
                assertEquals(before, blocks(file));
            }
            long before = blocks(file);
            try (HeapImage image = HeapImage.openIntact(file)) {
                assertEquals(List.of(), org.terrace.persist.heap.liveness.HeapCheck.check(image.space(), 1));
            }
            assertEquals(before, blocks(file));
        } finally {
            Files.deleteIfExists(file);
            Files.deleteIfExists(directory.resolve("test.heap.log"));
            Files.delete(directory);
        }
    }

    /** The number of allocated blocks of 512 bytes. */
    private static long blocks(Path file) throws IOException, InterruptedException {
        Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).redirectErrorStream(true).start();
        String out = new String(stat.getInputStream().readAllBytes()).strip();
        assumeTrue(stat.waitFor(60, TimeUnit.SECONDS) && stat.exitValue() == 0, out);
        return Long.parseLong(out);
    }
}
