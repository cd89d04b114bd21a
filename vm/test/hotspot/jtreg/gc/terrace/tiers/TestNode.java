// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.tiers;

/*
 * @test TestNode
 * @summary With H2 on a NUMA node, its pages are bound to the node, and the program works as with a file. ./terrace nightly runs
 *          more of this program in a guest with two nodes
 * @requires os.family == "linux"
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx128m -XX:AllocateH2OnNode=0 -XX:H2Size=256m -XX:ParallelGCThreads=4
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:H2DeepMarkingInterval=2 -Xlog:gc+h2=debug
 *                   gc.terrace.tiers.TestNode bound
 * @run main/othervm -Xmx128m -XX:AllocateH2OnNode=0 -XX:H2Size=256m -XX:H2RegionSize=2m -XX:H2FastSize=64m
 *                   -XX:H2TierPolicy=both -XX:H2SampleInterval=100 -Xlog:gc+h2=debug
 *                   gc.terrace.tiers.TestNode bound
 */

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.terrace.SecondHeap;
import org.terrace.SecondHeap.State;
import org.terrace.SecondHeap.Tier;

import static gc.terrace.h2.H2Test.*;
import static gc.terrace.tiers.Rows.*;

public class TestNode {

    private static final long MB = 1 << 20;
    private static final int SLOW_NODE = Integer.getInteger("terrace.test.node", 0);
    private static final Pattern ON_NODE = Pattern.compile(" N(\\d+)=(\\d+)");

    private static volatile long sink;

    public static void main(String[] args) throws Exception {
        requireH2();
        if (STOCK) {
            return;
        }
        switch (args[0]) {
            case "bound":
                bound();
                break;
            case "full":
                full();
                break;
            case "placed":
                placed();
                break;
            case "monitored":
                monitored();
                break;
            default:
                throw new IllegalArgumentException(args[0]);
        }
        System.out.println("PASSED " + args[0]);
    }

    /** Tests that all pages of H2, and no other pages of the process, are on the node. */
    private static void bound() throws Exception {
        byte[][] a = moveToH2(structure(1));
        byte[][] b = moveToH2(structure(2));
        Map<Integer, Long> nodes;
        // Sampling unmaps pages, and reading maps them again.
        int tries = 0;
        do {
            check(a, 1);
            check(b, 2);
            nodes = bytesOfH2();
        } while (nodes.getOrDefault(SLOW_NODE, 0L) < 2L * SIZE && ++tries < 100);
        System.out.println("bytes of H2 by node: " + nodes + ", others: " + bytesOfOthers());
        assertEquals(nodes.keySet().toString(), "[" + SLOW_NODE + "]", "nodes that pages of H2 are on");
        assertTrue(nodes.get(SLOW_NODE) >= 2L * SIZE, "bytes of H2 in the mapping");
        if (hasOtherNodes()) {
            assertEquals((long) bytesOfOthers().getOrDefault(SLOW_NODE, 0L), 0, "bytes of anything else on the node of H2");
        }
        // Regions are freed and used again.
        for (int i = 0; i < 12; i++) {
            b = moveToH2(structure(i));
            minorGC();
            check(b, i);
            SecondHeap.prefetch(b);
            SecondHeap.dismiss(b);
        }
        check(a, 1);
        assertTrue(SecondHeap.statistics().getRegionsFreed() > 0, "no region was freed: " + SecondHeap.statistics());
        assertEquals(SecondHeap.statistics().getFailedTransfers(), 0, "transfers that were abandoned");
        assertEquals(SecondHeap.statistics().getPagedOutBytes(), 0, "bytes that would be swapped out");
    }

    /** Moves more than fits on the node. Objects stay in H1 then, no process is killed, and freed memory is used again. */
    private static void full() throws Exception {
        List<byte[][]> all = new ArrayList<>();
        while (SecondHeap.statistics().getFailedTransfers() == 0) {
            byte[][] next = structure(all.size());
            long label = freshLabel();
            SecondHeap.tagRoot(next, label);
            SecondHeap.move(label);
            SecondHeap.transfer();
            all.add(next);
        }
        byte[][] last = all.get(all.size() - 1);
        assertInState(last, State.DUE);
        for (int i = 0; i < all.size(); i++) {
            check(all.get(i), i);
        }
        long used = bytesOfH2().values().stream().mapToLong(Long::longValue).sum();
        long capacity = SecondHeap.statistics().getCapacityBytes();
        System.out.println(all.size() + " structures, " + used / MB + " MB of H2 in the mapping, H2Size " + capacity / MB
                           + " MB, free on the node " + freeOnNode() / MB + " MB");
        assertTrue(used + SIZE < capacity, "H2 was full before the node");
        assertTrue(freeOnNode() > 0, "free memory of the node");
        majorGC();
        assertInState(last, State.DUE);
        all.subList(0, 3).clear();
        // The space of dead regions is released after the collection.
        waitFor(() -> {
            SecondHeap.transfer();
            return SecondHeap.state(last) == State.IN_H2;
        });
        assertInH2(last, "what there is room for by now");
        check(last, all.size() + 2);
    }

    private static void assertInState(byte[][] structure, State state) {
        assertState(state, structure, "what there was no room for");
    }

    /** Tests that pages of a label migrate while the program reads and writes them. */
    private static void placed() throws Exception {
        assertTrue(SecondHeap.hasTiers(), "H2FastSize is set, and there are no tiers");
        long label = freshLabel();
        long other = freshLabel();
        byte[][] rows = moveToH2(structure(3), label);
        byte[][] untouched = moveToH2(structure(4), other);
        check(rows, 3);
        check(untouched, 4);
        assertEquals(bytesElsewhere(), 0, "bytes on a fast node, before anything is placed");
        Load load = new Load(rows);
        load.start();
        for (int i = 0; i < 3; i++) {
            long before = SecondHeap.statistics().getPrefetchedBytes();
            SecondHeap.place(label, Tier.FAST);
            await(() -> bytesElsewhere() >= SIZE, "placed fast");
            await(() -> SecondHeap.statistics().getPrefetchedBytes() - before >= SIZE, "counted as moved");
            assertTrue(bytesElsewhere() < 2L * SIZE, "what was not placed has moved as well: " + bytesOfH2());
            long fast = SecondHeap.statistics().getPagedOutBytes();
            SecondHeap.place(label, Tier.SLOW);
            await(() -> bytesElsewhere() == 0, "placed slow");
            await(() -> SecondHeap.statistics().getPagedOutBytes() - fast >= SIZE, "counted as moved");
        }
        SecondHeap.place(label, Tier.FAST);
        await(() -> bytesElsewhere() >= SIZE, "placed fast");
        SecondHeap.place(label, Tier.AUTO);
        await(() -> bytesElsewhere() == 0, "not placed any more");
        load.end();
        check(untouched, 4);
        // A label that is placed before its objects move.
        long third = freshLabel();
        SecondHeap.place(third, Tier.FAST);
        byte[][] early = moveToH2(structure(5), third);
        check(early, 5);
        await(() -> bytesElsewhere() >= SIZE, "placed before it moved");
        System.out.println("turns of the load: " + load.turns + ", " + SecondHeap.statistics());
    }

    /** Tests that data that the program reads migrates to a fast node, and back when the program reads other data. */
    private static void monitored() throws Exception {
        long first = freshLabel();
        long second = freshLabel();
        byte[][] a = moveToH2(structure(6), first);
        byte[][] b = moveToH2(structure(7), second);
        await(() -> bytesElsewhere(read(a)) >= SIZE, "read most");
        await(() -> bytesElsewhere(read(b)) >= SIZE && fastBytes(first) == 0, "something else is read");
        check(a, 6);
        check(b, 7);
        assertTrue(SecondHeap.statistics().getMigratedToFastBytes() >= 2L * SIZE, "bytes that became fast: " + SecondHeap.statistics());
        assertTrue(SecondHeap.statistics().getMigratedToSlowBytes() >= SIZE, "bytes that became slow: " + SecondHeap.statistics());
    }

    /** Increments a counter in each row, and checks that no other value appears. */
    private static final class Load extends Thread {
        private final byte[][] rows;
        private volatile boolean ends;
        private volatile Throwable failure;
        private volatile long turns;

        Load(byte[][] rows) {
            this.rows = rows;
        }

        @Override
        public void run() {
            try {
                byte value = rows[0][1];
                while (!ends) {
                    for (byte[] row : rows) {
                        assertTrue(row[1] == value && row[ROW - 17] == rows[0][ROW - 17], "a row has lost what was written");
                        row[1] = (byte) (value + 1);
                    }
                    value++;
                    turns++;
                }
            } catch (Throwable e) {
                failure = e;
            }
        }

        void end() throws Exception {
            ends = true;
            join();
            assertTrue(failure == null && turns > 0, "the load: " + failure);
        }
    }

    /** Waits until a condition holds once. Sampling unmaps pages, and the system does not count unmapped pages. */
    private static void await(BooleanSupplier condition, String what) throws InterruptedException {
        boolean[] held = new boolean[1];
        waitFor(() -> held[0] = condition.getAsBoolean());
        assertTrue(held[0], what + ": " + bytesOfH2() + " " + SecondHeap.statistics());
    }

    private static long read(byte[][] rows) {
        long sum = 0;
        for (byte[] row : rows) {
            for (int i = 0; i < row.length; i += 1024) {
                sum += row[i];
            }
        }
        sink += sum;
        return sum;
    }

    private static long fastBytes(long label) {
        return SecondHeap.labels().stream().filter(usage -> usage.getLabel() == label).findAny().orElseThrow().getFastBytes();
    }

    private static long bytesElsewhere(long ignored) {
        return bytesElsewhere();
    }

    private static long bytesElsewhere() {
        return bytesOfH2().entrySet().stream().filter(entry -> entry.getKey() != SLOW_NODE).mapToLong(Map.Entry::getValue).sum();
    }

    private static Map<Integer, Long> bytesOfH2() {
        return bytesByNode("memfd:terrace-h2");
    }

    private static Map<Integer, Long> bytesOfOthers() {
        return bytesByNode(null);
    }

    /** Returns the bytes on each node, for the mappings of a file, or for mappings without a file if null. */
    private static Map<Integer, Long> bytesByNode(String file) {
        Map<Integer, Long> bytes = new TreeMap<>();
        for (String line : lines("/proc/self/numa_maps")) {
            if (file == null ? !line.contains(" file=") : line.contains(file)) {
                Matcher matcher = ON_NODE.matcher(line);
                while (matcher.find()) {
                    bytes.merge(Integer.valueOf(matcher.group(1)), Long.parseLong(matcher.group(2)) * 4096, Long::sum);
                }
            }
        }
        return bytes;
    }

    private static long freeOnNode() {
        return lines("/sys/devices/system/node/node" + SLOW_NODE + "/meminfo").stream().filter(line -> line.contains("MemFree:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll(".*MemFree: *(\\d+) kB", "$1")) * 1024).sum();
    }

    private static boolean hasOtherNodes() {
        return !lines("/sys/devices/system/node/has_memory").get(0).equals(String.valueOf(SLOW_NODE));
    }

    private static List<String> lines(String path) {
        try {
            return Files.readAllLines(Path.of(path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
