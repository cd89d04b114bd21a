// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/**
 * Tests that the files in {@code src/main/usage} equal the usage of this program. {@code ./terrace heap --help} prints these files,
 * so that it needs no build.
 */
class UsageTest {
    private static final Path FOLDER = Path.of("src/main/usage");

    @Test
    void theFilesAreWhatTheProgramPrints() throws IOException {
        Map<String, String> wanted = new TreeMap<>();
        CommandLine heap = HeapTool.commandLine();
        wanted.put("heap.txt", heap.getUsageMessage(Ansi.OFF));
        heap.getSubcommands().forEach((name, command) -> wanted.put("heap-" + name + ".txt", command.getUsageMessage(Ansi.OFF)));
        if (Boolean.getBoolean("usage.write")) {
            Files.createDirectories(FOLDER);
            for (Map.Entry<String, String> entry : wanted.entrySet()) {
                Files.writeString(FOLDER.resolve(entry.getKey()), entry.getValue());
            }
        }
        Set<String> there = new TreeSet<>();
        try (Stream<Path> files = Files.list(FOLDER)) {
            files.forEach(file -> there.add(file.getFileName().toString()));
        }
        assertEquals(wanted.keySet(), there);
        for (Map.Entry<String, String> entry : wanted.entrySet()) {
            assertEquals(entry.getValue(), Files.readString(FOLDER.resolve(entry.getKey())),
                    entry.getKey() + " is stale: mvn -f persist/core test -Dtest=UsageTest -Dusage.write=true");
        }
    }

    @Test
    void eachSaysWhatItPrintsHowLongItTakesAndAnExample() {
        CommandLine heap = HeapTool.commandLine();
        Stream.concat(Stream.of(heap), heap.getSubcommands().values().stream()).map(line -> line.getUsageMessage(Ansi.OFF))
                .forEach(text -> Stream.of("\n  prints ", "\n  takes ", "\n  example  ./terrace heap ")
                        .forEach(part -> assertTrue(text.contains(part), "'" + part.strip() + "' is not in: " + text)));
    }
}
