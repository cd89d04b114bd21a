// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.liveness;

/*
 * @test TestTargets
 * @summary A region that refers to few objects of H1 records them. Major collections do not read it again, and no
 *          object is lost or kept when these objects move, when others take their place, and when they die
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @build gc.terrace.h2.liveness.BootStatics
 * @run driver jdk.test.lib.helpers.ClassFileInstaller gc.terrace.h2.liveness.BootStatics
 *
 * @run main/othervm -Xbootclasspath/a:. -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:+VerifyBeforeGC -XX:+VerifyAfterGC
 *                   gc.terrace.h2.liveness.TestTargets
 * @run main/othervm -Xbootclasspath/a:. -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:-UseCompressedOops -XX:ParallelGCThreads=4
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.liveness.TestTargets
 * @run main/othervm -Xbootclasspath/a:. -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2RegionSize=2m -XX:ParallelGCThreads=1
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:H2DeepMarkingInterval=3 -Ddeep=3
 *                   gc.terrace.h2.liveness.TestTargets
 */

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;

import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

public class TestTargets {

    private static final int SIZE = 40_000;
    private static final int DEEP = Integer.getInteger("deep", 0);

    /** An item. Each refers to an object that stays in H1 because a static field refers to it. */
    private static final class Item {
        final int number;
        Object target;

        Item(int number, Object target) {
            this.number = number;
            this.target = target;
        }
    }

    private static Object single = new StringBuilder("single");
    private static Object third = new int[] { 3 };
    /** A value in Integer's cache, to which a static field of a boot class refers. */
    private static final int CACHED = 100;
    private static final int FEW = 12;
    private static Object first = new int[] { 1 };
    private static Object second = new int[] { 2 };

    public static void main(String[] args) {
        requireH2();
        isNotReadAgain();
        allCachedIntegers();
        literalsAndClasses();
        targetsMove();
        others();
        overwritten();
        nulls();
        garbage();
        targetMovesToH2();
        regionResumed();
        wideObjects();
        manyTargets();
        tooManyTargets();
        elementsOfArrayInH2();
        staticOfUnloadedClass();
        randomStores();
    }

    private static Item[] items(Object target) {
        Item[] items = new Item[SIZE];
        for (int i = 0; i < SIZE; i++) {
            items[i] = new Item(i, target);
        }
        return moveToH2(items);
    }

    private static void check(Item[] items, Object target) {
        for (int i = 0; i < SIZE; i++) {
            assertEquals(items[i].number, i, "the number");
            assertSame(items[i].target, target, "the target of item " + i);
        }
    }

    /** Returns the number of cards that one more major collection scans. */
    private static long scanned() {
        long before = SecondHeap.statistics().getMajorScannedCards();
        majorGC();
        return SecondHeap.statistics().getMajorScannedCards() - before;
    }

    private static void isNotReadAgain() {
        areNotReadAgain(i -> single);
        assertInH1(single, "what a static field refers to");
    }

    private static void settle() {
        for (int i = 0; i < 6; i++) {
            majorGC();
        }
    }

    private static void targetsMove() {
        List<Object> below = new ArrayList<>();
        for (int i = 0; i < 40; i++) {      // more than compaction leaves as dead space
            below.add(new byte[1 << 20]);
        }
        majorGC();
        single = new StringBuilder("another");
        Item[] items = items(single);
        settle();
        long most = 0;
        below.clear();
        for (int i = 0; i < 4; i++) {
            most = Math.max(most, scanned());
            check(items, single);
            assertEquals(single.toString(), "another", "the target");
        }
        assertTrue(STOCK || most > 1000, "the target did not move: " + most + " cards were read");
    }

    // New references, beside the recorded ones, to objects that nothing else refers to.
    private static void others() {
        Item[] items = items(single);
        settle();
        for (int i = 0; i < SIZE; i += 1000) {
            items[i].target = "new " + i;
        }
        minorGC(2);
        majorGC();
        minorGC();
        settle();
        for (int i = 0; i < SIZE; i++) {
            assertEquals(items[i].target, i % 1000 == 0 ? "new " + i : single, "the target of item " + i);
        }
    }

    private static void overwritten() {
        first = new int[100];
        WeakReference<Object> old = new WeakReference<>(first);
        Item[] items = items(first);
        settle();
        first = null;
        majorGC();
        assertTrue(old.get() != null, "a target of H2 was lost");
        for (Item item : items) {
            item.target = second;
        }
        settle();
        assertTrue(STOCK || old.get() == null, "a target is kept after the last reference has gone");
        check(items, second);
    }

    // A store of null does not change its card.
    private static void nulls() {
        first = new int[100];
        WeakReference<Object> old = new WeakReference<>(first);
        Item[] items = items(first);
        Object[] array = new Object[SIZE];
        Arrays.fill(array, first);
        moveToH2(array);
        settle();
        first = null;
        for (int i = 0; i < SIZE; i++) {
            array[i] = null;
            items[i].target = null;
        }
        majorGC();
        assertTrue(old.get() == null, "a target is kept after null has taken the place of every reference");
        for (int i = 0; i < SIZE; i += 100) {
            array[i] = "new " + i;
        }
        settle();
        for (int i = 0; i < SIZE; i++) {
            assertEquals(array[i], i % 100 == 0 ? "new " + i : null, "element " + i);
            assertEquals(items[i].target, null, "the target of item " + i);
        }
    }

    // Unreachable objects in H2 still refer to a target when it dies.
    private static void garbage() {
        first = new int[100];
        WeakReference<Object> old = new WeakReference<>(first);
        Item[] items = new Item[SIZE];
        for (int i = 0; i < SIZE; i++) {
            items[i] = new Item(i, new Item(-i, first));
        }
        moveToH2(items);
        settle();
        first = null;
        for (Item item : items) {
            item.target = null;
        }
        for (int round = 0; round < 8; round++) {
            majorGC();
            byte[][] others = new byte[100][];
            for (int i = 0; i < others.length; i++) {
                others[i] = new byte[10_000];
            }
        }
        assertTrue(DEEP == 0 || old.get() == null, "a target is kept by objects that marking through H2 found dead");
        check(items, null);
    }

    private static void targetMovesToH2() {
        first = new int[100];
        Item[] items = items(first);
        settle();
        moveToH2(first);
        majorGC();
        check(items, first);
        first = null;
        settle();
        check(items, items[0].target);
        assertInH2(items[0].target, "the target");
    }

    // Objects that move to the region later share a card with earlier ones.
    private static void regionResumed() {
        first = new int[100];
        second = new int[200];
        third = new int[300];
        long label = freshLabel();
        Item[][] items = new Item[20][];
        for (int i = 0; i < items.length; i++) {
            items[i] = new Item[100 + i];
            for (int j = 0; j < items[i].length; j++) {
                items[i][j] = new Item(j, target(i));
            }
            moveToH2(items[i], label);
            if (i % 3 == 0) {
                settle();
            }
        }
        third = null;
        settle();
        for (int i = 0; i < items.length; i++) {
            for (int j = 0; j < items[i].length; j++) {
                assertEquals(items[i][j].number, j, "the number");
                assertEquals(((int[]) items[i][j].target).length, i % 3 * 100 + 100, "the target's length");
            }
        }
    }

    private static Object target(int i) {
        return i % 3 == 0 ? first : i % 3 == 1 ? second : third;
    }

    /** An object whose header and reference are on different cards. The barrier marks the first. */
    private static final class Wide {
        long a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9;
        long c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, d0, d1, d2, d3, d4, d5, d6, d7, d8, d9;
        long e0, e1, e2, e3, e4, e5, e6, e7, e8, e9, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9;
        Object target;
    }

    private static void wideObjects() {
        first = new int[100];
        Wide[] wide = new Wide[1000];
        for (int i = 0; i < wide.length; i++) {
            wide[i] = new Wide();
            wide[i].target = first;
        }
        moveToH2(wide);
        settle();
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < wide.length; i++) {
                wide[i].target = i % 3 == round ? "new " + i : first;
            }
            if (round == 1) {
                minorGC(2);
            }
            settle();
            for (int i = 0; i < wide.length; i++) {
                assertEquals(wide[i].target, i % 3 == round ? "new " + i : first, "the target of wide object " + i);
            }
        }
    }

    // A static field of a boot class refers to the array. Only marking through H2, or the array's card, finds its elements alive.
    private static void elementsOfArrayInH2() {
        BootStatics.array = moveToH2(new Object[8]);
        for (int i = 0; i < 8; i++) {
            BootStatics.array[i] = "element " + i;
        }
        for (int round = 0; round < 4; round++) {
            settle();
            minorGC();
            for (int i = 0; i < 8; i++) {
                assertEquals(BootStatics.array[i], "element " + i, "an element");
            }
        }
        BootStatics.array = null;
    }

    private static void staticOfUnloadedClass() {
        Class<?> unloadable = unloadable();
        Item[] items = items(single(unloadable));
        settle();
        WeakReference<Class<?>> unloaded = new WeakReference<>(unloadable);
        unloadable = null;
        settle();
        assertTrue(unloaded.get() == null, "the class is still there");
        for (Item item : items) {
            assertEquals(((int[]) item.target).length, 100, "the target's length");
            item.target = null;
        }
        settle();
        check(items, null);
    }

    private static Object single(Class<?> unloadable) {
        try {
            return unloadable.getField("single").get(null);
        } catch (ReflectiveOperationException problem) {
            throw new RuntimeException(problem);
        }
    }

    /** Makes a class that can be unloaded, because nothing else refers to its loader. */
    private static Class<?> unloadable() {
        try {
            String name = TestTargets.class.getName() + "$Unloadable";
            ClassLoader loader = new ClassLoader(TestTargets.class.getClassLoader()) {
                @Override
                protected Class<?> loadClass(String wanted, boolean resolve) throws ClassNotFoundException {
                    if (!wanted.equals(name)) {
                        return super.loadClass(wanted, resolve);
                    }
                    try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                        byte[] bytes = in.readAllBytes();
                        return defineClass(name, bytes, 0, bytes.length);
                    } catch (IOException problem) {
                        throw new ClassNotFoundException(name, problem);
                    }
                }
            };
            return Class.forName(name, true, loader);
        } catch (ReflectiveOperationException problem) {
            throw new RuntimeException(problem);
        }
    }

    public static final class Unloadable {
        public static Object single = new int[100];
    }

    /** Small numbers from Integer's cache, such as the keys and values of many programs. */
    private static void allCachedIntegers() {
        areNotReadAgain(i -> i % 256 - 128);
    }

    /** Targets to which no static field refers. */
    private static void literalsAndClasses() {
        areNotReadAgain(i -> i % 3 == 0 ? "a literal" : i % 3 == 1 ? TestTargets.class : Item[].class);
    }

    private static void areNotReadAgain(IntFunction<Object> target) {
        Item[] items = new Item[SIZE];
        for (int i = 0; i < SIZE; i++) {
            items[i] = new Item(i, target.apply(i));
        }
        moveToH2(items);
        // Long-lived objects in H1 stop moving after some collections.
        long cards = Long.MAX_VALUE;
        for (int i = 0; i < 20; i++) {
            cards = Math.min(cards, scanned());
        }
        assertTrue(STOCK || cards < 100, cards + " cards are read again");
        for (int i = 0; i < SIZE; i++) {
            assertSame(items[i].target, target.apply(i), "the target of item " + i);
        }
    }

    /** More objects than a region records. */
    private static Object cached(int i) {
        int value = i % 256 - 128;
        switch (i / 256 % 5) {
            case 0: return value;
            case 1: return (long) value;
            case 2: return (short) value;
            case 3: return (byte) value;
            default: return (char) (i % 128);
        }
    }

    private static void tooManyTargets() {
        Item[] items = new Item[SIZE];
        for (int i = 0; i < SIZE; i++) {
            items[i] = new Item(i, cached(i));
        }
        moveToH2(items);
        for (int round = 0; round < 3; round++) {
            settle();
            for (int i = 0; i < SIZE; i++) {
                assertSame(items[i].target, cached(i + round), "the target of item " + i);
                items[i].target = cached(i + round + 1);
            }
        }
    }

    private static void manyTargets() {
        List<Object> targets = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            targets.add(new int[] { i });
        }
        Item[] items = new Item[SIZE];
        for (int i = 0; i < SIZE; i++) {
            items[i] = new Item(i, null);
        }
        moveToH2(items);
        for (int i = 0; i < SIZE; i++) {
            items[i].target = targets.get(i % targets.size());
        }
        targets.clear();
        for (int round = 0; round < 5; round++) {
            majorGC();
            for (int i = 0; i < SIZE; i++) {
                assertEquals(((int[]) items[i].target)[0], i % 1000, "the target of item " + i);
            }
        }
    }

    private static void randomStores() {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("-Dseed=" + seed);
        Random random = new Random(seed);
        Item[] items = items(0);
        int[] expected = new int[SIZE];
        for (int round = 0; round < 60; round++) {
            int stores = random.nextInt(4) * random.nextInt(200);
            for (int i = 0; i < stores; i++) {
                int at = random.nextInt(SIZE);
                int value = random.nextInt(3) == 0 ? random.nextInt(1000) - 1 : random.nextInt(FEW);
                expected[at] = value;
                items[at].target = object(value);
            }
            if (random.nextInt(3) == 0) {
                minorGC();
            }
            majorGC();
            for (int i = 0; i < SIZE; i++) {
                assertEquals(items[i].target, object(expected[i]), "the target of item " + i + " in round " + round);
            }
        }
    }

    private static Object object(int value) {
        return value < 0 ? null : value < CACHED ? (Object) value : "value " + value;
    }
}
