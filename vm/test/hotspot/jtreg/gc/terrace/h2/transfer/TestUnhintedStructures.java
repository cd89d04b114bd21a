// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.transfer;

/*
 * @test TestUnhintedStructures
 * @summary A program without hints completes although its instances need more than H1. Objects that it writes continuously stay in H1,
 *          and instances of classes that it writes in H2 no longer move
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @run driver gc.terrace.h2.transfer.TestUnhintedStructures
 */

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jdk.test.lib.process.OutputAnalyzer;
import gc.terrace.h2.Child;
import org.terrace.SecondHeap;
import org.terrace.SecondHeap.State;

import static gc.terrace.h2.H2Test.*;

/** The old generation has 36 MB. The low threshold is at 18 MB, and the high one at 30 MB. */
public class TestUnhintedStructures {

    private static final String[] VERIFY = {
        "-XX:+UnlockDiagnosticVMOptions", "-XX:+VerifyH2", "-XX:+VerifyBeforeGC", "-XX:+VerifyAfterGC",
        "-XX:VerifySubSet=threads,heap,string_table,jni_handles,codecache_oops"};

    public static void main(String[] args) throws Exception {
        run(Holds.class, VERIFY);
        run(Holds.class, "-XX:ParallelGCThreads=4", "-XX:-UseCompressedOops");
        run(Holds.class, "-XX:H2TransferMillis=1");
        run(Holds.class, "-XX:ObjectAlignmentInBytes=32");
        run(Room.class).shouldNotContain("Without a hint");
        run(Written.class);

        List<String> lines = run(Restless.class, VERIFY).asLines();
        assertTrue(lines.stream().anyMatch(line -> line.matches(".*Objects of \\S*\\$Cell are written in H2: no more of them move.*")),
                   "no class was found to be written");

        lines = run(Bounded.class).asLines();
        lines = lines.subList(lines.indexOf("again"), lines.size());
        assertTrue(looked(lines, "large arrays", 0) >= 16, "not each collection was under pressure");
        // The old generation has 60 chunks of 512 KB. The last chunk is searched again, and the next one if the generation has grown.
        assertTrue(looked(lines, "large arrays", 4096) == 0, "arrays were looked for again where none had been");
        // Pauses between laps double: the collections 1, 3, 7 and 15.
        assertTrue(looked(lines, "structures", 0) <= 4, "structures were looked for again and again, though there are none");
    }

    /** Counts searches for a kind of object that covered at least a number of KB. */
    private static long looked(List<String> lines, String kind, int more) {
        Pattern pattern = Pattern.compile("Without a hint: searched (\\d+)K for " + kind);
        return lines.stream().map(pattern::matcher).filter(m -> m.find() && Integer.parseInt(m.group(1)) >= more).count();
    }

    private static OutputAnalyzer run(Class<?> program, String... flags) throws Exception {
        return Child.run(program, List.of("-Xmx48m", "-Xms48m", "-Xmn12m", "-XX:AllocateH2At=.", "-XX:H2Size=512m",
                                          "-XX:H2RegionSize=2m", "-XX:H2OverheadThreshold=100", "-Xlog:gc,gc+h2=debug"), flags);
    }

    /** An object of at least 120 bytes that is not in an array. */
    private static class Node {
        final long number;
        final Node left;
        final Node right;
        final long a, b, c, d, e, f, g, h, i, j;

        Node(long number, Node left, Node right) {
            this.number = number;
            this.left = left;
            this.right = right;
            a = b = c = d = e = f = g = h = i = j = ~number;
        }

        static Node tree(long number, int depth) {
            return depth == 0 ? null : new Node(number, tree(2 * number, depth - 1), tree(2 * number + 1, depth - 1));
        }

        void check(long expected, int depth) {
            assertEquals(number, expected, "the number of a node");
            assertEquals(a & b & c & d & e & f & g & h & i & j, ~expected, "the fields of node " + expected);
            assertTrue((left == null) == (depth == 1) && (right == null) == (depth == 1), "node " + expected + " lost a child");
            if (depth > 1) {
                left.check(2 * expected, depth - 1);
                right.check(2 * expected + 1, depth - 1);
            }
        }
    }

    private static final int DEPTH = 9;
    private static final int TREES_PER_MB = 17;

    private static void grow(Map<Integer, Node> trees, int megabytes) {
        for (int end = trees.size() + megabytes * TREES_PER_MB; trees.size() < end; ) {
            trees.put(trees.size(), Node.tree(1, DEPTH));
        }
    }

    private static void check(Map<Integer, Node> trees) {
        trees.values().forEach(tree -> tree.check(1, DEPTH));
    }

    private static long inH2(Iterable<?> objects) {
        long count = 0;
        for (Object object : objects) {
            count += SecondHeap.state(object) == State.IN_H2 ? 1 : 0;
        }
        return count;
    }

    public static class Holds {
        public static void main(String[] args) {
            requireH2();
            Map<Integer, Node> trees = new HashMap<>();
            grow(trees, 120);
            check(trees);
            long moved = inH2(trees.values());
            System.out.println(moved + " of " + trees.size() + " trees were moved");
            assertTrue(moved >= trees.size() / 2, "too few were moved: " + moved);
            // A part is replaced, and the heap is searched again.
            for (int i = 0; i < trees.size(); i += 7) {
                trees.put(i, Node.tree(1, DEPTH));
            }
            check(trees);
            majorGC();
            check(trees);
            System.out.println("the end");
        }
    }

    /** H1 has enough space, so nothing moves, as on a stock JVM. */
    public static class Room {
        public static void main(String[] args) {
            requireH2();
            Map<Integer, Node> trees = new HashMap<>();
            grow(trees, 20);
            majorGC();
            majorGC();
            minorGC(4);
            majorGC();
            assertEquals(inH2(trees.values()), 0, "trees in H2, though H1 has room");
            System.out.println("the end");
        }
    }

    private static final class Cell {
        Object value;
        long a, b, c;

        static List<Cell> many(int count) {
            List<Cell> cells = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                cells.add(new Cell());
            }
            write(cells);
            return cells;
        }

        static void write(List<Cell> cells) {
            for (int i = 0; i < cells.size(); i++) {
                cells.get(i).value = new Object[] {i};
            }
        }

        static void check(List<Cell> cells) {
            for (int i = 0; i < cells.size(); i++) {
                assertEquals(((Object[]) cells.get(i).value)[0], (Object) i, "the value of a cell");
            }
        }
    }

    /** Structures that are not written move, and written structures between them do not. */
    public static class Written {
        public static void main(String[] args) {
            requireH2();
            List<Cell> cells = Cell.many(20_000);
            Map<Integer, Node> trees = new HashMap<>();
            while (trees.size() < 100 * TREES_PER_MB) {
                grow(trees, 1);
                Cell.write(cells);
            }
            check(trees);
            Cell.check(cells);
            long moved = inH2(cells);
            System.out.println(inH2(trees.values()) + " of " + trees.size() + " trees and " + moved + " of " + cells.size()
                               + " cells were moved");
            assertTrue(moved <= cells.size() / 20, moved + " cells were moved, though the program writes them all the time");
            assertTrue(inH2(trees.values()) > 0, "no tree was moved");
            System.out.println("the end");
        }
    }

    /** Objects that were not written before they moved are written later. */
    public static class Restless {
        public static void main(String[] args) {
            requireH2();
            List<Cell> cells = Cell.many(50_000);
            Map<Integer, Node> trees = new HashMap<>();
            while (inH2(cells) < cells.size() / 2) {
                grow(trees, 5);
                assertTrue(trees.size() < 300 * TREES_PER_MB, "cells were not moved");
            }
            for (int i = 0; i < 20; i++) {
                Cell.write(cells);
                minorGC();
            }
            Cell.check(cells);
            List<Cell> later = Cell.many(20_000);
            long moved = inH2(trees.values());
            grow(trees, 60);
            assertTrue(inH2(trees.values()) > moved, "no tree was moved any more");
            assertEquals(inH2(later), 0, "cells that were moved though others are written in H2");
            Cell.check(cells);
            Cell.check(later);
            check(trees);
            System.out.println("the end");
        }
    }

    /** An object of 128 bytes that cannot move. */
    private static final class Stays extends WeakReference<Object> {
        long a, b, c, d, e, f, g, h, i, j, k, l;

        Stays(Object referent) {
            super(referent);
        }
    }

    /** A heap that stays full. */
    public static class Bounded {
        public static void main(String[] args) {
            requireH2();
            List<Stays> stay = new ArrayList<>();
            for (int i = 0; i < 250_000; i++) {
                stay.add(new Stays(stay));
            }
            for (int i = 0; i < 4; i++) {
                majorGC();
            }
            System.out.println("again");
            for (int i = 0; i < 16; i++) {
                majorGC();
            }
            Reference.reachabilityFence(stay);
            System.out.println("the end");
        }
    }
}
