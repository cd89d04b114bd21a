// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.evolution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Cell;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapBytes;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.tools.Fsck;
import org.terrace.persist.tools.HeapToolOutput;

/**
 * Tests a heap with several names: links to it and to its directory, hard links, and names before and after a move. It must have
 * one log.
 */
class OtherNamesTest {
    private static final HeapOptions OPTIONS = HeapBytes.OPTIONS.durability(Durability.PROCESS);

    @TempDir
    Path directory;
    private Path place;
    private Path real;
    private Path link;

    @BeforeEach
    void link() throws IOException {
        place = Files.createDirectory(directory.resolve("place"));
        real = place.resolve("real.heap");
        link = Files.createSymbolicLink(directory.resolve("link.heap"), real);
    }

    /** Opens a heap, increments its number and closes it. */
    private static long add(Path file, int times) {
        try (Heap heap = Heap.open(file, OPTIONS)) {
            return addTo(heap, times);
        }
    }

    private static long addTo(Heap heap, int times) {
        Cell cell = heap.root("a", Cell.class, () -> new Cell(heap, 0, null));
        for (int i = 0; i < times; i++) {
            heap.atomic(() -> cell.value(cell.value() + 1));
        }
        return cell.value();
    }

    /** Increments the number, and leaves the files as a kill would. */
    private static void addAndKill(Path file, int times) throws IOException {
        HeapBytes bytes;
        try (Heap heap = Heap.open(file, OPTIONS)) {
            addTo(heap, times);
            bytes = new HeapBytes(heap.path());
        }
        bytes.writeTo(bytes.path);
    }

    private List<String> files(Path of) throws IOException {
        try (Stream<Path> files = Files.list(of)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void aLinkLeadsToTheLogBesideTheFile() throws IOException {
        add(real, 1);
        addAndKill(link, 500);
        assertEquals(List.of(), Fsck.check(link, 1));
        try (Heap heap = Heap.open(link, OPTIONS.readOnly())) {
            assertEquals(real, heap.path());
            assertEquals(501, heap.root("a", Cell.class).value());
        }
        assertEquals(501, add(real, 0));
        assertTrue(Files.isSymbolicLink(link));
        assertEquals(List.of("link.heap", "place"), files(directory));
    }

    @Test
    void aLinkToADirectoryIsFollowedForANewHeapToo() throws IOException {
        Path other = Files.createSymbolicLink(directory.resolve("other"), place);
        assertEquals(3, add(other.resolve("real.heap"), 3));
        try (Heap heap = Heap.open(other.resolve("real.heap"), OPTIONS)) {
            assertEquals(real, heap.path());
            HeapException e = assertThrows(HeapException.class, () -> Heap.open(real, OPTIONS));
            assertTrue(e.getMessage().contains("is open in another"), e.getMessage());
        }
        assertEquals(3, add(real, 0));
        assertEquals(List.of("real.heap", "real.heap.log"), files(place));
    }

    /** The file is in the working directory of the tests. */
    @Test
    void aNameWithoutADirectoryIsAsGoodAsAny() throws IOException {
        Path name = Path.of("other-names-test.heap");
        Path copy = Path.of("other-names-test-copy.heap");
        try (Heap heap = Heap.open(name, OPTIONS)) {
            assertEquals(name, heap.path());
            addTo(heap, 2);
            heap.backup(copy);
            assertEquals(2, add(copy, 0));
        } finally {
            for (Path file : List.of(name, copy)) {
                Files.deleteIfExists(file);
                Files.deleteIfExists(HeapBytes.logOf(file));
            }
        }
        Files.createSymbolicLink(name, real);
        try {
            assertEquals(3, add(name, 3));
            assertEquals(3, add(real, 0));
        } finally {
            Files.delete(name);
        }
    }

    @Test
    void aLinkToNothingYetGetsItsHeapWhereItLeads() throws IOException {
        Path chain = Files.createSymbolicLink(directory.resolve("chain.heap"), Path.of("link.heap"));
        HeapException e = assertThrows(HeapException.class, () -> Heap.open(chain, OPTIONS.readOnly()));
        assertTrue(e.getMessage().contains("real.heap does not exist"), e.getMessage());
        assertEquals(2, add(chain, 2));
        assertEquals(2, add(real, 0));
        assertTrue(Files.isSymbolicLink(chain) && Files.isSymbolicLink(link));
        assertEquals(List.of("real.heap", "real.heap.log"), files(place));
    }

    @Test
    void linksThatLeadNowhereAreNamed() throws IOException {
        Path lost = Files.createSymbolicLink(directory.resolve("lost.heap"), directory.resolve("missing/x.heap"));
        HeapException e = assertThrows(HeapException.class, () -> Heap.open(lost, OPTIONS));
        assertTrue(e.getMessage().contains("lost.heap: No such file or directory"), e.getMessage());
        Path loop = directory.resolve("loop.heap");
        Files.createSymbolicLink(loop, directory.resolve("round.heap"));
        Files.createSymbolicLink(directory.resolve("round.heap"), loop);
        e = assertThrows(HeapException.class, () -> Heap.open(loop, OPTIONS));
        assertTrue(e.getMessage().contains("cannot find") && e.getMessage().contains("loop.heap"), e.getMessage());
    }

    /** The link may lead to another disk that is temporarily missing, for example. */
    @Test
    void aLogMayBeALinkItself() throws IOException {
        Path log = HeapBytes.logOf(real);
        Path elsewhere = directory.resolve("elsewhere");
        Files.createSymbolicLink(log, elsewhere.resolve("real.log"));
        assertThrows(HeapException.class, () -> Heap.open(real, OPTIONS));
        Files.createDirectory(elsewhere);
        assertEquals(2, add(real, 2));
        assertEquals(List.of("real.log"), files(elsewhere));
        Files.move(elsewhere, directory.resolve("away"));
        HeapException e = assertThrows(HeapException.class, () -> Heap.open(real, OPTIONS));
        assertTrue(e.getMessage().contains("elsewhere"), e.getMessage());
        Files.move(directory.resolve("away"), elsewhere);
        assertEquals(2, add(link, 0));
        assertTrue(Files.isSymbolicLink(log));
    }

    @Test
    void copiesAreMadeWhereALinkLeads() throws IOException {
        Path to = Files.createSymbolicLink(directory.resolve("copy.heap"), place.resolve("copied.heap"));
        try (Heap heap = Heap.open(link, OPTIONS)) {
            addTo(heap, 4);
            heap.backup(to);
            assertThrows(HeapException.class, () -> heap.backup(to));
            addTo(heap, 1);
        }
        assertTrue(Files.isSymbolicLink(to));
        assertEquals(4, add(to, 0));
        assertEquals(List.of("copied.heap", "copied.heap.log", "real.heap", "real.heap.log"), files(place));
        assertEquals(0, HeapToolOutput.of("restore", "--replace", to, link).status());
        assertTrue(Files.isSymbolicLink(link));
        assertEquals(4, add(real, 0));
        Path another = Files.createSymbolicLink(directory.resolve("another.heap"), place.resolve("another.heap"));
        assertEquals(0, HeapToolOutput.of("backup", link, another).status());
        assertEquals(4, add(place.resolve("another.heap"), 0));
    }

    private void assertRefused(Path file) throws IOException {
        byte[] before = Files.readAllBytes(file);
        for (HeapOptions options : List.of(OPTIONS, OPTIONS.readOnly(), OPTIONS.salvage())) {
            HeapException e = assertThrows(CorruptHeapException.class, () -> Heap.open(file, options));
            assertTrue(e.getMessage().startsWith(file + " was not closed, and " + HeapBytes.logOf(file) + " is not the log of its"
                    + " last opening"), e.getMessage());
            assertTrue(e.getMessage().contains("restore the heap from a backup"), e.getMessage());
        }
        assertEquals(1, Fsck.check(file, 1).size());
        assertEquals(1, HeapToolOutput.of("backup", file, directory.resolve("copy.heap")).status());
        assertFalse(Files.exists(directory.resolve("copy.heap")));
        org.junit.jupiter.api.Assertions.assertArrayEquals(before, Files.readAllBytes(file));
    }

    @Test
    void aHardLinkHasAnotherLogAndTheHeapIsRefusedThere() throws IOException {
        add(real, 10);
        Path hard = Files.createLink(place.resolve("hard.heap"), real);
        Files.copy(HeapBytes.logOf(real), HeapBytes.logOf(hard));
        addAndKill(hard, 500);
        assertRefused(real);
        assertEquals(510, add(hard, 0));
        // After a close, the heap needs neither of the logs.
        assertEquals(511, add(real, 1));
    }

    @Test
    void aHeapThatCameBackWithoutItsLogIsRefused() throws IOException {
        add(real, 10);
        Path away = Files.createDirectory(directory.resolve("away")).resolve("real.heap");
        Files.move(real, away);
        addAndKill(away, 500);
        Files.move(away, real);
        assertRefused(real);
        Files.move(HeapBytes.logOf(away), HeapBytes.logOf(real), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        assertEquals(510, add(real, 0));
    }

    @Test
    void anOlderLogIsRefused() throws IOException {
        add(real, 10);
        byte[] older = Files.readAllBytes(HeapBytes.logOf(real));
        addAndKill(real, 500);
        byte[] newer = Files.readAllBytes(HeapBytes.logOf(real));
        Files.write(HeapBytes.logOf(real), older);
        assertRefused(real);
        Files.write(HeapBytes.logOf(real), newer);
        assertEquals(510, add(real, 0));
        // The log of a closed heap is not read.
        Files.write(HeapBytes.logOf(real), older);
        assertEquals(511, add(real, 1));
    }

    /** The log has later records than the heap file, which is from a kill. */
    @Test
    void aHeapOlderThanItsLogIsRefused() throws IOException {
        add(real, 10);
        addAndKill(real, 500);
        HeapBytes older = new HeapBytes(real);
        assertEquals(510, add(real, 0));
        addAndKill(real, 1);
        older.log = new HeapBytes(real).log;
        older.writeTo(real);
        assertRefused(real);
    }

    private static HeapBytes ofVersionBefore(Path file) throws IOException {
        HeapBytes bytes = new HeapBytes(file);
        bytes.makeVersionBefore();
        return bytes;
    }

    @Test
    void aHeapOfTheVersionBeforeOpensWithTheLogThatItHas() throws IOException {
        addAndKill(link, 500);
        HeapBytes killed = ofVersionBefore(real);
        killed.writeTo(real);
        try (Heap heap = Heap.open(link, OPTIONS.readOnly())) {
            assertEquals(500, heap.root("a", Cell.class).value());
        }
        assertEquals(List.of(), Fsck.check(real, 1));
        assertEquals(500, add(link, 0));
        ofVersionBefore(real).writeTo(real);
        assertEquals(List.of(), Fsck.check(real, 1));
        assertEquals(501, add(real, 1));
        // A log without a life does not belong to any later opening.
        addAndKill(real, 1);
        HeapBytes newer = new HeapBytes(real);
        newer.log = killed.log;
        newer.writeTo(real);
        assertRefused(real);
        // Conversely, the log of a later opening does not belong to a heap of the previous version.
        killed.log = new HeapBytes(real).log;
        addAndKill(place.resolve("other.heap"), 1);
        killed.log = ofVersionBefore(place.resolve("other.heap")).log;
        killed.writeTo(real);
        HeapException e = assertThrows(CorruptHeapException.class, () -> Heap.open(real, OPTIONS));
        assertTrue(e.getMessage().contains("is not the redo log of heap"), e.getMessage());
    }

    /** The previous version used the log beside the link. */
    @Test
    void aSecondLogThatTheVersionBeforeMayHaveUsedIsNamed() throws IOException {
        add(real, 10);
        byte[] older = ofVersionBefore(real).log.array().clone();
        addAndKill(real, 500);
        ofVersionBefore(real).writeTo(real);
        Path linked = directory.resolve("link.heap.log");
        Files.move(HeapBytes.logOf(real), linked);
        Files.write(HeapBytes.logOf(real), older);
        for (HeapOptions options : List.of(OPTIONS, OPTIONS.readOnly())) {
            HeapException e = assertThrows(CorruptHeapException.class, () -> Heap.open(link, options));
            assertTrue(e.getMessage().contains(linked + " or " + HeapBytes.logOf(real)), e.getMessage());
        }
        assertTrue(Fsck.check(link, 1).get(0).contains(linked.toString()));
        Files.move(linked, HeapBytes.logOf(real), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        assertEquals(510, add(link, 0));
    }
}
