// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.transfer;

/*
 * @test id=verified
 * @summary Arrays that do not fit into the heap are allocated in H2
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @comment VerifyBeforeGC verifies H2 as VerifyH2 does
 * @run main/othervm -Xmx64m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyBeforeGC -XX:+VerifyAfterGC
 *                   -XX:VerifySubSet=threads,heap,string_table,jni_handles,codecache_oops
 *                   gc.terrace.h2.transfer.TestPretenuring all
 */

/*
 * @test id=torture
 * @summary Arrays that do not fit into the heap are allocated in H2
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx64m -XX:AllocateH2At=. -XX:H2Size=1g -XX:-UseCompressedOops -XX:ParallelGCThreads=4
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:H2Torture=10 -XX:H2DeepMarkingInterval=2
 *                   gc.terrace.h2.transfer.TestPretenuring all
 */

/*
 * @test id=ahead
 * @summary Arrays that do not fit into the heap are allocated in H2
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx64m -XX:AllocateH2At=. -XX:H2Size=1g -XX:-UseCompressedClassPointers
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+H2UnionFind
 *                   -XX:+UnlockExperimentalVMOptions -XX:+H2MarkAhead
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:H2DeepMarkingInterval=2
 *                   gc.terrace.h2.transfer.TestPretenuring all
 */

/*
 * @test id=devices
 * @summary Arrays that do not fit into the heap are allocated in H2
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx64m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -Dterrace.h2.failCall=punch:1+:95
 *                   gc.terrace.h2.transfer.TestPretenuring zero
 * @run main/othervm -Xmx64m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -Dterrace.h2.failCall=fallocate:1+:95
 *                   gc.terrace.h2.transfer.TestPretenuring zero
 * @run main/othervm -Xmx64m -XX:AllocateH2At=. -XX:H2Size=256m -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.transfer.TestPretenuring full
 * @run main/othervm -Xmx64m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -Dterrace.h2.failCall=fallocate:1+:28
 *                   gc.terrace.h2.transfer.TestPretenuring device
 * @run main/othervm -Xmx64m -XX:AllocateH2At=. -XX:H2Size=1g -XX:-H2MoveUnhinted
 *                   gc.terrace.h2.transfer.TestPretenuring refused
 */

import java.io.ByteArrayOutputStream;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.Deflater;

import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

/** The old generation has 43 MB. */
public class TestPretenuring {

    private static final int MB = 1 << 20;
    private static final int BYTES = 50 * MB;
    // An array of this many references exceeds the heap, too. Each collection verifies all of them.
    private static final int REFERENCES = BYTES / 4;

    public static void main(String[] args) throws Exception {
        requireH2();
        if (STOCK) {
            return;
        }
        switch (args[0]) {
            case "all" -> {
                kinds();
                references();
                tableOfAMap();
                copies();
                clones();
                grows();
                nested();
                classOfALoader();
                freed();
                dropped();
                softlyReferred();
                critical();
                beforeTheError();
                beside();
            }
            case "zero" -> {
                dropped();
                kinds();
            }
            case "full" -> full();
            case "device" -> refused();
            default -> refused();
        }
    }

    private static final Class<?>[] TYPES = {
        boolean.class, byte.class, char.class, short.class, int.class, long.class, float.class, double.class
    };

    private static void kinds() {
        for (Class<?> type : TYPES) {
            Object array = Array.newInstance(type, BYTES / size(type));
            assertInH2(array, "an array larger than the heap");
            checkZero(array);
            collect(array);
            checkZero(array);
            int last = Array.getLength(array) - 1;
            for (int i : new int[] { 0, 1, last / 2, last }) {
                set(array, i);
            }
            majorGC();
            for (int i : new int[] { 0, 1, last / 2, last }) {
                assertTrue(!isZero(array, i), type + " " + i + " was lost");
            }
            assertTrue(isZero(array, 2), type + " 2 was written");
        }
    }

    private static int size(Class<?> type) {
        return type == boolean.class || type == byte.class ? 1 : type == char.class || type == short.class ? 2
             : type == int.class || type == float.class ? 4 : 8;
    }

    private static void set(Object array, int i) {
        if (array instanceof boolean[] booleans) {
            booleans[i] = true;
        } else if (array instanceof char[] chars) {
            chars[i] = 'x';
        } else {
            Array.setByte(array, i, (byte) 7);
        }
    }

    private static boolean isZero(Object array, int i) {
        return array instanceof boolean[] booleans ? !booleans[i]
             : array instanceof char[] chars ? chars[i] == 0
             : Array.getDouble(array, i) == 0;
    }

    private static void checkZero(Object array) {
        boolean zero = true;
        if (array instanceof byte[] bytes) {
            for (byte b : bytes) {
                zero &= b == 0;
            }
        } else if (array instanceof long[] longs) {
            for (long l : longs) {
                zero &= l == 0;
            }
        } else {
            for (int i = 0; i < Array.getLength(array); i += 511) {
                zero &= isZero(array, i);
            }
        }
        assertTrue(zero, array.getClass() + " is not zero");
    }

    private static void collect(Object array) {
        minorGC();
        majorGC();
        assertInH2(array, "an array, after collections");
    }

    private static void references() {
        Object[] array = new Object[REFERENCES];
        assertInH2(array, "an array of references");
        for (Object o : array) {
            assertTrue(o == null, "an element of a new array");
        }
        for (int i = 0; i < array.length; i += 1000) {
            array[i] = "element " + i;
        }
        minorGC();
        checkElements(array);
        majorGC();
        checkElements(array);
        for (int i = 0; i < array.length; i += 2000) {
            array[i] = array[i + 1000];
        }
        majorGC();
        for (int i = 0; i < array.length; i += 2000) {
            assertEquals(array[i], "element " + (i + 1000), "element " + i);
        }
    }

    private static void checkElements(Object[] array) {
        for (int i = 0; i < array.length; i += 1000) {
            assertEquals(array[i], "element " + i, "element " + i);
        }
    }

    private static void tableOfAMap() {
        Map<Integer, String> map = new HashMap<>(REFERENCES);
        for (int i = 0; i < 100_000; i++) {
            map.put(i, "value " + i);
        }
        majorGC();
        for (int i = 0; i < 100_000; i++) {
            assertEquals(map.get(i), "value " + i, "value");
        }
    }

    private static void copies() {
        byte[] bytes = new byte[BYTES];
        for (int i = 0; i < BYTES; i += 97) {
            bytes[i] = (byte) i;
        }
        byte[] copy = bytes.clone();
        assertInH2(copy, "a clone");
        assertTrue(Arrays.equals(bytes, copy), "a clone differs");
        byte[] longer = Arrays.copyOf(bytes, BYTES + 10 * MB);
        assertTrue(Arrays.equals(bytes, 0, BYTES, longer, 0, BYTES), "a copy differs");
        for (int i = BYTES; i < longer.length; i++) {
            assertEquals(longer[i], 0, "byte " + i + " of a longer copy");
        }
    }

    private static void clones() {
        Object[] objects = new Object[REFERENCES];
        objects[77] = "77";
        Object[] cloned = objects.clone();
        minorGC();
        majorGC();
        assertEquals(cloned[77], "77", "an element of a clone");
    }

    // The buffer doubles again and again, and the former one is dropped.
    private static void grows() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] block = new byte[MB];
        for (int i = 0; i < 150; i++) {
            block[5] = (byte) i;
            out.write(block, 0, MB);
        }
        byte[] all = out.toByteArray();
        for (int i = 0; i < 150; i++) {
            assertEquals(all[i * MB + 5], (byte) i, "byte of block " + i);
        }
    }

    private static void nested() {
        long[][] nested = new long[2][BYTES / 8];
        nested[1][BYTES / 8 - 1] = 1;
        majorGC();
        assertInH2(nested[0], "an inner array");
        assertEquals(nested[1][BYTES / 8 - 1], 1, "the last element");
    }

    public static class Element {
    }

    private static final class Loader extends ClassLoader {
        Class<?> define() throws Exception {
            byte[] code = TestPretenuring.class.getResourceAsStream("TestPretenuring$Element.class").readAllBytes();
            return defineClass(Element.class.getName(), code, 0, code.length);
        }
    }

    // Only the array keeps the class alive.
    private static void classOfALoader() throws Exception {
        Object array = Array.newInstance(new Loader().define(), REFERENCES);
        assertInH2(array, "an array of a class of its own loader");
        for (int i = 0; i < 3; i++) {
            majorGC();
        }
        Class<?> element = array.getClass().getComponentType();
        assertTrue(element != Element.class && element.getDeclaredConstructor().newInstance() != null, "the class is usable");
    }

    private static void freed() throws Exception {
        WeakReference<byte[]> weak = new WeakReference<>(new byte[BYTES]);
        majorGC();
        majorGC();
        assertTrue(weak.get() == null, "a dropped array is alive");
        assertTrue(SecondHeap.statistics().getUsedBytes() < BYTES, "a dropped array takes room");
    }

    // Allocates three times the size of H2, with a few arrays alive at a time. Each array has contents.
    private static void dropped() {
        long majors = majorCount();
        for (int i = 0; i < 40; i++) {
            long[] array = new long[BYTES / 8];
            checkZero(array);
            Arrays.fill(array, -1L);
            long used = SecondHeap.statistics().getUsedBytes();
            assertTrue(used < 6L * BYTES, "dropped arrays take " + used + " bytes");
        }
        System.out.println(majorCount() - majors + " major collections for 40 arrays");
        assertTrue(majorCount() - majors <= 50, "more than a collection for each array");
    }

    // More than fits into H2.
    private static void softlyReferred() {
        List<SoftReference<byte[]>> cache = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            cache.add(new SoftReference<>(new byte[BYTES]));
        }
        assertTrue(cache.stream().anyMatch(soft -> soft.get() == null), "no soft reference was cleared");
    }

    private static void critical() {
        byte[] bytes = new byte[BYTES];
        bytes[BYTES / 2] = 9;
        Deflater deflater = new Deflater();
        deflater.setInput(bytes);
        deflater.finish();
        byte[] output = new byte[MB];
        int length = 0;
        while (!deflater.finished()) {
            length += deflater.deflate(output);
        }
        deflater.end();
        assertTrue(length > 1000, "deflated to " + length + " bytes");
    }

    // The array would fit into an empty old generation, but objects that cannot move take the space.
    private static void beforeTheError() {
        List<Object> stays = new ArrayList<>();
        for (int i = 0; i < 450_000; i++) {
            stays.add(new WeakReference<Object>(stays));    // references do not move
        }
        majorGC();                          // promotes them to the old generation
        byte[] array = new byte[30 * MB];
        assertInH2(array, "an array for which the old generation has no space left");
        checkZero(array);
        array[MB] = 1;
        majorGC();
        assertEquals(array[MB], 1, "a byte");
        assertTrue(stays.size() > 0, "nothing was kept");
    }

    // Some threads allocate while others collect and read the heap.
    private static void beside() throws Exception {
        AtomicBoolean ends = new AtomicBoolean();
        Thread collector = new Thread(() -> {
            while (!ends.get()) {
                System.gc();
            }
        });
        collector.start();
        Throwable[] failure = new Throwable[1];
        Thread[] threads = new Thread[3];
        for (int t = 0; t < threads.length; t++) {
            int id = t;
            threads[t] = new Thread(() -> {
                try {
                    for (int i = 0; i < 8; i++) {
                        byte[] bytes = new byte[BYTES];
                        Object[] objects = id == 0 ? new Object[REFERENCES] : null;
                        bytes[i] = (byte) id;
                        bytes[BYTES - 1] = (byte) i;
                        assertEquals(bytes[BYTES / 3], 0, "a byte of a new array");
                        assertTrue(objects == null || objects[i] == null, "an element of a new array");
                        assertEquals(bytes[BYTES - 1], (byte) i, "the last byte");
                    }
                } catch (Throwable e) {
                    failure[0] = e;
                }
            });
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        ends.set(true);
        collector.join();
        if (failure[0] != null) {
            throw new RuntimeException(failure[0]);
        }
    }

    // An error as on a stock JVM, after which the program continues.
    private static void full() {
        for (int round = 0; round < 3; round++) {
            List<byte[]> arrays = new ArrayList<>();
            try {
                while (true) {
                    arrays.add(new byte[50 * MB]);
                }
            } catch (OutOfMemoryError e) {
                System.out.println("round " + round + ": " + arrays.size() + " arrays, " + e.getMessage());
                assertEquals(e.getMessage(), "Java heap space", "the message");
            }
            assertTrue(arrays.size() >= 3, arrays.size() + " arrays of 50 MB in an H2 of 256 MB");
            for (byte[] array : arrays) {
                array[MB]++;
                assertEquals(array[MB], 1, "a byte");
            }
            arrays = null;
            // More than ever fits.
            fails(400 * MB);
        }
        byte[] after = new byte[100 * MB];
        assertInH2(after, "an array after the error");
    }

    private static void refused() {
        long majors = majorCount();
        for (int i = 0; i < 3; i++) {
            fails(BYTES);
        }
        System.out.println(majorCount() - majors + " major collections for three errors");
        byte[] small = new byte[MB];
        assertInH1(small, "a small array");
    }

    private static void fails(int bytes) {
        try {
            byte[] array = new byte[bytes];
            throw new RuntimeException("an array of " + bytes + " bytes was allocated: " + SecondHeap.state(array));
        } catch (OutOfMemoryError e) {
            assertEquals(e.getMessage(), "Java heap space", "the message");
        }
    }
}
