// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The lines of an export, sorted by kind. */
final class ExportedLines {
    private static final ObjectMapper JSON = new ObjectMapper();

    final JsonNode head;
    final Map<String, JsonNode> classes = new TreeMap<>();
    final Map<String, JsonNode> roots = new TreeMap<>();
    final Map<Long, JsonNode> objects = new TreeMap<>();

    ExportedLines(String text) throws IOException {
        assertTrue(text.endsWith("}\n"), text);
        String[] lines = text.split("\n");
        head = JSON.readTree(lines[0]);
        for (int i = 1; i < lines.length; i++) {
            JsonNode line = JSON.readTree(lines[i]);
            JsonNode before = line.has("id") ? objects.put(line.get("id").longValue(), line)
                    : line.has("root") ? roots.put(line.get("root").textValue(), line.get("value"))
                    : classes.put(line.get("class").textValue(), line);
            assertEquals(null, before, "twice: " + line);
            assertTrue(!line.has("id") || classes.containsKey(line.get("class").textValue()), "no class before " + line);
        }
    }

    JsonNode at(JsonNode reference) {
        return objects.get(reference.get("ref").longValue());
    }

    JsonNode root(String name) {
        return at(roots.get(name));
    }

    JsonNode fields(String root) {
        return root(root).get("fields");
    }

    /** Checks that every referenced object has a line. */
    void checkReferences() {
        Stream.concat(objects.values().stream(), roots.values().stream())
                .flatMap(line -> line.findValues("ref").stream())
                .forEach(reference -> assertTrue(objects.containsKey(reference.longValue()), reference.toString()));
    }
}
