// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.transfer;

/*
 * @test TestThresholds
 * @summary If H1 is above the high threshold, tagged structures move without being due, until it is at the low one
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx96m -Xmn24m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2RegionSize=2m
 *                   -XX:H2HighThreshold=60 -XX:H2LowThreshold=30
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.transfer.TestThresholds 30
 * @run main/othervm -Xmx96m -Xmn24m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2RegionSize=2m -XX:-UseCompressedOops
 *                   -XX:H2HighThreshold=60 -XX:H2LowThreshold=0
 *                   gc.terrace.h2.transfer.TestThresholds 0
 */

import org.terrace.SecondHeap;
import org.terrace.SecondHeap.State;

import static gc.terrace.h2.H2Test.*;

/** The old generation has 72 MB. The high threshold is at 43 MB, and a low one of 30 percent at 22 MB. */
public class TestThresholds {

    private static final int MB = 1 << 20;

    public static void main(String[] args) {
        requireH2();
        int low = Integer.parseInt(args[0]);
        Object[] blocks = new Object[52];
        // Below the high threshold nothing moves.
        int count = 0;
        while (count < 24) {
            blocks[count] = block(count);
            SecondHeap.tagRoot(blocks[count], 5000 + count);
            count++;
        }
        majorGC();
        majorGC();
        assertEquals(moved(blocks, count), 0, "blocks moved below the high threshold");
        // Above it, structures move.
        while (count < 52) {
            blocks[count] = block(count);
            SecondHeap.tagRoot(blocks[count], 5000 + count);
            count++;
        }
        for (int i = 0; i < 3; i++) {
            majorGC();
        }
        int moved = moved(blocks, count);
        System.out.println(moved + " of " + count + " MB were moved");
        if (!STOCK) {
            assertTrue(moved >= 52 - 43, "too few blocks were moved: " + moved);
            if (low == 0) {
                assertTrue(moved >= 40, "not all was moved: " + moved);
            } else {
                assertTrue(moved <= 52 - 22 + 8, "more was moved than the low threshold asks for: " + moved);
            }
        }
        for (int i = 0; i < count; i++) {
            byte[] bytes = (byte[]) ((Object[]) blocks[i])[0];
            for (int k = 0; k < bytes.length; k += 1000) {
                assertEquals(bytes[k], (byte) (i + k), "byte " + k + " of block " + i);
            }
        }
        // With free space in H1 again, more objects fit than into H1 alone.
        Object[] more = new Object[40];
        for (int i = 0; i < more.length; i++) {
            more[i] = block(i);
            SecondHeap.tagRoot(more[i], 6000 + i);
        }
        for (int i = 0; i < more.length; i++) {
            byte[] bytes = (byte[]) ((Object[]) more[i])[0];
            assertEquals(bytes[1000], (byte) (i + 1000), "byte 1000 of the additional block " + i);
        }
    }

    private static Object block(int n) {
        byte[] bytes = new byte[MB];
        for (int k = 0; k < bytes.length; k += 1000) {
            bytes[k] = (byte) (n + k);
        }
        return new Object[] { bytes };
    }

    private static int moved(Object[] blocks, int count) {
        int moved = 0;
        for (int i = 0; i < count; i++) {
            if (SecondHeap.state(blocks[i]) == State.IN_H2) {
                moved++;
            }
        }
        return moved;
    }
}
