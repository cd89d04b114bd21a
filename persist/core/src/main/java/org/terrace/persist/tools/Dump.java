// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.tools;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.terrace.persist.HeapException;
import org.terrace.persist.heap.Directory;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.Space;
import org.terrace.persist.heap.files.HeapImage;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints objects as text by means of the heap's class descriptors. Each object is printed once, in order of its distance from a root. */
@Command(name = "dump", mixinStandardHelpOptions = true,
        description = "Prints the objects that roots reach: offset, class, fields. @N is a reference to the object at offset N.",
        footerHeading = "%n",
        footer = {
            "  prints   a line for each object",
            "  takes    a second, and as long as it takes to read what the roots reach",
            "  example  ./terrace heap dump --root accounts --depth 2 app.heap"})
public final class Dump implements Callable<Integer> {
    private static final int SHOWN = 100;

    @Parameters(paramLabel = "FILE", description = "the heap; its log is in the same folder")
    private Path file;

    @Option(names = "--root", paramLabel = "NAME", description = "start from this root only")
    private String root;

    @Option(names = "--depth", paramLabel = "N", description = "follow at most N references from a root (default: all)")
    private int depth = Integer.MAX_VALUE;

    @Option(names = "--json", description = "print one object of JSON for each root and each object, a line each, with all bytes")
    private boolean json;

    @Spec
    private CommandSpec spec;

    private record Step(long offset, int depth) {
    }

    @Override
    public Integer call() {
        try (HeapImage image = HeapImage.openIntact(file)) {
            dump(image.space(), spec.commandLine().getOut());
        }
        return 0;
    }

    private void dump(Space space, PrintWriter out) {
        Map<String, Long> roots = new TreeMap<>(Directory.roots(space));
        if (root != null && !roots.containsKey(root)) {
            throw new HeapException(file + " has no root " + root + ", only " + roots.keySet());
        }
        ObjectReader reader = new ObjectReader(space);
        Set<Long> seen = new HashSet<>();
        ArrayDeque<Step> left = new ArrayDeque<>();
        roots.forEach((name, entry) -> {
            if (root == null || root.equals(name)) {
                long value = space.getLong(entry + Layout.HEADER_BYTES + Directory.ROOT_VALUE);
                printRoot(name, value, out);
                enqueue(value, 0, seen, left);
            }
        });
        for (Step step = left.poll(); step != null; step = left.poll()) {
            Map<String, Object> fields = reader.fields(step.offset);
            print(step.offset, reader.className(step.offset), fields, out);
            for (Object value : fields.values()) {
                for (Object one : value instanceof Iterable<?> all ? all : java.util.Collections.singleton(value)) {
                    if (one instanceof ObjectReader.Reference r) {
                        enqueue(r.offset(), step.depth + 1, seen, left);
                    }
                }
            }
        }
        out.flush();
    }

    private void enqueue(long offset, int distance, Set<Long> seen, ArrayDeque<Step> left) {
        if (offset != 0 && distance <= depth && seen.add(offset)) {
            left.add(new Step(offset, distance));
        }
    }

    private void printRoot(String name, long value, PrintWriter out) {
        if (json) {
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("root", name);
            line.put("offset", value == 0 ? null : value);
            out.println(Json.of(line));
        } else {
            out.println("root " + name + ": " + (value == 0 ? "null" : "@" + value));
        }
    }

    private void print(long offset, String className, Map<String, Object> fields, PrintWriter out) {
        if (json) {
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("offset", offset);
            line.put("class", className);
            line.put("fields", fields);
            out.println(Json.of(line));
            return;
        }
        StringBuilder text = new StringBuilder("@" + offset + " " + className);
        fields.forEach((name, value) -> text.append(' ').append(name).append('=').append(shown(value)));
        out.println(text);
    }

    private static String shown(Object value) {
        boolean number = value == null || value instanceof Number || value instanceof Boolean;
        String text = number || value instanceof ObjectReader.Reference || value instanceof Iterable ? String.valueOf(value)
                : Json.of(value);
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "... (" + text.length() + " characters)";
    }
}
