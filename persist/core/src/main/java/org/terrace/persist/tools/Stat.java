// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.tools;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.terrace.persist.HeapMedium;
import org.terrace.persist.Promises;
import org.terrace.persist.heap.Directory;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.files.HeapImage;
import org.terrace.persist.heap.files.Superblock;
import org.terrace.persist.heap.liveness.Census;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Describes a heap and its contents. */
@Command(name = "stat", mixinStandardHelpOptions = true,
        description = "Describes a heap and its content: state, sizes, the log, objects by class, roots.",
        footerHeading = "%n",
        footer = {
            "  prints   a line for each figure, then the objects by class and the roots",
            "  takes    a second, and as long as it takes to read the heap",
            "  example  ./terrace heap stat --json app.heap"})
public final class Stat implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "the heap; its log is in the same folder")
    private Path file;

    @Option(names = "--json", description = "print one object of JSON; sizes are bytes")
    private boolean json;

    @Spec
    private CommandSpec spec;

    /**
     * Figures by name. Sizes are in bytes, and positions are log positions.
     *
     * @throws org.terrace.persist.HeapException if the heap cannot be read or is damaged
     */
    public static Map<String, Object> of(Path file) throws IOException {
        try (HeapImage image = HeapImage.openIntact(file)) {
            Superblock superblock = image.superblock();
            Census census = new Census(image.space());
            Map<String, Object> stat = new LinkedHashMap<>();
            stat.put("file", file.toString());
            stat.put("formatVersion", superblock.version());
            stat.put("uuid", superblock.uuid().toString());
            stat.put("state", superblock.clean() ? superblock.recovering() ? "recovering" : "closed" : "crashed");
            stat.put("lastWritten", Files.getLastModifiedTime(file).toString());
            Promises promises = image.promises();
            stat.put("medium", promises.medium().toString());
            stat.put("fileSystem", promises.fileSystem());
            stat.put("survives", promises.survives().toString());
            stat.put("size", image.space().size());
            stat.put("largestSize", image.space().layout().fileBytes());
            stat.put("objects", census.extents().objects() + census.slots().objects());
            stat.put("used", census.extents().bytes() + census.slots().bytes());
            stat.put("usedByExtents", census.extents().bytes());
            stat.put("usedInPoolPages", census.slots().bytes());
            stat.put("freeBlocks", census.freeBlockBytes());
            stat.put("freeSlots", census.freeSlots().bytes());
            stat.put("poolPages", census.poolPageBytes());
            stat.put("roomToGrow", image.space().layout().fileBytes() - image.space().size());
            stat.put("log", log(image));
            stat.put("classes", classes(census));
            stat.put("roots", roots(image));
            return stat;
        }
    }

    private static Map<String, Object> log(HeapImage image) {
        Map<String, Object> log = new LinkedHashMap<>();
        log.put("size", image.superblock().logBytes());
        log.put("position", image.superblock().logPosition());
        log.put("recordsToReplay", image.records());
        log.put("bytesToReplay", image.replayedTo() - image.superblock().logPosition());
        return log;
    }

    private static Map<String, Object> classes(Census census) {
        Map<String, Object> classes = new LinkedHashMap<>();
        census.classes().entrySet().stream()
                .sorted((a, b) -> Long.compare(b.getValue().bytes(), a.getValue().bytes()))
                .forEach(e -> classes.put(e.getKey(), counts(e.getValue())));
        return classes;
    }

    private static Map<String, Object> counts(Census.Count count) {
        Map<String, Object> counts = new LinkedHashMap<>();
        counts.put("objects", count.objects());
        counts.put("bytes", count.bytes());
        return counts;
    }

    /** Class and offset of each root by name. */
    private static Map<String, Object> roots(HeapImage image) {
        ObjectReader reader = new ObjectReader(image.space());
        Map<String, Object> roots = new LinkedHashMap<>();
        new TreeMap<>(Directory.roots(image.space())).forEach((name, entry) -> {
            long value = image.space().getLong(entry + Layout.HEADER_BYTES + Directory.ROOT_VALUE);
            Map<String, Object> root = new LinkedHashMap<>();
            root.put("offset", value == 0 ? null : value);
            root.put("class", value == 0 ? null : reader.className(value));
            roots.put(name, root);
        });
        return roots;
    }

    @Override
    public Integer call() throws IOException {
        Map<String, Object> stat = of(file);
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(Json.of(stat));
        } else {
            print(stat, out);
        }
        return 0;
    }

    private static void print(Map<String, Object> stat, PrintWriter out) {
        Map<?, ?> log = (Map<?, ?>) stat.get("log");
        String state = switch ((String) stat.get("state")) {
            case "closed" -> "closed";
            case "recovering" -> "closed, and the next opening continues a recovery";
            default -> "not closed: the next opening replays the log";
        };
        out.printf("%s: a heap of format version %s, %s%nUUID %s, last written %s%n", stat.get("file"),
                stat.get("formatVersion"), state, stat.get("uuid"), stat.get("lastWritten"));
        out.println(new Promises(HeapMedium.valueOf((String) stat.get("medium")), (String) stat.get("fileSystem"),
                Promises.Survives.valueOf((String) stat.get("survives"))));
        out.println();
        out.printf("%15s  of the file, %,d at most%n", bytes(stat, "size"), stat.get("largestSize"));
        out.printf("%15s  used by %,d objects: %,d in whole blocks, %,d in pool pages%n", bytes(stat, "used"),
                stat.get("objects"), stat.get("usedByExtents"), stat.get("usedInPoolPages"));
        out.printf("%15s  free in blocks%n%15s  free in slots of pool pages%n", bytes(stat, "freeBlocks"),
                bytes(stat, "freeSlots"));
        out.printf("%,15d  of the log; replay from position %,d on: %,d records, %,d bytes%n", log.get("size"),
                log.get("position"), log.get("recordsToReplay"), log.get("bytesToReplay"));
        out.printf("%n%15s %12s  class%n", "bytes", "objects");
        ((Map<?, ?>) stat.get("classes")).forEach((name, count) -> out.printf("%,15d %,12d  %s%n",
                ((Map<?, ?>) count).get("bytes"), ((Map<?, ?>) count).get("objects"), name));
        out.printf("%n%15s  root%n", "offset");
        ((Map<?, ?>) stat.get("roots")).forEach((name, root) -> {
            Object offset = ((Map<?, ?>) root).get("offset");
            out.printf("%15s  %s: %s%n", offset == null ? "null" : offset, name, ((Map<?, ?>) root).get("class"));
        });
    }

    private static String bytes(Map<String, Object> stat, String name) {
        return String.format("%,d", stat.get(name));
    }
}
