// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compiles and runs a program that is a module. It can use the public packages of this library, and no others. */
class ModuleTest {
    private static final String PROGRAM = """
            package program;

            import java.nio.file.Path;
            import org.terrace.persist.CollectionResult;
            import org.terrace.persist.Heap;
            import org.terrace.persist.types.PersistentHashMap;
            import org.terrace.persist.types.PersistentString;

            public final class Main {
                public static void main(String[] args) {
                    try (Heap heap = Heap.open(Path.of(args[0]))) {
                        PersistentHashMap map = heap.root("map", PersistentHashMap.class, () -> new PersistentHashMap(heap));
                        map.put("runs", map.get("runs") == null ? 1 : (Integer) map.get("runs") + 1);
                        CollectionResult result = heap.collect();
                        System.out.println(map.get("runs") + " " + (result.live() > 0));
                    }
                }
            }
            """;

    @TempDir
    Path directory;
    private Path sources;
    private Path classes;
    private String modulePath;

    @BeforeEach
    void writeModule() throws Exception {
        sources = Files.createDirectories(directory.resolve("src/program"));
        classes = directory.resolve("classes");
        Files.writeString(sources.resolveSibling("module-info.java"), "module program { requires org.terrace.persist; }");
        Path library = Path.of(Heap.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        // JNA is the library's only dependency that programs need.
        modulePath = library + File.pathSeparator + Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> Path.of(entry).getFileName().toString().startsWith("jna-")).collect(Collectors.joining());
    }

    private int compile(String text, StringWriter messages) throws IOException {
        Path source = sources.resolve("Main.java");
        Files.writeString(source, text);
        PrintWriter writer = new PrintWriter(messages);
        return ToolProvider.findFirst("javac").orElseThrow().run(writer, writer, "--module-path", modulePath, "--class-path",
                classes.toString(), "-d", classes.toString(), sources.resolveSibling("module-info.java").toString(), source.toString());
    }

    private String run() throws IOException, InterruptedException {
        Path output = directory.resolve("output");
        List<String> command = List.of(System.getProperty("java.home") + "/bin/java", "--module-path",
                modulePath + File.pathSeparator + classes, "--module", "program/program.Main", directory.resolve("heap").toString());
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertTrue(process.waitFor(2, TimeUnit.MINUTES), "the program does not end");
        } finally {
            process.destroyForcibly().waitFor();
        }
        return Files.readString(output).strip();
    }

    @Test
    void aModuleUsesThePublicPackages() throws IOException, InterruptedException {
        StringWriter messages = new StringWriter();
        assertEquals(0, compile(PROGRAM, messages), messages::toString);
        assertEquals("1 true", run());
        assertEquals("2 true", run());
    }

    @Test
    void theCompilerRefusesOtherPackages() throws IOException {
        for (String name : List.of("blocks.Blocks", "events.HeapEvents", "fa.Transaction", "heap.Layout",
                "heap.files.Store", "heap.liveness.Reachable", "log.LogRecord", "medium.Medium", "tools.Fsck")) {
            StringWriter messages = new StringWriter();
            String text = PROGRAM.replace("import java.nio", "import org.terrace.persist." + name + ";\nimport java.nio");
            assertNotEquals(0, compile(text, messages), name);
            assertTrue(messages.toString().contains("does not export it"), messages::toString);
        }
    }
}
