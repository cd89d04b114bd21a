// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.objects;

/*
 * @test TestTransferClassUnloading
 * @summary A class lives as long as an object of it in H2, however many other classes are unloaded
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:+VerifyBeforeGC -XX:+VerifyAfterGC
 *                   gc.terrace.h2.objects.TestTransferClassUnloading
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2RegionSize=2m -XX:-UseCompressedOops
 *                   -XX:ParallelGCThreads=1 -Xint
 *                   gc.terrace.h2.objects.TestTransferClassUnloading
 */

import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

import static gc.terrace.h2.H2Test.*;

public class TestTransferClassUnloading {

    /** A class that is loaded by a separate loader for each object. */
    public static final class Payload implements IntUnaryOperator {
        static int calls;
        static Object[] statics = { "static", new int[] { 5 } };
        private final Supplier<String> lambda;
        private final Object[] boxes;

        public Payload(Integer n) {
            this.lambda = () -> "lambda " + n + " " + ((int[]) statics[1])[0];
            this.boxes = new Object[] { new Nested(this), new Nested[3], n };
        }

        @Override
        public int applyAsInt(int x) {
            calls++;
            String text = lambda.get();
            boolean good = ((Nested) boxes[0]).outer == this && boxes[1] instanceof Nested[]
                           && text.equals("lambda " + boxes[2] + " 5") && statics[0].equals("static");
            return good ? x + calls : -1;
        }
    }

    public static final class Nested {
        final Payload outer;

        Nested(Payload outer) {
            this.outer = outer;
        }
    }

    static final class Loader extends ClassLoader {
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(TestTransferClassUnloading.class.getName() + "$Payload")
                    && !name.startsWith(TestTransferClassUnloading.class.getName() + "$Nested")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                if (loaded != null) {
                    return loaded;
                }
                String file = name.substring(name.lastIndexOf('.') + 1) + ".class";
                try (InputStream in = TestTransferClassUnloading.class.getResourceAsStream(file)) {
                    byte[] bytes = in.readAllBytes();
                    return defineClass(name, bytes, 0, bytes.length);
                } catch (java.io.IOException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        requireH2();
        List<IntUnaryOperator> inH2 = new ArrayList<>();
        List<WeakReference<ClassLoader>> unloaded = new ArrayList<>();
        IntUnaryOperator onlyFromH2 = null;
        Object[] holder = moveToH2(new Object[30]);
        for (int i = 0; i < 30; i++) {
            IntUnaryOperator payload = make(i);
            assertTrue(payload.getClass() != Payload.class, "the class is not one of its own");
            if (i % 3 == 0) {
                inH2.add(moveToH2(payload));
            } else if (i % 3 == 1) {
                // The object is in H1, and only H2 refers to it.
                holder[i] = payload;
            } else {
                unloaded.add(new WeakReference<>(payload.getClass().getClassLoader()));
            }
        }
        onlyFromH2 = inH2.remove(0);
        Object[] box = moveToH2(new Object[] { onlyFromH2 });
        onlyFromH2 = null;
        for (int round = 1; round <= 4; round++) {
            if (round % 2 == 0) {
                minorGC();
            }
            majorGC();
            for (IntUnaryOperator payload : inH2) {
                assertEquals(payload.applyAsInt(100), 100 + round, "the result of an object in H2");
            }
            for (int i = 1; i < 30; i += 3) {
                assertEquals(((IntUnaryOperator) holder[i]).applyAsInt(200), 200 + round, "the result of object " + i);
            }
            assertEquals(((IntUnaryOperator) box[0]).applyAsInt(300), 300 + round, "the result of the boxed object");
            make(round).applyAsInt(1);
        }
        hiddenClasses();
        int gone = 0;
        for (WeakReference<ClassLoader> loader : unloaded) {
            gone += loader.get() == null ? 1 : 0;
        }
        // A register or a frame may still refer to the last one.
        assertTrue(gone >= unloaded.size() - 1, "only " + gone + " of " + unloaded.size() + " loaders were unloaded");
    }

    /** A hidden class that only its objects keep alive, not its loader. */
    private static final class Hidden implements IntUnaryOperator {
        private final int[] state = { 1 };

        @Override
        public int applyAsInt(int x) {
            return x + state[0]++;
        }
    }

    private static void hiddenClasses() throws Exception {
        Object[] inH2 = moveToH2(new Object[] { makeHidden(), makeHidden(), makeHidden() });
        for (int round = 1; round <= 3; round++) {
            majorGC();
            for (Object hidden : inH2) {
                assertInH2(hidden, "an object of a hidden class");
                assertTrue(hidden.getClass().isHidden(), "its class is not hidden");
                assertEquals(((IntUnaryOperator) hidden).applyAsInt(10), 10 + round, "its result");
            }
        }
    }

    private static IntUnaryOperator makeHidden() throws Exception {
        try (InputStream in = TestTransferClassUnloading.class.getResourceAsStream(
                Hidden.class.getName().replaceFirst(".*\\.", "") + ".class")) {
            Class<?> type = MethodHandles.lookup().defineHiddenClass(in.readAllBytes(), true).lookupClass();
            var constructor = type.getDeclaredConstructor();
            constructor.setAccessible(true);
            return (IntUnaryOperator) constructor.newInstance();
        }
    }

    private static IntUnaryOperator make(int n) throws Exception {
        Class<?> type = new Loader().loadClass(Payload.class.getName());
        return (IntUnaryOperator) type.getConstructor(Integer.class).newInstance(n);
    }
}
