// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.tiers;

/*
 * @test TestPlace
 * @summary Pages of a label are kept in its tier, whether it was placed before or after it moved, up to H2FastSize. No data is lost
 *          by migration, and objects of the tier heap stay there
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:H2ResidentLimit=1g
 *                   -Xmx256m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2FastSize=64m -XX:ParallelGCThreads=4
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -Xlog:gc+h2=debug
 *                   gc.terrace.tiers.TestPlace
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:H2ResidentLimit=1g
 *                   -Xmx256m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2RegionSize=2m -XX:H2FastSize=64m
 *                   -XX:+H2RandomAccess -Xlog:gc+h2=debug
 *                   gc.terrace.tiers.TestPlace
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:H2ResidentLimit=1g
 *                   -Xmx256m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2RegionSize=2m -XX:H2FastSize=64m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:H2DeepMarkingInterval=1 -XX:+VerifyH2 -Xlog:gc+h2=debug
 *                   gc.terrace.tiers.TestPlace emptied
 * @run main/othervm -XX:+UnlockDiagnosticVMOptions -XX:H2ResidentLimit=1g
 *                   -Xmx256m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2FastSize=64m -Xlog:gc+h2=debug:file=pause.log
 *                   gc.terrace.tiers.TestPlace pause
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2FastSize=64m -Xlog:gc+h2=debug
 *                   gc.terrace.tiers.TestPlace roomy
 */

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.terrace.SecondHeap;
import org.terrace.SecondHeap.State;
import org.terrace.SecondHeap.Tier;
import org.terrace.SecondHeapLabelUsage;

import static gc.terrace.h2.H2Test.*;
import static gc.terrace.tiers.Rows.*;

public class TestPlace {

    private static final long MB = 1 << 20;
    private static final long FAST = 64 * MB;
    // Workers claim roots concurrently, so the order differs from run to run.
    private static final int RACES = 20;
    private static final int TRANSFERS = 10;

    public static void main(String[] args) throws Exception {
        requireH2();
        if (STOCK) {
            return;
        }
        assertTrue(SecondHeap.hasTiers(), "H2FastSize is set, and there are no tiers");
        if (args.length > 0) {
            if (args[0].equals("emptied")) {
                emptied();
            } else if (args[0].equals("roomy")) {
                slowPagesStayWhileMemoryHasRoom();
            } else {
                leftAloneInThePause();
            }
            return;
        }
        placedBefore();
        placedAfter();
        beyondTheRoom();
        onTheHeap();
        for (int i = 0; i < RACES; i++) {
            sharedGoesWithFast();
        }
    }

    private static void placedBefore() throws Exception {
        long fast = freshLabel();
        long slow = freshLabel();
        SecondHeap.place(fast, Tier.FAST);
        SecondHeap.place(slow, Tier.SLOW);
        byte[][] a = moveToH2(structure(1), fast);
        byte[][] b = moveToH2(structure(2), slow);
        assertTier(fast, "FAST", SIZE);
        assertTier(slow, "SLOW", 0);
        awaitResident(fast, SIZE, "fast");
        awaitResident(slow, 0, "slow");
        check(a, 1);
        check(b, 2);
        // After a pass over both, one stays in memory and the other is paged out.
        SecondHeap.dismiss(a);
        SecondHeap.dismiss(b);
        awaitResident(slow, 0, "slow, after it was read");
        awaitResident(fast, SIZE, "fast, after it was dismissed");
        // Pages that the program writes are written to the device, too.
        SecondHeap.place(slow, Tier.FAST);
        awaitResident(slow, SIZE, "fast after all");
        for (byte[] row : b) {
            row[5] = 9;
        }
        SecondHeap.place(slow, Tier.SLOW);
        awaitResident(slow, 0, "slow, after it was written");
        for (byte[] row : b) {
            assertEquals(row[5], 9, "what was written");
        }
        SecondHeap.place(fast, Tier.SLOW);
    }

    /** The machine has more memory than both heaps need. */
    private static void slowPagesStayWhileMemoryHasRoom() throws Exception {
        long slow = freshLabel();
        SecondHeap.place(slow, Tier.SLOW);
        byte[][] a = moveToH2(structure(1), slow);
        assertTier(slow, "SLOW", 0);
        check(a, 1);
        SecondHeap.dismiss(a);
        Thread.sleep(1000);
        awaitResident(slow, SIZE, "slow, with room for it");
    }

    private static void placedAfter() throws Exception {
        long label = freshLabel();
        byte[][] a = moveToH2(structure(3), label);
        assertTier(label, "AUTO", 0);
        for (int i = 0; i < 3; i++) {
            SecondHeap.place(label, Tier.SLOW);
            assertEquals(usage(label).getTier(), "SLOW", "tier");
            awaitResident(label, 0, "placed slow");
            SecondHeap.place(label, Tier.FAST);
            awaitResident(label, SIZE, "placed fast");
            assertTier(label, "FAST", SIZE);
            check(a, 3);
        }
        SecondHeap.place(label, Tier.AUTO);
        waitFor(() -> usage(label).getFastBytes() == 0);
        assertTier(label, "AUTO", 0);
    }

    private static void beyondTheRoom() throws Exception {
        long first = freshLabel();
        long second = freshLabel();
        long third = freshLabel();
        for (long label : new long[] { first, second, third }) {
            SecondHeap.place(label, Tier.FAST);
        }
        byte[][] a = moveToH2(structure(4), first);
        byte[][] b = moveToH2(structure(5), second);
        byte[][] c = moveToH2(structure(6), third);
        assertTrue(fastBytes(first, second, third) <= FAST, "more is fast than H2FastSize");
        assertTier(first, "FAST", SIZE);
        assertTrue(usage(third).getFastBytes() < SIZE / 4, "there is no room for all of the third");
        // When one label releases its space, the next one becomes fast.
        SecondHeap.place(first, Tier.SLOW);
        waitFor(() -> usage(third).getFastBytes() >= SIZE);
        assertTier(third, "FAST", SIZE);
        awaitResident(third, SIZE, "fast at last");
        awaitResident(first, 0, "slow by now");
        check(a, 4);
        check(b, 5);
        check(c, 6);
        // The space of a dead label is reused as well.
        SecondHeap.place(first, Tier.FAST);
        b = null;
        waitFor(() -> {
            System.gc();
            return usage(first).getFastBytes() >= SIZE;
        });
        assertTier(first, "FAST", SIZE);
        SecondHeap.place(first, Tier.AUTO);
        SecondHeap.place(third, Tier.AUTO);
    }

    private static void onTheHeap() {
        long label = freshLabel();
        SecondHeap.place(label, Tier.HEAP);
        byte[][] a = structure(7);
        SecondHeap.tagRoot(a, label);
        SecondHeap.move(label);
        assertInH1(a, "what belongs on the heap");
        SecondHeap.transfer();
        assertInH1(a, "what belongs on the heap");
        SecondHeap.place(label, Tier.FAST);
        assertState(State.DUE, a, "what belongs there no longer");
        SecondHeap.transfer();
        assertInH2(a, "what belongs there no longer");
        SecondHeap.place(label, Tier.HEAP);
        check(a, 7);
        SecondHeap.place(label, Tier.AUTO);
    }

    /** Tests a collection that moves nothing to H2, but evacuates sparse regions into another region. */
    private static void emptied() throws Exception {
        long label = freshLabel();
        byte[][] rows = moveToH2(structure(9), label);
        for (int i = 0; i < rows.length; i++) {
            rows[i] = i % 8 == 0 ? rows[i] : null;
        }
        long freed = SecondHeap.statistics().getRegionsFreed();
        System.gc();
        assertTrue(SecondHeap.statistics().getRegionsFreed() > freed, "no region was emptied");
        SecondHeap.place(label, Tier.SLOW);
        awaitResident(label, 0, "slow, after regions were emptied");
        SecondHeap.place(label, Tier.FAST);
        awaitResident(label, SIZE / 8, "fast, after regions were emptied");
        for (int i = 0; i < rows.length; i += 8) {
            assertEquals(rows[i][5], 9, "a row");
        }
    }

    /** A collection may use pages again that it has written, so they are released only when it has ended. */
    private static void leftAloneInThePause() throws Exception {
        for (int i = 0; i < TRANSFERS; i++) {
            long label = freshLabel();
            SecondHeap.place(label, Tier.SLOW);
            byte[][] rows = moveToH2(structure(i), label);
            check(rows, i);
            // Otherwise pages that this transfer releases may be attributed to the next one.
            long regions = REGIONS * (i + 1L);
            waitFor(() -> log().stream().filter(TestPlace::isGivenBack).count() >= regions);
        }
        int regions = 0;
        boolean isPause = false;
        for (String line : log()) {
            if (line.contains("Transfer: ")) {
                isPause = true;
            } else if (line.contains("H2: ") && line.contains(" regions free")) {
                isPause = false;
            } else if (isGivenBack(line)) {
                regions++;
                assertTrue(!isPause, "before the collection ended: " + line);
            }
        }
        assertTrue(regions >= REGIONS * TRANSFERS, regions + " regions were given back");
    }

    private static List<String> log() {
        try {
            return Files.readAllLines(Path.of("pause.log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isGivenBack(String line) {
        return line.contains("Tiers: region") && !line.contains(", again");
    }

    private static void sharedGoesWithFast() {
        long slow = freshLabel();
        long fast = freshLabel();
        SecondHeap.place(slow, Tier.SLOW);
        SecondHeap.place(fast, Tier.FAST);
        byte[][] shared = structure(8);
        Object[] first = { shared };
        Object[] second = { shared };
        SecondHeap.tagRoot(first, slow);
        SecondHeap.tagRoot(second, fast);
        SecondHeap.move(slow);
        SecondHeap.move(fast);
        SecondHeap.transfer();
        assertInH2(first, "the slow root");
        assertTrue(usage(fast).getUsedBytes() >= SIZE, "what both reach is fast: " + usage(fast));
        assertTrue(usage(slow).getUsedBytes() < MB, "and not slow: " + usage(slow));
        check(shared, 8);
    }

    private static void assertTier(long label, String tier, long least) {
        SecondHeapLabelUsage usage = usage(label);
        assertEquals(usage.getTier(), tier, "tier");
        assertTrue(least == 0 ? usage.getFastBytes() == 0 : usage.getFastBytes() >= least, usage.toString());
    }

    /** Waits until a number of bytes is resident (mincore). Some pages are shared with others, or are being written. */
    private static void awaitResident(long label, long expected, String what) throws InterruptedException {
        waitFor(() -> Math.abs(usage(label).getResidentBytes() - expected) <= 2 * MB);
        SecondHeapLabelUsage usage = usage(label);
        assertTrue(Math.abs(usage.getResidentBytes() - expected) <= 2 * MB, what + ": " + usage);
    }

    private static long fastBytes(long... labels) {
        return Arrays.stream(labels).map(label -> usage(label).getFastBytes()).sum();
    }

    private static SecondHeapLabelUsage usage(long label) {
        return SecondHeap.labels().stream().filter(usage -> usage.getLabel() == label).findAny()
            .orElse(new SecondHeapLabelUsage(label, 0, 0, 0, 0, 0, -1, "AUTO", 0));
    }
}
