// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Cell;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapBytes;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.tools.Fsck;
import org.terrace.persist.tools.HeapTool;
import org.terrace.persist.tools.HeapToolOutput;

/** Repeatedly kills programs that back up and restore real files, with SIGKILL. {@code -Dpersist.kills=N} sets the number. */
@Timeout(600)
class BackupKillTest {
    private static final HeapOptions OPTIONS = HeapOptions.defaults().maxSize(16 << 20).logSize(64 << 10);
    private static final int KILLS = Integer.getInteger("persist.kills", 4);
    private static final int FIRST = 100;
    private static final int SECOND = 200;

    @TempDir
    Path directory;

    private static Cell cell(Heap heap, int value) {
        return heap.root("cell", Cell.class, () -> new Cell(heap, value, null));
    }

    private static void count(Cell cell) {
        cell.heap().atomic(() -> {
            cell.value(cell.value() + 1);
            cell.next(new Cell(cell.heap(), (int) cell.value(), cell.next()));
        });
    }

    /**
     * Copies a heap that another thread changes, and prints each copy's name and the number that was acknowledged before.
     * Arguments: folder.
     */
    static final class BackingUp {
        public static void main(String[] args) {
            Path directory = Path.of(args[0]);
            Heap heap = Heap.open(directory.resolve("source.heap"), OPTIONS);
            Cell cell = cell(heap, 0);
            Thread counting = new Thread(() -> {
                while (true) {
                    count(cell);
                }
            });
            counting.setDaemon(true);
            counting.start();
            while (!System.out.checkError()) {
                long before = heap.read(cell::value);
                Path copy = directory.resolve("copy" + System.nanoTime() + ".heap");
                heap.backup(copy);
                System.out.println(copy.getFileName() + " " + before);
            }
        }
    }

    /** Replaces a heap by two backups alternately, and continues with it. Arguments: folder. */
    static final class Restoring {
        public static void main(String[] args) {
            Path file = Path.of(args[0], "heap.heap");
            for (int i = 0; !System.out.checkError(); i++) {
                String backup = i % 2 == 0 ? "first.heap" : "second.heap";
                if (HeapTool.run("restore", "--replace", Path.of(args[0], backup).toString(), file.toString()) != 0) {
                    throw new AssertionError("restore failed");
                }
                try (Heap heap = Heap.open(file, OPTIONS)) {
                    count(cell(heap, 0));
                }
                System.out.println(backup);
            }
        }
    }

    /** Returns the lines that the program printed. */
    private List<String> runAndKill(Class<?> program, int lines, int millis) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xmx64m", "-XX:TieredStopAtLevel=1",
                "-cp", System.getProperty("java.class.path"), program.getName(), directory.toString())
                .redirectError(new File(directory.toFile(), "stderr")).start();
        List<String> found = new ArrayList<>();
        try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream()))) {
            for (int i = 0; i < lines; i++) {
                String line = out.readLine();
                if (line == null) {
                    throw new AssertionError("the program ended: " + Files.readString(directory.resolve("stderr")));
                }
                found.add(line);
            }
            // The next copy has begun.
            Thread.sleep(millis);
            process.toHandle().destroyForcibly();
            out.lines().filter(line -> line.matches("copy\\d+\\.heap \\d+")).forEach(found::add);
        }
        process.waitFor();
        return found;
    }

    /** Checks that the heap is intact and its list contains every number up to the last one. */
    private static long open(Path file, long first, String where) {
        assertEquals(List.of(), Fsck.check(file, 1), where + ", " + file);
        try (Heap heap = Heap.open(file, OPTIONS)) {
            assertEquals(List.of(), heap.check(), where + ", " + file);
            Cell cell = heap.root("cell", Cell.class);
            long number = cell.value();
            for (Cell c = cell.next(); c != null; c = c.next()) {
                assertEquals(number--, c.value(), where + ", " + file);
            }
            assertTrue(first < 0 || number == first, where + ", " + file + ": the list goes down to " + number);
            return cell.value();
        }
    }

    @Test
    void copiesAreWholeWhereverTheirProgramIsKilled() throws IOException, InterruptedException {
        long seed = Long.getLong("persist.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int kill = 0; kill < KILLS; kill++) {
            String where = "seed " + seed + ", kill " + kill;
            List<String> acknowledged = runAndKill(BackingUp.class, 1 + random.nextInt(4), random.nextInt(60));
            long last = open(directory.resolve("source.heap"), 0, where);
            List<Path> copies;
            try (Stream<Path> files = Files.list(directory)) {
                copies = files.filter(path -> path.getFileName().toString().matches("copy\\d+\\.heap"))
                        .collect(Collectors.toList());
            }
            for (String line : acknowledged) {
                Path copy = directory.resolve(line.split(" ")[0]);
                assertTrue(copies.contains(copy), where + ": " + line + " was acknowledged");
                long copied = open(copy, 0, where);
                assertTrue(copied >= Long.parseLong(line.split(" ")[1]), where + ": " + copied + " in " + line);
            }
            for (Path copy : copies) {
                long copied = open(copy, 0, where);
                assertTrue(copied <= last, where + ": the copy has " + copied + ", its heap " + last);
                Files.delete(copy);
                Files.delete(HeapBytes.logOf(copy));
            }
        }
        System.out.println("programs killed, backup: " + KILLS);
    }

    private void createBackup(String name, int value) {
        Path source = directory.resolve("of-" + name);
        try (Heap heap = Heap.open(source, OPTIONS)) {
            cell(heap, value);
            heap.backup(directory.resolve(name));
        }
    }

    @Test
    void aHeapIsTheOldOneOrTheRestoredOneWhereverTheRestoreIsKilled() throws IOException, InterruptedException {
        createBackup("first.heap", FIRST);
        createBackup("second.heap", SECOND);
        Path file = directory.resolve("heap.heap");
        byte[] first = Files.readAllBytes(directory.resolve("first.heap"));
        long seed = Long.getLong("persist.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int kill = 0; kill < KILLS; kill++) {
            String where = "seed " + seed + ", kill " + kill;
            runAndKill(Restoring.class, 1 + random.nextInt(4), random.nextInt(40));
            // The file may be a complete copy of the other backup, and a restore does not overwrite another heap.
            Files.deleteIfExists(directory.resolve("heap.heap.new"));
            List<String> problems = Fsck.check(file, 1);
            if (!problems.isEmpty()) {
                // The program was killed between the rename of the heap and the removal of the replaced heap's log.
                assertTrue(problems.size() == 1 && problems.get(0).contains("heap.heap.log is not the redo log of heap"),
                        where + ": " + problems);
                assertEquals(0, HeapToolOutput.of("restore", "--replace", directory.resolve("first.heap"), file).status(), where);
            }
            long found = open(file, -1, where);
            assertTrue(List.of(FIRST, FIRST + 1, SECOND, SECOND + 1).contains((int) found), where + ": " + found);
            assertTrue(java.util.Arrays.equals(first, Files.readAllBytes(directory.resolve("first.heap"))), where);
        }
        System.out.println("programs killed, restore: " + KILLS);
    }
}
