// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.transfer;

/*
 * @test TestUnhinted
 * @summary A program without hints holds more data than H1, and with -XX:-H2MoveUnhinted it runs out of memory
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx96m -Xmn24m -XX:AllocateH2At=. -XX:H2OverheadThreshold=100 -XX:H2Size=1g -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.transfer.TestUnhinted moves
 * @run main/othervm -Xmx96m -Xmn24m -XX:AllocateH2At=. -XX:H2OverheadThreshold=100 -XX:H2Size=1g -XX:H2RegionSize=2m -XX:-UseCompressedOops
 *                   -XX:ParallelGCThreads=4
 *                   gc.terrace.h2.transfer.TestUnhinted moves
 * @run main/othervm -Xmx96m -Xmn24m -XX:AllocateH2At=. -XX:H2OverheadThreshold=100 -XX:H2Size=1g -XX:H2RegionSize=2m
 *                   -XX:ObjectAlignmentInBytes=16 -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.transfer.TestUnhinted moves
 * @run main/othervm -Xmx96m -Xmn24m -XX:AllocateH2At=. -XX:H2OverheadThreshold=100 -XX:H2Size=64m -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.transfer.TestUnhinted short
 * @run main/othervm -Xmx96m -Xmn24m -XX:AllocateH2At=. -XX:H2OverheadThreshold=100 -XX:H2Size=1g -XX:H2RegionSize=2m -XX:-H2MoveUnhinted
 *                   gc.terrace.h2.transfer.TestUnhinted stays
 */

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.terrace.SecondHeap;
import org.terrace.SecondHeap.State;

import static gc.terrace.h2.H2Test.*;

/** The old generation has 72 MB. The low threshold is at 36 MB, and the high one at 61 MB. */
public class TestUnhinted {

    private static final int BLOCK = 8 << 10;
    private static final int PER_MB = (1 << 20) / BLOCK;

    // An object of a static field, and therefore shared.
    private static final byte[] STATIC = block(-1);

    public static void main(String[] args) {
        requireH2();
        switch (args[0]) {
            case "moves" -> {
                withRoom();
                moreThanTheHeap();
                strings();
                replaced();
            }
            case "short" -> shortOfRoom();
            default -> stays();
        }
    }

    // H1 has enough space, so nothing moves, as on a stock JVM.
    private static void withRoom() {
        List<byte[]> blocks = fill(40);
        majorGC();
        majorGC();
        for (byte[] block : blocks) {
            assertInH1(block, "a block, in a heap with room");
        }
    }

    private static void moreThanTheHeap() {
        List<byte[]> blocks = fill(300);
        int moved = 0;
        for (int i = 0; i < blocks.size(); i++) {
            check(blocks.get(i), i);
            moved += SecondHeap.state(blocks.get(i)) == State.IN_H2 ? 1 : 0;
        }
        System.out.println(moved + " of " + blocks.size() + " blocks were moved");
        assertTrue(moved >= 230 * PER_MB, "too few were moved: " + moved);
        assertInH1(blocks, "what has references");
        assertInH1(STATIC, "what a static field refers to");
        // Later writes change the moved objects.
        for (byte[] block : blocks) {
            block[1]++;
        }
        majorGC();
        for (int i = 0; i < blocks.size(); i++) {
            assertEquals(blocks.get(i)[1], (byte) 1, "what was written to block " + i);
        }
    }

    // Small arrays move if large ones do not suffice. The map takes 100 MB, including 64 MB of arrays.
    private static void strings() {
        Map<Integer, String> map = new HashMap<>();
        for (int i = 0; i < 500_000; i++) {
            map.put(i, "a string of more than a hundred characters, which makes an array of more than a hundred bytes, number " + i);
        }
        for (int i = 0; i < map.size(); i++) {
            assertTrue(map.get(i).endsWith("number " + i), map.get(i));
        }
    }

    // A region dies when all of its objects have been replaced.
    private static void replaced() {
        Random random = new Random(1);
        byte[][] blocks = new byte[120 * PER_MB][];
        for (int i = 0; i < 10 * blocks.length; i++) {
            blocks[random.nextInt(blocks.length)] = block(i);
        }
        long freed = SecondHeap.statistics().getRegionsFreed();
        System.out.println(freed + " regions freed");
        assertTrue(freed > 0, "no region was freed");
    }

    // H2 is filled, and a list that dies frees space for the next one.
    private static void shortOfRoom() {
        for (int turn = 0; turn < 4; turn++) {
            List<byte[]> blocks = fill(100);
            for (int i = 0; i < blocks.size(); i++) {
                check(blocks.get(i), i);
            }
            blocks = null;
        }
    }

    private static void stays() {
        List<byte[]> blocks = new ArrayList<>();
        try {
            fill(blocks, 300);
            assertTrue(STOCK, "300 MB fit into H1");
        } catch (OutOfMemoryError e) {
            int count = blocks.size();
            blocks = null;
            System.out.println("out of memory with " + count + " blocks");
        }
    }

    private static List<byte[]> fill(int megabytes) {
        List<byte[]> blocks = new ArrayList<>();
        fill(blocks, megabytes);
        return blocks;
    }

    private static void fill(List<byte[]> blocks, int megabytes) {
        for (int i = 0; i < megabytes * PER_MB; i++) {
            blocks.add(block(i));
        }
    }

    private static byte[] block(int n) {
        byte[] bytes = new byte[BLOCK];
        for (int k = 2; k < BLOCK; k += 1000) {
            bytes[k] = (byte) (n + k);
        }
        return bytes;
    }

    private static void check(byte[] bytes, int n) {
        for (int k = 2; k < BLOCK; k += 1000) {
            assertEquals(bytes[k], (byte) (n + k), "byte " + k + " of block " + n);
        }
    }
}
