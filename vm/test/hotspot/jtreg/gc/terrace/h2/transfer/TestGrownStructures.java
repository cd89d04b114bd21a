// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.transfer;

/*
 * @test TestGrownStructures
 * @summary Structures that were small when they moved grow to several times the size of H1
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx96m -Xmn24m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m -XX:ParallelGCThreads=4
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.transfer.TestGrownStructures
 * @run main/othervm -Xmx96m -Xmn24m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m -XX:-UseCompressedOops
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+H2UnionFind
 *                   gc.terrace.h2.transfer.TestGrownStructures
 * @run main/othervm -Xmx96m -Xmn24m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:H2DeepMarkingInterval=1
 *                   gc.terrace.h2.transfer.TestGrownStructures
 * @run main/othervm -Xmx96m -Xmn24m -XX:AllocateH2At=. -XX:H2Size=52m -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.transfer.TestGrownStructures short of room
 * @run main/othervm -Xmx96m -Xmn24m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m -XX:H2HighThreshold=100
 *                   gc.terrace.h2.transfer.TestGrownStructures on advice only
 */

import java.util.HashMap;
import java.util.Map;

import org.terrace.SecondHeap;
import org.terrace.SecondHeap.State;

import static gc.terrace.h2.H2Test.*;

/** The old generation has 72 MB. The low threshold is at 36 MB, and the high one at 61 MB. */
public class TestGrownStructures {

    private static final int BLOCK = 1 << 16;
    private static final int BLOCKS = 200 * 16;     // 200 MB

    private static final class Node {
        final byte[] block;
        Node next;

        Node(byte[] block) {
            this.block = block;
        }
    }

    // An object of a static field, which is alive whatever else refers to it.
    private static final byte[] STATIC = block(-1);

    public static void main(String[] args) {
        requireH2();
        switch (String.join(" ", args)) {
            case "short of room" -> shortOfRoom();
            case "on advice only" -> onAdviceOnly();
            default -> whereThereIsRoom();
        }
    }

    private static void whereThereIsRoom() {
        belowTheThreshold();
        afterWhatIsTagged();
        table();
        list();
        map();
        replaced();
    }

    private static void belowTheThreshold() {
        Object[] table = move(new Object[16]);
        fill(table);
        majorGC();
        majorGC();
        assertState(State.IN_H1, table[0], "what a structure in H2 got, in a heap with room");
        check(table);
    }

    // A structure in H2 grew by 5 MB, and 60 MB in H1 are tagged. That is 29 MB too many for H1.
    private static void afterWhatIsTagged() {
        Object[] table = move(new Object[80]);
        fill(table);
        byte[][][] tagged = new byte[60][16][];
        for (int i = 0; i < tagged.length; i++) {
            SecondHeap.tagRoot(tagged[i], freshLabel());
            fill(tagged[i]);
        }
        majorGC();
        assertState(State.IN_H2, tagged[0], "the first tagged");
        assertState(State.IN_H1, tagged[tagged.length - 1], "the last tagged");
        for (Object block : table) {
            assertState(State.IN_H1, block, "what a structure in H2 got, where tagged ones suffice");
        }
    }

    // A root of 40 MB does not fit into H2. The blocks that were added to another structure fit in part.
    private static void shortOfRoom() {
        Object[] table = move(new Object[40 * 16]);
        Object[] before = new Object[20 * 16];
        fill(before);
        move(before);
        Object[] large = new Object[40 * 16];
        SecondHeap.tagRoot(large, freshLabel());
        fill(large);
        fill(table);
        int moved = 0;
        for (Object block : table) {
            moved += SecondHeap.state(block) == State.IN_H2 ? 1 : 0;
        }
        System.out.println(moved + " of " + table.length + " blocks were moved");
        assertTrue(moved >= 10 * 16, "too few blocks were moved: " + moved);
        check(table);
        check(before);
        check(large);
    }

    private static void onAdviceOnly() {
        Object[] table = move(new Object[66 * 16]);
        fill(table);
        majorGC();
        for (Object block : table) {
            assertState(State.IN_H1, block, "what a structure in H2 got");
        }
        check(table);
    }

    // A table that is longer than a region.
    private static void table() {
        Object[] table = move(new Object[1 << 20]);
        int stride = table.length / BLOCKS;
        table[table.length - 1] = STATIC;
        for (int i = 0; i < BLOCKS; i++) {
            table[i * stride] = block(i);
        }
        for (int i = 0; i < BLOCKS; i++) {
            check((byte[]) table[i * stride], i);
        }
        assertState(State.IN_H2, table[0], "the first block");
        assertState(State.IN_H1, STATIC, "what a static field refers to");
        check(STATIC, -1);
    }

    private static void list() {
        Node first = move(new Node(block(0)));
        Node last = first;
        for (int i = 1; i < BLOCKS; i++) {
            last.next = new Node(block(i));
            last = last.next;
        }
        int i = 0;
        for (Node node = first; node != null; node = node.next) {
            check(node.block, i++);
        }
        assertEquals(i, BLOCKS, "nodes");
    }

    // A map also grows by new tables.
    private static void map() {
        Map<Integer, byte[]> map = move(new HashMap<>());
        for (int i = 0; i < BLOCKS; i++) {
            map.put(i, block(i));
        }
        assertEquals(map.size(), BLOCKS, "entries");
        for (int i = 0; i < BLOCKS; i++) {
            check(map.get(i), i);
        }
    }

    // Most stored objects soon become garbage, in H1 or in H2.
    private static void replaced() {
        int size = BLOCKS / 4;
        Object[] table = move(new Object[size]);
        for (int i = 0; i < 4 * size; i++) {
            table[i % size] = block(i);
        }
        for (int i = 0; i < size; i++) {
            check((byte[]) table[i], 3 * size + i);
        }
    }

    private static <T> T move(T root) {
        long label = freshLabel();
        SecondHeap.tagRoot(root, label);
        SecondHeap.move(label);
        majorGC();
        assertState(State.IN_H2, root, "the root");
        return root;
    }

    private static void fill(Object[] blocks) {
        for (int i = 0; i < blocks.length; i++) {
            blocks[i] = block(i);
        }
    }

    private static void check(Object[] blocks) {
        for (int i = 0; i < blocks.length; i++) {
            check((byte[]) blocks[i], i);
        }
    }

    private static byte[] block(int n) {
        byte[] bytes = new byte[BLOCK];
        for (int k = 0; k < BLOCK; k += 1000) {
            bytes[k] = (byte) (n + k);
        }
        return bytes;
    }

    private static void check(byte[] bytes, int n) {
        for (int k = 0; k < BLOCK; k += 1000) {
            assertEquals(bytes[k], (byte) (n + k), "byte " + k + " of block " + n);
        }
    }
}
