// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Promises.Survives;
import org.terrace.persist.tools.Stat;

/** Tests that a heap reports the guarantees of its medium, and is not opened on a medium that cannot provide the requested ones. */
class PromisesTest {
    private static final HeapOptions SMALL = HeapOptions.defaults().maxSize(1 << 20).logSize(64 << 10);
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    @TempDir
    Path directory;

    private static List<Path> filesIn(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    private static boolean isMemory(Path directory) throws IOException {
        return Files.isWritable(directory) && Files.getFileStore(directory).type().equals("tmpfs");
    }

    @Test
    void aFileOfADiskKeepsWhatIsDurable() throws IOException {
        assumeTrue(Files.getFileStore(directory).type().equals("ext4"));
        Path file = directory.resolve("test.heap");
        try (Heap heap = Heap.open(file, SMALL.medium(HeapMedium.FILE))) {
            assertEquals(new Promises(HeapMedium.FILE, "ext4", Survives.MACHINE), heap.promises());
            assertTrue(heap.promises().allows(Durability.SYNC));
        }
        Map<String, Object> stat = Stat.of(file);
        assertEquals("MACHINE", stat.get("survives"));
        assertEquals("ext4", stat.get("fileSystem"));
    }

    @Test
    void memoryThatPersistsIsRefusedWhereThereIsNone() throws IOException {
        assumeTrue(isFileOnly());
        Path file = directory.resolve("test.heap");
        HeapException e = assertThrows(HeapException.class, () -> Heap.open(file, SMALL.medium(HeapMedium.DAX)));
        assertTrue(e.getMessage().contains("HeapOptions.medium(DAX)") && e.getMessage().contains(file.toString())
                && e.getMessage().contains("MAP_SYNC") && e.getMessage().contains("-o dax")
                && e.getMessage().contains("medium(AUTO)"), e.getMessage());
        assertEquals(List.of(), filesIn(directory));
        Heap.open(file, SMALL).close();
        e = assertThrows(HeapException.class, () -> Heap.open(file, SMALL.medium(HeapMedium.DAX)));
        assertTrue(e.getMessage().contains("test.heap on ") && e.getMessage().contains("MAP_SYNC"), e.getMessage());
        try (Heap heap = Heap.open(file, SMALL.medium(HeapMedium.AUTO))) {
            assertEquals(HeapMedium.FILE, heap.promises().medium());
        }
    }

    private boolean isFileOnly() throws IOException {
        Path probe = directory.resolve("probe");
        Heap.open(probe, SMALL.durability(Durability.PROCESS)).close();
        try (Heap heap = Heap.open(probe, SMALL.readOnly())) {
            return heap.promises().medium() == HeapMedium.FILE;
        } finally {
            for (Path file : filesIn(directory)) {
                Files.delete(file);
            }
        }
    }

    @Test
    void whatIsLostWithTheMachineIsNotCalledDurable() throws IOException {
        assumeTrue(isMemory(SHARED_MEMORY));
        Path memory = Files.createTempDirectory(SHARED_MEMORY, "terrace");
        try {
            Path file = memory.resolve("test.heap");
            for (Durability level : List.of(Durability.SYNC, Durability.group(Duration.ofMillis(5)))) {
                HeapException e = assertThrows(HeapException.class, () -> Heap.open(file, SMALL.durability(level)));
                assertTrue(e.getMessage().contains("tmpfs") && e.getMessage().contains(level.toString())
                        && e.getMessage().contains("Durability.PROCESS"), e.getMessage());
                assertEquals(List.of(), filesIn(memory));
            }
            try (Heap heap = Heap.open(file, SMALL.durability(Durability.PROCESS))) {
                assertEquals(new Promises(HeapMedium.FILE, "tmpfs", Survives.PROCESS), heap.promises());
                heap.setRoot("a", heap.atomic(() -> new Cell(heap, 1, null)));
            }
            assertThrows(HeapException.class, () -> Heap.open(file, SMALL));
            try (Heap heap = Heap.open(file, SMALL.readOnly())) {
                assertEquals(1, heap.root("a", Cell.class).value());
            }
        } finally {
            for (Path file : filesIn(memory)) {
                Files.delete(file);
            }
            Files.delete(memory);
        }
    }

    /** The heap file may be a link to another file system than the log's. */
    @Test
    void theWeakerFileCounts() throws IOException {
        assumeTrue(isMemory(SHARED_MEMORY) && !isMemory(directory));
        Path link = directory.resolve("test.heap");
        Heap.open(link, SMALL).close();
        Path memory = Files.createTempFile(SHARED_MEMORY, "terrace", ".heap");
        try {
            Files.move(link, memory, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
            Files.createSymbolicLink(link, memory);
            HeapException e = assertThrows(HeapException.class, () -> Heap.open(link, SMALL));
            assertTrue(e.getMessage().contains("tmpfs"), e.getMessage());
        } finally {
            Files.delete(memory);
        }
    }

    @Test
    void serversAreTakenAtTheirWord() {
        Promises promises = new Promises(HeapMedium.FILE, "nfs", Survives.SERVER);
        assertTrue(promises.allows(Durability.SYNC));
        assertTrue(promises.toString().contains("the server"), promises.toString());
        assertFalse(new Promises(HeapMedium.FILE, "tmpfs", Survives.PROCESS).allows(Durability.SYNC));
    }
}
