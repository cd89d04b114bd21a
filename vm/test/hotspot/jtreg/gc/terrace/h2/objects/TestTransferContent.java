// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.objects;

/*
 * @test TestTransferContent
 * @summary Objects of every kind have the same contents after the move, and can still be changed
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:+VerifyBeforeGC -XX:+VerifyAfterGC
 *                   -XX:VerifySubSet=threads,heap,string_table,jni_handles,codecache_oops
 *                   gc.terrace.h2.objects.TestTransferContent
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -Xint
 *                   gc.terrace.h2.objects.TestTransferContent
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:TieredStopAtLevel=1
 *                   gc.terrace.h2.objects.TestTransferContent
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2RegionSize=2m -XX:-UseCompressedOops
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.objects.TestTransferContent
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:ObjectAlignmentInBytes=16
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.objects.TestTransferContent
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:ParallelGCThreads=4 -XX:-UseCompressedClassPointers
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.objects.TestTransferContent
 */

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import static gc.terrace.h2.H2Test.*;

import gc.terrace.h2.Tree;

public class TestTransferContent {

    record Point(int x, double y, String name, Object next) {
    }

    public static void main(String[] args) throws Exception {
        requireH2();
        trees();
        primitiveArrays();
        fieldsOfAllTypes();
        collections();
        lambdasAndInnerClasses();
        strings();
        emptyAndOdd();
        aLongList();
    }

    private static void trees() {
        for (int size : new int[] { 1, 2, 1000, 20_000 }) {
            Tree tree = moveToH2(Tree.make(size, size));
            tree.assertInH2();
            tree.check(size, size);
            tree.forEach(node -> node.extra = Tree.make(1, node.id));
            minorGC();
            majorGC();
            tree.forEach(node -> ((Tree) node.extra).check(1, node.id));
            tree.check(size, size);
        }
    }

    private static void primitiveArrays() {
        Random random = new Random(1);
        List<Object> moved = new ArrayList<>();
        List<Object> copies = new ArrayList<>();
        for (int length : new int[] { 0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 63, 100, 1000, 4095, 4096, 70_000 }) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            boolean[] booleans = new boolean[length];
            short[] shorts = new short[length];
            char[] chars = new char[length];
            int[] ints = new int[length];
            long[] longs = new long[length];
            float[] floats = new float[length];
            double[] doubles = new double[length];
            for (int i = 0; i < length; i++) {
                booleans[i] = random.nextBoolean();
                shorts[i] = (short) random.nextInt();
                chars[i] = (char) random.nextInt();
                ints[i] = random.nextInt();
                longs[i] = random.nextLong();
                floats[i] = random.nextFloat();
                doubles[i] = random.nextDouble();
            }
            moved.addAll(List.of(bytes, booleans, shorts, chars, ints, longs, floats, doubles));
            copies.addAll(List.of(bytes.clone(), booleans.clone(), shorts.clone(), chars.clone(), ints.clone(),
                                  longs.clone(), floats.clone(), doubles.clone()));
        }
        Object[] array = moved.toArray();
        moveToH2(array);
        for (Object element : array) {
            assertInH2(element, "an array of primitives");
        }
        assertTrue(Arrays.deepEquals(array, copies.toArray()), "arrays of primitives differ after the move");
        // Changes the arrays and their copies in the same way.
        for (Object[] side : new Object[][] { array, copies.toArray() }) {
            for (Object element : side) {
                if (element instanceof byte[]) {
                    Arrays.fill((byte[]) element, (byte) 7);
                } else if (element instanceof long[]) {
                    Arrays.sort((long[]) element);
                } else if (element instanceof int[]) {
                    Arrays.parallelPrefix((int[]) element, Integer::sum);
                }
            }
        }
        majorGC();
        assertTrue(Arrays.deepEquals(array, copies.toArray()), "arrays of primitives differ after changes in H2");
    }

    static class Base {
        byte b = 1;
        Object o1 = new Object();
        long l = Long.MIN_VALUE;
    }

    static class Derived extends Base {
        boolean z = true;
        Object o2 = o1;
        double d = Math.PI;
        short s = -2;
        volatile char c = '\uffff';
    }

    static class Most extends Derived {
        float f = Float.MIN_VALUE;
        Object[] o3 = { this, o2 };
        int i = Integer.MAX_VALUE;
        Most self = this;
    }

    private static void fieldsOfAllTypes() {
        Most[] all = new Most[1000];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Most();
        }
        moveToH2(all);
        for (int round = 0; round < 2; round++) {
            for (Most m : all) {
                assertInH2(m, "an object");
                assertTrue(m.b == 1 && m.l == Long.MIN_VALUE && m.z && m.d == Math.PI && m.s == -2 && m.c == '\uffff'
                           && m.f == Float.MIN_VALUE && m.i == Integer.MAX_VALUE, "a primitive field changed");
                assertTrue(m.o1 == m.o2 && m.o3[0] == m && m.o3[1] == m.o1 && m.self == m, "a reference changed");
                m.o1 = m.o2 = m.o3[1] = new Object();
            }
            minorGC(2);
        }
    }

    private static void collections() {
        List<Object> made = new ArrayList<>();
        List<Object> control = new ArrayList<>();
        for (List<Object> list : List.of(made, control)) {
            for (Map<Object, Object> map : List.<Map<Object, Object>>of(
                    new HashMap<>(), new LinkedHashMap<>(), new TreeMap<>(), new ConcurrentHashMap<>(),
                    new ConcurrentSkipListMap<>())) {
                for (int i = 0; i < 1000; i++) {
                    map.put("key " + i, new ArrayList<>(List.of(i, (long) i, "value " + i)));
                }
                list.add(map);
            }
            for (Collection<Object> collection : List.<Collection<Object>>of(
                    new ArrayList<>(), new LinkedList<>(), new ArrayDeque<>(), new HashSet<>(),
                    new CopyOnWriteArrayList<>())) {
                for (int i = 0; i < 300; i++) {
                    collection.add("element " + i);
                }
                list.add(collection instanceof ArrayDeque ? new ArrayList<>(collection) : collection);
            }
            EnumMap<TimeUnit, Object> units = new EnumMap<>(TimeUnit.class);
            BitSet bits = new BitSet();
            for (TimeUnit unit : TimeUnit.values()) {
                units.put(unit, unit.name() + list.size());
                bits.set(unit.ordinal() * 100);
            }
            list.addAll(List.of(units, bits, new BigDecimal("1.234567890123456789e100"), LocalDate.of(2021, 9, 14),
                                new UUID(1, 2), Optional.of("present"), new Point(1, 2, "three", List.of(4)),
                                Map.of("a", 1, "b", 2), List.of(1, 2, 3, 4, 5)));
        }
        moveToH2(made);
        assertEquals(made, control, "the collections");
        assertEquals(made.hashCode(), control.hashCode(), "the hash of the collections");
        for (List<Object> list : List.of(made, control)) {
            @SuppressWarnings("unchecked")
            Map<Object, Object> map = (Map<Object, Object>) list.get(0);
            for (int i = 0; i < 3000; i += 2) {
                map.put("key " + i, new ArrayList<>(List.of("replaced " + i)));
                map.remove("key " + (i + 1));
            }
        }
        minorGC();
        majorGC();
        assertEquals(made, control, "the changed collections");
    }

    private static void lambdasAndInnerClasses() {
        List<Supplier<Object>> suppliers = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            int n = i;
            Object captured = "captured " + i;
            suppliers.add(() -> captured);
            suppliers.add(captured::toString);
            suppliers.add(new Supplier<>() {
                private int calls;

                @Override
                public Object get() {
                    calls++;
                    return calls > 0 ? captured + "" : n;
                }
            });
            Function<Object, Object> identity = Function.identity();
            suppliers.add(() -> identity.andThen(String::valueOf).apply("captured " + n));
        }
        moveToH2(suppliers);
        for (int round = 0; round < 200; round++) {
            for (int i = 0; i < suppliers.size(); i++) {
                assertEquals(suppliers.get(i).get(), "captured " + i / 4, "the result of supplier " + i);
            }
        }
    }

    private static void strings() {
        List<String> strings = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            strings.add(i % 2 == 0 ? "latin " + i : "\u4e16\u754c " + i);
            strings.get(i).hashCode();
        }
        moveToH2(strings);
        Pattern pattern = Pattern.compile("(\\D+) (\\d+)");
        for (int i = 0; i < 1000; i++) {
            String s = strings.get(i);
            assertInH2(s, "a string");
            String expected = (i % 2 == 0 ? "latin " : "\u4e16\u754c ") + i;
            assertEquals(s, expected, "string " + i);
            assertEquals(s.hashCode(), expected.hashCode(), "hash of string " + i);
            assertEquals(s.substring(2), expected.substring(2), "the end of string " + i);
            assertTrue(pattern.matcher(s).matches(), "string " + i + " does not match");
            assertSame(s.intern(), expected.intern(), "interned string " + i);
            switch (s) {
                case "latin 500":
                    assertEquals(i, 500, "the case of string " + i);
                    break;
                default:
                    assertTrue(i != 500, "no case for string " + i);
            }
        }
        // A string that was just interned is in H2 if it was the first of its value.
        majorGC();
        minorGC();
        for (int i = 0; i < 1000; i++) {
            String expected = new String(i % 2 == 0 ? "latin " + i : "\u4e16\u754c " + i);
            assertEquals(expected.intern(), strings.get(i).intern(), "interned string " + i);
        }
    }

    private static void emptyAndOdd() {
        class Empty {
        }
        Object[][] arrays = new Object[5][];
        arrays[0] = new Empty[] { new Empty(), null, new Empty() };
        arrays[1] = new Object[0];
        arrays[2] = new int[][] { {}, { 1 }, null };
        arrays[3] = arrays;
        arrays[4] = new Object[][][] { { { arrays } } };
        moveToH2(arrays);
        assertSame(arrays[3], arrays, "the array that holds itself");
        assertSame(((Object[][][]) arrays[4])[0][0][0], arrays, "the array far down");
        assertSame(arrays[0][1], null, "null");
        assertEquals(((int[][]) arrays[2])[1][0], 1, "the element of an inner array");
        assertTrue(arrays[0][0].getClass() == Empty.class, "the class of a local class's object");
    }

    // A deep structure, for which marking must not recurse, in either phase.
    private static void aLongList() {
        Object[] head = null;
        for (int i = 0; i < 300_000; i++) {
            head = new Object[] { head };
        }
        moveToH2(head);
        int length = 0;
        for (Object[] cell = head; cell != null; cell = (Object[]) cell[0]) {
            length++;
        }
        assertEquals(length, 300_000, "the length of the list");
    }
}
