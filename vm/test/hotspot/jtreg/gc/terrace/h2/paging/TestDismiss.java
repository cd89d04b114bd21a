// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.paging;

/*
 * @test TestDismiss
 * @summary Dismissed structures are paged out except for a part that stays, and no data is lost while others read them, while
 *          regions are freed, and when they are read again
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=400m -XX:ParallelGCThreads=4
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:H2ResidentLimit=1m
 *                   gc.terrace.h2.paging.TestDismiss limited
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=400m -XX:H2RegionSize=2m -XX:+H2RandomAccess
 *                   -XX:+UnlockDiagnosticVMOptions -XX:H2ResidentLimit=1m -Xlog:gc+h2=debug
 *                   gc.terrace.h2.paging.TestDismiss limited
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=400m
 *                   gc.terrace.h2.paging.TestDismiss unlimited
 */

import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

public class TestDismiss {

    private static final long MB = 1 << 20;
    private static final long SIZE = 12 * MB;
    private static final int COUNT = 10;
    private static final int ROW = 8 << 10;

    private static final byte[][][] structures = new byte[COUNT][][];

    public static void main(String[] args) throws Exception {
        requireH2();
        SecondHeap.dismiss(new Object());
        for (int i = 0; i < COUNT; i++) {
            structures[i] = moveToH2(structure(i));
        }

        for (int i = 0; i < COUNT; i++) {
            SecondHeap.dismiss(structures[i]);
        }
        long most = COUNT * (SIZE + 4 * MB);
        long expected = STOCK || args[0].equals("unlimited") ? 0 : COUNT * SIZE - 64 * MB - 16 * MB;
        waitFor(() -> pagedOut() >= expected);
        assertTrue(pagedOut() >= expected && pagedOut() <= (expected == 0 ? 0 : most), pagedOut() + " bytes were paged out");

        ExecutorService readers = Executors.newFixedThreadPool(2);
        Future<?> first = readers.submit(() -> read(8, 1));
        Future<?> second = readers.submit(() -> read(8, COUNT - 1));
        for (int i = 0; i < 8; i++) {
            moveToH2(structure(-1)); // garbage at once
            System.gc();
        }
        first.get();
        second.get();
        readers.shutdown();
        if (expected != 0) {
            // A pager that is behind drops requests, so the structures are dismissed until it has paged out as much.
            waitFor(() -> {
                read(1, 1);
                return pagedOut() > most;
            });
            assertTrue(pagedOut() > most, pagedOut() + " bytes were paged out in all");
        }
    }

    /** Reads all structures, and writes some, with a step between their indices. */
    private static void read(int passes, int step) {
        for (int n = 0, i = 0; n < passes * COUNT; n++, i = (i + step) % COUNT) {
            SecondHeap.prefetch(structures[(i + step) % COUNT]);
            for (byte[] row : structures[i]) {
                assertTrue(row[0] == i && row[row.length / 2] == i, "a row of structure " + i + " has " + row[0]);
                row[1]++;
            }
            SecondHeap.dismiss(structures[i]);
        }
    }

    private static byte[][] structure(int value) {
        byte[][] rows = new byte[(int) (SIZE / ROW)][ROW - 16];
        for (byte[] row : rows) {
            Arrays.fill(row, (byte) value);
        }
        return rows;
    }

    private static long pagedOut() {
        return SecondHeap.statistics().getPagedOutBytes();
    }
}
