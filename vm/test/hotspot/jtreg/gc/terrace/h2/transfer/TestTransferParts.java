// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.transfer;

/*
 * @test TestTransferParts
 * @summary If the pause has a goal, scheduled structures move in parts that do not exceed it. All of them move eventually, and
 *          structures that are no longer due do not
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @run driver gc.terrace.h2.transfer.TestTransferParts
 */

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jdk.test.lib.process.OutputAnalyzer;
import gc.terrace.h2.Child;
import gc.terrace.h2.Tree;
import org.terrace.SecondHeap;
import org.terrace.SecondHeap.State;

import static gc.terrace.h2.H2Test.*;

public class TestTransferParts {

    private static final int PART_KB = 2048;
    // The overshoot of a part: the amount that each worker selects before it reports, and the largest object.
    private static final int SLACK_KB = 4 * 512 + 1024;
    private static final String NOTHING = "nothing is left";
    private static final Pattern TRANSFER = Pattern.compile("Transfer: \\d+ objects, (\\d+)K to");

    public static void main(String[] args) throws Exception {
        for (Class<?> program : List.of(OneList.class, ManyRoots.class, Changed.class, Held.class)) {
            OutputAnalyzer output = run(program, "-XX:+UnlockDiagnosticVMOptions", "-XX:+VerifyH2",
                                        "-XX:H2TransferPartSize=" + PART_KB + "k");
            for (int size : sizes(output)) {
                assertTrue(size <= PART_KB + SLACK_KB, program + ": a part of " + size + "K");
            }
            assertTrue(sizes(output).size() >= 3, sizes(output).size() + " transfers");
            output.shouldContain("the remainder moves with the next collections");
        }
        OutputAnalyzer output = run(LargeObject.class, "-XX:+UnlockDiagnosticVMOptions", "-XX:+VerifyH2",
                                    "-XX:H2TransferPartSize=" + PART_KB + "k");
        assertTrue(sizes(output).size() >= 2, "it moves alone");

        run(Interleaved.class, "-XX:+UnlockDiagnosticVMOptions", "-XX:H2TransferPartSize=1m", "-XX:ParallelGCThreads=1",
            "-XX:-ScavengeBeforeFullGC");

        // Before an OutOfMemoryError all structures move at once, and so they do without a goal.
        assertTrue(sizes(run(LastResort.class, "-XX:+UnlockDiagnosticVMOptions", "-XX:H2TransferPartSize=64k"))
                   .stream().anyMatch(size -> size > 40 << 10), "the last resort moves a part only");
        assertEquals(sizes(run(OneList.class)).size(), 1, "transfers without a goal");

        // A part that does not fit obstructs no others, and does not prevent the last resort from ending.
        run(InPieces.class, "-XX:+UnlockDiagnosticVMOptions", "-XX:+VerifyH2", "-XX:H2TransferPartSize=1m", "-XX:H2Size=64m",
            "-XX:-H2MoveUnhinted").shouldContain("H2 transfer abandoned");
        run(AtTheEndsOfOthers.class, "-XX:+UnlockDiagnosticVMOptions", "-XX:+VerifyH2", "-XX:H2TransferPartSize=1m", "-XX:H2Size=16m");

        // Once nothing is due, collections run no transfer phase.
        String text = run(NothingLeft.class, "-XX:+UnlockDiagnosticVMOptions", "-XX:H2TransferPartSize=" + PART_KB + "k",
                          "-Xlog:gc+phases=debug").getStdout();
        String after = text.substring(text.indexOf(NOTHING));
        assertTrue(text.contains("H2 Transfer") && after.contains("Compaction Phase") && !after.contains("H2 Transfer"),
                   "a transfer without anything to move");

        // A collection that marks through H2 finds objects that were added later, too.
        run(WideObject.class, "-XX:+UnlockDiagnosticVMOptions", "-XX:H2DeepMarkingInterval=1", "-XX:H2HighThreshold=1",
            "-XX:H2LowThreshold=0", "-XX:-ScavengeBeforeFullGC");

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
        return Child.run(program, List.of("-Xmx192m", "-XX:AllocateH2At=.", "-XX:H2Size=256m",
                                          "-XX:H2RegionSize=2m", "-XX:ParallelGCThreads=4", "-Xlog:gc+h2=debug"), options);
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

    /** The root moves with the first part. Only references in H2 lead to the remaining objects. */
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

    /** Between the parts, the program changes objects that have moved and objects that have not. */
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

    /**
     * Two lists whose nodes lie between each other in memory. The second one runs backwards. So the part that completes one of
     * them begins with the other one in the same blocks, and ends there.
     */
    static class Interleaved {
        public static void main(String[] args) {
            // 1.75 parts. A link takes four words.
            int length = (int) (1.75 * (1 << 20) / 32);
            Link[] up = new Link[length];
            Link[] down = new Link[length];
            for (int i = 0; i < length; i++) {
                up[i] = new Link();
                down[i] = new Link();
            }
            for (int i = 1; i < length; i++) {
                up[i - 1].next = up[i];
                down[i].next = down[i - 1];
            }
            SecondHeap.tagRoot(up[0], 1);
            SecondHeap.tagRoot(down[length - 1], 2);
            SecondHeap.move(1);
            SecondHeap.move(2);
            SecondHeap.transfer();
            for (int i = 0; i < length; i++) {
                assertInH2(up[i], i + " of the list upwards");
                assertInH2(down[i], i + " of the list downwards");
            }
            System.out.println("the end");
        }
    }

    static class Link {
        Link next;
        long first;
        long second;
    }

    /** An instance that spans several cards. The write barrier marks the card of its header. */
    static class Wide {
        Object f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19;
        Object f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35, f36, f37, f38, f39;
        Object f40, f41, f42, f43, f44, f45, f46, f47, f48, f49, f50, f51, f52, f53, f54, f55, f56, f57, f58, f59;
        Object f60, f61, f62, f63, f64, f65, f66, f67, f68, f69, f70, f71, f72, f73, f74, f75, f76, f77, f78, f79;
        Object f80, f81, f82, f83, f84, f85, f86, f87, f88, f89, f90, f91, f92, f93, f94, f95, f96, f97, f98, f99;
        Object f100, f101, f102, f103, f104, f105, f106, f107, f108, f109, f110, f111, f112, f113, f114, f115, f116, f117, f118, f119;
        Object f120, f121, f122, f123, f124, f125, f126, f127, f128, f129, f130, f131, f132, f133, f134, f135, f136, f137, f138, f139;
        Object f140, f141, f142, f143, f144, f145, f146, f147, f148, f149, f150, f151, f152, f153, f154, f155, f156, f157, f158, f159;
        Object f160, f161, f162, f163, f164, f165, f166, f167, f168, f169, f170, f171, f172, f173, f174, f175, f176, f177, f178, f179;
        Object f180, f181, f182, f183, f184, f185, f186, f187, f188, f189, f190, f191, f192, f193, f194, f195, f196, f197, f198, f199;
    }

    static class WideObject {
        static final byte[] MORE_THAN_THE_THRESHOLD = new byte[8 << 20];

        public static void main(String[] args) {
            Wide wide = moveToH2(new Wide());
            wide.f199 = new byte[100_000];
            wide.f0 = new byte[10];
            System.gc();
            assertInH2(wide.f0, "what the first field refers to");
            assertInH2(wide.f199, "what the last field refers to");
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

    /** Fills H1, and then needs space at once. */
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

    /** A part of a structure needs three adjacent regions, and no two are free. */
    static class InPieces {
        public static void main(String[] args) {
            List<long[]> regions = new ArrayList<>();
            for (int i = 0; i < 31; i++) {
                regions.add(moveToH2(new long[200_000]));
            }
            for (int i = 1; i < regions.size(); i += 2) {
                regions.set(i, null);
            }
            majorGC();
            int length = 40_000;
            Node first = list(length);
            Object[] root = { first, new long[600_000] };
            SecondHeap.tagRoot(root, 1);
            SecondHeap.move(1);
            SecondHeap.transfer();
            assertInH2(root, "the root");
            assertEquals(inH2(first), length, "nodes in H2");
            assertInH1(root[1], "an array for three regions");

            Tree small = Tree.make(1000, 2);
            SecondHeap.tagRoot(small, 2);
            SecondHeap.move(2);
            SecondHeap.transfer();
            assertInH2(small, "a small tree after it");

            byte[][] much = new byte[60][1 << 20];
            try {
                byte[] large = new byte[100 << 20];
                throw new AssertionError(large.length + " bytes beside " + much.length + " MB");
            } catch (OutOfMemoryError e) {
                System.out.println("as it should: " + e);
            }
            regions.clear();
            System.gc();
            SecondHeap.transfer();
            assertInH2(root[1], "an array for three regions, with room");
            small.check(1000, 2);
            System.out.println("the end");
        }
    }

    /** A part finds no free region, so it goes to the ends of regions of other labels. */
    static class AtTheEndsOfOthers {
        public static void main(String[] args) {
            List<Object> others = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                others.add(moveToH2(new long[100]));
            }
            int length = 50_000;
            Node first = list(length);
            moveToH2(first);
            assertEquals(inH2(first), length, "nodes in H2");
            System.out.println("the end, " + others.size());
        }
    }

    /** The first part has moved, and dies with the remaining ones. */
    static class NothingLeft {
        public static void main(String[] args) {
            Node first = list(200_000);
            SecondHeap.tagRoot(first, 1);
            SecondHeap.move(1);
            System.gc();
            assertInH2(first, "the first node");
            first = null;
            System.gc();
            System.out.println(NOTHING);
            System.gc();
            System.out.println("the end");
        }
    }
}
