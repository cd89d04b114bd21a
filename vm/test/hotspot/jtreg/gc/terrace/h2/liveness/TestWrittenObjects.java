// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.liveness;

/*
 * @test TestWrittenObjects
 * @summary A minor collection reads the cards of written objects, but not those of the objects that follow them. It finds new
 *          objects in all fields, on whichever card a field is
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=64m -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:+VerifyBeforeGC -XX:+VerifyAfterGC
 *                   gc.terrace.h2.liveness.TestWrittenObjects
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=64m -XX:ParallelGCThreads=1 -XX:-UseCompressedOops
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.liveness.TestWrittenObjects
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=64m -XX:MaxTenuringThreshold=0
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.liveness.TestWrittenObjects
 */

import java.util.Random;

import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

public class TestWrittenObjects {

    private static final int COUNT = 40_000;

    /** 72 bytes with compressed references, so eight of nine cards end inside an object. */
    private static final class Wide {
        Integer a, b, c, d, e, f, g, h, i, j, k, l, m, n, o;

        void store(int number) {
            a = new Integer(number);
            f = new Integer(number + 1);
            o = new Integer(number + 2);
        }

        void check(int number, int index) {
            if (number == 0) {
                assertTrue(a == null && f == null && o == null, "object " + index + " was not written");
            } else {
                assertTrue(a == number && f == number + 1 && o == number + 2,
                           "object " + index + " has " + a + ", " + f + ", " + o + " instead of " + number);
            }
        }
    }

    private final Wide[] objects = new Wide[COUNT];
    private final int[] numbers = new int[COUNT];

    private TestWrittenObjects() {
        for (int i = 0; i < COUNT; i++) {
            objects[i] = new Wide();
        }
        moveToH2(objects);
        minorGC(2);
    }

    private void store(int index, int number) {
        objects[index].store(number);
        numbers[index] = number;
    }

    private void check() {
        for (int i = 0; i < COUNT; i++) {
            objects[i].check(numbers[i], i);
        }
    }

    private void followingObjectsAreNotRead() {
        int written = 0;
        for (int i = 0; i < COUNT; i += 100) {
            store(i, i + 1);
            written++;
        }
        long before = SecondHeap.statistics().getMinorScannedCards();
        minorGC();
        long scanned = SecondHeap.statistics().getMinorScannedCards() - before;
        System.out.println(written + " objects were written, " + scanned + " cards read");
        // Each object is on one or two cards.
        assertTrue(STOCK || scanned >= written && scanned <= 2 * written + 20, scanned + " cards were read for " + written + " objects");
        check();
        minorGC(2);
        check();
    }

    // Single objects and runs of objects, and objects that were written when their card was young or old.
    private void randomStores() {
        Random random = new Random(7);
        for (int round = 0; round < 30; round++) {
            for (int n = random.nextInt(300); n > 0; n--) {
                int first = random.nextInt(COUNT);
                int end = Math.min(COUNT, first + 1 + (random.nextBoolean() ? 0 : random.nextInt(20)));
                for (int i = first; i < end; i++) {
                    store(i, random.nextInt(1 << 20) + 1);
                }
            }
            if (random.nextInt(8) == 0) {
                majorGC();
            } else {
                minorGC();
            }
            check();
        }
    }

    public static void main(String[] args) {
        requireH2();
        TestWrittenObjects test = new TestWrittenObjects();
        test.followingObjectsAreNotRead();
        test.randomStores();
    }
}
