// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2;

/*
 * @test TestWorkerBalance
 * @summary Workers share what a collection does in H2: regions that marking comes upon late, when others have been without
 *          work for long, and the regions that one array fills
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @run driver gc.terrace.h2.TestWorkerBalance 2
 * @run driver gc.terrace.h2.TestWorkerBalance 8
 */

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jdk.test.lib.process.OutputAnalyzer;

import static gc.terrace.h2.H2Test.*;

public class TestWorkerBalance {

    // Some tenths of a second of work: enough for a worker that has to wait for a processor.
    private static final int CHAINS = 1024;
    private static final int NODES_PER_CHAIN = 4096;
    private static final int NODES_BEFORE = 500_000;
    private static final int ELEMENTS = 24 << 20;
    private static final int ELEMENTS_PER_CARD = 128;
    private static final int COLLECTIONS = 4;
    // Cards, or words.
    private static final long MIN_WORK = 100_000;

    // On a busy machine a worker may have to wait for a processor until another has done all.
    private static final int ATTEMPTS = 4;
    private static final String[] DEEP = {"-XX:+UnlockDiagnosticVMOptions", "-XX:H2DeepMarkingInterval=1"};

    public static void main(String[] args) throws Exception {
        int workers = Integer.parseInt(args[0]);
        checkShared(workers, LateWork.class, List.of("Mark from regions", "Adjust cards"));
        checkShared(workers, LateWork.class, List.of("Mark through H2"), DEEP);
        checkShared(workers, LargeArray.class, List.of("Scan cards", "Mark from regions", "Adjust cards"));
        checkShared(workers, LargeArray.class, List.of("Mark through H2"), DEEP);
    }

    /** Workers share each of the phases in one collection at least. */
    private static void checkShared(int workers, Class<?> program, List<String> phases, String... options) throws Exception {
        List<String> unshared = new ArrayList<>(phases);
        for (int i = 0; i < ATTEMPTS && !unshared.isEmpty(); i++) {
            OutputAnalyzer output = run(program, workers, options);
            unshared.removeIf(phase -> isShared(phase, workers, output));
        }
        assertTrue(unshared.isEmpty(), "one worker has done nearly all of these: " + unshared);
    }

    private static boolean isShared(String phase, int workers, OutputAnalyzer output) {
        Matcher line = Pattern.compile(phase + ": (\\d+) workers, \\w+ least (\\d+), mean (\\d+), most (\\d+)")
                              .matcher(output.getStdout());
        int collections = 0;
        boolean isShared = false;
        while (line.find()) {
            assertEquals(Integer.parseInt(line.group(1)), workers, "workers of " + phase);
            long total = Long.parseLong(line.group(3)) * workers;
            if (total >= MIN_WORK) {
                System.out.println(line.group());
                collections++;
                isShared = isShared || Long.parseLong(line.group(4)) <= total / 100 * 90;
            }
        }
        assertTrue(collections > 0, "no line of " + phase + " with at least " + MIN_WORK);
        return isShared;
    }

    private static OutputAnalyzer run(Class<?> program, int workers, String... options) throws Exception {
        return Child.run(program, List.of("-Xmx400m", "-Xmn48m", "-XX:AllocateH2At=.", "-XX:H2Size=512m", "-XX:H2RegionSize=4m",
                                          "-XX:ParallelGCThreads=" + workers, "-XX:-UseDynamicNumberOfGCThreads",
                                          "-Xlog:gc+h2=debug"), options);
    }

    static class Node {
        Node next;
        Object inH1;
        long value;
    }

    /** A list through some regions, at whose end references go to many. */
    static class LateWork {
        static Object root;

        public static void main(String[] args) {
            // References stay in H1. One for all, so that marking finds nothing new there.
            Object inH1 = new WeakReference<>(new Object());
            Node[] chains = new Node[CHAINS];
            for (int i = 0; i < CHAINS; i++) {
                chains[i] = list(NODES_PER_CHAIN, inH1);
            }
            Node last = new Node();
            last.inH1 = chains;
            Node first = list(NODES_BEFORE, null);
            Node node = first;
            while (node.next != null) {
                node = node.next;
            }
            node.next = last;
            root = moveToH2(first);
            assertInH2(chains[CHAINS - 1], "a chain");
            assertInH1(inH1, "a reference");
            chains = null;
            first = node = last = null;
            for (int i = 0; i < COLLECTIONS; i++) {
                System.gc();
            }
            System.out.println("the end");
        }

        private static Node list(int length, Object inH1) {
            Node first = null;
            for (int i = 0; i < length; i++) {
                Node node = new Node();
                node.next = first;
                node.inH1 = inH1;
                first = node;
            }
            return first;
        }
    }

    /** An array that fills many regions. */
    static class LargeArray {
        static Object[] array;

        public static void main(String[] args) {
            array = new Object[ELEMENTS];
            Object inH1 = new WeakReference<>(new Object());
            Object beside = new Object();
            for (int i = 0; i < ELEMENTS; i += 2) {
                array[i] = inH1;
                array[i + 1] = beside;
            }
            moveToH2(array);
            assertInH2(beside, "an element");
            assertInH1(inH1, "a reference");
            for (int i = 0; i < COLLECTIONS; i++) {
                for (int j = 0; j < ELEMENTS; j += ELEMENTS_PER_CARD) {
                    array[j] = inH1;
                }
                minorGC();
                System.gc();
            }
            for (int i = 0; i < ELEMENTS; i += 2) {
                assertTrue(array[i] == inH1 && array[i + 1] == beside, "element " + i);
            }
            System.out.println("the end");
        }
    }
}
