// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.transfer;

/*
 * @test TestRemainders
 * @summary What a part of a transfer has left in H1 moves later, also if its label was held meanwhile, if other collections run
 *          between the parts, and if the part ended in a last resort. Tiny parts move one object each
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @run driver gc.terrace.h2.transfer.TestRemainders
 */

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

import jdk.test.lib.process.OutputAnalyzer;
import gc.terrace.h2.Child;
import org.terrace.SecondHeap;
import org.terrace.SecondHeap.State;

import static gc.terrace.h2.H2Test.*;

public class TestRemainders {

    private static final String HELD = "held, and all is dead";

    public static void main(String[] args) throws Exception {
        run(HeldForAWhile.class, "-XX:H2TransferPartSize=2m");
        run(FirstUnderPressure.class, "-XX:H2TransferPartSize=1m", "-XX:H2HighThreshold=1", "-XX:H2LowThreshold=0", "-XX:-H2MoveUnhinted");
        String text = run(HeldUntilDead.class, "-XX:H2TransferPartSize=2m", "-Xlog:gc+phases=debug").getStdout();
        String after = text.substring(text.indexOf(HELD));
        assertTrue(after.contains("Compaction Phase") && !after.contains("H2 Transfer"), "a label without objects has a remainder");

        run(BehindGrown.class, "-XX:H2TransferPartSize=1m", "-XX:H2HighThreshold=10", "-XX:H2LowThreshold=0", "-XX:-H2MoveUnhinted");
        run(BehindTagged.class, "-XX:H2TransferPartSize=1m", "-XX:H2HighThreshold=10", "-XX:H2LowThreshold=0", "-XX:-H2MoveUnhinted");
        run(BehindUnhinted.class, "-XX:H2TransferPartSize=1m", "-XX:H2HighThreshold=10", "-XX:H2LowThreshold=0");
        run(AfterLastResort.class, "-XX:H2TransferPartSize=1m", "-XX:H2Size=16m", "-XX:H2HighThreshold=100",
            "-XX:-H2MoveUnhinted");

        // A collection for metaspace follows each few loaded classes.
        run(AmongOthers.class, "-XX:H2TransferPartSize=256k", "-XX:MetaspaceSize=4m", "-XX:MinMetaspaceFreeRatio=0",
            "-XX:MaxMetaspaceFreeRatio=1", "-XX:MinMetaspaceExpansion=64k", "-XX:MaxMetaspaceExpansion=64k", "-Xlog:gc+h2=off");

        for (int bytes : new int[] { 1, 7, 8 }) {
            run(ObjectByObject.class, "-XX:H2TransferPartSize=" + bytes).shouldMatch("Transfer: 1 objects, .*(?s:.*)Transfer: 1 objects");
        }
    }

    // One worker takes objects in a fixed order, and objects keep the order in which they were allocated.
    private static OutputAnalyzer run(Class<?> program, String... options) throws Exception {
        return Child.run(program, List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+VerifyH2", "-Xmx192m", "-XX:AllocateH2At=.",
                                          "-XX:H2Size=256m", "-XX:H2RegionSize=2m", "-XX:ParallelGCThreads=1",
                                          "-XX:-ScavengeBeforeFullGC", "-Xlog:gc+h2=debug"), options);
    }

    static class Link {
        Link next;
        long number;
        long unused;
    }

    private static final int LINK_BYTES = 32;

    /** Returns the first link of a list. The links lie one behind the other in memory. */
    private static Link list(int bytes) {
        Link first = new Link();
        Link last = first;
        for (int i = 1; i < bytes / LINK_BYTES; i++) {
            last.next = new Link();
            last = last.next;
            last.number = i;
        }
        return first;
    }

    /** Returns how many bytes of the list are in H2. */
    private static int inH2(Link first) {
        int links = 0;
        long number = 0;
        for (Link link = first; link != null; link = link.next) {
            assertEquals(link.number, number++, "a link");
            links += SecondHeap.state(link) == State.IN_H2 ? 1 : 0;
        }
        return links * LINK_BYTES;
    }

    static class HeldForAWhile {
        public static void main(String[] args) {
            int bytes = 10 << 20;
            Link first = list(bytes);
            SecondHeap.tagRoot(first, 1);
            SecondHeap.move(1);
            System.gc();
            int moved = inH2(first);
            assertTrue(moved > 0 && moved < bytes, moved + " bytes have moved");
            SecondHeap.hold(1);
            System.gc();
            assertEquals(inH2(first), moved, "bytes in H2 after the label is held");
            SecondHeap.move(1);
            SecondHeap.transfer();
            assertEquals(inH2(first), bytes, "bytes in H2");
            System.out.println("the end");
        }
    }

    /** A part moves although the label is not scheduled. It is scheduled later. */
    static class FirstUnderPressure {
        public static void main(String[] args) {
            int bytes = 10 << 20;
            Link first = list(bytes);
            SecondHeap.tagRoot(first, 1);
            System.gc();
            int moved = inH2(first);
            assertTrue(moved > 0 && moved < bytes, moved + " bytes have moved");
            SecondHeap.move(1);
            SecondHeap.transfer();
            assertEquals(inH2(first), bytes, "bytes in H2");
            System.out.println("the end");
        }
    }

    static class HeldUntilDead {
        public static void main(String[] args) {
            Link first = list(10 << 20);
            SecondHeap.tagRoot(first, 1);
            SecondHeap.move(1);
            System.gc();
            assertInH2(first, "the first link");
            SecondHeap.hold(1);
            first = null;
            System.gc();
            SecondHeap.move(1);
            System.out.println(HELD);
            System.gc();
            System.out.println("the end");
        }
    }

    // Fills three fifths of a part. The array does not fit beside it, and waits for the next one, in which the list fits only
    // partly. Meanwhile the list may also move for another reason.
    private static void transferBehind(Link first, int bytes) {
        byte[] moreThanTheThreshold = new byte[30 << 20];
        long[] large = new long[80_000];
        Object[] root = new Object[160_000];
        root[0] = first;
        SecondHeap.tagRoot(large, 1);
        SecondHeap.tagRoot(root, 2);
        SecondHeap.move(1);
        SecondHeap.move(2);
        SecondHeap.transfer();
        assertInH2(root, "the root");
        assertEquals(inH2(first), bytes, "bytes in H2");
        System.out.println("the end, " + moreThanTheThreshold.length);
    }

    /** A structure in H2 refers to the list, too. */
    static class BehindGrown {
        public static void main(String[] args) {
            Object[] other = moveToH2(new Object[1]);
            int bytes = 6 << 20;
            Link first = list(bytes);
            other[0] = first;
            transferBehind(first, bytes);
        }
    }

    /** The list has a tag of its own, which is not scheduled. */
    static class BehindTagged {
        public static void main(String[] args) {
            int bytes = 6 << 20;
            Link first = list(bytes);
            SecondHeap.tagRoot(first, 3);
            transferBehind(first, bytes);
        }
    }

    /** The list is old, and the program does not write it. */
    static class BehindUnhinted {
        public static void main(String[] args) {
            int bytes = 6 << 20;
            Link first = list(bytes);
            for (int i = 0; i < 3; i++) {
                System.gc();
            }
            assertInH1(first, "the first link before there is a reason to move it");
            transferBehind(first, bytes);
        }
    }

    /** The links of two lists lie between each other, and the last resort moves both, but has room for one and a half. */
    static class AfterLastResort {
        public static void main(String[] args) {
            int bytes = 6 << 20;
            Link first = new Link();
            Link second = new Link();
            Link a = first;
            Link b = second;
            for (int i = 1; i < bytes / LINK_BYTES; i++) {
                a.next = new Link();
                b.next = new Link();
                a = a.next;
                b = b.next;
                a.number = b.number = i;
            }
            SecondHeap.tagRoot(second, 2);
            SecondHeap.move(2);
            System.gc();
            SecondHeap.tagRoot(first, 1);
            SecondHeap.move(1);
            byte[][] much = new byte[80][1 << 20];
            try {
                byte[] large = new byte[100 << 20];
                throw new AssertionError(large.length + " bytes beside " + much.length + " MB");
            } catch (OutOfMemoryError e) {
                System.out.println("as it should: " + e);
            }
            int moved = inH2(second);
            assertTrue(moved > 0 && moved < bytes, moved + " bytes of the second list have moved");
            SecondHeap.transfer();
            assertEquals(inH2(first), bytes, "bytes of the first list in H2");
            assertEquals(inH2(second), bytes, "bytes of the second list in H2");
            System.out.println("the end");
        }
    }

    /** Other threads load classes, which causes collections. */
    static class AmongOthers {
        private static final int THREADS = 3;
        private static volatile boolean ended;

        public static class Loaded {
        }

        static class Loader extends ClassLoader {
            Class<?> load(byte[] code) {
                return defineClass(Loaded.class.getName(), code, 0, code.length);
            }
        }

        public static void main(String[] args) throws Exception {
            byte[] code = code();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Thread thread = new Thread(() -> {
                    List<Class<?>> classes = new ArrayList<>();
                    while (!ended) {
                        classes.add(new Loader().load(code));
                        if (classes.size() == 1000) {
                            classes.clear();
                        }
                    }
                });
                thread.setDaemon(true);
                thread.start();
                threads.add(thread);
            }
            for (int i = 1; i <= 10; i++) {
                int bytes = 4 << 20;
                Link first = list(bytes);
                SecondHeap.tagRoot(first, i);
                SecondHeap.move(i);
                SecondHeap.transfer();
                assertEquals(inH2(first), bytes, "bytes in H2 of list " + i);
            }
            ended = true;
            for (Thread thread : threads) {
                thread.join();
            }
            System.out.println("the end");
        }

        private static byte[] code() {
            try (InputStream in = Loaded.class.getResourceAsStream("TestRemainders$AmongOthers$Loaded.class")) {
                return in.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    static class ObjectByObject {
        public static void main(String[] args) {
            Object[] root = { new byte[1000], new long[100], new byte[10] };
            SecondHeap.tagRoot(root, 1);
            SecondHeap.move(1);
            SecondHeap.transfer();
            assertInH2(root, "the root");
            for (Object o : root) {
                assertInH2(o, "an array");
            }
            System.out.println("the end");
        }
    }
}
