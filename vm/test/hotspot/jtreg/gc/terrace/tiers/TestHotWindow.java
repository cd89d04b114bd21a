// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.tiers;

/*
 * @test TestHotWindow
 * @summary A HotWindow copies hot values that lie anywhere in slow regions into fast ones, follows the program to other values, and
 *          stays within its size. Without tiers and without H2 it serves the same values
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2RegionSize=2m -XX:H2FastSize=64m -Xlog:gc+h2=debug
 *                   gc.terrace.tiers.TestHotWindow hints
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2RegionSize=2m -XX:H2FastSize=64m -XX:H2TierPolicy=both
 *                   -XX:H2SampleInterval=100 -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -Xlog:gc+h2
 *                   gc.terrace.tiers.TestHotWindow both
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=512m -Xlog:gc+h2
 *                   gc.terrace.tiers.TestHotWindow none
 */

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.terrace.HotWindow;
import org.terrace.SecondHeap;
import org.terrace.SecondHeap.Tier;
import org.terrace.SecondHeapLabelUsage;

import static gc.terrace.h2.H2Test.*;

public class TestHotWindow {

    private static final int VALUE = 4 << 10;
    private static final int KEYS = 10_000;
    private static final long WINDOW = 16 << 20;
    /** One in so many keys is hot. */
    private static final int HOT = 4;
    private static final int SETS = 6;

    public static void main(String[] args) throws Exception {
        requireH2();
        assertEquals(SecondHeap.hasTiers(), !STOCK && !args[0].equals("none"), "whether there are tiers");
        ConcurrentHashMap<Integer, byte[]> map = new ConcurrentHashMap<>();
        for (int key = 0; key < KEYS; key++) {
            map.put(key, value(key, 0));
        }
        long label = freshLabel();
        SecondHeap.place(label, Tier.SLOW);
        SecondHeap.tagRoot(map, label);
        SecondHeap.move(label);
        SecondHeap.transfer();
        HotWindow<Integer, byte[]> window = HotWindow.over(map, WINDOW, value -> value.length, byte[]::clone);
        for (int set = 0; set < SETS; set++) {
            follow(map, window, set, label, args[0].equals("hints"));
        }
        assertEquals(window.gathered() > 0, !STOCK, "whether values were gathered");
        byte[] old = window.get(0);
        window.put(0, value(0, 1));
        check(window.get(0), 0, 1);
        check(old, 0, 0);
        SecondHeap.transfer();
        check(window.get(0), 0, 1);
        window.remove(0);
        assertTrue(window.get(0) == null, "a removed key");
        if (SecondHeap.hasTiers()) {
            // Parts that the window dropped are garbage, and their regions are freed.
            SecondHeap.transfer();
            long used = usages(label).stream().mapToLong(SecondHeapLabelUsage::getUsedBytes).sum();
            assertTrue(used <= 2 * WINDOW, used + " bytes in H2 for a window of " + WINDOW);
        }
    }

    /** Reads keys that are far apart, and tests that the window has copies of them. */
    private static void follow(ConcurrentHashMap<Integer, byte[]> map, HotWindow<Integer, byte[]> window, int set, long label,
                               boolean hintsOnly) {
        int first = set % HOT;
        for (int round = 0; round < 40; round++) {
            for (int key = first; key < KEYS; key += HOT) {
                check(window.get(key), key, 0);
            }
        }
        SecondHeap.transfer();
        int copies = 0;
        List<byte[]> values = new ArrayList<>();
        for (int key = first; key < KEYS; key += HOT) {
            byte[] value = window.get(key);
            check(value, key, 0);
            if (value != map.get(key)) {
                copies++;
                values.add(value);
            }
        }
        assertTrue(window.bytes() <= WINDOW, window.bytes() + " bytes");
        if (STOCK) {
            return;
        }
        assertTrue(copies > KEYS / HOT / 2, copies + " of " + KEYS / HOT + " hot values have a copy, set " + set);
        if (SecondHeap.hasTiers()) {
            long moved = values.stream().filter(value -> SecondHeap.state(value) == SecondHeap.State.IN_H2).count();
            assertTrue(moved > copies / 2, moved + " of " + copies + " copies are in H2");
        }
        // With policy both, the monitor may find other regions hotter.
        if (hintsOnly) {
            long moved = values.stream().filter(value -> SecondHeap.state(value) == SecondHeap.State.IN_H2).count();
            long fast = usages(label).stream().mapToLong(SecondHeapLabelUsage::getFastBytes).sum();
            assertTrue(fast >= moved * VALUE, fast + " bytes are fast, for " + moved + " copies");
        }
    }

    /** The usages of all labels except that of the map. */
    private static List<SecondHeapLabelUsage> usages(long label) {
        List<SecondHeapLabelUsage> usages = new ArrayList<>(SecondHeap.labels());
        usages.removeIf(usage -> usage.getLabel() == label);
        return usages;
    }

    private static byte[] value(int key, int version) {
        byte[] value = new byte[VALUE - 16];
        value[0] = (byte) key;
        value[VALUE / 2] = (byte) (key >>> Byte.SIZE);
        value[value.length - 1] = (byte) version;
        return value;
    }

    private static void check(byte[] value, int key, int version) {
        assertTrue(value != null && value[0] == (byte) key && value[VALUE / 2] == (byte) (key >>> Byte.SIZE)
                   && value[value.length - 1] == (byte) version, "the value of " + key + ", version " + version);
    }
}
