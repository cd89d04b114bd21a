// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.transfer;

/*
 * @test TestSharedRegions
 * @summary When no region is free, groups of different labels share regions, so H2 can be filled completely
 * @library / /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx160m -XX:AllocateH2At=. -XX:H2Size=64m -XX:H2RegionSize=2m -Xlog:gc+h2=debug
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:H2DeepMarkingInterval=4
 *                   gc.terrace.h2.transfer.TestSharedRegions
 * @run main/othervm -Xmx160m -XX:AllocateH2At=. -XX:H2Size=64m -XX:H2RegionSize=2m -Xlog:gc+h2=debug
 *                   -XX:-UseCompressedOops -XX:ParallelGCThreads=4
 *                   gc.terrace.h2.transfer.TestSharedRegions
 */

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

import org.terrace.SecondHeap;
import org.terrace.SecondHeap.State;

import static gc.terrace.h2.H2Test.*;

/** A group is a little larger than a region, so that 16 of them open all 32. */
public class TestSharedRegions {

    private static final int GROUPS = 32;
    private static final int ROWS = 2200;
    private static final int ROW_BYTES = 1000;

    private static final Map<Integer, Object[]> groups = new HashMap<>();

    public static void main(String[] args) {
        requireH2();
        for (int i = 0; i < GROUPS; i++) {
            add(i);
        }
        int moved = moved();
        System.out.println(moved + " of " + GROUPS + " groups were moved");
        assertTrue(moved >= 24, "too few were moved: " + moved);
        assertTrue(moved < GROUPS, "H2 holds more than it has room for");
        check();

        // The space of a group is freed, even if a live group has shared a region with it.
        groups.keySet().removeIf(i -> i % 4 != 0);
        for (int i = 0; i < 8; i++) {
            majorGC();
        }
        check();
        int before = moved();
        for (int i = GROUPS; i < GROUPS + 12; i++) {
            add(i);
        }
        check();
        assertTrue(moved() >= before + 10, "room did not come back: " + before + " groups, then " + moved());
    }

    private static void add(int number) {
        Object[] group = new Object[ROWS];
        for (int row = 0; row < ROWS; row++) {
            byte[] bytes = new byte[ROW_BYTES];
            Arrays.fill(bytes, (byte) (number + row));
            group[row] = bytes;
        }
        groups.put(number, group);
        SecondHeap.tagRoot(group, number);
        SecondHeap.move(number);
        majorGC();
    }

    private static int moved() {
        return (int) groups.values().stream().filter(group -> SecondHeap.state(group) == State.IN_H2).count();
    }

    private static void check() {
        groups.forEach((number, group) -> {
            for (int row = 0; row < ROWS; row++) {
                byte[] bytes = (byte[]) group[row];
                byte expected = (byte) (number + row);
                assertTrue(bytes[0] == expected && bytes[ROW_BYTES / 2] == expected && bytes[ROW_BYTES - 1] == expected,
                           "row " + row + " of group " + number + " has changed");
            }
        });
    }
}
