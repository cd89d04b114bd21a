// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.liveness;

/*
 * @test TestEvacuation
 * @summary A marking through H2 evacuates sparse regions, and all references to their objects are updated
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @build jdk.test.whitebox.WhiteBox
 * @run driver jdk.test.lib.helpers.ClassFileInstaller jdk.test.whitebox.WhiteBox
 *
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:H2DeepMarkingInterval=1
 *                   -XX:+VerifyH2 -XX:+VerifyBeforeGC -XX:+VerifyAfterGC -Xlog:gc+h2
 *                   gc.terrace.h2.liveness.TestEvacuation
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2RegionSize=2m -XX:-UseCompressedOops
 *                   -XX:+UnlockDiagnosticVMOptions -XX:H2DeepMarkingInterval=1 -XX:+H2UnionFind -XX:+VerifyH2
 *                   -XX:ParallelGCThreads=4 -Xlog:gc+h2
 *                   gc.terrace.h2.liveness.TestEvacuation
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2RegionSize=2m -XX:ParallelGCThreads=1 -Xlog:gc+h2
 *                   -XX:+UnlockDiagnosticVMOptions -XX:H2DeepMarkingInterval=1 -XX:+VerifyH2 -XX:H2Torture=50
 *                   gc.terrace.h2.liveness.TestEvacuation graph
 * @run main/othervm -Xbootclasspath/a:. -XX:+UnlockDiagnosticVMOptions -XX:+WhiteBoxAPI
 *                   -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2RegionSize=2m
 *                   -XX:H2DeepMarkingInterval=1 -XX:+VerifyH2 -Xlog:gc+h2
 *                   gc.terrace.h2.liveness.TestEvacuation failing
 * @run main/othervm -Xmx64m -XX:AllocateH2At=. -XX:H2Size=256m -XX:H2RegionSize=2m -Xlog:gc+h2 -XX:+UnlockDiagnosticVMOptions
 *                   gc.terrace.h2.liveness.TestEvacuation cache
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2RegionSize=2m -XX:ParallelGCThreads=4 -Xlog:gc+h2
 *                   -XX:+UnlockDiagnosticVMOptions -XX:H2DeepMarkingInterval=2 -XX:+VerifyH2 -XX:H2Torture=50
 *                   -XX:+UnlockExperimentalVMOptions -XX:+H2MarkAhead
 *                   gc.terrace.h2.liveness.TestEvacuation graph
 * @run main/othervm -Xmx64m -XX:AllocateH2At=. -XX:H2Size=256m -XX:H2RegionSize=2m -Xlog:gc+h2 -XX:+UnlockDiagnosticVMOptions
 *                   -XX:+VerifyH2 -XX:+UnlockExperimentalVMOptions -XX:+H2MarkAhead
 *                   gc.terrace.h2.liveness.TestEvacuation cache
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2RegionSize=2m -XX:H2TransferMillis=1 -Xlog:gc+h2
 *                   -XX:+UnlockDiagnosticVMOptions -XX:H2DeepMarkingInterval=1 -XX:+VerifyH2
 *                   gc.terrace.h2.liveness.TestEvacuation goal
 */

import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Random;

import gc.terrace.h2.Sample;
import jdk.test.whitebox.WhiteBox;
import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

public class TestEvacuation {

    public static void main(String[] args) throws Exception {
        requireH2();
        switch (args.length > 0 ? args[0] : "") {
            case "cache":
                replacedForEver();
                break;
            case "graph":
                graph();
                break;
            case "goal":
                goal();
                break;
            case "failing":
                oneOfEight(true);
                break;
            default:
                oneOfEight(false);
                graph();
                afterALargeArray();
                fromALargeArray();
        }
    }

    static final class Entry {
        final int id;
        final byte[] payload;
        Entry next;                       // in H2, maybe in a region that is evacuated, too
        Object inH1;
        WeakReference<Entry> weak;

        Entry(int id, int size) {
            this.id = id;
            payload = new byte[size];
            payload[0] = (byte) id;
            payload[size - 1] = (byte) (id >> 8);
        }

        void check(int expected) {
            assertEquals(id, expected, "number of an entry");
            assertTrue(payload[0] == (byte) id && payload[payload.length - 1] == (byte) (id >> 8), "payload of entry " + id);
        }
    }

    /** A collection evacuates the regions of a dead large array, whatever else is in them. */
    private static void afterALargeArray() {
        Object[] holder = new Object[100];
        holder[0] = new long[800_000];
        for (int i = 1; i < holder.length; i++) {
            holder[i] = new Entry(i, 500);
        }
        moveToH2(holder);
        holder[0] = null;
        long regions = SecondHeap.statistics().getRegionsInUse();
        majorGC();
        long left = SecondHeap.statistics().getRegionsInUse();
        assertTrue(STOCK || left <= regions - 3, "the regions of a dead array: " + left + " of " + regions);
        for (int i = 1; i < holder.length; i++) {
            assertInH2(holder[i], "an entry after a large array");
            ((Entry) holder[i]).check(i);
        }
    }

    /** References to evacuated objects are updated in each region of a large array. */
    private static void fromALargeArray() {
        final int count = 40_000;
        final int distance = 40;
        Entry[] table = new Entry[count * distance];
        for (int i = 0; i < count; i++) {
            table[i * distance] = new Entry(i, 300);
        }
        moveToH2(table);
        for (int i = 0; i < count; i++) {
            if (i % 8 != 0) {
                table[i * distance] = null;
            }
        }
        long regions = SecondHeap.statistics().getRegionsInUse();
        majorGC();
        long left = SecondHeap.statistics().getRegionsInUse();
        assertTrue(STOCK || left < regions, "regions to which a large array refers: " + left + " of " + regions);
        for (int i = 0; i < count; i += 8) {
            table[i * distance].check(i);
        }
    }

    // References to the evacuated objects are in the table in H2, a second structure in H2, a map in H1, the objects themselves, and
    // weak references. If the device fails the first time, no object moves, and the next collection evacuates.
    private static void oneOfEight(boolean deviceFails) {
        final int count = 40_000;
        Entry[] table = new Entry[count];
        for (int i = 0; i < count; i++) {
            table[i] = new Entry(i, 200 + i % 1000);
        }
        Object[] roots = moveToH2(new Object[] { table });
        table = (Entry[]) roots[0];
        Entry[] second = moveToH2(new Entry[count / 8]);
        Map<Entry, Integer> inH1 = new IdentityHashMap<>();
        int[] hash = new int[count];
        WeakReference<?>[] weak = new WeakReference<?>[count];
        Entry last = null;
        for (int i = 0; i < count; i++) {
            hash[i] = System.identityHashCode(table[i]);
            weak[i] = new WeakReference<>(table[i]);
            if (i % 8 != 0) {
                table[i] = null;
                continue;
            }
            Entry entry = table[i];
            entry.next = last;
            entry.inH1 = "entry " + i;
            last = entry;
            second[i / 8] = entry;
            if (i % 3 == 0) {
                inH1.put(entry, i);
            }
            if (i % 5 == 0) {
                entry.weak = new WeakReference<>(entry);
            }
            if (i % 80 == 0) {
                synchronized (entry) {           // inflates the monitor, so that the mark word refers to it
                    try {
                        entry.wait(1);
                    } catch (InterruptedException e) {
                        throw new RuntimeException(e);
                    }
                }
            }
        }
        long regions = SecondHeap.statistics().getRegionsInUse();
        if (deviceFails) {
            WhiteBox.getWhiteBox().setUintxVMFlag("H2FailTransferAt", 1L);
            majorGC();
            assertEquals(SecondHeap.statistics().getRegionsInUse(), regions, "regions, as the device failed");
        }
        synchronized (table[8]) {
            majorGC();
        }
        long left = SecondHeap.statistics().getRegionsInUse();
        System.out.println(regions + " regions, " + left + " afterwards");
        assertTrue(STOCK || left < regions / 2, "regions of which an eighth is alive are emptied: " + left + " of " + regions);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < count; i++) {
                Entry entry = table[i];
                if (i % 8 != 0) {
                    assertTrue(entry == null && (STOCK || weak[i].get() == null), "entry " + i + " is gone");
                    continue;
                }
                entry.check(i);
                assertInH2(entry, "entry " + i);
                assertEquals(System.identityHashCode(entry), hash[i], "hash of entry " + i);
                assertSame(second[i / 8], entry, "entry of the second table");
                assertSame(weak[i].get(), entry, "weakly reachable entry");
                assertEquals(entry.inH1, "entry " + i, "what entry refers to");
                assertTrue(entry.weak == null || entry.weak.get() == entry, "the entry's reference to itself");
                if (i >= 8) {
                    assertSame(entry.next, table[i - 8], "next of entry " + i);
                }
                if (i % 3 == 0) {
                    assertEquals(inH1.get(entry), (Object) i, "entry in a map");
                }
                entry.inH1 = new String("entry " + i);
                synchronized (entry) {
                    entry.notify();
                }
            }
            minorGC();
            majorGC();
        }
    }

    // A pause with a goal evacuates some of the sparse regions, and later pauses evacuate the others.
    private static void goal() {
        final int count = 60_000;
        Entry[] table = new Entry[count];
        for (int i = 0; i < count; i++) {
            table[i] = new Entry(i, 1_000);
        }
        long label = freshLabel();
        SecondHeap.tagRoot(table, label);
        SecondHeap.move(label);
        for (int round = 0; round < 200 && SecondHeap.state(table[count - 1]) != SecondHeap.State.IN_H2; round++) {
            SecondHeap.transfer();               // the transfer has the same goal
        }
        assertInH2(table[count - 1], "the last entry");
        for (int i = 0; i < count; i++) {
            table[i] = i % 4 == 0 ? table[i] : null;
        }
        long dense = SecondHeap.statistics().getRegionsInUse();
        majorGC();
        long after = SecondHeap.statistics().getRegionsInUse();
        for (int round = 0; round < 50; round++) {
            majorGC();
        }
        long left = SecondHeap.statistics().getRegionsInUse();
        System.out.println(dense + " regions, " + after + " after one collection, " + left + " in the end");
        assertTrue(STOCK || dense - after < (dense - left) / 2, "the first collection did not keep to its goal");
        assertTrue(STOCK || after < dense, "the first collection emptied nothing");
        assertTrue(STOCK || left < dense / 2, "sparse regions stay");
        for (int i = 0; i < count; i += 4) {
            table[i].check(i);
        }
    }

    // Nodes are rewired and dropped at random, over many collections.
    private static void graph() {
        final int count = 6_000;
        Random random = new Random(7);
        long label = freshLabel();
        Entry[] nodes = new Entry[count];
        Object[] keeper = { nodes };
        SecondHeap.tagRoot(keeper, label);
        SecondHeap.move(label);
        int[] ids = new int[count];
        for (int round = 0; round < 30; round++) {
            for (int i = 0; i < count; i++) {
                if (nodes[i] == null || random.nextInt(4) == 0) {
                    ids[i] = random.nextInt();
                    Entry node = new Entry(ids[i], 10 + random.nextInt(random.nextInt(100) == 0 ? 100_000 : 1_000));
                    node.next = nodes[random.nextInt(count)];
                    node.inH1 = random.nextInt(10) == 0 ? new int[] { ids[i] } : null;
                    nodes[i] = node;
                } else if (random.nextInt(4) == 0) {
                    nodes[i].next = nodes[random.nextInt(count)];
                }
            }
            for (Entry node : nodes) {             // cuts chains, which would keep all earlier nodes alive
                for (int steps = 0; node.next != null; node = node.next) {
                    if (++steps == 3) {
                        node.next = null;
                        break;
                    }
                }
            }
            if (round % 3 == 0) {
                minorGC();
            }
            SecondHeap.transfer();
            for (int i = 0; i < count; i++) {
                nodes[i].check(ids[i]);
                assertTrue(nodes[i].inH1 == null || ((int[]) nodes[i].inH1)[0] == ids[i], "what node " + i + " refers to");
                for (Entry node = nodes[i].next; node != null; node = node.next) {
                    node.check(node.id);
                }
            }
        }
    }

    // Holds twice the size of H1, and replaces several times the size of H2. Without evacuation, each region would keep some entries.
    private static void replacedForEver() {
        final int count = 120_000;
        final int size = 1_000;
        Map<Integer, Entry> cache = new HashMap<>(2 * count);
        long label = freshLabel();
        SecondHeap.tagRoot(cache, label);
        SecondHeap.move(label);
        Random random = new Random(1);
        for (int i = 0; i < count; i++) {
            cache.put(i, new Entry(i, size));
        }
        long rounds = Sample.part(10) * SecondHeap.statistics().getCapacityBytes() / size;
        for (long i = 0; i < rounds; i++) {
            double skewed = random.nextDouble();
            int key = (int) (skewed * skewed * skewed * count);
            cache.get(key).check(key);
            cache.put(key, new Entry(key, size));
        }
        for (int i = 0; i < count; i++) {
            cache.get(i).check(i);
        }
        System.out.println(SecondHeap.statistics());
        // A transfer that finds no space while regions are evacuated waits for them, and does not count as failed.
        assertTrue(SecondHeap.statistics().getFailedTransfers() < 3, "transfers were abandoned");
    }
}
