// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Cell;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapBytes;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.Internals;
import org.terrace.persist.types.PersistentByteArray;
import org.terrace.persist.types.PersistentHashMap;
import org.terrace.persist.types.PersistentTreeMap;

/** Tests the file of {@code heap export}. It must be complete, or missing with an error message. */
@Timeout(600)
class ExportFileTest {
    private static final HeapOptions OPTIONS = HeapBytes.OPTIONS.logSize(1 << 20).durability(Durability.PROCESS);
    private static final int HEADER = 8;

    @TempDir
    Path directory;
    private Path file;

    @BeforeEach
    void name() {
        file = directory.resolve("test.heap");
    }

    private void fillSmall() {
        try (Heap heap = Heap.open(file, OPTIONS)) {
            heap.root("a", Cell.class, () -> new Cell(heap, 1, new Cell(heap, 2, null)));
        }
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(path -> path.getFileName().toString()).sorted().collect(Collectors.toList());
        }
    }

    @Test
    void theFileIsWhatWouldBePrintedAndItsOwnersOnly() throws IOException {
        fillSmall();
        Path to = directory.resolve("out.json");
        HeapToolOutput output = HeapToolOutput.of("export", "--output", to, file);
        assertEquals(0, output.status());
        assertEquals("", output.text());
        assertEquals(HeapToolOutput.of("export", file).text(), Files.readString(to));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(to)));
        assertEquals(List.of("out.json", "test.heap", "test.heap.log"), names());
    }

    private void refused(int status, String message, Object... arguments) throws IOException {
        List<String> before = names();
        HeapToolOutput output = HeapToolOutput.of(arguments);
        assertEquals(status, output.status(), output.text());
        assertTrue(output.text().contains(message), output.text());
        assertFalse(output.text().contains("Exception"), output.text());
        assertEquals(before, names());
    }

    @Test
    void whatCannotBeDoneIsRefusedWithAReason() throws IOException {
        fillSmall();
        Path to = directory.resolve("out.json");
        Files.writeString(to, "mine");
        refused(2, "out.json exists", "export", "-o", to, file);
        refused(2, "test.heap exists", "export", "-o", file, file);
        assertEquals("mine", Files.readString(to));
        Files.delete(to);
        refused(2, "there is no folder " + directory.resolve("none"), "export", "-o", directory.resolve("none/out.json"), file);
        refused(2, "nothing.heap", "export", "-o", to, directory.resolve("nothing.heap"));
        refused(2, "Missing required parameter", "export");
        refused(2, "no root x", "export", "-o", to, "--root", "x", file);
        try (Heap heap = Heap.open(file, OPTIONS)) {
            refused(2, "is open in another process", "export", "-o", to, file);
        }
        Files.write(to, new byte[100]);
        refused(1, "is not a persistent heap", "export", to);
        HeapToolOutput help = HeapToolOutput.of("export", "-h");
        assertEquals(0, help.status());
        assertTrue(help.text().contains("--root=NAME"), help.text());
    }

    @Test
    void aDamagedHeapLeavesNoFile() throws IOException {
        int[] at = new int[3];
        try (Heap heap = Heap.open(file, OPTIONS)) {
            PersistentHashMap<Integer, Integer> map =
                    heap.root("map", PersistentHashMap.class, () -> new PersistentHashMap<Integer, Integer>(heap));
            PersistentTreeMap<Integer, Integer> tree =
                    heap.root("tree", PersistentTreeMap.class, () -> new PersistentTreeMap<Integer, Integer>(heap));
            Cell cell = heap.root("cell", Cell.class, () -> new Cell(heap, 1, new Cell(heap, 2, null)));
            map.putAll(Map.of(1, 1, 2, 2));
            tree.put(1, 1);
            at[0] = (int) Internals.offset(map) + HEADER;
            at[1] = (int) Internals.offset(Internals.part(tree, 8)) + HEADER + 16;
            at[2] = (int) Internals.offset(cell) + HEADER + 8;
        }
        Path to = directory.resolve("out.json");
        byte[] whole = Files.readAllBytes(file);
        damage(at[0], 1);
        refused(1, "has 1 elements, and has more", "export", "-o", to, file);
        Files.write(file, whole);
        damage(at[0], 3);
        refused(1, "has 3 elements, and has 2", "export", "-o", to, file);
        Files.write(file, whole);
        // The entry becomes its own left child.
        damage(at[1], at[1] - 16 - HEADER);
        refused(1, "has 1 elements, and has more", "export", "-o", to, file);
        Files.write(file, whole);
        damage(at[2], HeapBytes.DATA + 3);
        refused(1, "no object begins at offset " + (HeapBytes.DATA + 3), "export", "-o", to, file);
        Files.write(file, whole);
        assertEquals(0, HeapToolOutput.of("export", "-o", to, file).status());
    }

    private void damage(int offset, int value) throws IOException {
        HeapBytes bytes = new HeapBytes(file);
        bytes.heap.putInt(offset, value);
        bytes.writeTo(file);
    }

    /** Runs the tool in a separate process, started by a shell. */
    private String runByShell(String before, String after, int status) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("bash", "-c", before + "exec \"$0\" -XX:-UsePerfData -Xmx64m -cp \"$1\""
                + " org.terrace.persist.tools.HeapTool export \"$2\" " + after, System.getProperty("java.home") + "/bin/java",
                System.getProperty("java.class.path"), file.toString(), directory.resolve("out.json").toString())
                .redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(300, TimeUnit.SECONDS));
        assertEquals(status, process.exitValue(), output);
        return output;
    }

    /** Limits the size of the process's files, which has the effect of a full device. */
    @Test
    void aFullDeviceIsToldAndLeavesNoFile() throws IOException, InterruptedException {
        try (Heap heap = Heap.open(file, OPTIONS)) {
            for (int i = 0; i < 200; i++) {
                String root = "bytes " + i;
                heap.atomic(() -> heap.setRoot(root, new PersistentByteArray(heap, new byte[20_000])));
            }
        }
        List<String> before = names();
        String output = runByShell("ulimit -f 2000; ", "-o \"$3\"", 2);
        assertTrue(output.contains("out.json cannot be written: File too large"), output);
        assertEquals(before, names());
        output = runByShell("", "> /dev/full", 2);
        assertTrue(output.contains("standard output cannot be written"), output);
        output = runByShell("", "-o \"$3\"", 0);
        assertEquals("", output);
        assertEquals(200, new ExportedLines(Files.readString(directory.resolve("out.json"))).objects.size());
    }
}
