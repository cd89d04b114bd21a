// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2;

/*
 * @test TestGrownStructures
 * @summary Structures that were moved when they were small grow to several times H1
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx96m -Xmn24m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.TestGrownStructures
 * @run main/othervm -Xmx96m -Xmn24m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m -XX:-UseCompressedOops
 *                   -XX:H2LowThreshold=0
 *                   gc.terrace.h2.TestGrownStructures
 * @run main/othervm -Xmx96m -Xmn24m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:H2DeepMarkingInterval=1
 *                   gc.terrace.h2.TestGrownStructures
 */

import java.util.HashMap;
import java.util.Map;

import org.terrace.SecondHeap;
import org.terrace.SecondHeap.State;

import static gc.terrace.h2.H2Test.*;

/** The old generation has 72 MB: 36 at the low threshold, 61 at the high one. */
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

    public static void main(String[] args) {
        requireH2();
        belowTheThreshold();
        table();
        list();
        map();
        replaced();
    }

    private static void belowTheThreshold() {
        Object[] table = move(new Object[16]);
        table[0] = block(0);
        majorGC();
        majorGC();
        assertState(State.IN_H1, table[0], "what a structure in H2 got, in a heap with room");
        check((byte[]) table[0], 0);
    }

    private static void table() {
        Object[] table = move(new Object[BLOCKS]);
        for (int i = 0; i < BLOCKS; i++) {
            table[i] = block(i);
        }
        for (int i = 0; i < BLOCKS; i++) {
            check((byte[]) table[i], i);
        }
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

    // Grows by tables of its own, too.
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

    // Most of what is stored is garbage soon, in H1 or in H2.
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
