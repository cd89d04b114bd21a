// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.tools;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Cell;
import org.terrace.persist.Durability;
import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapBytes;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.Isolation;
import org.terrace.persist.evolution.Thing;
import org.terrace.persist.types.Bytes;
import org.terrace.persist.types.PersistentArray;
import org.terrace.persist.types.PersistentByteArray;
import org.terrace.persist.types.PersistentDeque;
import org.terrace.persist.types.PersistentDoubleArray;
import org.terrace.persist.types.PersistentHashMap;
import org.terrace.persist.types.PersistentHashSet;
import org.terrace.persist.types.PersistentIntArray;
import org.terrace.persist.types.PersistentList;
import org.terrace.persist.types.PersistentLongArray;
import org.terrace.persist.types.PersistentSkipListMap;
import org.terrace.persist.types.PersistentSkipListSet;
import org.terrace.persist.types.PersistentString;
import org.terrace.persist.types.PersistentTreeMap;
import org.terrace.persist.types.PersistentTreeSet;

/** Tests the output of {@code heap export} with a JSON parser, and the files after a failed export. */
@Timeout(600)
class ExportTest {
    private static final HeapOptions OPTIONS = HeapBytes.OPTIONS.logSize(1 << 20).durability(Durability.PROCESS);
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path directory;
    private Path file;

    @BeforeEach
    void name() {
        file = directory.resolve("test.heap");
    }

    private ExportedLines export(Object... more) throws IOException {
        return exportOf(file, more);
    }

    private static ExportedLines exportOf(Path file, Object... more) throws IOException {
        HeapToolOutput output = HeapToolOutput.of(Stream.concat(Stream.of("export", file), Arrays.stream(more)).toArray());
        assertEquals(0, output.status(), output.text());
        ExportedLines lines = new ExportedLines(output.text());
        lines.checkReferences();
        return lines;
    }

    private static JsonNode json(String text) throws IOException {
        return JSON.readTree(text.replace('\'', '"'));
    }

    private void fill(Consumer<Heap> block) {
        try (Heap heap = Heap.open(file, OPTIONS)) {
            heap.atomic(() -> block.accept(heap));
        }
    }

    @Test
    void anObjectHasItsFieldsWithTheirTypes() throws IOException {
        Thing.Version version = Thing.define(b -> {
            for (FieldType type : FieldType.values()) {
                b.field("low" + type, type).field("high" + type, type);
            }
        });
        Map<FieldType, List<?>> values = Map.of(FieldType.BOOLEAN, List.of(false, true), FieldType.BYTE,
                List.of(Byte.MIN_VALUE, Byte.MAX_VALUE), FieldType.SHORT, List.of(Short.MIN_VALUE, Short.MAX_VALUE),
                FieldType.CHAR, List.of('"', '\ud800'), FieldType.INT, List.of(Integer.MIN_VALUE, Integer.MAX_VALUE),
                FieldType.LONG, List.of(Long.MIN_VALUE, Long.MAX_VALUE), FieldType.FLOAT, List.of(-1.5f, Float.NaN),
                FieldType.DOUBLE, List.of(Double.MIN_VALUE, Double.POSITIVE_INFINITY));
        fill(heap -> {
            Thing thing = version.create(heap);
            values.forEach((type, both) -> {
                version.set(thing, "low" + type, both.get(0));
                version.set(thing, "high" + type, both.get(1));
            });
            version.set(thing, "highREFERENCE", thing);
            heap.setRoot("thing", thing);
        });
        ExportedLines lines = export();
        JsonNode fields = lines.fields("thing");
        values.forEach((type, both) -> {
            for (int i = 0; i < 2; i++) {
                String name = (i == 0 ? "low" : "high") + type;
                JsonNode value = fields.get(name);
                boolean text = type == FieldType.CHAR || both.get(i).equals(Float.NaN)
                        || both.get(i).equals(Double.POSITIVE_INFINITY);
                assertEquals(text, value.isTextual(), name);
                assertEquals(both.get(i).toString(), value.asText(), name);
            }
        });
        assertTrue(fields.get("lowREFERENCE").isNull());
        assertEquals(lines.root("thing"), lines.at(fields.get("highREFERENCE")));
        List<String> types = new ArrayList<>();
        lines.classes.get(Thing.class.getName()).get("fields").forEach(field -> types.add(
                field.get("name").textValue() + " " + field.get("type").textValue()));
        assertEquals(Arrays.stream(FieldType.values()).flatMap(type -> Stream.of("low" + type, "high" + type)
                .map(name -> name + " " + type.name().toLowerCase(java.util.Locale.ROOT))).collect(Collectors.toList()), types);
        assertEquals("object", lines.classes.get(Thing.class.getName()).get("kind").textValue());
    }

    @Test
    void theHeadNamesTheHeapAndBothFormats() throws IOException {
        fill(heap -> {
            heap.setRoot("none", new Cell(heap, 1, null));
            heap.setRoot("none", null);
        });
        ExportedLines lines = export();
        assertEquals(3, lines.head.get("heapFormat").intValue());
        assertEquals(1, lines.head.get("exportFormat").intValue());
        assertTrue(HeapToolOutput.of("stat", file).text().contains("UUID " + lines.head.get("heap").textValue()));
        assertTrue(lines.roots.get("none").isNull());
        assertEquals(Map.of(), lines.objects);
    }

    @Test
    void anObjectInACycleIsThereOnce() throws IOException {
        fill(heap -> {
            Cell first = new Cell(heap, 1, null);
            Cell second = new Cell(heap, 2, first);
            first.next(second);
            first.other(first);
            heap.setRoot("a", first);
            heap.setRoot("b", second);
        });
        ExportedLines lines = export();
        assertEquals(2, lines.objects.size());
        assertEquals(1, lines.fields("a").get("value").intValue());
        assertEquals(lines.root("b"), lines.at(lines.fields("a").get("next")));
        assertEquals(lines.root("a"), lines.at(lines.fields("a").get("other")));
        assertEquals(lines.root("a"), lines.at(lines.fields("b").get("next")));
    }

    @Test
    void aListOf100000NodesIsExported() throws IOException {
        try (Heap heap = Heap.open(file, OPTIONS.maxSize(64 << 20))) {
            for (int block = 0; block < 100; block++) {
                int start = block * 1000;
                heap.atomic(() -> {
                    Cell first = heap.root("list", Cell.class);
                    for (int i = start; i < start + 1000; i++) {
                        first = new Cell(heap, i, first);
                    }
                    heap.setRoot("list", first);
                });
            }
        }
        ExportedLines lines = export();
        assertEquals(100_000, lines.objects.size());
        JsonNode node = lines.root("list");
        for (int i = 99_999; i > 0; i--) {
            assertEquals(i, node.get("fields").get("value").intValue());
            node = lines.at(node.get("fields").get("next"));
        }
        assertTrue(node.get("fields").get("next").isNull());
    }

    @Test
    void onlyWhatRootsReachIsExported() throws IOException {
        fill(heap -> {
            heap.setRoot("a", new Cell(heap, 1, new Cell(heap, 2, null)));
            heap.setRoot("b", new Cell(heap, 3, null));
            Cell garbage = new Cell(heap, 4, heap.root("a", Cell.class));
            assertEquals(4, garbage.value());
        });
        assertEquals(3, export().objects.size());
        ExportedLines one = export("--root", "b");
        assertEquals(1, one.objects.size());
        assertEquals(List.of("b"), List.copyOf(one.roots.keySet()));
        assertEquals(3, export("--root", "b", "--root", "a").objects.size());
        HeapToolOutput missing = HeapToolOutput.of("export", "--root", "c", file);
        assertEquals(2, missing.status());
        assertTrue(missing.text().contains("no root c, only [a, b]"), missing.text());
    }

    @Test
    void copiesOfValuesAreWrittenWhereTheyAre() throws IOException {
        UUID uuid = new UUID(1, 2);
        fill(heap -> {
            PersistentList<Object> list = new PersistentList<>(heap);
            list.addAll(Arrays.asList("latin \u00e9", "\u20ac \ud83d\ude00 \ud800", true, (byte) -3, (short) 300, 'c', 70_000,
                    Long.MIN_VALUE, 1.5f, Double.NaN, Instant.EPOCH, uuid, new BigInteger("123456789012345678901"),
                    new BigDecimal("1.50"), Isolation.CALLER, Bytes.copyOf(new byte[] {1, 2, (byte) 0xff}), null,
                    Optional.of("inside")));
            heap.setRoot("list", list);
        });
        ExportedLines lines = export();
        JsonNode elements = lines.root("list").get("elements");
        JsonNode expected = json("['latin \u00e9','\u20ac \ud83d\ude00 \\ud800',true,{'byte':-3},{'short':300},{'char':'c'},"
                + "{'int':70000},{'long':-9223372036854775808},{'float':1.5},{'double':'NaN'},{'instant':'1970-01-01T00:00:00Z'},"
                + "{'uuid':'" + uuid + "'},{'bigInteger':'123456789012345678901'},{'bigDecimal':'1.50'},"
                + "{'enum':'org.terrace.persist.Isolation','name':'CALLER'},{'bytes':'AQL/'},null]");
        assertEquals(expected.size() + 1, elements.size());
        for (int i = 0; i < expected.size(); i++) {
            // JSON numbers have no width, but the parser's nodes do.
            assertEquals(expected.get(i).isTextual() ? expected.get(i) : expected.get(i).toString(),
                    elements.get(i).isTextual() ? elements.get(i) : elements.get(i).toString());
        }
        assertEquals("inside", lines.at(elements.get(expected.size())).get("fields").get("value").textValue());
        assertEquals(2, lines.objects.size());
    }

    @Test
    void arraysAndStringsHaveTheirElements() throws IOException {
        fill(heap -> {
            PersistentString shared = new PersistentString(heap, "shared \u20ac \udc00");
            heap.setRoot("string", shared);
            heap.setRoot("same", shared);
            heap.setRoot("latin", new PersistentString(heap, "\u00e9"));
            heap.setRoot("bytes", new PersistentByteArray(heap, new byte[] {1, 2, 3}));
            heap.setRoot("ints", new PersistentIntArray(heap, new int[] {1, -2}));
            heap.setRoot("longs", new PersistentLongArray(heap, new long[] {1, Long.MIN_VALUE, 3}));
            heap.setRoot("doubles", new PersistentDoubleArray(heap, new double[] {0.5, Double.NEGATIVE_INFINITY}));
            PersistentArray<Object> array = new PersistentArray<>(heap, 3);
            array.set(0, "x");
            array.set(2, shared);
            heap.setRoot("array", array);
        });
        ExportedLines lines = export();
        assertEquals(json("'shared \u20ac \\udc00'"), lines.root("string").get("value"));
        assertEquals(lines.root("string"), lines.root("same"));
        assertEquals(json("'\u00e9'"), lines.root("latin").get("value"));
        assertEquals("bytes", lines.classes.get(PersistentString.class.getName()).get("kind").textValue());
        assertEquals(json("'AQID'"), lines.root("bytes").get("bytes"));
        assertEquals("[1,-2]", lines.root("ints").get("elements").toString());
        assertEquals("[1,-9223372036854775808,3]", lines.root("longs").get("elements").toString());
        assertEquals("[0.5,\"-Infinity\"]", lines.root("doubles").get("elements").toString());
        assertEquals(json("['x',null," + lines.roots.get("string") + "]"), lines.root("array").get("elements"));
    }

    private static List<Integer> ints(JsonNode elements) {
        List<Integer> found = new ArrayList<>();
        elements.forEach(element -> found.add(element.get("int").intValue()));
        return found;
    }

    @Test
    void collectionsHaveTheirElementsInTheirOrderAndNoStructure() throws IOException {
        List<Integer> numbers = IntStream.range(0, 1000).map(i -> (i * 7919 + 5) % 1000).boxed().collect(Collectors.toList());
        Map<String, Collection<Integer>> expected = new TreeMap<>();
        fill(heap -> {
            Map<String, Collection<Integer>> collections = Map.of("list", new PersistentList<>(heap), "deque",
                    new PersistentDeque<>(heap), "hash", new PersistentHashSet<>(heap), "tree", new PersistentTreeSet<>(heap),
                    "skip", new PersistentSkipListSet<>(heap));
            collections.forEach((name, collection) -> {
                collection.addAll(numbers);
                collection.removeIf(i -> i % 3 == 0);
                if (collection instanceof PersistentDeque<Integer> deque) {
                    numbers.forEach(deque::addFirst);
                }
                heap.setRoot(name, collection);
                expected.put(name, new ArrayList<>(collection));
            });
        });
        ExportedLines lines = export();
        expected.forEach((name, elements) -> assertEquals(elements, ints(lines.root(name).get("elements")), name));
        assertEquals(expected.size(), lines.objects.size());
        assertEquals(IntStream.range(0, 1000).filter(i -> i % 3 != 0).boxed().collect(Collectors.toList()),
                ints(lines.root("tree").get("elements")));
    }

    @Test
    void mapsHaveTheirEntriesAndThoseWhatTheyReferTo() throws IOException {
        Map<String, List<Object>> expected = new TreeMap<>();
        fill(heap -> {
            Cell cell = new Cell(heap, 9, null);
            heap.setRoot("cell", cell);
            Map<String, Map<Integer, Object>> maps = Map.of("hash", new PersistentHashMap<>(heap), "tree",
                    new PersistentTreeMap<>(heap), "skip", new PersistentSkipListMap<>(heap));
            maps.forEach((name, map) -> {
                for (int i = 0; i < 500; i++) {
                    map.put(i * 7919 % 500, i % 2 == 0 ? "text " + i : cell);
                }
                map.keySet().removeIf(key -> key % 5 == 0);
                heap.setRoot(name, map);
                List<Object> entries = new ArrayList<>();
                map.forEach((key, value) -> entries.add(List.of(key, value instanceof String ? value : "cell")));
                expected.put(name, entries);
            });
            PersistentHashMap<Object, Object> nulls = new PersistentHashMap<>(heap);
            nulls.put(null, null);
            heap.setRoot("nulls", nulls);
            heap.setRoot("empty", new PersistentTreeMap<>(heap));
        });
        ExportedLines lines = export();
        expected.forEach((name, entries) -> {
            List<Object> found = new ArrayList<>();
            lines.root(name).get("entries").forEach(entry -> found.add(List.of(entry.get(0).get("int").intValue(),
                    entry.get(1).isTextual() ? entry.get(1).textValue()
                            : lines.at(entry.get(1)) == lines.root("cell") ? "cell" : "another")));
            assertEquals(entries, found, name);
        });
        assertEquals("[[null,null]]", lines.root("nulls").get("entries").toString());
        assertEquals("[]", lines.root("empty").get("entries").toString());
        assertEquals(6, lines.objects.size());
    }

    @Test
    void valuesThatStandInEntriesAreWrittenAsThoseThatDoNot() throws IOException {
        List<Object> values = Arrays.asList("", "\u00e912345 8", "nine char", "\u20ac", true, (byte) -3, (short) 300, 'c', 70_000,
                Long.MIN_VALUE, 1.5f, Double.NaN, -0.0, null);
        fill(heap -> {
            PersistentHashMap<Object, Object> map = new PersistentHashMap<>(heap);
            PersistentList<Object> list = new PersistentList<>(heap);
            values.forEach(value -> map.put(value, value));
            map.keySet().forEach(key -> list.add(key));
            heap.setRoot("map", map);
            heap.setRoot("list", list);
        });
        ExportedLines lines = export();
        JsonNode elements = lines.root("list").get("elements");
        JsonNode entries = lines.root("map").get("entries");
        assertEquals(values.size(), entries.size());
        for (int i = 0; i < values.size(); i++) {
            assertEquals("[" + elements.get(i) + "," + elements.get(i) + "]", entries.get(i).toString());
        }
    }

    /** Renames classes in the heap, as if another program had written it. */
    @Test
    void classesThatNobodyHasAreNoMatter() throws IOException {
        fill(heap -> {
            PersistentHashMap<Object, Object> map = new PersistentHashMap<>(heap);
            map.put(Isolation.HEAP, new Cell(heap, 7, null));
            heap.setRoot("map", map);
        });
        HeapBytes bytes = new HeapBytes(file);
        bytes.replaceInClass(bytes.classNamed(Cell.class.getName()), "terrace.persist.Cell", "terrace.nowhere.Cell");
        String heap = new String(bytes.heap.array(), StandardCharsets.ISO_8859_1);
        int at = heap.indexOf(Isolation.class.getName() + "\nHEAP");
        bytes.heap.put(at, "org.terrace.nowhere".getBytes(StandardCharsets.ISO_8859_1));
        bytes.writeTo(file);
        ExportedLines lines = export();
        JsonNode entry = lines.root("map").get("entries").get(0);
        assertEquals(json("{'enum':'org.terrace.nowhere.Isolation','name':'HEAP'}"), entry.get(0));
        assertEquals("org.terrace.nowhere.Cell", lines.at(entry.get(1)).get("class").textValue());
        assertEquals(7, lines.at(entry.get(1)).get("fields").get("value").intValue());
    }

    @Test
    void theFieldThatAConversionAddsIsNobodysBusiness() throws IOException {
        Thing.Version old = Thing.define(b -> b.field("number", FieldType.INT));
        fill(heap -> {
            Thing thing = old.create(heap);
            old.set(thing, "number", 3);
            heap.setRoot("thing", thing);
        });
        Thing.define(b -> b.field("added", FieldType.LONG).field("number", FieldType.INT));
        Heap.open(file, OPTIONS).close();
        ExportedLines lines = export();
        assertEquals(json("{'added':0,'number':3}"), lines.fields("thing"));
        assertEquals(2, lines.classes.get(Thing.class.getName()).get("fields").size());
    }

    @Test
    void afterACrashTheStateBehindTheReplayIsExportedAndNothingChanged() throws IOException {
        Path killed = directory.resolve("killed.heap");
        try (Heap heap = Heap.open(file, OPTIONS)) {
            Cell cell = heap.root("a", Cell.class, () -> new Cell(heap, 1, null));
            heap.checkpoint();
            heap.atomic(() -> cell.value(2));
            cell.nextByHand(new Cell(heap, 5, null));
            cell.pwb();
            heap.psync();
            new HeapBytes(file).writeTo(killed);
        }
        byte[] before = Files.readAllBytes(killed);
        HeapToolOutput output = HeapToolOutput.of("export", "-o", directory.resolve("out.json"), killed);
        assertEquals(0, output.status());
        assertTrue(output.text().contains("killed.heap: 1 reference leads to an object that was freed or never validated"),
                output.text());
        ExportedLines lines = new ExportedLines(Files.readString(directory.resolve("out.json")));
        assertEquals(2, lines.fields("a").get("value").intValue());
        assertTrue(lines.fields("a").get("next").isNull());
        assertEquals(1, lines.objects.size());
        assertArrayEquals(before, Files.readAllBytes(killed));
    }
}
