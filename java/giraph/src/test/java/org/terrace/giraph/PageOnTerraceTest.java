// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.giraph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.SecondHeap;

/** Follows the instructions of docs/use/giraph.md for a user's own program, with the commands of the page. */
class PageOnTerraceTest {

    @Test
    void aProgramOfTheUsersRuns(@TempDir Path folder) throws Exception {
        assumeTrue(SecondHeap.isAvailable(), "no second heap on this VM");
        Page page = new Page();
        Files.writeString(folder.resolve("Hops.java"), page.block("import java.io.IOException;"));
        String script = String.join("", page.block("cp -r $TERRACE"), page.block("printf"), page.block("java -Xmx"));
        String h2 = Files.createDirectory(folder.resolve("h2")).toString();
        assertTrue(script.contains("/fast/disk"), script);

        ProcessBuilder shell = new ProcessBuilder("bash", "-eu", "-c", script.replace("/fast/disk", h2)).directory(folder.toFile());
        shell.environment().put("TERRACE", clone(folder.resolve("clone"), script).toString());
        shell.environment().merge("PATH", Path.of(Children.JAVA).getParent() + File.pathSeparator, (old, ours) -> ours + old);
        String log = Children.run(shell, folder, 3);

        assertTrue(Files.exists(folder.resolve("out/_SUCCESS")), log);
        assertTrue(log.contains("Terrace: edges and messages may move to the second heap"), log);
        assertEquals("0\t0\n1\t1\n2\t2\n3\t1\n4\t2\n", sorted(folder.resolve("out/part-m-00000")));
    }

    private static String sorted(Path file) throws IOException {
        StringBuilder sorted = new StringBuilder();
        Files.readAllLines(file).stream().sorted().forEach(line -> sorted.append(line).append('\n'));
        return sorted.toString();
    }

    /** Makes a folder with the files that the page's script copies from a clone. They come from the class path of this test. */
    private static Path clone(Path folder, String script) throws IOException {
        Matcher copied = Pattern.compile("cp -r \\$TERRACE/(\\S+) lib\\n(?s:.*)cp \\$TERRACE/(\\S+) classes\\n").matcher(script);
        assertTrue(copied.find(), script);
        Path log = folder.resolve(copied.group(2));
        Files.createDirectories(log.getParent());
        Files.createSymbolicLink(log, Page.CLONE.resolve(copied.group(2)));
        Path libraries = Files.createDirectories(folder.resolve(copied.group(1)));
        int number = 0;
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path path = Path.of(entry);
            if (path.endsWith("target/classes")) { // of a module in the same build
                String jar = libraries.resolve(number++ + ".jar").toString();
                assertEquals(0, ToolProvider.findFirst("jar").orElseThrow().run(System.out, System.err, "-cf", jar, "-C", entry, "."));
            } else if (Files.isRegularFile(path)) {
                Files.createSymbolicLink(libraries.resolve(path.getFileName()), path);
            }
        }
        return folder;
    }
}
