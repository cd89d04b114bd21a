// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.liveness;

/*
 * @test TestTargetsStay
 * @summary Objects of H1 to which all of H2 refers stay in place when objects below them die, so that the reads of a major collection
 *          do not grow with H2. The dead space below them is bounded, and the heap can still be filled
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @run driver gc.terrace.h2.liveness.TestTargetsStay
 */

import java.util.ArrayList;
import java.util.List;

import gc.terrace.h2.Child;
import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

public class TestTargetsStay {

    private static final int ITEMS = 60_000;          // 1.7 MB

    /** An item. Each refers to the object that stays in H1 because a static field refers to it. */
    private static final class Item {
        final int number;
        final Object target;

        Item(int number, Object target) {
            this.number = number;
            this.target = target;
        }
    }

    private static Object single;
    private static byte[][] below;
    private static final List<Item[]> items = new ArrayList<>();

    public static void main(String[] args) throws Exception {
        run(Grows.class, "-XX:+VerifyH2", "-XX:+VerifyBeforeGC", "-XX:+VerifyAfterGC",
            "-XX:VerifySubSet=threads,heap,string_table,jni_handles,codecache_oops");
        run(Grows.class, "-XX:ParallelGCThreads=4", "-XX:-UseCompressedOops", "-XX:+VerifyH2");
        run(Bound.class, "-XX:+VerifyH2");
        run(Fills.class, "-XX:-H2MoveUnhinted", "-XX:+VerifyH2");
    }

    private static void run(Class<?> program, String... options) throws Exception {
        Child.run(program, List.of("-Xmx128m", "-Xmn32m", "-XX:AllocateH2At=.", "-XX:H2Size=256m", "-XX:H2RegionSize=2m",
                                   "-Xlog:gc+h2=debug", "-XX:+UnlockDiagnosticVMOptions"), options);
    }

    /** Makes arrays in the old generation, and the target above them. */
    private static void begin(int count, int bytes) {
        below = new byte[count][bytes];
        majorGC();
        single = new StringBuilder("single");
        majorGC();
    }

    private static void addItems() {
        Item[] more = new Item[ITEMS];
        for (int i = 0; i < ITEMS; i++) {
            more[i] = new Item(i, single);
        }
        items.add(moveToH2(more));
    }

    /** Returns the number of cards that one more major collection scans. */
    private static long scanned() {
        long before = SecondHeap.statistics().getMajorScannedCards();
        majorGC();
        return SecondHeap.statistics().getMajorScannedCards() - before;
    }

    private static void check() {
        for (Item[] some : items) {
            for (int i = 0; i < ITEMS; i++) {
                assertEquals(some[i].number, i, "the number");
                assertSame(some[i].target, single, "the target of item " + i);
            }
        }
        assertInH1(single, "what a static field refers to");
    }

    /** Counts the cards that a collection scans after an array below the target has died, with H2 of three sizes. */
    static class Grows {
        private static final int TURNS = 4;

        public static void main(String[] args) {
            begin(3 * TURNS, 64 << 10);
            int died = 0;
            for (int size = 1; size <= 4; size *= 2) {
                while (items.size() < size) {
                    addItems();
                }
                majorGC();
                majorGC();
                long most = 0;
                for (int i = 0; i < TURNS; i++) {
                    below[died++] = null;
                    most = Math.max(most, scanned());
                }
                check();
                long cards = size * ITEMS * 24L / 512;
                System.out.println("cards of about " + cards + " that a collection has read: " + most);
                assertTrue(most < 100, most + " cards were read by a collection");
            }
            System.out.println("the end");
        }
    }

    /** More objects die below the target than the bound permits. Some collections scan H2, but only few. */
    static class Bound {
        public static void main(String[] args) {
            begin(50, 1 << 20);
            addItems();
            majorGC();
            majorGC();
            int read = 0;
            for (int i = 0; i < below.length; i++) {
                below[i] = null;
                read += scanned() > 1000 ? 1 : 0;
            }
            check();
            long used = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
            assertTrue(used < 32L << 20, used + " bytes are used, though nearly nothing is live");
            assertTrue(read >= 1 && read <= 8, read + " of " + below.length + " collections have read H2");
            System.out.println("the end");
        }
    }

    /** The program needs the dead space below the target. */
    static class Fills {
        private static final int MEGABYTES = 85;      // of 96 in the old generation

        public static void main(String[] args) {
            begin(12, 1 << 20);
            addItems();
            majorGC();
            majorGC();
            below = null;
            assertTrue(scanned() < 100, "the target has moved though there is free space");
            List<byte[]> filling = new ArrayList<>();
            for (int i = 0; i < MEGABYTES; i++) {
                filling.add(new byte[1 << 20]);
            }
            check();
            System.out.println("the end, " + filling.size());
        }
    }
}
