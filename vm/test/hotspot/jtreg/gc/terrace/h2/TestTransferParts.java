// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2;

/*
 * @test TestTransferParts
 * @summary What is due moves in parts if the pause has a goal: each no larger than that, all of it in the end, and
 *          nothing that is no longer due
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @run driver gc.terrace.h2.TestTransferParts
 */

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jdk.test.lib.process.OutputAnalyzer;
import jdk.test.lib.process.ProcessTools;
import org.terrace.SecondHeap;
import org.terrace.SecondHeap.State;

import static gc.terrace.h2.H2Test.*;

public class TestTransferParts {

    private static final int PART_KB = 2048;
    // A worker reports what it has selected when it is so much, and in the largest object.
    private static final int SLACK_KB = 4 * 512 + 1024;
    private static final Pattern TRANSFER = Pattern.compile("Transfer: \\d+ objects, (\\d+)K to");

    public static void main(String[] args) throws Exception {
        for (Class<?> program : List.of(OneList.class, ManyRoots.class, Changed.class, Held.class)) {
            OutputAnalyzer output = run(program, "-XX:+UnlockDiagnosticVMOptions", "-XX:+VerifyH2",
                                        "-XX:H2TransferPartSize=" + PART_KB + "k");
            for (int size : sizes(output)) {
                assertTrue(size <= PART_KB + SLACK_KB, program + ": a part of " + size + "K");
            }
            assertTrue(sizes(output).size() >= 3, sizes(output).size() + " transfers");
            output.shouldContain("the rest moves with the next collections");
        }
        OutputAnalyzer output = run(LargeObject.class, "-XX:+UnlockDiagnosticVMOptions", "-XX:+VerifyH2",
                                    "-XX:H2TransferPartSize=" + PART_KB + "k");
        assertTrue(sizes(output).size() >= 2, "it moves alone");

        // Before an OutOfMemoryError all moves; and without a goal.
        assertTrue(sizes(run(LastResort.class, "-XX:+UnlockDiagnosticVMOptions", "-XX:H2TransferPartSize=64k"))
                   .stream().anyMatch(size -> size > 40 << 10), "the last resort moves a part only");
        assertEquals(sizes(run(OneList.class)).size(), 1, "transfers without a goal");

        run(OneList.class, "-XX:H2TransferMillis=1");
        run(ManyRoots.class, "-XX:MaxGCPauseMillis=5", "-XX:ParallelGCThreads=1");
    }

    private static List<Integer> sizes(OutputAnalyzer output) {
        List<Integer> sizes = new ArrayList<>();
        Matcher matcher = TRANSFER.matcher(output.getStdout());
        while (matcher.find()) {
            sizes.add(Integer.valueOf(matcher.group(1)));
        }
        return sizes;
    }

    private static OutputAnalyzer run(Class<?> program, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of("-Xmx192m", "-XX:AllocateH2At=.", "-XX:H2Size=256m",
                                                       "-XX:H2RegionSize=2m", "-XX:ParallelGCThreads=4",
                                                       "-Xlog:gc+h2=debug"));
        command.addAll(List.of(options));
        command.add(program.getName());
        OutputAnalyzer output =
            ProcessTools.executeProcess(ProcessTools.createLimitedTestJavaProcessBuilder(command));
        output.reportDiagnosticSummary();
        output.shouldHaveExitValue(0);
        output.shouldContain("the end");
        return output;
    }

    static class Node {
        Node next;
        final long value;
        final long[] numbers = new long[2];

        Node(long value, Node next) {
            this.value = value;
            this.next = next;
            numbers[1] = ~value;
        }
    }

    private static Node list(int length) {
        Node first = null;
        for (int i = length - 1; i >= 0; i--) {
            first = new Node(i, first);
        }
        return first;
    }

    private static int inH2(Node first) {
        int count = 0;
        long value = 0;
        for (Node node = first; node != null; node = node.next) {
            assertTrue(node.value == value++ && node.numbers[1] == ~node.value, "a wrong node");
            count += SecondHeap.state(node) == State.IN_H2 && SecondHeap.state(node.numbers) == State.IN_H2 ? 1 : 0;
        }
        return count;
    }

    /** The root moves with the first part; only slots of H2 lead to the rest. */
    static class OneList {
        public static void main(String[] args) {
            int length = 200_000;
            Node first = list(length);
            SecondHeap.tagRoot(first, 1);
            SecondHeap.move(1);
            SecondHeap.transfer();
            assertEquals(inH2(first), length, "nodes in H2");
            long moved = SecondHeap.statistics().getMovedBytes();
            System.gc();
            assertEquals(SecondHeap.statistics().getMovedBytes(), moved, "bytes moved after all has");
            System.out.println("the end");
        }
    }

    static class ManyRoots {
        public static void main(String[] args) {
            Tree[] trees = new Tree[60];
            for (int i = 0; i < trees.length; i++) {
                trees[i] = Tree.make(1000, i);
                SecondHeap.tagRoot(trees[i], i % 7);
                SecondHeap.move(i % 7);
            }
            SecondHeap.transfer();
            for (int i = 0; i < trees.length; i++) {
                trees[i].check(1000, i);
                assertInH2(trees[i], "a root");
                assertInH2(trees[i].left.right, "a node");
            }
            System.out.println("the end");
        }
    }

    /** Between the parts, the program changes what has moved and what has not. */
    static class Changed {
        public static void main(String[] args) {
            int length = 200_000;
            Node first = list(length);
            SecondHeap.tagRoot(first, 1);
            SecondHeap.move(1);
            System.gc();
            int before = inH2(first);
            assertTrue(before > 0 && before < length, before + " nodes have moved");
            // Half of the nodes are replaced.
            for (Node node = first; node != null && node.next != null; node = node.next) {
                if (node.value % 2 == 0) {
                    node.next = new Node(node.value + 1, node.next.next);
                }
            }
            minorGC();
            SecondHeap.transfer();
            assertEquals(inH2(first), length, "nodes in H2");
            System.out.println("the end");
        }
    }

    static class Held {
        public static void main(String[] args) {
            int length = 300_000;
            Node first = list(length);
            SecondHeap.tagRoot(first, 1);
            SecondHeap.move(1);
            System.gc();
            System.gc();
            int moved = inH2(first);
            assertTrue(moved > 0 && moved < length, moved + " nodes have moved");
            SecondHeap.hold(1);
            System.gc();
            System.gc();
            assertEquals(inH2(first), moved, "nodes in H2 after the label is held");
            Object[] root = { first };
            SecondHeap.tagRoot(root, 2);
            SecondHeap.move(2);
            SecondHeap.transfer();
            assertInH2(root, "another root");
            assertTrue(inH2(first) >= moved, "nodes came back");
            System.out.println("the end");
        }
    }

    static class LargeObject {
        public static void main(String[] args) {
            Object[] root = { new byte[1000], new long[2 << 20], new byte[1000] };
            SecondHeap.tagRoot(root, 1);
            SecondHeap.move(1);
            SecondHeap.transfer();
            assertInH2(root, "the root");
            assertInH2(root[1], "a large array");
            System.out.println("the end");
        }
    }

    /** Fills H1, then needs room at once. */
    static class LastResort {
        public static void main(String[] args) {
            byte[][] much = new byte[90][];
            for (int i = 0; i < much.length; i++) {
                much[i] = new byte[1 << 20];
            }
            SecondHeap.tagRoot(much, 1);
            SecondHeap.move(1);
            byte[] large = new byte[100 << 20];
            System.out.println("the end, " + large.length + much.length);
        }
    }
}
