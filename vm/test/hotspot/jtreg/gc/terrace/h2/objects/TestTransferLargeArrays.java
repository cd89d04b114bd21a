// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.objects;

/*
 * @test TestTransferLargeArrays
 * @summary Arrays as large as a region, larger, and a word more or less, which are changed on all of their cards
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:+VerifyBeforeGC -XX:+VerifyAfterGC
 *                   -XX:VerifySubSet=threads,heap,string_table,jni_handles,codecache_oops
 *                   gc.terrace.h2.objects.TestTransferLargeArrays
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m -XX:-UseCompressedOops
 *                   -XX:ParallelGCThreads=1
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.objects.TestTransferLargeArrays
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=4m -XX:TieredStopAtLevel=1
 *                   -XX:ParallelGCThreads=4
 *                   gc.terrace.h2.objects.TestTransferLargeArrays
 */

import java.util.Arrays;

import static gc.terrace.h2.H2Test.*;

import gc.terrace.h2.Tree;

public class TestTransferLargeArrays {

    private static final int REGION = 2 << 20;

    public static void main(String[] args) throws Exception {
        requireH2();
        primitives();
        aroundTheSizeOfARegion();
        references();
        neighbours();
        copies();
    }

    private static void primitives() {
        for (int bytes : new int[] { REGION / 2 + 8, REGION + REGION / 2, 3 * REGION, 5 * REGION + 12_344 }) {
            long[] longs = new long[bytes / 8];
            Arrays.setAll(longs, i -> i * 0x9e3779b97f4a7c15L);
            moveToH2(longs);
            for (int i = 0; i < longs.length; i++) {
                assertEquals(longs[i], i * 0x9e3779b97f4a7c15L, "element " + i);
                longs[i] = ~longs[i];
            }
            majorGC();
            for (int i = 0; i < longs.length; i++) {
                assertEquals(longs[i], ~(i * 0x9e3779b97f4a7c15L), "changed element " + i);
            }
        }
    }

    private static void aroundTheSizeOfARegion() {
        Object[] arrays = new Object[40];
        for (int i = 0; i < arrays.length; i++) {
            byte[] bytes = new byte[REGION - 16 + (i % 20 - 10) * 8];
            bytes[0] = (byte) i;
            bytes[bytes.length - 1] = (byte) ~i;
            arrays[i] = bytes;
        }
        moveToH2(arrays);
        for (int i = 0; i < arrays.length; i++) {
            byte[] bytes = (byte[]) arrays[i];
            assertInH2(bytes, "array " + i);
            assertEquals(bytes[0], (byte) i, "first byte of array " + i);
            assertEquals(bytes[bytes.length - 1], (byte) ~i, "last byte of array " + i);
            for (int k = 1; k < bytes.length - 1; k++) {
                if (bytes[k] != 0) {
                    throw new RuntimeException("byte " + k + " of array " + i + " is " + bytes[k]);
                }
            }
        }
    }

    private static void references() {
        int length = 3 * REGION / 4 + 1234;
        Object[] array = new Object[length];
        Object[] holder = { array };
        moveToH2(holder);
        // Slots refer to young, old and H2 objects at different places. Most slots stay null.
        Tree moved = moveToH2(Tree.make(100, 3));
        for (int round = 0; round < 3; round++) {
            for (int i = round; i < length; i += 997) {
                array[i] = Integer.valueOf(1_000_000 * (round + 1) + i);
            }
            for (int i = round + 500; i < length; i += 4999) {
                array[i] = moved;
            }
            array[0] = Tree.make(5, round);
            array[length - 1] = Tree.make(6, round);
            minorGC(2);
            if (round > 0) {
                majorGC();
            }
            ((Tree) array[0]).check(5, round);
            ((Tree) array[length - 1]).check(6, round);
            for (int i = round + 997; i < length - 1; i += 997) {
                boolean overwritten = (i - round - 500) % 4999 == 0 && i >= round + 500;
                assertEquals(array[i], overwritten ? moved : Integer.valueOf(1_000_000 * (round + 1) + i), "slot " + i);
            }
            moved.check(100, 3);
        }
        Arrays.fill(array, null);
        majorGC();
        for (Object element : array) {
            assertSame(element, null, "a slot that was set to null");
        }
    }

    // Small objects are before and after large ones of the same label.
    private static void neighbours() {
        Object[] mixed = new Object[60];
        for (int i = 0; i < mixed.length; i++) {
            mixed[i] = i % 10 == 5 ? new long[REGION / 8 + i * 100] : Tree.make(50, i);
        }
        moveToH2(mixed);
        for (int i = 0; i < mixed.length; i++) {
            assertInH2(mixed[i], "element " + i);
            if (mixed[i] instanceof Tree) {
                ((Tree) mixed[i]).check(50, i);
                ((Tree) mixed[i]).extra = new byte[i];
            } else {
                assertEquals(((long[]) mixed[i]).length, REGION / 8 + i * 100, "length of element " + i);
                Arrays.fill((long[]) mixed[i], i);
            }
        }
        minorGC();
        majorGC();
        for (int i = 0; i < mixed.length; i++) {
            if (mixed[i] instanceof Tree) {
                ((Tree) mixed[i]).check(50, i);
                assertEquals(((byte[]) ((Tree) mixed[i]).extra).length, i, "the extra of element " + i);
            } else {
                for (long value : (long[]) mixed[i]) {
                    assertEquals(value, i, "a long of element " + i);
                }
            }
        }
    }

    private static void copies() {
        Object[] source = new Object[REGION / 2];
        for (int i = 0; i < source.length; i += 100) {
            source[i] = Integer.valueOf(100_000 + i);
        }
        Object[] inH2 = moveToH2(source.clone());
        Object[] clone = inH2.clone();
        assertTrue(Arrays.equals(clone, source), "the clone of a large array in H2");
        System.arraycopy(inH2, 0, inH2, 1, inH2.length - 1);
        minorGC();
        for (int i = 1; i < inH2.length; i++) {
            assertSame(inH2[i], clone[i - 1], "shifted element " + i);
        }
        Object[] fresh = new Object[REGION / 2];
        for (int i = 0; i < fresh.length; i += 50) {
            fresh[i] = Integer.valueOf(-i);
        }
        System.arraycopy(fresh, 0, inH2, 0, fresh.length);
        fresh = null;
        majorGC();
        minorGC();
        for (int i = 0; i < inH2.length; i++) {
            assertEquals(inH2[i], i % 50 == 0 ? Integer.valueOf(-i) : null, "overwritten element " + i);
        }
    }
}
