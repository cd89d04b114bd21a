// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

class StackRoomTest {
    private static final int WARM_UP = 200_000;
    private static final int STACK_BYTES = 512 << 10;
    private static final int MOST_ROUNDS = 100;
    private static int sink;

    /** If a compiler inlined the probe, the caller would need the stack space at its entry, on each path. */
    @Test
    void aCompiledCallerAsksForRoomOnlyWhereItSaysSo() throws Exception {
        FutureTask<int[]> depths = new FutureTask<>(() -> {
            for (int i = 0; i < WARM_UP; i++) {
                descend(5, i % 2 == 0);
            }
            return depths();
        });
        new Thread(null, depths, "deep", STACK_BYTES).start();
        int without = depths.get()[0];
        int with = depths.get()[1];
        assertTrue(with < without * 0.95, with + " frames where room is asked for, " + without + " where it is not");
    }

    /** Depths without and with the probe. A compiler may replace the code meanwhile, and then the depths are those of different code. */
    private static int[] depths() {
        for (int round = 0; ; round++) {
            int before = deepest(false);
            int with = deepest(true);
            int after = deepest(false);
            if (Math.abs(after - before) < before / 100 || round == MOST_ROUNDS) {
                return new int[] {after, with};
            }
        }
    }

    private static int deepest(boolean asks) {
        int low = 0;
        int high = 1_000_000;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            try {
                descend(middle, asks);
                low = middle;
            } catch (StackOverflowError e) {
                high = middle - 1;
            }
        }
        return low;
    }

    private static void descend(int depth, boolean asks) {
        if (depth == 0) {
            sometimes(asks);
        } else {
            descend(depth - 1, asks);
        }
    }

    private static void sometimes(boolean asks) {
        if (asks) {
            StackRoom.ensure();
        }
        sink++;
    }
}
