// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.tools;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Cell;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapBytes;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapFullException;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.Internals;
import org.terrace.persist.crash.CrashScenario;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.medium.Medium;
import org.terrace.persist.medium.MediumFile;

/** Tests copies of heaps. {@link BackupStressTest} has copies under load. */
@Timeout(600)
class BackupTest {
    private static final HeapOptions OPTIONS = HeapOptions.defaults().maxSize(64 << 20).logSize(64 << 10).threads(2);

    @TempDir
    Path directory;

    private Heap small(Path file) {
        Heap heap = Heap.open(file, OPTIONS);
        heap.root("a", Cell.class, () -> new Cell(heap, 1, new Cell(heap, 2, null)));
        return heap;
    }

    private static long valueOf(Path file) {
        try (Heap heap = Heap.open(file, OPTIONS)) {
            assertEquals(List.of(), heap.check());
            assertEquals(2, heap.root("a", Cell.class).next().value());
            return heap.root("a", Cell.class).value();
        }
    }

    @Test
    void namesThatAreTakenAreRefused() throws IOException {
        Path to = directory.resolve("copy.heap");
        try (Heap heap = small(directory.resolve("a.heap"))) {
            Files.writeString(to, "mine");
            assertTrue(assertThrows(HeapException.class, () -> heap.backup(to)).getMessage().contains("copy.heap exists"));
            assertEquals("mine", Files.readString(to));
            Files.move(to, HeapBytes.logOf(to));
            assertTrue(assertThrows(HeapException.class, () -> heap.backup(to)).getMessage().contains("copy.heap.log exists"));
            Files.delete(HeapBytes.logOf(to));
            heap.backup(to);
        }
        assertEquals(1, valueOf(to));
    }

    @Test
    void aClosedHeapMakesNoCopyAndAReadOnlyOneDoes() {
        Path file = directory.resolve("a.heap");
        Heap closed = small(file);
        closed.close();
        Path to = directory.resolve("copy.heap");
        assertThrows(HeapException.class, () -> closed.backup(to));
        assertFalse(Files.exists(to));
        try (Heap heap = Heap.open(file, OPTIONS.readOnly())) {
            heap.backup(to);
        }
        assertEquals(1, valueOf(to));
    }

    @Test
    void aFullDeviceEndsTheCopyAndTheHeapGoesOn() {
        Disk disk = new Disk();
        try (Heap heap = Heap.open(disk.path("a.heap"), CrashScenario.TINY)) {
            Cell a = heap.root("a", Cell.class, () -> new Cell(heap, 1, null));
            disk.limitRoom(4096);
            assertThrows(HeapFullException.class, () -> heap.backup(disk.path("copy.heap")));
            disk.limitRoom(Long.MAX_VALUE);
            heap.atomic(() -> a.value(2));
            assertEquals(List.of(), heap.check());
            heap.backup(disk.path("copy.heap"));
            heap.atomic(() -> a.value(3));
        }
        try (Heap heap = Heap.open(disk.path("copy.heap"), CrashScenario.TINY)) {
            assertEquals(2, heap.root("a", Cell.class).value());
        }
        disk.dispose();
    }

    private Path killed() throws IOException {
        Path file = directory.resolve("source.heap");
        Path killed = directory.resolve("killed.heap");
        try (Heap heap = small(file)) {
            heap.checkpoint();
            heap.atomic(() -> heap.root("a", Cell.class).value(5));
            new HeapBytes(file).writeTo(killed);
        }
        return killed;
    }

    @Test
    void theCommandCopiesTheStateAfterTheReplayAndChangesNothing() throws IOException {
        Path killed = killed();
        byte[] before = Files.readAllBytes(killed);
        Path to = directory.resolve("copy.heap");
        assertEquals(0, HeapToolOutput.of("backup", killed, to).status());
        assertArrayEquals(before, Files.readAllBytes(killed));
        assertFalse(Files.exists(HeapBytes.logOf(to)));
        assertEquals(2, HeapToolOutput.of("backup", killed, to).status());
        assertEquals(List.of(), Fsck.check(to, 1));
        assertEquals(5, valueOf(to));
    }

    @Test
    void aRestoredHeapTakesThePlaceOfAnother() throws IOException {
        Path backup = directory.resolve("backup.heap");
        Path file = directory.resolve("a.heap");
        try (Heap heap = small(file)) {
            heap.backup(backup);
            heap.atomic(() -> heap.root("a", Cell.class).value(9));
            assertEquals(2, HeapToolOutput.of("restore", "--replace", backup, file).status());
        }
        assertEquals(2, HeapToolOutput.of("restore", backup, file).status());
        assertEquals(9, valueOf(file));
        assertEquals(0, HeapToolOutput.of("restore", "--replace", backup, file).status());
        assertEquals(1, valueOf(file));
        Path foreign = directory.resolve("foreign.heap");
        Heap.open(foreign, OPTIONS.logSize(128 << 10)).close();
        assertEquals(0, HeapToolOutput.of("restore", "--replace", backup, foreign).status());
        assertEquals(1, valueOf(foreign));
        assertEquals(0, HeapToolOutput.of("restore", backup, directory.resolve("new.heap")).status());
        assertEquals(1, valueOf(directory.resolve("new.heap")));
    }

    /** In this case, it is unknown to which heap the log belongs. */
    @Test
    void aLogThatCannotBeReadIsNotRemoved() {
        Path backup = directory.resolve("backup.heap");
        try (Heap heap = small(directory.resolve("a.heap"))) {
            heap.backup(backup);
        }
        Path foreign = directory.resolve("foreign.heap");
        Heap.open(foreign, OPTIONS.logSize(128 << 10)).close();
        try (MediumFile used = Medium.MEDIUM.open(HeapBytes.logOf(foreign), Medium.Mode.WRITE)) {
            HeapToolOutput output = HeapToolOutput.of("restore", "--replace", backup, foreign);
            assertEquals(2, output.status());
            assertTrue(output.text().contains("foreign.heap.log"), output.text());
            assertTrue(Files.exists(used.path()));
        }
    }

    @Test
    void aDamagedBackupIsNotRestored() throws IOException {
        Path backup = directory.resolve("backup.heap");
        Path file = directory.resolve("a.heap");
        long offset;
        try (Heap heap = small(file)) {
            offset = Internals.offset(heap.root("a", Cell.class));
            heap.backup(backup);
        }
        byte[] before = Files.readAllBytes(file);
        HeapBytes bytes = new HeapBytes(file);
        bytes.log = null;
        bytes.heap.putLong((int) offset + 16, 12345);
        bytes.writeTo(backup);
        HeapToolOutput output = HeapToolOutput.of("restore", "--replace", backup, file);
        assertEquals(1, output.status());
        assertTrue(output.text().contains("where no object can be"), output.text());
        assertArrayEquals(before, Files.readAllBytes(file));
    }

    /** A log with later records is not replayed into a restored heap. */
    @Test
    void theOldLogDoesNotChangeARestoredHeap() throws IOException {
        Path backup = directory.resolve("backup.heap");
        Path file = directory.resolve("a.heap");
        Path killed = directory.resolve("killed.heap");
        try (Heap heap = small(file)) {
            heap.backup(backup);
            heap.atomic(() -> heap.root("a", Cell.class).value(9));
            new HeapBytes(file).writeTo(killed);
        }
        assertEquals(0, HeapToolOutput.of("restore", "--replace", backup, killed).status());
        assertTrue(Files.exists(HeapBytes.logOf(killed)));
        assertEquals(1, valueOf(killed));
    }

    @Test
    void aCopyIsNoMoreReadableThanTheHeap() throws Exception {
        Path path = directory.resolve("private.heap");
        Path copy = directory.resolve("copy.heap");
        try (Heap heap = Heap.open(path, OPTIONS)) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
            heap.backup(copy);
        }
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(copy)));
    }

    @Test
    void aHeapOfTheTemporaryNameStays() {
        Path other = directory.resolve("copy.heap.new");
        Heap.open(other, OPTIONS).close();
        try (Heap heap = Heap.open(directory.resolve("a.heap"), OPTIONS)) {
            HeapException refusal = assertThrows(HeapException.class, () -> heap.backup(directory.resolve("copy.heap")));
            assertTrue(refusal.getMessage().contains("copy.heap.new is a heap"), refusal.getMessage());
        }
        Heap.open(other, OPTIONS).close();
    }
}
