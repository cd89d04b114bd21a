// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.tiers;

/*
 * @test TestMonitor
 * @summary Regions that the program reads become fast, and replace fast regions that it no longer reads, whatever the hints. Without
 *          sampling only hints count. No data is lost by migration
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:H2ResidentLimit=1g
 *                   -Xmx256m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2FastSize=32m -XX:H2TierPolicy=monitor
 *                   -XX:H2SampleInterval=200 -Xlog:gc+h2=debug
 *                   gc.terrace.tiers.TestMonitor monitor
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:H2ResidentLimit=1g
 *                   -Xmx256m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2RegionSize=2m -XX:H2FastSize=32m -XX:H2TierPolicy=both
 *                   -XX:H2SampleInterval=100 -XX:H2SampleBudget=50 -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   -Xlog:gc+h2=debug
 *                   gc.terrace.tiers.TestMonitor both
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:H2ResidentLimit=1g
 *                   -Xmx256m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2FastSize=32m -XX:H2TierPolicy=both
 *                   -XX:H2SampleInterval=100 -XX:H2MigrationRate=0 -Xlog:gc+h2=debug
 *                   gc.terrace.tiers.TestMonitor still
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:H2ResidentLimit=1g
 *                   -Xmx256m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2FastSize=32m -XX:H2TierPolicy=both
 *                   -XX:H2SampleInterval=100 -XX:+UnlockDiagnosticVMOptions -Dterrace.h2.failCall=pagemap_open:1
 *                   -Xlog:gc+h2=debug
 *                   gc.terrace.tiers.TestMonitor blind
 */

import java.util.function.BooleanSupplier;
import org.terrace.SecondHeap;
import org.terrace.SecondHeap.Tier;
import org.terrace.SecondHeapLabelUsage;

import static gc.terrace.h2.H2Test.*;
import static gc.terrace.tiers.Rows.*;

public class TestMonitor {

    private static final long MB = 1 << 20;

    private static volatile byte sink;

    public static void main(String[] args) throws Exception {
        requireH2();
        if (STOCK) {
            return;
        }
        boolean sees = !args[0].equals("blind");
        assertEquals(SecondHeap.statistics().getSamples() >= 0, sees, "whether accesses are looked at");
        long first = freshLabel();
        long second = freshLabel();
        // Both hints are wrong.
        SecondHeap.place(first, Tier.FAST);
        SecondHeap.place(second, Tier.SLOW);
        byte[][] a = moveToH2(structure(1), first);
        byte[][] b = moveToH2(structure(2), second);
        switch (args[0]) {
            case "monitor":
                assertEquals(usage(first).getFastBytes(), 0, "fast before anything was read");
                readUntil(a, () -> usage(first).getFastBytes() >= SIZE && becameFast() >= SIZE);
                assertEquals(usage(second).getFastBytes(), 0, "bytes that are fast without having been read");
                become(b, second, first);
                become(a, first, second);
                break;
            case "both":
                assertTrue(usage(first).getFastBytes() >= SIZE, "the hint is followed first: " + usage(first));
                become(b, second, first);
                become(a, first, second);
                // A new hint takes effect at once.
                SecondHeap.place(first, Tier.SLOW);
                waitFor(() -> usage(first).getFastBytes() == 0);
                awaitResident(first, 0, "placed slow");
                break;
            default:
                hintsHold(b, first, second, sees);
        }
        check(a, 1);
        check(b, 2);
        SecondHeap.labels().forEach(System.out::println);
    }

    /** Tests that a structure that is read becomes fast and resident, and that the other becomes slow and is paged out. */
    private static void become(byte[][] rows, long hot, long cold) throws InterruptedException {
        long before = becameFast();
        readUntil(rows, () -> usage(hot).getFastBytes() >= SIZE && usage(cold).getFastBytes() == 0
                              && usage(cold).getResidentBytes() <= 2 * MB && becameFast() - before >= SIZE);
        assertTrue(usage(hot).getFastBytes() >= SIZE, "read all the time: " + usage(hot));
        assertEquals(usage(cold).getFastBytes(), 0, "bytes of what is not read that are fast");
        assertTrue(usage(hot).getHeat() > usage(cold).getHeat(), usage(hot) + ", " + usage(cold));
        awaitResident(hot, SIZE, "fast");
        awaitResident(cold, 0, "slow");
        long moved = becameFast() - before;
        assertTrue(moved >= SIZE && moved <= 32 * MB, moved + " bytes became fast: each region once");
    }

    /** The counter changes when a whole exchange is complete, a little after its regions are fast. */
    private static long becameFast() {
        return SecondHeap.statistics().getMigratedToFastBytes();
    }

    private static void hintsHold(byte[][] rows, long first, long second, boolean sees) throws InterruptedException {
        awaitResident(second, 0, "slow");
        long end = System.nanoTime() + 3_000_000_000L;
        readUntil(rows, () -> System.nanoTime() > end && usage(second).getHeat() > 0 == sees);
        assertTrue(usage(first).getFastBytes() >= SIZE, "the hint holds: " + usage(first));
        assertEquals(usage(second).getFastBytes(), 0, "fast bytes of what is hinted slow");
        assertEquals(usage(second).getHeat() > 0, sees, "whether there is heat");
        assertEquals(SecondHeap.statistics().getMigratedToFastBytes(), 0, "bytes that moved");
    }

    private static void readUntil(byte[][] rows, BooleanSupplier condition) throws InterruptedException {
        waitFor(() -> {
            for (byte[] row : rows) {
                for (int i = 0; i < row.length; i += 1024) {
                    sink += row[i];
                }
            }
            return condition.getAsBoolean();
        });
    }

    /** Waits until a number of bytes is resident (mincore). Some pages are shared with others, or are being written. */
    private static void awaitResident(long label, long expected, String what) throws InterruptedException {
        waitFor(() -> Math.abs(usage(label).getResidentBytes() - expected) <= 2 * MB);
        SecondHeapLabelUsage usage = usage(label);
        assertTrue(Math.abs(usage.getResidentBytes() - expected) <= 2 * MB, what + ": " + usage);
    }

    private static SecondHeapLabelUsage usage(long label) {
        return SecondHeap.labels().stream().filter(usage -> usage.getLabel() == label).findAny().orElseThrow();
    }
}
