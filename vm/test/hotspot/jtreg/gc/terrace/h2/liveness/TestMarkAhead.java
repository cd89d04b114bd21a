// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.liveness;

/*
 * @test TestMarkAhead
 * @summary With H2MarkAhead the pause that marks through H2 scans few of the objects that were marked concurrently, misses no
 *          reference that the program has written meanwhile, and garbage is reclaimed eventually
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management jdk.management
 * @run driver gc.terrace.h2.liveness.TestMarkAhead
 */

import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.ObjectName;

import jdk.test.lib.process.OutputAnalyzer;
import gc.terrace.h2.Child;
import gc.terrace.h2.Tree;
import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

public class TestMarkAhead {

    private static final int NODES = 1_000_000;

    public static void main(String[] args) throws Exception {
        String[][] more = {
            { },
            { "-XX:ParallelGCThreads=4", "-XX:+H2UnionFind", "-XX:-UseCompressedOops" },
            { "-XX:ParallelGCThreads=1", "-Xint" }
        };
        for (String[] options : more) {
            checkWork(run(Written.class, options));
            run(Garbage.class, options);
        }
    }

    // Checks the last marking that began ahead of its pause, and the last one that did not.
    private static void checkWork(OutputAnalyzer output) {
        List<String> lines = output.asLines();
        int ahead = -1;
        int whole = -1;
        for (int i = 0; i + 1 < lines.size(); i++) {
            if (lines.get(i).contains("Marked through H2: ")) {
                if (lines.get(i + 1).contains("Marked concurrently before it: ")) {
                    ahead = i;
                } else {
                    whole = i;
                }
            }
        }
        assertTrue(ahead >= 0, "no marking through H2 began ahead");
        assertTrue(whole >= 0, "each marking through H2 began ahead");
        assertTrue(number("scanned (\\d+) objects", lines.get(whole)) >= NODES, "not all reachable objects were scanned");
        assertTrue(number("Marked concurrently before it: (\\d+) objects", lines.get(ahead + 1)) >= NODES, "too little was marked ahead");
        long inPause = number("scanned (\\d+) objects", lines.get(ahead)) +
                       number("scanned (\\d+) of them again", lines.get(ahead + 1));
        assertTrue(inPause <= NODES / 10, "the pause has visited " + inPause + " of " + NODES + " objects");
    }

    private static long number(String pattern, String line) {
        Matcher matcher = Pattern.compile(pattern).matcher(line);
        assertTrue(matcher.find(), "no " + pattern + " in " + line);
        return Long.parseLong(matcher.group(1));
    }

    private static OutputAnalyzer run(Class<?> program, String... options) throws Exception {
        return Child.run(program, List.of("-Xmx256m", "-XX:AllocateH2At=.", "-XX:H2Size=512m", "-XX:H2RegionSize=2m",
                                          "-XX:+UnlockDiagnosticVMOptions", "-XX:+VerifyH2", "-XX:H2DeepMarkingInterval=2",
                                          "-XX:+UnlockExperimentalVMOptions", "-XX:+H2MarkAhead", "-Xlog:gc+h2=debug"), options);
    }

    // Used by the programs in the child VMs.

    private static final Pattern REPORT = Pattern.compile("that began concurrently: (\\d+); (\\d+) objects marked by that(.*)");

    private static Matcher report() {
        try {
            String text = (String) ManagementFactory.getPlatformMBeanServer().invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"), "terraceH2", new Object[] { new String[0] },
                new String[] { String[].class.getName() });
            Matcher matcher = REPORT.matcher(text);
            assertTrue(matcher.find(), "no line on markings ahead in " + text);
            return matcher;
        } catch (Exception e) {
            throw new RuntimeException(e);
        }
    }

    private static long markingsAhead() {
        return Long.parseLong(report().group(1));
    }

    private static long followedAhead() {
        return Long.parseLong(report().group(2));
    }

    private static boolean isMarking() {
        return !report().group(3).isEmpty();
    }

    private static long deepMarkings() {
        return SecondHeap.statistics().getDeepMarkings();
    }

    private static void markThrough() {
        long before = deepMarkings();
        while (deepMarkings() == before) {
            majorGC();
        }
    }

    // Calls change while objects are marked ahead of a collection, which follows. Some
    // collections deliberately mark without this phase.
    private static void aheadOf(Runnable change) throws InterruptedException {
        long before = markingsAhead();
        boolean hasBegun = false;
        for (int i = 0; i < 10 && !hasBegun; i++) {
            markThrough();
            before = markingsAhead();
            long followed = followedAhead();
            majorGC();
            hasBegun = isMarking() || followedAhead() > followed;
            if (hasBegun) {
                change.run();
                waitFor(() -> !isMarking());
                minorGC(2);
            }
            majorGC();
        }
        assertTrue(hasBegun && markingsAhead() == before + 1, "no marking through H2 began ahead");
    }

    static final class Node {
        Node next;
        Object extra;
    }

    /**
     * A list that is long for the marking thread. Objects at its end, which the thread has not reached, move to nodes at its
     * beginning, which it has followed. Nothing in H1 refers to the end, because the thread would begin there.
     */
    static final class Written {
        private static final int MOVES = 64;
        private static Node first;

        public static void main(String[] args) throws Exception {
            requireH2();
            make();
            aheadOf(() -> { });                 // for the check of the work
            for (int round = 0; round < 3; round++) {
                prepare(round);
                aheadOf(Written::moveAll);
                check(round);
            }
            aheadOf(() -> { });
            int length = 0;
            for (Node node = first; node != null; node = node.next) {
                length++;
            }
            assertEquals(length, NODES, "nodes");
            System.out.println("the end");
        }

        private static void make() {
            Node node = null;
            for (int i = 0; i < NODES; i++) {
                Node before = new Node();
                before.next = node;
                node = before;
            }
            first = node;
            moveToH2(first, 1);
        }

        private static Node[] nodesFrom(int index) {
            Node[] nodes = new Node[MOVES];
            Node node = first;
            for (int i = 0; i < index + MOVES; i++) {
                if (i >= index) {
                    nodes[i - index] = node;
                }
                node = node.next;
            }
            return nodes;
        }

        private static void prepare(int round) {
            Node[] begin = nodesFrom(0);
            Node[] end = nodesFrom(NODES - MOVES);
            for (int i = 0; i < MOVES; i++) {
                end[i].extra = new Object[] { i, new int[] { i + round } };
                begin[i].extra = null;
                SecondHeap.tagRoot(end[i].extra, 2);
            }
            SecondHeap.move(2);
            SecondHeap.transfer();
            assertInH2(end[MOVES - 1].extra, "the last object");
        }

        private static void moveAll() {
            Node[] begin = nodesFrom(0);
            Node[] end = nodesFrom(NODES - MOVES);
            for (int i = 0; i < MOVES; i++) {
                begin[i].extra = end[i].extra;
                end[i].extra = null;
            }
        }

        private static void check(int round) {
            Node[] begin = nodesFrom(0);
            for (int i = 0; i < MOVES; i++) {
                Object[] moved = (Object[]) begin[i].extra;
                assertEquals(moved[0], i, "an object that has moved");
                assertEquals(((int[]) moved[1])[0], i + round, "what an object refers to that has moved");
            }
        }
    }

    /** Weakly reachable objects, cycles through H1 and class loaders. */
    static final class Garbage {
        private static Object[] group;

        public static void main(String[] args) throws Exception {
            requireH2();
            group = moveToH2(new Object[] { Tree.make(200, 1), new Object[1], ofItsOwnLoader() });
            Object[] cycle = (Object[]) group[1];
            cycle[0] = new Object[] { cycle };          // stays in H1
            WeakReference<Object> loader = new WeakReference<>(group[2].getClass().getClassLoader());
            WeakReference<Object> inH2 = new WeakReference<>(cycle);
            WeakReference<Object> inH1 = new WeakReference<>(cycle[0]);
            cycle = null;
            aheadOf(() -> { });
            assertTrue(loader.get() != null && group[2].toString().equals("a proxy"), "the loader of a reachable object");
            assertTrue(inH2.get() != null && inH1.get() != null, "a cycle");
            aheadOf(() -> {
                group[1] = null;
                group[2] = null;
            });
            for (int i = 0; i < 10 && (loader.get() != null || inH2.get() != null || inH1.get() != null); i++) {
                minorGC();
                markThrough();
            }
            majorGC();
            assertTrue(loader.get() == null, "garbage in H2 keeps a class loader");
            assertTrue(inH2.get() == null, "garbage stays in H2");
            assertTrue(inH1.get() == null, "garbage in H2 keeps an object of H1");
            ((Tree) group[0]).check(200, 1);
            System.out.println("the end");
        }

        private static Object ofItsOwnLoader() {
            ClassLoader loader = new ClassLoader(TestMarkAhead.class.getClassLoader()) { };
            return Proxy.newProxyInstance(loader, new Class<?>[] { Comparable.class }, (proxy, method, args) -> "a proxy");
        }
    }
}
