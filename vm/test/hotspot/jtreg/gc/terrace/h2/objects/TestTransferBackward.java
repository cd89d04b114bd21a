// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.objects;

/*
 * @test TestTransferBackward
 * @summary References from H2 to young and old objects keep these alive as long as they exist, and are updated
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:+VerifyBeforeGC -XX:+VerifyAfterGC
 *                   -XX:VerifySubSet=threads,heap,string_table,jni_handles,codecache_oops
 *                   gc.terrace.h2.objects.TestTransferBackward
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -XX:ParallelGCThreads=1 -XX:MaxTenuringThreshold=1
 *                   gc.terrace.h2.objects.TestTransferBackward
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -XX:ParallelGCThreads=4 -XX:-UseCompressedOops
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.objects.TestTransferBackward
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -Xint
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.objects.TestTransferBackward
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -XX:TieredStopAtLevel=1 -XX:+UseCondCardMark
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.objects.TestTransferBackward
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -XX:-TieredCompilation -XX:+UseCondCardMark
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.objects.TestTransferBackward
 */

import java.lang.ref.WeakReference;
import java.util.Random;

import static gc.terrace.h2.H2Test.*;

import gc.terrace.h2.Tree;

public class TestTransferBackward {

    private static final int SLOTS = 20_000;

    static final class Cell {
        Object target;
        long guard = 0x1122334455667788L;
    }

    public static void main(String[] args) throws Exception {
        requireH2();
        onlyTheReferenceFromH2();
        theyAge();
        inManySlots();
        atTheMoveItself();
        droppedOnesDie();
        tooManyForTheSurvivorSpaces();
    }

    private static void onlyTheReferenceFromH2() {
        Cell cell = moveToH2(new Cell());
        for (int i = 0; i < 20; i++) {
            cell.target = Tree.make(30, i);
            if (i % 3 != 1) {
                minorGC();
            }
            if (i % 3 != 0) {
                majorGC();
            }
            ((Tree) cell.target).check(30, i);
            ((Tree) cell.target).assertInH1();
        }
    }

    // The objects become survivors, become old, and move within the old generation. The card changes its state each time.
    private static void theyAge() {
        Cell[] cells = new Cell[100];
        for (int i = 0; i < cells.length; i++) {
            cells[i] = new Cell();
        }
        moveToH2(cells);
        for (int step = 0; step < 40; step++) {
            // Each step adds a new object to cards that refer to objects of all ages.
            cells[step].target = Tree.make(10, step);
            if (step % 10 == 9) {
                majorGC();
            } else {
                minorGC();
            }
            for (int i = 0; i <= step; i++) {
                ((Tree) cells[i].target).check(10, i);
            }
        }
        for (Cell cell : cells) {
            assertEquals(cell.guard, 0x1122334455667788L, "a field beside the reference");
        }
    }

    private static void inManySlots() {
        Random random = new Random(5);
        Object[] array = moveToH2(new Object[SLOTS]);
        int[] model = new int[SLOTS];
        Tree inH2 = moveToH2(Tree.make(10, 1));
        for (int round = 0; round < 12; round++) {
            for (int i = 0; i < SLOTS / 4; i++) {
                int slot = random.nextInt(SLOTS);
                int kind = random.nextInt(4);
                model[slot] = kind == 0 ? 0 : kind == 1 ? -1 : 1_000_000 + random.nextInt(1_000_000);
                array[slot] = kind == 0 ? null : kind == 1 ? inH2 : Integer.valueOf(model[slot]);
            }
            switch (round % 4) {
                case 0:
                    minorGC();
                    break;
                case 1:
                    majorGC();
                    break;
                case 2:
                    minorGC(3);
                    majorGC();
                    break;
                default:
                    majorGC();
                    minorGC();
                    break;
            }
            for (int i = 0; i < SLOTS; i++) {
                Object expected = model[i] == 0 ? null : model[i] == -1 ? inH2 : Integer.valueOf(model[i]);
                assertEquals(array[i], expected, "slot " + i + " in round " + round);
            }
        }
    }

    // Objects that cannot move leave references to H1 in the regions that the transfer writes.
    private static void atTheMoveItself() {
        Object[] holder = new Object[1000];
        for (int i = 0; i < holder.length; i++) {
            Cell cell = new Cell();
            cell.target = new WeakReference<>(cell);
            holder[i] = cell;
        }
        moveToH2(holder);
        for (int round = 0; round < 3; round++) {
            for (Object element : holder) {
                Cell cell = (Cell) element;
                assertInH2(cell, "a cell");
                assertInH1(cell.target, "a reference");
                assertSame(((WeakReference<?>) cell.target).get(), cell, "the referent");
            }
            minorGC();
            majorGC();
        }
    }

    private static void droppedOnesDie() {
        Object[] array = moveToH2(new Object[1000]);
        @SuppressWarnings("unchecked")
        WeakReference<Object>[] weak = new WeakReference[array.length];
        fill(array, weak);
        minorGC();
        majorGC();
        for (int i = 0; i < array.length; i++) {
            assertTrue(weak[i].get() != null && weak[i].get() == array[i], "object " + i + " is lost");
        }
        for (int i = 0; i < array.length; i += 2) {
            array[i] = null;
        }
        majorGC();
        for (int i = 0; i < array.length; i++) {
            assertSame(weak[i].get(), array[i], "the referent of weak reference " + i);
        }
    }

    private static void fill(Object[] array, WeakReference<Object>[] weak) {
        for (int i = 0; i < array.length; i++) {
            array[i] = new Cell();
            weak[i] = new WeakReference<>(array[i]);
        }
    }

    // Objects are promoted prematurely in a minor collection that scans H2 cards.
    private static void tooManyForTheSurvivorSpaces() {
        Object[] array = moveToH2(new Object[SLOTS]);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < SLOTS; i++) {
                int[] numbers = new int[300];
                numbers[7] = i + round;
                array[i] = numbers;
            }
            minorGC();
            for (int i = 0; i < SLOTS; i++) {
                assertEquals(((int[]) array[i])[7], i + round, "the number in slot " + i);
            }
        }
    }
}
