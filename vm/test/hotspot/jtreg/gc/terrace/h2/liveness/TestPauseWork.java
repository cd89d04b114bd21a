// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.liveness;

/*
 * @test TestPauseWork
 * @summary The work of a pause is not quadratic in many tags, a list that alternates between two regions, many roots of one structure
 *          that does not fit, many roots none of which fits, allocations that cannot benefit from H2, old cards, interned
 *          strings, cards that nobody has written, cards of one large array, and targets that stay in place
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @run driver gc.terrace.h2.liveness.TestPauseWork
 */

import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jdk.test.lib.process.OutputAnalyzer;
import gc.terrace.h2.Child;
import org.terrace.SecondHeap;
import org.terrace.SecondHeap.State;

import static gc.terrace.h2.H2Test.*;

public class TestPauseWork {

    private static final int TAGS = 100_000;
    private static final int HOPS = 40_000;

    public static void main(String[] args) throws Exception {
        OutputAnalyzer output = run(Tags.class, "-XX:H2Size=64m");
        Matcher tags = find("Tags: (\\d+) live in (\\d+) buckets, at most (\\d+) in one", output);
        assertTrue(number(tags, 1) >= TAGS, "not all tags are live");
        assertTrue(number(tags, 2) >= TAGS, number(tags, 2) + " buckets");
        assertTrue(number(tags, 3) < 32, number(tags, 3) + " tags in one bucket");

        // A few words for each object that another run refers to. All words of a run would be thousands.
        output = run(Hops.class, "-XX:H2Size=64m", "-XX:+UnlockDiagnosticVMOptions", "-XX:H2DeepMarkingInterval=1",
                     "-XX:ParallelGCThreads=1");
        Matcher marks = find("searched (\\d+)K of marks for objects of other runs", output);
        assertTrue(number(marks, 1) * 1024 <= 2L * HOPS * 4 * 8, number(marks, 1) + "K of marks");

        output = run(DoesNotFit.class, "-XX:H2Size=16m", "-XX:H2HighThreshold=1", "-XX:H2LowThreshold=0");
        long tried = output.asLines().stream().filter(line -> line.contains("does not fit; the root is tried last")).count();
        assertTrue(tried > 0 && tried <= 8, tried + " roots were tried in one collection");

        output = run(NoneFits.class, "-XX:H2Size=32m", "-XX:H2RegionSize=2m", "-Xmx400m", "-Xlog:gc+phases=debug");
        List<String> lines = output.asLines();
        lines = lines.subList(lines.indexOf("none fits"), lines.indexOf("the end"));
        long assignments = lines.stream().filter(line -> line.contains("H2 Assign")).count();
        assertTrue(assignments > 0 && assignments <= 8, assignments + " assignments in one collection");

        output = run(OldCards.class, "-XX:H2Size=64m");
        lines = output.asLines();
        lines = lines.subList(lines.indexOf("nothing moves"), lines.indexOf("the end"));
        long marked = lines.stream().filter(line -> line.contains("Mark from regions: ")).count();
        long adjusted = lines.stream().filter(line -> line.contains("Adjust cards: ")).count();
        assertEquals(marked, OldCards.COLLECTIONS, "collections that scan cards to mark from them");
        assertTrue(adjusted <= marked / 2, adjusted + " of " + marked + " collections have read the cards twice");

        output = run(WrittenCards.class, "-XX:H2Size=128m");
        if (!output.getStdout().contains("Collections read the cards of all of H2")) {      // before Linux 6.7
            checkPages(output, "Cards: read", "quiet", "written", 0);
            checkPages(output, "Cards: read", "written", "the end", 2);
            output = run(OtherPages.class, "-XX:H2Size=128m", "-XX:ParallelGCThreads=1");
            long read = pagesRead(output);
            long written = OtherPages.COLLECTIONS * OtherPages.WRITTEN;
            assertTrue(read >= written && read <= written * 7 / 4, read + " pages were read for " + written + " that were written");
            output = run(RememberedCards.class, "-XX:H2Size=128m");
            checkPages(output, "Cards: adjusted those of", "nothing moves", "the end", 0);
        }

        // One card on every other page of the card table. All are in one array, which has a run of twelve regions.
        output = run(CardsOfArray.class, "-XX:H2Size=128m", "-XX:ParallelGCThreads=1", "-XX:MaxTenuringThreshold=0");
        checkMost(output, "Scan cards: 1 workers, cards", CardsOfArray.CARDS, 2 * CardsOfArray.CARDS);
        checkMost(output, "Look up objects on cards: 1 workers, objects", 1, 2);

        output = run(Interned.class, "-XX:H2Size=64m");
        lines = output.asLines();
        String looked = "Searched for interned strings";
        assertTrue(lines.subList(0, lines.indexOf("no string")).stream().noneMatch(line -> line.contains(looked)),
                   "interned strings were looked for, though no string was to move");
        output.shouldContain(looked);

        output = run(Hopeless.class, "-XX:H2Size=64m", "-XX:H2HighThreshold=100");
        lines = output.asLines();
        int tooLarge = lines.indexOf("too large");
        int helped = lines.indexOf("helped");
        int end = lines.indexOf("the end");
        assertTrue(markings(lines.subList(0, tooLarge)) == 0, "H2 was marked through for an object that no H1 has room for");
        assertTrue(markings(lines.subList(tooLarge, helped)) == 2, "H2 was not marked through once in vain and once when it helps");
        // Once each time, because the program may have dropped objects after the previous error. Not twice.
        long again = markings(lines.subList(helped, end));
        assertTrue(again >= 1 && again <= 40, "H2 was marked through " + again + " times for 40 objects");
    }

    /** That each collection between two lines has read at most so many pages of the card table. */
    private static void checkPages(OutputAnalyzer output, String what, String from, String to, long most) {
        List<String> lines = output.asLines();
        Pattern pattern = Pattern.compile(what + " (\\d+) of (\\d+) pages");
        int collections = 0;
        for (String line : lines.subList(lines.indexOf(from), lines.indexOf(to))) {
            Matcher matcher = pattern.matcher(line);
            if (matcher.find()) {
                collections++;
                assertTrue(number(matcher, 2) >= 24, number(matcher, 2) + " pages in all");
                assertTrue(number(matcher, 1) <= most, number(matcher, 1) + " pages were read after \"" + from + "\"");
            }
        }
        assertEquals(collections, WrittenCards.COLLECTIONS, "collections after \"" + from + "\"");
    }

    /** That each collection after "written" has counted at least and at most so many with one worker. */
    private static void checkMost(OutputAnalyzer output, String what, long least, long most) {
        List<String> lines = output.asLines();
        Pattern pattern = Pattern.compile(what + " least \\d+, mean \\d+, most (\\d+)");
        int collections = 0;
        for (String line : lines.subList(lines.indexOf("written"), lines.indexOf("the end"))) {
            Matcher matcher = pattern.matcher(line);
            if (matcher.find()) {
                collections++;
                assertTrue(number(matcher, 1) >= least && number(matcher, 1) <= most, line);
            }
        }
        assertEquals(collections, CardsOfArray.COLLECTIONS, "collections after \"written\" with " + what);
    }

    /** The pages of the card table that all collections after "written" have read. */
    private static long pagesRead(OutputAnalyzer output) {
        List<String> lines = output.asLines();
        Pattern pattern = Pattern.compile("Cards: read (\\d+) of ");
        return lines.subList(lines.indexOf("written"), lines.indexOf("the end")).stream().map(pattern::matcher).filter(Matcher::find)
                    .mapToLong(matcher -> number(matcher, 1)).sum();
    }

    private static long markings(List<String> lines) {
        return lines.stream().filter(line -> line.contains("Marked through H2")).count();
    }

    private static long number(Matcher found, int group) {
        return Long.parseLong(found.group(group));
    }

    /** Returns the last match. */
    private static Matcher find(String pattern, OutputAnalyzer output) {
        Matcher matcher = Pattern.compile("(?s).*" + pattern).matcher(output.getStdout());
        assertTrue(matcher.find(), "no line has " + pattern);
        return matcher;
    }

    private static OutputAnalyzer run(Class<?> program, String... options) throws Exception {
        return Child.run(program, List.of("-Xmx160m", "-XX:AllocateH2At=.",
                                          "-XX:H2RegionSize=4m", "-Xlog:gc+h2=debug"), options);
    }

    static class Tags {
        public static void main(String[] args) {
            Object[] objects = new Object[TAGS];
            for (int i = 0; i < TAGS; i++) {
                objects[i] = new Object();
                SecondHeap.tagRoot(objects[i], 1);
            }
            System.gc();
            System.out.println("the end, " + objects.length);
        }
    }

    static class Node {
        Node next;
    }

    // Large nodes, so that they spread over a region.
    static class WideNode {
        WideNode next;
        long a, b, c, d, e, f, g, h;
    }

    static class Hops {
        static Object keep;
        static WideNode first;

        public static void main(String[] args) {
            WideNode[] there = nodes();
            move(there, 1);
            WideNode[] here = nodes();
            for (int i = 0; i < HOPS; i++) {
                here[i].next = there[i];
                there[i].next = i + 1 < HOPS ? here[i + 1] : null;
            }
            move(here, 2);
            first = here[0];
            keep = null;
            System.gc();
            int length = 0;
            for (WideNode node = first; node != null; node = node.next) {
                length++;
            }
            assertTrue(length == 2 * HOPS, "a list of " + length);
            System.out.println("the end");
        }

        private static WideNode[] nodes() {
            WideNode[] nodes = new WideNode[HOPS];
            for (int i = 0; i < HOPS; i++) {
                nodes[i] = new WideNode();
            }
            return nodes;
        }

        private static void move(WideNode[] nodes, long label) {
            keep = new Object[] { keep, nodes };
            SecondHeap.tagRoot(nodes, label);
            SecondHeap.move(label);
            SecondHeap.transfer();
            assertTrue(SecondHeap.state(nodes) == State.IN_H2, "has not moved");
        }
    }

    static class Interned {
        public static void main(String[] args) {
            String[] interned = new String[100_000];
            String[] others = new String[interned.length];
            for (int i = 0; i < interned.length; i++) {
                interned[i] = ("interned " + i).intern();
                others[i] = "other " + i;
            }
            Object[] root = { new byte[1000], 1 };
            moveToH2(root, 1);
            System.out.println("no string");
            Object[] strings = { interned, others };
            moveToH2(strings, 2);
            for (int i = 0; i < interned.length; i++) {
                assertTrue(SecondHeap.state(interned[i]) == State.IN_H1, "an interned string has moved");
                assertTrue(SecondHeap.state(others[i]) == State.IN_H2, "a string has not moved");
                assertTrue(interned[i] == ("interned " + i).intern(), "interned twice");
            }
            System.out.println("the end, " + root.length);
        }
    }

    static class Hopeless {
        static Object[] there;

        public static void main(String[] args) {
            there = new Object[] { new Object[1], new byte[1000] };
            SecondHeap.tagRoot(there, 1);
            SecondHeap.move(1);
            SecondHeap.transfer();
            assertTrue(SecondHeap.state(there[0]) == State.IN_H2, "has not moved");
            fails(400, 3);
            System.out.println("too large");
            ((Object[]) there[0])[0] = new byte[80][1 << 20];
            fails(60, 1);
            there[0] = null;                // live objects of the region keep this garbage
            byte[] large = new byte[60 << 20];
            System.out.println("helped");
            there[0] = large;
            large = null;
            fails(60, 40);
            System.out.println("the end");
        }

        private static void fails(int megabytes, int times) {
            for (int i = 0; i < times; i++) {
                try {
                    byte[] large = new byte[megabytes << 20];
                    throw new AssertionError("there was room for " + large.length);
                } catch (OutOfMemoryError expected) {
                    // The caller checks the number of markings.
                }
            }
        }
    }

    /** An array in H2 that refers to an object that does not move. */
    static class OldCards {
        static final int COLLECTIONS = 12;
        static Object keep;

        public static void main(String[] args) {
            Object inH1 = new WeakReference<>(new Object());
            System.gc();
            keep = new byte[4 << 20];       // behind the object in the old generation, so that compaction does not move it
            System.gc();
            Object[] array = new Object[1 << 20];
            for (int i = 0; i < array.length; i++) {
                array[i] = inH1;
            }
            moveToH2(array);
            System.gc();
            System.gc();
            System.out.println("nothing moves");
            // If an old object of the library dies, however, all objects behind it move.
            for (int i = 0; i < COLLECTIONS; i++) {
                System.gc();
            }
            assertTrue(array[0] == inH1, "an element");
            System.out.println("the end");
        }
    }

    /** A collection looks for references to young objects where the program, or the collection before, has stored. */
    static class WrittenCards {
        static final int COLLECTIONS = 5;

        public static void main(String[] args) {
            Object[] array = moveToH2(new Object[12 << 20]);
            minorGC(COLLECTIONS);           // finds out that what was written for the transfer is clean
            System.out.println("quiet");
            minorGC(COLLECTIONS);
            System.out.println("written");
            array[1 << 20] = new int[] { 1 };
            array[11 << 20] = new int[] { 11 };
            minorGC(COLLECTIONS);
            System.out.println("the end");
            assertEquals(((int[]) array[1 << 20])[0], 1, "an element");
            assertEquals(((int[]) array[11 << 20])[0], 11, "an element");
        }
    }

    /** The program stores into one large array, each time in other places. */
    static class CardsOfArray {
        static final int COLLECTIONS = 5;
        static final int CARDS = 12;

        public static void main(String[] args) {
            Object[] array = moveToH2(new Object[CARDS << 20]);
            minorGC(COLLECTIONS);
            System.out.println("written");
            for (int i = 0; i < COLLECTIONS; i++) {
                for (int j = 0; j < CARDS; j++) {
                    array[(j << 20) + i * 1000] = new int[] { i + j };
                }
                minorGC();
            }
            System.out.println("the end");
            for (int i = 0; i < COLLECTIONS; i++) {
                for (int j = 0; j < CARDS; j++) {
                    assertEquals(((int[]) array[(j << 20) + i * 1000])[0], i + j, "an element");
                }
            }
        }
    }

    /** The program stores on other pages of the card table before each collection, and no young object remains there. */
    static class OtherPages {
        static final int COLLECTIONS = 12;
        static final int WRITTEN = 2;

        public static void main(String[] args) {
            Object[] array = moveToH2(new Object[COLLECTIONS * WRITTEN << 19]);     // half a million cover a page
            minorGC(WrittenCards.COLLECTIONS);
            System.out.println("written");
            for (int i = 0; i < COLLECTIONS; i++) {
                for (int j = 0; j < WRITTEN; j++) {
                    array[i * WRITTEN + j << 19] = array;
                }
                minorGC();
            }
            assertEquals(array.length, COLLECTIONS * WRITTEN << 19, "elements");
            System.out.println("the end");
        }
    }

    /** Each card of H2 refers to an object that a class keeps. */
    static class RememberedCards {
        public static void main(String[] args) {
            Object[] array = new Object[12 << 20];
            Arrays.fill(array, Locale.getDefault());
            array = moveToH2(array);
            for (int i = 0; i < WrittenCards.COLLECTIONS; i++) {
                System.gc();                // with a minor collection, which protects the pages again
            }
            System.out.println("nothing moves");
            for (int i = 0; i < WrittenCards.COLLECTIONS; i++) {
                System.gc();
            }
            System.out.println("the end");
            assertTrue(array[1 << 20] == Locale.getDefault(), "an element");
        }
    }

    /** Every other region of H2 is free, and each root takes two adjacent ones. */
    static class NoneFits {
        static Object[] keep = new Object[14];

        public static void main(String[] args) {
            for (int i = 0; i < keep.length; i++) {
                keep[i] = moveToH2(new byte[(2 << 20) - 100]);
            }
            for (int i = 0; i < keep.length; i += 2) {
                keep[i] = null;
            }
            System.gc();
            byte[][] roots = new byte[40][(2 << 20) + 1000];
            for (byte[] root : roots) {
                SecondHeap.tagRoot(root, 2);
            }
            SecondHeap.move(2);
            System.gc();            // one root moves to the two adjacent regions at the end
            System.out.println("none fits");
            System.gc();
            int moved = 0;
            for (byte[] root : roots) {
                moved += SecondHeap.state(root) == State.IN_H2 ? 1 : 0;
            }
            assertEquals(moved, 1, "roots that moved");
            System.out.println("the end");
        }
    }

    static class DoesNotFit {
        static Object keep;

        public static void main(String[] args) {
            byte[][] seed = { new byte[1000] };
            keep = new Object[] { seed };
            SecondHeap.tagRoot(seed, 1);
            SecondHeap.move(1);
            SecondHeap.transfer();
            assertTrue(SecondHeap.state(seed) == State.IN_H2, "has not moved");
            // A ring, so that each root reaches all of its nodes.
            int count = 2_000_000;
            Node[] roots = new Node[100];
            Node head = new Node();
            Node last = head;
            for (int i = 1; i < count; i++) {
                Node node = new Node();
                last.next = node;
                last = node;
                if (i % (count / roots.length) == 1) {
                    roots[i / (count / roots.length)] = node;
                }
            }
            last.next = head;
            for (Node root : roots) {
                SecondHeap.tagRoot(root, 2);
            }
            System.gc();
            System.out.println("the end, " + roots.length);
        }
    }
}
