// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.objects;

/*
 * @test TestOutOfMemory
 * @summary A program that fills both heaps gets an OutOfMemoryError instead of endless collections. After it has dropped
 *          the objects, it continues
 * @library / /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm/timeout=120 -Xmx32m -XX:AllocateH2At=. -XX:H2Size=4m -XX:H2RegionSize=2m gc.terrace.h2.objects.TestOutOfMemory
 * @run main/othervm/timeout=120 -Xmx32m -XX:AllocateH2At=. -XX:H2Size=16m gc.terrace.h2.objects.TestOutOfMemory
 * @run main/othervm/timeout=120 -Xmx32m -XX:AllocateH2At=. -XX:H2Size=32m gc.terrace.h2.objects.TestOutOfMemory
 * @run main/othervm/timeout=120 -Xmx32m -XX:AllocateH2At=. -XX:H2Size=32m -XX:H2RegionSize=16m gc.terrace.h2.objects.TestOutOfMemory
 * @run main/othervm/timeout=120 -Xmx32m -XX:AllocateH2At=. -XX:H2Size=64m -XX:ParallelGCThreads=1 gc.terrace.h2.objects.TestOutOfMemory
 */

import java.util.HashMap;
import java.util.Map;

import static gc.terrace.h2.H2Test.*;

public class TestOutOfMemory {

    private static final int ROUNDS = 3;
    private static final int ARRAYS = 100;
    // Bound for collections that find both heaps full, over all rounds. A collection at nearly each allocation would exceed it.
    private static final int MAX_COLLECTIONS = 400;

    private static Map<Integer, Object> map;
    private static volatile Object sink;

    public static void main(String[] args) {
        requireH2();
        int least = Integer.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            long before = majorCount();
            int filled = fill();
            int failures = 0;
            for (int i = 0; i < ARRAYS; i++) {
                try {
                    sink = new byte[200_000];
                } catch (OutOfMemoryError e) {
                    failures++;
                }
            }
            long collections = majorCount() - before;
            System.out.println("round " + round + ": " + filled + " entries, " + collections + " major collections, then "
                               + failures + " failures");
            assertEquals(failures, 0, "failures after the map was dropped");
            assertTrue(STOCK || collections < MAX_COLLECTIONS, collections + " major collections");
            least = Math.min(least, filled);
        }
        assertTrue(least > 50_000, "the heaps hold only " + least + " entries");
    }

    private static int fill() {
        map = new HashMap<>();
        int n = 0;
        try {
            while (true) {
                map.put(n, new Object[] { n, Integer.toString(n) });
                n++;
            }
        } catch (OutOfMemoryError e) {
            int filled = n;
            map = null;
            return filled;
        }
    }
}
