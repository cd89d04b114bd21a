// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.liveness;

/*
 * @test TestWorkerBalance
 * @summary Workers share the work of a collection in H2: regions that marking reaches late, when other workers have been idle
 *          for long, the regions of a large array, and the references of an array that moves
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @run driver gc.terrace.h2.liveness.TestWorkerBalance 2
 * @run driver gc.terrace.h2.liveness.TestWorkerBalance 8
 */

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static gc.terrace.h2.H2Test.*;

import gc.terrace.h2.Child;

public class TestWorkerBalance {

    private static final int CHAINS = 1024;
    private static final int NODES_PER_CHAIN = 4096;
    private static final int NODES_BEFORE = 500_000;
    private static final int ELEMENTS = 24 << 20;
    private static final int ELEMENTS_PER_CARD = 128;
    // The unit is cards, words or references.
    private static final long MIN_WORK = 100_000;

    // Arrays below the objects that H2 refers to. One dies before each collection, so that these objects move and cards are adjusted.
    private static final Deque<byte[]> BELOW = new ArrayDeque<>();

    private static final String[] DEEP = {"-XX:+UnlockDiagnosticVMOptions", "-XX:H2DeepMarkingInterval=1"};

    public static void main(String[] args) throws Exception {
        int workers = Integer.parseInt(args[0]);
        run(workers, LateWork.class, "Mark from regions,Adjust cards");
        run(workers, LateWork.class, "Mark through H2", DEEP);
        run(workers, LargeArray.class, "Scan cards,Mark from regions,Adjust cards");
        run(workers, LargeArray.class, "Mark through H2", DEEP);
        run(workers, MovingArray.class, "Select");
    }

    private static void run(int workers, Class<?> program, String phases, String... options) throws Exception {
        Child.run(program, List.of("-Xmx400m", "-Xmn48m", "-XX:AllocateH2At=.", "-XX:H2Size=512m", "-XX:H2RegionSize=4m",
                                   "-XX:ParallelGCThreads=" + workers, "-XX:-UseDynamicNumberOfGCThreads",
                                   "-Xlog:gc+h2=debug:file=workers-%p.log", "-Dphases=" + phases, "-Dworkers=" + workers), options);
    }

    private static void fillBelow() {
        for (int i = 0; i < 10_000; i++) {
            BELOW.add(new byte[8]);
        }
        System.gc();
    }

    /**
     * Collects until workers have shared each of the phases in some collection. On a busy machine, a worker often waits for a
     * processor until another one has done all of the work.
     */
    private static void collectUntilShared(Runnable collect) throws Exception {
        Path log = Path.of("workers-" + ProcessHandle.current().pid() + ".log");
        List<String> unshared = new ArrayList<>(List.of(System.getProperty("phases").split(",")));
        waitFor(() -> {
            BELOW.poll();
            collect.run();
            String text = read(log);
            unshared.removeIf(phase -> isShared(phase, text));
            return unshared.isEmpty();
        });
        assertTrue(unshared.isEmpty(), "no line of " + log + " says that workers shared much work of these phases: " + unshared);
    }

    private static boolean isShared(String phase, String log) {
        int workers = Integer.getInteger("workers");
        Matcher line = Pattern.compile(phase + ": (\\d+) workers, \\w+ least (\\d+), mean (\\d+), most (\\d+)").matcher(log);
        while (line.find()) {
            assertEquals(Integer.parseInt(line.group(1)), workers, "workers of " + phase);
            long total = Long.parseLong(line.group(3)) * workers;
            if (total >= MIN_WORK && Long.parseLong(line.group(4)) <= total / 100 * 90) {
                System.out.println(line.group());
                return true;
            }
        }
        return false;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static class Node {
        Node next;
        Object inH1;
        long value;
    }

    /** A list in some regions, whose end has references to many others. */
    static class LateWork {
        static Object root;

        public static void main(String[] args) throws Exception {
            fillBelow();
            // References stay in H1. There is only one, so that marking finds no new objects there.
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
            collectUntilShared(System::gc);
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

        public static void main(String[] args) throws Exception {
            fillBelow();
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
            collectUntilShared(() -> {
                for (int j = 0; j < ELEMENTS; j += ELEMENTS_PER_CARD) {
                    array[j] = inH1;
                }
                minorGC();
                System.gc();
            });
            for (int i = 0; i < ELEMENTS; i += 2) {
                assertTrue(array[i] == inH1 && array[i + 1] == beside, "element " + i);
            }
            System.out.println("the end");
        }
    }

    /** An array moves whose elements existed before. */
    static class MovingArray {

        public static void main(String[] args) throws Exception {
            Object inH1 = new WeakReference<>(new Object());
            collectUntilShared(() -> {
                Object[] array = new Object[ELEMENTS / 8];
                Arrays.fill(array, inH1);
                moveToH2(array);
                assertTrue(array[array.length - 1] == inH1, "the last element");
            });
            System.out.println("the end");
        }
    }
}
