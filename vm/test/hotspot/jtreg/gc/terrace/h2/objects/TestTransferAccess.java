// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.objects;

/*
 * @test TestTransferAccess
 * @summary Reflection, Unsafe, VarHandles, updaters, arraycopy, clone, serialization and native methods handle objects in H2
 *          like others
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management jdk.unsupported
 *
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:+VerifyBeforeGC -XX:+VerifyAfterGC
 *                   -XX:VerifySubSet=threads,heap,string_table,jni_handles,codecache_oops
 *                   gc.terrace.h2.objects.TestTransferAccess
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -Xint -XX:-UseCompressedOops
 *                   gc.terrace.h2.objects.TestTransferAccess
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -XX:TieredStopAtLevel=1
 *                   gc.terrace.h2.objects.TestTransferAccess
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -Xcomp
 *                   -XX:CompileCommand=compileonly,gc.terrace.h2.objects.TestTransferAccess::*
 *                   gc.terrace.h2.objects.TestTransferAccess
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -Xcheck:jni
 *                   gc.terrace.h2.objects.TestTransferAccess
 */

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

import sun.misc.Unsafe;

import static gc.terrace.h2.H2Test.*;

public class TestTransferAccess {

    static class Bean implements Cloneable, Serializable {
        private static final long serialVersionUID = 1;

        private int number = 42;
        private String text = new String("some text");
        private volatile Object reference = new ArrayList<>(List.of(1, 2, 3));
        private volatile int counter;
        private final long constant = 1L << 40 | number;
        private Object[] array = { 1, "two", 3.0 };
        private transient Object skipped = new Object();

        String describe(String suffix) {
            return number + text + suffix;
        }

        @Override
        public Bean clone() {
            try {
                return (Bean) super.clone();
            } catch (CloneNotSupportedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public static void main(String[] args) throws Throwable {
        requireH2();
        reflection();
        unsafe();
        handles();
        atomics();
        arraycopy();
        clones();
        serialization();
        natives();
        intrinsics();
    }

    private static void reflection() throws Exception {
        Bean bean = moveToH2(new Bean());
        Field number = Bean.class.getDeclaredField("number");
        Field text = Bean.class.getDeclaredField("text");
        Field reference = Bean.class.getDeclaredField("reference");
        Method describe = Bean.class.getDeclaredMethod("describe", String.class);
        for (int i = 0; i < 100; i++) {
            number.setInt(bean, i);
            text.set(bean, "text " + i);
            reference.set(bean, new int[] { i });
            if (i % 10 == 0) {
                minorGC();
            }
            if (i % 50 == 0) {
                majorGC();
            }
            assertEquals(number.get(bean), i, "the number");
            assertEquals(text.get(bean), "text " + i, "the text");
            assertEquals(((int[]) reference.get(bean))[0], i, "the number behind the reference");
            assertEquals(describe.invoke(bean, "!"), i + "text " + i + "!", "the result of the method");
        }
        Object array = moveToH2(Array.newInstance(String.class, 10));
        Array.set(array, 3, "element " + bean.number);
        minorGC();
        assertEquals(Array.get(array, 3), "element " + bean.number, "the element");
        assertEquals(Array.getLength(array), 10, "the length");
        try {
            ((Object[]) array)[0] = Integer.valueOf(1);
        } catch (ArrayStoreException expected) {
            assertEquals(Bean.class.getDeclaredField("constant").getLong(bean), 1L << 40 | 42, "the constant");
            return;
        }
        throw new RuntimeException("an Integer is in an array of strings");
    }

    private static void unsafe() throws Exception {
        Field theUnsafe = Unsafe.class.getDeclaredField("theUnsafe");
        theUnsafe.setAccessible(true);
        Unsafe unsafe = (Unsafe) theUnsafe.get(null);
        Bean bean = moveToH2(new Bean());
        long number = unsafe.objectFieldOffset(Bean.class.getDeclaredField("number"));
        long reference = unsafe.objectFieldOffset(Bean.class.getDeclaredField("reference"));
        long counter = unsafe.objectFieldOffset(Bean.class.getDeclaredField("counter"));
        for (int i = 0; i < 100; i++) {
            unsafe.putInt(bean, number, i);
            Object before = unsafe.getObjectVolatile(bean, reference);
            Object fresh = new int[] { i };
            assertTrue(unsafe.compareAndSwapObject(bean, reference, before, fresh), "the swap failed");
            fresh = null;
            if (i % 10 == 0) {
                minorGC();
            }
            assertEquals(unsafe.getAndAddInt(bean, counter, 1), i, "the counter");
            assertEquals(unsafe.getInt(bean, number), i, "the number");
            assertEquals(((int[]) unsafe.getObject(bean, reference))[0], i, "the number behind the reference");
        }
        byte[] bytes = moveToH2(new byte[1000]);
        long base = Unsafe.ARRAY_BYTE_BASE_OFFSET;
        unsafe.setMemory(bytes, base + 8, 800, (byte) 9);
        unsafe.putLong(bytes, base + 16, 0x0102030405060708L);
        long memory = unsafe.allocateMemory(1000);
        unsafe.copyMemory(bytes, base, null, memory, 1000);
        byte[] back = new byte[1000];
        unsafe.copyMemory(null, memory, back, base, 1000);
        unsafe.copyMemory(back, base, bytes, base, 1000);
        unsafe.freeMemory(memory);
        assertTrue(Arrays.equals(bytes, back), "copied memory differs");
        assertEquals(bytes[807], 9, "a byte that was set");
        assertEquals(bytes[808], 0, "a byte that was not set");
    }

    private static void handles() throws Throwable {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        VarHandle reference = lookup.findVarHandle(Bean.class, "reference", Object.class);
        VarHandle counter = lookup.findVarHandle(Bean.class, "counter", int.class);
        VarHandle element = MethodHandles.arrayElementVarHandle(Object[].class);
        VarHandle view = MethodHandles.byteArrayViewVarHandle(long[].class, java.nio.ByteOrder.nativeOrder());
        MethodHandle describe = lookup.findVirtual(Bean.class, "describe",
                                                   MethodType.methodType(String.class, String.class));
        Bean bean = moveToH2(new Bean());
        byte[] bytes = moveToH2(new byte[64]);
        MethodHandle bound = describe.bindTo(bean);
        for (int i = 0; i < 200; i++) {
            Object before = reference.getAcquire(bean);
            assertSame(reference.compareAndExchange(bean, before, (Object) new int[] { i }), before, "the witness");
            assertEquals((int) counter.getAndAdd(bean, 2), 2 * i, "the counter");
            element.setRelease(bean.array, 1, new int[] { -i });
            view.set(bytes, 8, (long) i);
            if (i % 20 == 0) {
                minorGC();
            }
            assertEquals(((int[]) reference.getOpaque(bean))[0], i, "the number behind the reference");
            assertEquals(((int[]) element.getVolatile(bean.array, 1))[0], -i, "the number in the array");
            assertEquals((long) view.get(bytes, 8), i, "the long in the bytes");
            assertEquals((String) bound.invokeExact("?"), "42some text?", "the result of the bound method");
        }
    }

    private static void atomics() {
        AtomicReferenceFieldUpdater<Bean, Object> references =
            AtomicReferenceFieldUpdater.newUpdater(Bean.class, Object.class, "reference");
        AtomicIntegerFieldUpdater<Bean> counters = AtomicIntegerFieldUpdater.newUpdater(Bean.class, "counter");
        Bean bean = new Bean();
        AtomicReference<Object> single = new AtomicReference<>();
        AtomicReferenceArray<Object> array = new AtomicReferenceArray<>(100);
        AtomicLong number = new AtomicLong();
        moveToH2(new Object[] { bean, single, array, number });
        for (int i = 0; i < 200; i++) {
            int[] fresh = { i };
            references.getAndSet(bean, fresh);
            single.updateAndGet(old -> new Object[] { fresh, null });
            array.accumulateAndGet(i % 100, fresh, (old, value) -> value);
            number.addAndGet(counters.incrementAndGet(bean));
            if (i % 20 == 0) {
                minorGC();
                majorGC();
            }
            assertSame(references.get(bean), fresh, "the reference");
            assertSame(((Object[]) single.get())[0], fresh, "the atomic reference");
            assertSame(array.get(i % 100), fresh, "the element");
            assertEquals(number.get(), (i + 1) * (i + 2) / 2, "the sum");
        }
    }

    private static void arraycopy() {
        Random random = new Random(11);
        int length = 3000;
        Object[][] arrays = { new Object[length], new Object[length], new Integer[length], new Object[length] };
        int[][] model = new int[arrays.length][length];
        moveToH2(arrays[0]);
        moveToH2(arrays[2]);
        for (int round = 0; round < 300; round++) {
            int filled = random.nextInt(arrays.length);
            for (int i = random.nextInt(30); i < length; i += 1 + random.nextInt(60)) {
                model[filled][i] = 100_000 + random.nextInt(1000);
                arrays[filled][i] = Integer.valueOf(model[filled][i]);
            }
            int from = random.nextInt(arrays.length);
            int to = random.nextInt(arrays.length);
            int size = random.nextInt(length);
            int source = random.nextInt(length - size);
            int target = random.nextInt(length - size);
            System.arraycopy(arrays[from], source, arrays[to], target, size);
            System.arraycopy(model[from], source, model[to], target, size);
            if (round % 30 == 0) {
                minorGC();
            }
            if (round % 100 == 99) {
                majorGC();
            }
            for (int a = 0; a < arrays.length; a++) {
                for (int i = 0; i < length; i++) {
                    Integer value = (Integer) arrays[a][i];
                    if ((value == null ? 0 : value) != model[a][i]) {
                        throw new RuntimeException("element " + i + " of array " + a + " is " + value + ", expected "
                                                   + model[a][i] + " in round " + round);
                    }
                }
            }
        }
        // Checked copies that fail in the middle.
        arrays[0][0] = "no Integer";
        arrays[0][1] = "no Integer";
        Arrays.fill(arrays[2], null);
        Object[] mixed = moveToH2(new Object[] { 1000, 2000, "three", 4000 });
        try {
            System.arraycopy(mixed, 0, arrays[2], 10, 4);
            throw new RuntimeException("a String was copied into an array of Integers");
        } catch (ArrayStoreException expected) {
            assertSame(arrays[2][11], mixed[1], "the last element before the wrong one");
            assertSame(arrays[2][12], null, "the wrong element");
        }
    }

    private static void clones() {
        Bean bean = moveToH2(new Bean());
        bean.reference = new int[] { 5 };
        Bean clone = bean.clone();
        assertInH1(clone, "a clone of an H2 object");
        assertSame(clone.reference, bean.reference, "the reference of the clone");
        assertSame(clone.text, bean.text, "the text of the clone");
        assertTrue(System.identityHashCode(clone) != System.identityHashCode(bean), "clones share their hash");
        synchronized (bean) {
            Bean second = bean.clone();
            assertTrue(!Thread.holdsLock(second), "a clone is born locked");
        }
        Object[] array = moveToH2(new Object[] { bean, clone, new int[3] });
        int[][] matrix = moveToH2(new int[20][30]);
        for (int i = 0; i < 50; i++) {
            assertTrue(Arrays.equals(array.clone(), array), "the clone of an array differs");
            assertTrue(Arrays.deepEquals(matrix.clone(), matrix), "the clone of a matrix differs");
            array[2] = new int[i];
            matrix[i % 20] = matrix[(i + 1) % 20].clone();
            if (i % 10 == 0) {
                minorGC();
            }
        }
        HashMap<Object, Object> map = moveToH2(new HashMap<>(Map.of("a", 1, "b", 2)));
        Object mapClone = map.clone();
        map.put("c", 3);
        assertEquals(mapClone, Map.of("a", 1, "b", 2), "the clone of a map");
    }

    private static void serialization() throws Exception {
        Map<String, Object> map = new HashMap<>();
        for (int i = 0; i < 200; i++) {
            map.put("key " + i, List.of(i, "value " + i, (double) i));
        }
        Bean bean = new Bean();
        bean.reference = map;
        bean.array[0] = bean;
        moveToH2(bean);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(bean);
        }
        // The stream moves to H2, and is read from there.
        byte[] serialized = moveToH2(bytes.toByteArray());
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(serialized))) {
            Bean copy = (Bean) in.readObject();
            assertEquals(copy.reference, map, "the copied map");
            assertSame(copy.array[0], copy, "the copied cycle");
            assertSame(copy.skipped, null, "a transient field");
            assertEquals(copy.text, bean.text, "the copied text");
        }
    }

    private static void natives() throws Exception {
        byte[] bytes = new byte[100_000];
        new Random(3).nextBytes(bytes);
        byte[] original = bytes.clone();
        byte[] target = new byte[bytes.length];
        moveToH2(new Object[] { bytes, target });
        File file = new File("written-from-h2");
        try (FileOutputStream out = new FileOutputStream(file)) {
            out.write(bytes);
        }
        try (FileInputStream in = new FileInputStream(file)) {
            assertEquals(in.readNBytes(target, 0, target.length), target.length, "bytes read");
        }
        assertTrue(Arrays.equals(target, original), "what was read differs");
        // Native code pins the arrays.
        Deflater deflater = new Deflater();
        deflater.setInput(bytes);
        deflater.finish();
        byte[] deflated = moveToH2(new byte[bytes.length + 1000]);
        int size = deflater.deflate(deflated);
        deflater.end();
        Arrays.fill(target, (byte) 0);
        Inflater inflater = new Inflater();
        inflater.setInput(deflated, 0, size);
        assertEquals(inflater.inflate(target), target.length, "bytes inflated");
        inflater.end();
        assertTrue(Arrays.equals(target, original), "what was inflated differs");
        ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length);
        buffer.put(bytes).flip();
        Arrays.fill(target, (byte) 0);
        buffer.get(target);
        assertTrue(Arrays.equals(target, original), "what went through a direct buffer differs");
        assertTrue(file.delete(), "the file cannot be deleted");
    }

    private static void intrinsics() throws Exception {
        byte[] bytes = new byte[10_000];
        new Random(4).nextBytes(bytes);
        byte[] inH2 = moveToH2(bytes.clone());
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        String moved = moveToH2(new String(bytes, StandardCharsets.ISO_8859_1));
        for (int i = 0; i < 300; i++) {
            CRC32 here = new CRC32();
            CRC32 there = new CRC32();
            here.update(bytes);
            there.update(inH2);
            assertEquals(there.getValue(), here.getValue(), "the checksum");
            assertEquals(Arrays.mismatch(bytes, inH2), -1, "the first difference");
            assertEquals(Arrays.hashCode(inH2), Arrays.hashCode(bytes), "the hash");
            assertTrue(moved.equals(text), "the strings differ");
            assertEquals(moved.indexOf("\u0001\u0002"), text.indexOf("\u0001\u0002"), "the index");
            assertEquals(moved.compareTo(text), 0, "the comparison");
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(inH2);
            assertTrue(Arrays.equals(digest, MessageDigest.getInstance("SHA-256").digest(bytes)), "digests differ");
            int at = i * 31 % bytes.length;
            bytes[at] = inH2[at] = (byte) i;
            text = moved;
        }
        Integer[] boxes = new Integer[5000];
        Arrays.setAll(boxes, i -> Integer.valueOf((i * 7919) % 5000 + 100_000));
        moveToH2(boxes);
        Arrays.sort(boxes);
        majorGC();
        for (int i = 0; i < boxes.length; i++) {
            assertEquals((int) boxes[i], i + 100_000, "box " + i);
        }
    }
}
