// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.giraph;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The code blocks of docs/use/giraph.md, which users copy. */
final class Page {

    static final Path CLONE = Path.of("").toAbsolutePath().getParent().getParent();

    private final List<String> blocks = new ArrayList<>();

    Page() throws IOException {
        StringBuilder block = new StringBuilder();
        List<String> lines = new ArrayList<>(Files.readAllLines(CLONE.resolve("docs/use/giraph.md")));
        lines.add("the end");
        for (String line : lines) {
            if (line.startsWith("    ") || line.isEmpty() && block.length() > 0) {
                block.append(line.isEmpty() ? line : line.substring(4)).append('\n');
            } else if (block.length() > 0) {
                blocks.add(block.toString());
                block.setLength(0);
            }
        }
    }

    /** Returns the block that begins with a text. */
    String block(String beginning) {
        return blocks.stream().filter(block -> block.startsWith(beginning)).findFirst()
                .orElseThrow(() -> new AssertionError("the page shows nothing that begins with: " + beginning));
    }

    /** Returns Hadoop's options from a block with one per line, as a shell passes them on. */
    List<String> options(String beginning) {
        List<String> options = new ArrayList<>();
        block(beginning).lines().filter(line -> !line.isEmpty()).forEach(line -> options.add(line.replace("\"", "")));
        return options;
    }
}
