// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.liveness;

/*
 * @test TestDroppedTogether
 * @summary When all objects in H2 that own native resources are dropped at once, the resources are released: for java.nio at once,
 *          for metaspace before it is exhausted, and for other programs after a few calls of System.gc()
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @run driver gc.terrace.h2.liveness.TestDroppedTogether
 */

import java.io.FileInputStream;
import java.io.InputStream;
import java.lang.ref.Cleaner;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

import static gc.terrace.h2.H2Test.*;

import gc.terrace.h2.Child;

public class TestDroppedTogether {

    private static final int COUNT = 100;
    private static final int TURNS = 4;
    // The VM marks through H2 at least once in this number of System.gc() calls (H2DeepMarkingPolicy).
    private static final int MAX_REQUESTS = 16;

    public static void main(String[] args) throws Exception {
        run(Buffers.class, "-XX:MaxDirectMemorySize=8m");
        run(Buffers.class, "-XX:MaxDirectMemorySize=8m", "-XX:+UnlockExperimentalVMOptions", "-XX:+H2MarkAhead");
        run(Descriptors.class);
        run(Mappings.class);
        run(Cleaners.class);
        run(Finalizers.class);
        run(WeakReferences.class);
        run(Classes.class, "-XX:MaxMetaspaceSize=24m");
    }

    private static void run(Class<?> program, String... options) throws Exception {
        Child.run(program, List.of("-Xmx64m", "-XX:AllocateH2At=.", "-XX:H2Size=64m", "-XX:H2RegionSize=4m",
                                   "-Xlog:gc+h2=debug"), options);
    }

    interface Maker {
        Object make(int i) throws Exception;
    }

    /** Makes the entries of a cache. They will be in a region that stays alive. */
    private static Object[] fill(int count, Maker maker) throws Exception {
        Object[] cache = new Object[count];
        for (int i = 0; i < count; i++) {
            cache[i] = new Object[] { maker.make(i), new byte[100] };
        }
        return cache;
    }

    /** Drops caches repeatedly, and checks that all their resources are released after some collections. */
    private static void dropInTurns(Maker maker, IntSupplier left) throws Exception {
        long label = freshLabel();
        Object[] anchor = moveToH2(new Object[] { new byte[1000] }, label);
        for (int turn = 0; turn < TURNS; turn++) {
            Object[] cache = moveToH2(fill(COUNT, maker), label);
            for (int i = 0; i < 3; i++) {
                System.gc();
            }
            assertTrue(left.getAsInt() >= COUNT, "only " + left.getAsInt() + " in turn " + turn);
            assertTrue(cache.length == COUNT && anchor.length == 1, "what was to live until now");
            cache = null;
            int requests = 0;
            while (left.getAsInt() >= COUNT) {
                assertTrue(requests++ < MAX_REQUESTS, left.getAsInt() + " are left in turn " + turn);
                System.gc();
                // Cleaners run in a separate thread, so the resources of dead objects are released with a delay.
                if (requests < MAX_REQUESTS) {
                    waitForAWhile(() -> left.getAsInt() < COUNT);
                } else {
                    waitFor(() -> left.getAsInt() < COUNT);
                }
            }
            System.out.println("turn " + turn + ": free after " + requests + " collections");
        }
        System.out.println("the end");
    }

    private static void waitForAWhile(java.util.function.BooleanSupplier condition) throws InterruptedException {
        for (int i = 0; i < 20 && !condition.getAsBoolean(); i++) {
            Thread.sleep(5);
        }
    }

    private static int open(String name) {
        int count = 0;
        for (java.io.File file : new java.io.File("/proc/self/fd").listFiles()) {
            try {
                count += Files.readSymbolicLink(file.toPath()).toString().equals(name) ? 1 : 0;
            } catch (java.io.IOException e) {
                continue;       // the descriptor of the listing itself
            }
        }
        return count;
    }

    /** Buffers of 64 KB. At most 128 fit at a time, and only java.nio requests collections. */
    static class Buffers {
        public static void main(String[] args) throws Exception {
            long label = freshLabel();
            Object[] anchor = moveToH2(new Object[] { new byte[1000] }, label);
            for (int turn = 0; turn < TURNS; turn++) {
                Object[] cache = moveToH2(fill(COUNT, i -> ByteBuffer.allocateDirect(64 << 10)), label);
                if (turn % 2 == 0) {
                    majorGC();
                    majorGC();
                }
                assertTrue(cache.length == COUNT && anchor.length == 1, "what was to live until now");
                cache = null;
            }
            System.out.println("the end");
        }
    }

    static class Descriptors {
        public static void main(String[] args) throws Exception {
            dropInTurns(i -> new FileInputStream("/dev/null"), () -> open("/dev/null"));
        }
    }

    static class Mappings {
        public static void main(String[] args) throws Exception {
            Path path = Files.createTempFile(Path.of("."), "map", ".bin");
            Files.write(path, new byte[4096]);
            try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                dropInTurns(i -> file.map(FileChannel.MapMode.READ_WRITE, 0, 4096), () -> mappings(path));
            }
        }

        private static int mappings(Path path) {
            try {
                String name = path.getFileName().toString();
                return (int) Files.readAllLines(Path.of("/proc/self/maps")).stream().filter(line -> line.endsWith(name)).count();
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }

    static class Cleaners {
        public static void main(String[] args) throws Exception {
            Cleaner cleaner = Cleaner.create();
            AtomicInteger left = new AtomicInteger();
            dropInTurns(i -> {
                Object owner = new byte[10];
                left.incrementAndGet();
                cleaner.register(owner, left::decrementAndGet);
                return owner;
            }, left::get);
        }
    }

    static class Finalizers {
        static final AtomicInteger LEFT = new AtomicInteger();

        static class Finalizable {
            Finalizable() {
                LEFT.incrementAndGet();
            }

            @Override
            protected void finalize() {
                LEFT.decrementAndGet();
            }
        }

        public static void main(String[] args) throws Exception {
            dropInTurns(i -> new Finalizable(), LEFT::get);
        }
    }

    /** Objects that the VM knows only by weak references. Their release takes longest. */
    static class WeakReferences {
        public static void main(String[] args) throws Exception {
            ReferenceQueue<Object> queue = new ReferenceQueue<>();
            List<WeakReference<?>> references = new ArrayList<>();
            Object[] anchor = moveToH2(new Object[] { new byte[1000], fill(COUNT, i -> {
                Object referent = new byte[10];
                references.add(new WeakReference<>(referent, queue));
                return referent;
            }) });
            System.gc();
            assertTrue(queue.poll() == null, "queued though alive");
            anchor[1] = null;
            for (int i = 0; i < 2 * MAX_REQUESTS; i++) {
                System.gc();
            }
            int queued = 0;
            while (queue.remove(queued < COUNT ? 10_000 : 10) != null) {
                queued++;
            }
            assertEquals(queued, COUNT, "queued of " + references.size());
            System.out.println("the end, " + anchor.length);
        }
    }

    /** New classes in each turn. Only the VM collects, when metaspace is short. */
    static class Classes {
        private static final int LOADERS = 150;

        public interface Value {
        }

        public static class Held implements Value {
        }

        static class Loader extends ClassLoader {
            Loader() {
                super(Classes.class.getClassLoader());
            }

            Value make() throws Exception {
                String name = Held.class.getName();
                try (InputStream in = Classes.class.getClassLoader().getResourceAsStream(name.replace('.', '/') + ".class")) {
                    byte[] bytes = in.readAllBytes();
                    return (Value) defineClass(name, bytes, 0, bytes.length).getDeclaredConstructor().newInstance();
                }
            }
        }

        public static void main(String[] args) throws Exception {
            long label = freshLabel();
            Object[] anchor = moveToH2(new Object[] { new byte[1000] }, label);
            for (int turn = 0; turn < 40; turn++) {
                Object[] cache = moveToH2(fill(LOADERS, i -> new Loader().make()), label);
                assertTrue(cache.length == LOADERS && anchor.length == 1, "what was to live until now");
                cache = null;
            }
            System.out.println("the end");
        }
    }
}
