// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.far;

/*
 * @test TestLargeArrays
 * @summary Pages of humongous arrays of references are marked from summaries. Stores between and during cycles are seen, and
 *          summaries of arrays that are reclaimed, or that a full collection has marked, are not used
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=300 gc.terrace.far.TestLargeArrays
 */

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.management.ObjectName;
import jdk.test.lib.Platform;
import jdk.test.lib.process.OutputAnalyzer;

public class TestLargeArrays {

    private static final Pattern SUMMARIZED = Pattern.compile("Marking from summaries: (\\d+) of (\\d+) pages");
    private static final Pattern REBUILD = Pattern.compile("Rebuild: prefetched (\\d+) pages");
    private static final int PAGES = Program.ARRAYS * (Program.LENGTH * 4 / 4096);

    public static final class Program {
        static final int ARRAYS = 3;
        static final int LENGTH = 2_100_000;
        static final int NODES = 4096;
        static final int QUIET = 6;
        static final int WRITING = 6;
        static final int STRIDE = 5003;
        static volatile boolean stop;

        static final class Node {
            final int id;
            final byte[] data = new byte[200];

            Node(int id) {
                this.id = id;
            }
        }

        private static Object[] array(Node[] nodes, int seed) {
            Object[] array = new Object[LENGTH];
            for (int i = 0; i < LENGTH; i++) {
                array[i] = nodes[node(i, seed)];
            }
            return array;
        }

        private static int node(int i, int seed) {
            return (int) ((i * 31L + seed) % NODES);
        }

        private static void check(Object[] array, Node[] nodes, int seed) {
            for (int i = 0; i < LENGTH; i++) {
                Object value = array[i];
                boolean isRight = value instanceof Object[] ? (Integer) ((Object[]) ((Object[]) value)[0])[0] == i
                                                             : value == nodes[node(i, seed)] && ((Node) value).id == node(i, seed);
                if (!isRight) {
                    throw new AssertionError("element " + i + " of the array " + seed);
                }
            }
        }

        /** Swaps elements of different pages. */
        private static void swap(Object[] array) {
            SplittableRandom random = new SplittableRandom(1);
            while (!stop) {
                int i = random.nextInt(LENGTH);
                int j = random.nextInt(LENGTH);
                Object value = array[i];
                array[i] = array[j];
                array[j] = value;
            }
        }

        static void collectFully() throws Exception {
            ManagementFactory.getPlatformMBeanServer().invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
                new Object[] { new String[0] }, new String[] { String[].class.getName() });
        }

        public static void main(String[] arguments) throws Exception {
            Node[] nodes = new Node[NODES];
            for (int i = 0; i < NODES; i++) {
                nodes[i] = new Node(i);
            }
            Object[][] arrays = new Object[ARRAYS][];
            for (int i = 0; i < ARRAYS; i++) {
                arrays[i] = array(nodes, i);
            }
            for (int i = 0; i < QUIET; i++) {
                System.gc();
            }
            System.out.println("WRITING");
            for (int round = 0; round < WRITING; round++) {
                for (int i = round; i < LENGTH; i += STRIDE) {
                    // Only this element refers to the new arrays.
                    arrays[round % ARRAYS][i] = new Object[] { new Object[] { i } };
                }
                System.gc();
            }
            System.gc();
            for (int i = 0; i < ARRAYS; i++) {
                check(arrays[i], nodes, i);
            }

            // Another array takes the regions of one that is reclaimed.
            for (int round = 0; round < WRITING; round++) {
                int i = round % ARRAYS;
                arrays[i] = null;
                System.gc();
                Node[] others = new Node[NODES];
                for (int k = 0; k < NODES; k++) {
                    others[k] = new Node(k);
                }
                arrays[i] = array(others, i);
                System.gc();
                if (round % 2 == 1) {
                    collectFully();
                }
                System.gc();
                check(arrays[i], others, i);
            }

            // Each element refers to an object of its own. The elements change their places while cycles run.
            Object[] moving = new Object[LENGTH];
            for (int i = 0; i < LENGTH; i += 20) {
                moving[i] = new Integer[] { i };
            }
            Thread[] threads = { new Thread(() -> swap(moving)) };
            threads[0].start();
            for (int i = 0; i < WRITING; i++) {
                System.gc();
            }
            stop = true;
            threads[0].join();
            boolean[] found = new boolean[LENGTH];
            for (Object value : moving) {
                if (value != null) {
                    found[((Integer[]) value)[0]] = true;
                }
            }
            for (int i = 0; i < LENGTH; i += 20) {
                if (!found[i]) {
                    throw new AssertionError("the object " + i + " is lost");
                }
            }
        }
    }

    private static OutputAnalyzer run(String... more) throws Exception {
        List<String> flags = Far.tortured(1, "-Xmx256m", "-Xms256m", "-XX:G1HeapRegionSize=1m", "-XX:ConcGCThreads=2",
                                          "-XX:MaxTenuringThreshold=0", "-XX:-CreateCoredumpOnCrash");
        flags.addAll(List.of(more));
        return Far.run(flags, Program.class.getName());
    }

    private static List<Long> numbers(Pattern pattern, String text) {
        List<Long> numbers = new ArrayList<>();
        Matcher found = pattern.matcher(text);
        while (found.find()) {
            numbers.add(Long.parseLong(found.group(1)));
        }
        return numbers;
    }

    public static void main(String[] arguments) throws Exception {
        OutputAnalyzer output = run();
        output.shouldHaveExitValue(0);
        output.shouldMatch("Verified: [1-9][0-9]* objects are reachable, 0 of them not marked");
        String quiet = output.getStdout().substring(0, output.getStdout().indexOf("WRITING"));
        List<Long> summarized = numbers(SUMMARIZED, quiet);
        List<Long> rebuild = numbers(REBUILD, quiet);
        System.out.println(PAGES + " pages; marked from summaries " + summarized + ", prefetched by the rebuild " + rebuild);
        // Torture treats no page as absent in one epoch of four, so any of the cycles may find fewer pages.
        Far.check(summarized.stream().anyMatch(pages -> pages > PAGES * 95 / 100), "%s of %d pages were marked from summaries",
                  summarized, PAGES);
        // The remaining pages belong to other objects. A number of 0 may be due to torture.
        Far.check(rebuild.stream().anyMatch(pages -> pages > 0 && pages < PAGES / 4), "the rebuild prefetched %s of %d pages",
                  rebuild, PAGES);
        if (Platform.isDebugBuild()) {
            output = run("-XX:+FarMemoryForgetWrites");
            output.shouldNotHaveExitValue(0);
            output.shouldMatch("concurrent marking missed [1-9][0-9]* of [1-9][0-9]* reachable objects");
        }
    }
}
