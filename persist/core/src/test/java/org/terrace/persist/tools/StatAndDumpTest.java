// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Cell;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapBytes;
import org.terrace.persist.Internals;
import org.terrace.persist.Isolation;
import org.terrace.persist.types.PersistentByteArray;
import org.terrace.persist.types.PersistentHashMap;
import org.terrace.persist.types.PersistentList;
import org.terrace.persist.types.PersistentString;

/** Tests that the tools report the contents of a heap correctly. */
class StatAndDumpTest {
    private static final String CELL = Cell.class.getName();

    @TempDir
    Path directory;
    private Path closed;
    private Path killed;
    private long first;
    private long second;
    private long text;
    private long large;

    @BeforeEach
    void create() throws IOException {
        closed = directory.resolve("closed.heap");
        killed = directory.resolve("killed.heap");
        try (Heap heap = Heap.open(closed, HeapBytes.OPTIONS)) {
            heap.atomic(() -> {
                Cell b = new Cell(heap, 2, null);
                Cell a = new Cell(heap, 1, b);
                a.other(new PersistentByteArray(heap, 600));
                a.flag(true);
                b.other(new PersistentString(heap, "a \"text\" \u20ac"));
                heap.setRoot("a", a);
                heap.setRoot("b", b);
                first = Internals.offset(a);
                second = Internals.offset(b);
                text = Internals.offset(b.other());
                large = Internals.offset(a.other());
            });
            heap.atomic(() -> heap.setRoot("b", null));
            heap.checkpoint();
            heap.atomic(() -> heap.root("a", Cell.class).small(7));
            new HeapBytes(closed).writeTo(killed);
        }
    }

    private static Map<?, ?> map(Object value) {
        return (Map<?, ?>) value;
    }

    private static long number(Map<?, ?> map, String name) {
        return ((Number) map.get(name)).longValue();
    }

    @Test
    void statCountsObjectsAndWhatIsFree() throws IOException {
        Map<String, Object> stat = Stat.of(closed);
        assertEquals("closed", stat.get("state"));
        assertEquals(Map.of("objects", 2L, "bytes", 80L), map(stat.get("classes")).get(CELL));
        assertEquals(Map.of("objects", 1L, "bytes", 768L),
                map(stat.get("classes")).get(PersistentByteArray.class.getName()));
        assertEquals(2L, number(map(map(stat.get("classes")).get("terrace.root")), "objects"));
        assertEquals(CELL, map(map(stat.get("roots")).get("a")).get("class"));
        assertEquals(first, map(map(stat.get("roots")).get("a")).get("offset"));
        assertEquals(null, map(map(stat.get("roots")).get("b")).get("offset"));
        long data = number(stat, "size") - HeapBytes.DATA;
        assertEquals(data, number(stat, "usedByExtents") + number(stat, "poolPages") + number(stat, "freeBlocks"));
        assertTrue(number(stat, "poolPages") >= number(stat, "usedInPoolPages") + number(stat, "freeSlots"));
        assertTrue(number(stat, "freeSlots") > 0);
        assertEquals((16 << 20) + HeapBytes.DATA, number(stat, "largestSize"));
        assertEquals(number(stat, "largestSize"), number(stat, "size") + number(stat, "roomToGrow"));
        long bytes = 0;
        for (Object count : map(stat.get("classes")).values()) {
            bytes += number(map(count), "bytes");
        }
        assertEquals(number(stat, "used"), bytes);
    }

    @Test
    void statSaysWhatTheNextOpeningReplays() throws IOException {
        Map<?, ?> log = map(Stat.of(closed).get("log"));
        assertEquals(0, number(log, "recordsToReplay"));
        Map<String, Object> stat = Stat.of(killed);
        assertEquals("crashed", stat.get("state"));
        assertEquals(1, number(map(stat.get("log")), "recordsToReplay"));
        assertEquals(64, number(map(stat.get("log")), "bytesToReplay"));
        assertEquals(new HeapBytes(killed).logPosition(), number(map(stat.get("log")), "position"));
    }

    @Test
    void statPrintsTextAndJson() {
        HeapToolOutput output = HeapToolOutput.of("stat", closed);
        assertEquals(0, output.status());
        assertTrue(output.text().contains("format version 3, closed"), output.text());
        assertTrue(output.text().matches("(?s).*\n +80 +2  " + CELL + "\n.*"), output.text());
        assertTrue(output.text().contains("a: " + CELL), output.text());
        String json = HeapToolOutput.of("stat", "--json", closed).text();
        assertTrue(json.startsWith("{\"file\":\"" + closed + "\",\"formatVersion\":3,"), json);
        assertTrue(json.contains("\"" + CELL + "\":{\"objects\":2,\"bytes\":80}"), json);
        assertTrue(json.contains("\"b\":{\"offset\":null,\"class\":null}"), json);
    }

    @Test
    void dumpPrintsEachObjectOnceFromItsRoot() {
        List<String> lines = HeapToolOutput.of("dump", closed).text().lines().collect(Collectors.toList());
        assertEquals("root a: @" + first, lines.get(0));
        assertEquals("root b: null", lines.get(1));
        assertEquals("@" + first + " " + CELL + " value=1 next=@" + second + " other=@" + large + " small=7 flag=true",
                lines.get(2));
        assertEquals("@" + second + " " + CELL + " value=2 next=null other=@" + text + " small=0 flag=false", lines.get(3));
        assertTrue(lines.get(4).startsWith("@" + large + " " + PersistentByteArray.class.getName() + " value=\"5802"),
                lines.get(4));
        assertEquals("@" + text + " " + PersistentString.class.getName() + " value=\"a \\\"text\\\" \u20ac\"", lines.get(5));
        assertEquals(6, lines.size());
    }

    @Test
    void dumpStopsAtItsDepthAndStartsFromOneRoot() {
        assertEquals(3, HeapToolOutput.of("dump", "--depth", 0, closed).text().lines().count());
        assertEquals(5, HeapToolOutput.of("dump", "--depth", 1, closed).text().lines().count());
        assertEquals("root b: null\n", HeapToolOutput.of("dump", "--root", "b", closed).text());
        HeapToolOutput missing = HeapToolOutput.of("dump", "--root", "c", closed);
        assertEquals(2, missing.status());
        assertTrue(missing.text().contains("no root c, only [a, b]"), missing.text());
    }

    @Test
    void dumpReadsTheStateAfterTheReplayAsJson() {
        List<String> lines = HeapToolOutput.of("dump", "--json", killed).text().lines().collect(Collectors.toList());
        assertEquals("{\"root\":\"a\",\"offset\":" + first + "}", lines.get(0));
        assertEquals("{\"offset\":" + first + ",\"class\":\"" + CELL + "\",\"fields\":{\"value\":1,\"next\":\"@" + second
                + "\",\"other\":\"@" + large + "\",\"small\":7,\"flag\":true}}", lines.get(2));
        assertTrue(lines.get(5).endsWith("{\"value\":\"a \\\"text\\\" \u20ac\"}}"), lines.get(5));
    }

    @Test
    void dumpShowsTheValuesOfCollections() throws IOException {
        Path file = directory.resolve("values.heap");
        UUID uuid = new UUID(1, 2);
        try (Heap heap = Heap.open(file, HeapBytes.OPTIONS)) {
            PersistentList<Object> list = heap.root("list", PersistentList.class, () -> new PersistentList<Object>(heap));
            list.addAll(List.of("latin", "\u20ac", true, (byte) -3, (short) 300, 'c', 70_000, -5L, 1.5f, -2.5, Instant.EPOCH,
                    uuid, new BigInteger("123456789012345678901"), new BigDecimal("1.50"), Isolation.CALLER));
        }
        String text = HeapToolOutput.of("dump", file).text();
        for (String value : List.of("\"latin\"", "\"\u20ac\"", "true", "-3", "300", "\"c\"", "70000", "-5", "1.5", "-2.5",
                "\"1970-01-01T00:00:00Z\"", "\"" + uuid + "\"", "123456789012345678901", "1.50",
                "\"" + Isolation.class.getName() + ".CALLER\"")) {
            assertTrue(text.contains("Boxed value=" + value + "\n"), value + " in " + text);
        }
    }

    @Test
    void keysAndValuesInTheEntriesOfHashMapsAreReadable() throws IOException {
        Path file = directory.resolve("entries.heap");
        try (Heap heap = Heap.open(file, HeapBytes.OPTIONS)) {
            PersistentHashMap<Object, Object> map = heap.root("map", PersistentHashMap.class,
                    () -> new PersistentHashMap<>(heap));
            map.put("short", 'c');
            map.put(-5L, 2.5);
            map.put(true, "a string that has an object of its own");
            map.put("a key that has an object of its own", null);
        }
        String text = HeapToolOutput.of("dump", file).text();
        assertTrue(text.matches("(?s).*InlineEntry key=\"short\" value=\"c\" .*"), text);
        assertTrue(text.matches("(?s).*InlineEntry key=-5 value=2.5 .*"), text);
        assertTrue(text.matches("(?s).*InlineKeyEntry key=true value=@\\d+ .*"), text);
        assertTrue(text.matches("(?s).*InlineValueEntry key=@\\d+ value=null .*"), text);
    }

    @Test
    void aDamagedHeapIsNotDumped() throws IOException {
        HeapBytes bytes = new HeapBytes(closed);
        bytes.heap.putLong((int) first + 8 + 8, second + 8);
        bytes.writeTo(killed);
        HeapToolOutput output = HeapToolOutput.of("dump", killed);
        assertEquals(1, output.status());
        assertTrue(output.text().contains("no object begins at offset " + (second + 8)), output.text());
        assertFalse(output.text().contains("Exception"), output.text());
    }
}
