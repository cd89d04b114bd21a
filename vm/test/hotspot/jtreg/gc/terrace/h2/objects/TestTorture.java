// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.objects;

/*
 * @test TestTorture
 * @summary A program without hints works while the VM moves arbitrary objects
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=2g -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:H2Torture=10 -XX:+VerifyH2
 *                   gc.terrace.h2.objects.TestTorture
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=2g
 *                   -XX:+UnlockDiagnosticVMOptions -XX:H2Torture=1 -XX:+VerifyBeforeGC -XX:+VerifyAfterGC -XX:+VerifyH2
 *                   gc.terrace.h2.objects.TestTorture
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=2g -XX:-UseCompressedOops -XX:ParallelGCThreads=1
 *                   -XX:+UnlockDiagnosticVMOptions -XX:H2Torture=1000 -XX:H2TortureSeed=3
 *                   gc.terrace.h2.objects.TestTorture
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=2g -Xint -XX:ParallelGCThreads=4
 *                   -XX:+UnlockDiagnosticVMOptions -XX:H2Torture=100 -XX:H2TortureSeed=4 -XX:+VerifyH2
 *                   gc.terrace.h2.objects.TestTorture
 */

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import gc.terrace.h2.Tree;
import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

public class TestTorture {

    // Torture does not choose objects that static fields refer to. Objects that the program tags may be such objects.
    private static final Object[] TAGGED = new Object[1000];

    public static void main(String[] args) throws Exception {
        requireH2();
        moveToH2(TAGGED);
        List<Tree> trees = new ArrayList<>();
        Map<Integer, List<String>> words = new HashMap<>();
        TreeMap<String, Object> sorted = new TreeMap<>();
        ConcurrentHashMap<Object, Object> shared = new ConcurrentHashMap<>();
        for (int round = 0; round < 12; round++) {
            int n = round;
            trees.add(Tree.make(300, n));
            words.put(n, IntStream.range(0, 200).mapToObj(i -> "word " + n + " " + i).collect(Collectors.toList()));
            words.values().forEach(list -> sorted.put(list.get(n), list));
            Thread[] threads = new Thread[3];
            for (int t = 0; t < threads.length; t++) {
                int m = t;
                threads[t] = new Thread(() -> {
                    for (int i = 0; i < 100; i++) {
                        shared.merge("key " + i, new int[] { 1 }, (a, b) -> new int[] { ((int[]) a)[0] + 1 });
                        shared.put(List.of(m, i), Integer.valueOf(i * 1000 + n));
                    }
                });
                threads[t].start();
            }
            System.gc();
            for (Thread thread : threads) {
                thread.join();
            }
            System.gc();
            minorGC();
            for (int i = 0; i <= n; i++) {
                trees.get(i).check(300, i);
                for (int k = 0; k < 200; k++) {
                    assertEquals(words.get(i).get(k), "word " + i + " " + k, "word " + k);
                }
                trees.get(i).extra = trees.get(n);
            }
            for (int i = 0; i < 100; i++) {
                assertEquals(((int[]) shared.get("key " + i))[0], 3 * (n + 1), "the count of key " + i);
                for (int m = 0; m < 3; m++) {
                    assertEquals(shared.get(List.of(m, i)), Integer.valueOf(i * 1000 + n), "value " + m + ", " + i);
                }
            }
            String previous = "";
            for (Map.Entry<String, Object> entry : sorted.entrySet()) {
                assertTrue(previous.compareTo(entry.getKey()) < 0, "the map is not sorted");
                assertTrue(((List<?>) entry.getValue()).contains(entry.getKey()), "a word is not in its list");
                previous = entry.getKey();
            }
        }
        assertTrue(STOCK || SecondHeap.statistics().getMovedObjects() > 0, "nothing was moved");
    }
}
