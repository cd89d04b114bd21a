// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.paging;

/*
 * @test TestForeignSignal
 * @summary A program that handles SIGUSR2 itself receives no such signal while its threads wait for pages of H2, and the VM reports
 *          that it cannot attribute the waits
 * @library / /test/lib /java/api/src/main/java
 * @modules jdk.unsupported
 *
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=600m -XX:+H2RandomAccess
 *                   -XX:+UnlockDiagnosticVMOptions -XX:H2ResidentLimit=1m
 *                   gc.terrace.h2.paging.TestForeignSignal
 */

import java.util.concurrent.atomic.AtomicInteger;
import org.terrace.SecondHeap;
import sun.misc.Signal;

import static gc.terrace.h2.H2Test.*;

public class TestForeignSignal {

    private static final int COUNT = 20;
    private static final int ROWS = 3 << 10;
    private static final int ROW = 4 << 10;

    public static void main(String[] args) throws Exception {
        requireH2();
        AtomicInteger signals = new AtomicInteger();
        Signal.handle(new Signal("USR2"), signal -> signals.incrementAndGet());
        byte[][][] structures = new byte[COUNT][][];
        for (int i = 0; i < COUNT; i++) {
            structures[i] = moveToH2(new byte[ROWS][ROW]);
        }
        // Pages that are not written back stay in memory.
        new ProcessBuilder("sync").start().waitFor();
        for (int pass = 0; pass < 3; pass++) {
            for (int i = 0; i < COUNT; i++) {
                SecondHeap.dismiss(structures[i]);
            }
            Thread.sleep(300); // pages are paged out in the background
            for (int row = 0, at = 0; row < ROWS; row++, at = (at + 1009) % ROWS) {
                for (byte[][] rows : structures) {
                    assertEquals(rows[at][ROW / 2], 0, "a byte of a row");
                }
            }
        }
        assertEquals(signals.get(), 0, "signals that nobody sent");
        if (!STOCK) {
            assertTrue(SecondHeap.statistics().getWaitedNanos() <= 0, "the label of a wait is known");
        }
        Signal.raise(new Signal("USR2"));
        waitFor(() -> signals.get() > 0);
        assertEquals(signals.get(), 1, "signals that the program sent");
        System.out.println(SecondHeap.statistics().getUnplacedWaitNanos() / 1_000_000 + " ms of waits, of labels that are not known");
    }
}
