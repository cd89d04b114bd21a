// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.objects;

/*
 * @test TestTransferExcluded
 * @summary Classes, loaders, references, threads, singletons and interned strings stay in H1 while objects that refer to them
 *          move, and all references remain correct
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx128m -XX:MaxDirectMemorySize=160m -XX:AllocateH2At=. -XX:H2Size=256m
 *                   -XX:H2RegionSize=2m -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:+VerifyBeforeGC -XX:+VerifyAfterGC
 *                   -XX:VerifySubSet=threads,heap,string_table,jni_handles,codecache_oops
 *                   gc.terrace.h2.objects.TestTransferExcluded
 * @run main/othervm -Xmx128m -XX:MaxDirectMemorySize=160m -XX:AllocateH2At=. -XX:H2Size=256m -XX:-UseCompressedOops
 *                   -XX:ParallelGCThreads=1 -Xint gc.terrace.h2.objects.TestTransferExcluded
 * @run main/othervm -Xmx128m -XX:MaxDirectMemorySize=160m -XX:AllocateH2At=. -XX:H2Size=256m -XX:ParallelGCThreads=4
 *                   -Xshare:off gc.terrace.h2.objects.TestTransferExcluded
 */

import java.lang.invoke.CallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.MutableCallSite;
import java.lang.ref.Cleaner;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.WeakHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

import gc.terrace.h2.Tree;
import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

public class TestTransferExcluded {

    private static final Object SINGLETON = new Object();
    private static final Object toMove = new int[] { 1 };
    private static Object[] mutableStatic = { "reachable from a static field" };

    enum Color { RED, GREEN { @Override int weight() { return 2; } };
        int weight() { return 1; }
    }

    interface Greeter {
        String greet(String name);
    }

    public static void main(String[] args) throws Throwable {
        requireH2();
        excludedKindsStay();
        excludedRootsStay();
        sharedRootsMove();
        references();
        directBuffers();
        threads();
        methodHandles();
        theRuntimeItself();
    }

    private static void excludedKindsStay() throws Exception {
        ClassLoader loader = new URLClassLoader(new URL[0], TestTransferExcluded.class.getClassLoader());
        Object[] staying = {
            String.class, int[].class, Color.class, int.class, TestTransferExcluded.class, loader,
            ClassLoader.getSystemClassLoader(), Thread.currentThread(), SINGLETON, mutableStatic, Color.RED, Color.GREEN,
            "a literal is interned", ("inter" + "ned at run time" + args(1)).intern(), new WeakReference<>(SINGLETON),
            new SoftReference<>(SINGLETON), new PhantomReference<>(SINGLETON, new ReferenceQueue<>()),
            Locale.ROOT
        };
        Object[] holder = staying.clone();
        moveToH2(holder);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < staying.length; i++) {
                assertSame(holder[i], staying[i], "element " + i);
                assertInH1(staying[i], "element " + i);
            }
            minorGC();
            majorGC();
        }
        assertEquals(Color.GREEN.weight(), 2, "the weight of green");
        assertSame(Color.valueOf("RED"), holder[10], "red");
        assertSame(Class.forName("java.lang.String"), holder[0], "the class of strings");
        assertEquals(((WeakReference<?>) holder[14]).get(), SINGLETON, "a weak referent");
        assertEquals(mutableStatic[0], "reachable from a static field", "the static array's element");
        assertSame(((ClassLoader) holder[5]).loadClass(Tree.class.getName()), Tree.class, "a loaded class");
        // A static field that changes its value.
        Object[] former = mutableStatic;
        mutableStatic = new Object[] { former };
        moveToH2(former);
        assertSame(mutableStatic[0], former, "the former static array");
        mutableStatic = former;
        majorGC();
        assertInH2(mutableStatic, "an H2 object in a static field");
    }

    private static int args(int n) {
        return n + mutableStatic.length;
    }

    private static void excludedRootsStay() {
        Object[] roots = { Tree.class, TestTransferExcluded.class.getClassLoader(), Thread.currentThread(),
                           new WeakReference<>(new Object()) };
        long label = freshLabel();
        for (Object root : roots) {
            SecondHeap.tagRoot(root, label);
        }
        SecondHeap.move(label);
        SecondHeap.transfer();
        majorGC();
        for (int i = 0; i < roots.length; i++) {
            assertState(SecondHeap.State.DUE, roots[i], "root " + i);
        }
        SecondHeap.hold(label);
        for (Object root : roots) {
            SecondHeap.untag(root);
            assertInH1(root, "a root without a tag");
        }
    }

    /** An interned string, or an object of a static field, moves if the program tags it. */
    private static void sharedRootsMove() {
        String interned = ("tagged and inter" + "ned at run time " + args(2)).intern();
        String read = new String(interned.toCharArray());
        for (Object root : new Object[] { interned, toMove, Color.GREEN }) {
            moveToH2(root);
        }
        assertSame(read.intern(), interned, "an interned string in H2");
        majorGC();
        minorGC();
        assertSame(read.intern(), interned, "an interned string in H2, after collections");
        assertSame(Color.valueOf("GREEN"), Color.GREEN, "an enum constant in H2");
        assertInH2(toMove, "an object in H2 that a static field refers to");
    }

    /** Unreachable buffers release their memory when it is short, although the object that referred to them is alive. */
    private static void directBuffers() {
        int size = 1 << 20;
        ByteBuffer[] buffers = new ByteBuffer[100];
        Object[] views = new Object[buffers.length];
        Object[] holder = { buffers, views };
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < buffers.length; i++) {
                buffers[i] = ByteBuffer.allocateDirect(size).put(i, (byte) (i + round));
                views[i] = buffers[i].asLongBuffer();
            }
            if (round == 0) {
                moveToH2(holder);
            }
            majorGC();
            assertInH2(buffers, "an array of direct buffers");
            for (int i = 0; i < buffers.length; i++) {
                assertInH1(buffers[i], "direct buffer " + i);
                assertEquals((int) buffers[i].get(i), (byte) (i + round), "a byte of direct buffer " + i);
                assertEquals(((LongBuffer) views[i]).get(i / 8), buffers[i].getLong(i / 8 * 8), "a number of a view");
            }
            Arrays.fill(buffers, null);
            Arrays.fill(views, null);
        }
    }

    // References of all strengths are in moved graphs, and their referents are inside and outside of these.
    private static void references() throws Exception {
        int count = 500;
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        List<Object> holder = new ArrayList<>();
        List<Tree> strong = new ArrayList<>();
        List<WeakReference<Tree>> weak = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Tree tree = Tree.make(3, i);
            weak.add(new WeakReference<>(tree, queue));
            if (i % 2 == 0) {
                strong.add(tree);
            }
        }
        holder.add(weak);
        WeakHashMap<Object, Object> map = new WeakHashMap<>();
        for (Tree tree : strong) {
            map.put(tree, "value of " + tree.seed);
        }
        holder.add(map);
        moveToH2(holder);
        majorGC();
        assertInH2(weak, "the list of references");
        int cleared = 0;
        for (int i = 0; i < count; i++) {
            assertInH1(weak.get(i), "reference " + i);
            Tree tree = weak.get(i).get();
            if (i % 2 == 0) {
                assertSame(tree, strong.get(i / 2), "referent " + i);
                tree.check(3, i);
                assertEquals(map.get(tree), "value of " + i, "the value of key " + i);
            } else {
                assertSame(tree, null, "referent " + i);
                cleared++;
            }
        }
        int queued = 0;
        while (queue.remove(queued < cleared ? 60_000 : 10) != null) {
            queued++;
        }
        assertEquals(queued, cleared, "references in the queue");
        strong.clear();
        majorGC();
        for (int i = 0; i < count; i++) {
            assertSame(weak.get(i).get(), null, "the dropped referent " + i);
        }
        waitFor(() -> map.size() == 0);
        assertEquals(map.size(), 0, "the size of the weak map");

        Cleaner cleaner = Cleaner.create();
        CountDownLatch cleaned = new CountDownLatch(100);
        List<Object> cleanables = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            cleanables.add(cleaner.register(new Object(), cleaned::countDown));
        }
        moveToH2(cleanables);
        majorGC();
        assertTrue(cleaned.await(2, TimeUnit.MINUTES), "cleaners did not run: " + cleaned.getCount() + " are left");
    }

    private static void threads() throws Exception {
        int count = 8;
        CountDownLatch ready = new CountDownLatch(count);
        CountDownLatch go = new CountDownLatch(1);
        ThreadLocal<Tree> local = new ThreadLocal<>();
        Object[] results = new Object[count];
        Thread[] threads = new Thread[count];
        for (int i = 0; i < count; i++) {
            int n = i;
            threads[i] = new Thread(() -> {
                local.set(Tree.make(10, n));
                ready.countDown();
                try {
                    go.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                local.get().check(10, n);
                results[n] = "done " + n;
            }, "worker " + i);
            threads[i].start();
        }
        ready.await();
        Thread unstarted = new Thread(() -> results[0] = results[0] + " twice");
        Object[] holder = { threads, local, unstarted, go, results };
        moveToH2(holder);
        for (Thread thread : threads) {
            assertInH1(thread, thread.getName());
        }
        assertInH1(unstarted, "an unstarted thread");
        minorGC();
        go.countDown();
        for (int i = 0; i < count; i++) {
            threads[i].join();
            assertEquals(results[i], "done " + i, "result of worker " + i);
        }
        unstarted.start();
        unstarted.join();
        assertEquals(results[0], "done 0 twice", "the result of the thread that started late");
        ExecutorService executor = moveToH2(Executors.newFixedThreadPool(3));
        for (int i = 0; i < 100; i++) {
            int n = i;
            assertEquals((long) executor.submit(() -> n * n).get(), n * n, "the result of a task");
        }
        executor.shutdown();
        assertTrue(executor.awaitTermination(30, TimeUnit.SECONDS), "the executor does not end");
    }

    public static String hello(String name) {
        return "hello " + name;
    }

    private static void methodHandles() throws Throwable {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        MethodType type = MethodType.methodType(String.class, String.class);
        MethodHandle handle = lookup.findStatic(TestTransferExcluded.class, "hello", type);
        MethodHandle bound = MethodHandles.insertArguments(handle, 0, "bound");
        MethodHandle guarded = MethodHandles.guardWithTest(
            MethodHandles.dropArguments(MethodHandles.constant(boolean.class, true), 0, String.class), handle, handle);
        CallSite site = new MutableCallSite(handle);
        MethodHandle dynamic = site.dynamicInvoker();
        Method method = TestTransferExcluded.class.getMethod("hello", String.class);
        Greeter proxy = (Greeter) Proxy.newProxyInstance(Greeter.class.getClassLoader(),
            new Class<?>[] { Greeter.class }, (self, m, a) -> hello((String) a[0]));
        Greeter lambda = TestTransferExcluded::hello;
        Object[] holder = { handle, bound, guarded, site, dynamic, method, proxy, lambda, type };
        moveToH2(holder);
        for (int round = 0; round < 20_000; round++) {
            check((String) handle.invokeExact("you"), "you");
            check((String) bound.invokeExact(), "bound");
            check((String) guarded.invokeExact("me"), "me");
            check((String) dynamic.invokeExact("there"), "there");
            check((String) method.invoke(null, "him"), "him");
            check(proxy.greet("proxy"), "proxy");
            check(lambda.greet("lambda"), "lambda");
            if (round % 5000 == 0) {
                site.setTarget(MethodHandles.filterReturnValue(handle, lookup.findVirtual(String.class, "toString",
                    MethodType.methodType(String.class))));
                majorGC();
            }
        }
    }

    private static void check(String actual, String name) {
        if (!actual.equals("hello " + name)) {
            throw new RuntimeException("got \"" + actual + "\" for " + name);
        }
    }

    // Moves objects that are reachable from the runtime's own objects.
    private static void theRuntimeItself() throws Exception {
        Object[] holder = { System.getProperties(), ClassLoader.getSystemClassLoader(), System.out, Runtime.getRuntime(),
                            Thread.currentThread().getThreadGroup(), Object.class.getModule(), Locale.getDefault(),
                            ModuleLayer.boot(), Thread.getAllStackTraces() };
        moveToH2(holder);
        System.out.println("printed by a stream that was reachable from H2: " + System.getProperty("java.version"));
        for (int i = 0; i < 50; i++) {
            String name = "java.util.concurrent.atomic.AtomicReferenceArray";
            assertTrue(Class.forName(name).getDeclaredMethods().length > 0, "no methods");
            new Thread(() -> System.setProperty("terrace.test.property", "set")).start();
        }
        minorGC();
        majorGC();
        try {
            throw new IllegalStateException("thrown after the move");
        } catch (IllegalStateException e) {
            assertEquals(e.getStackTrace()[0].getMethodName(), "theRuntimeItself", "the stack trace");
        }
        assertEquals(String.format(Locale.ROOT, "%d %s", 42, holder[0] != null), "42 true", "formatted text");
    }
}
