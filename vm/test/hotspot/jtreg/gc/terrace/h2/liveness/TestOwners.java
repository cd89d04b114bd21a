// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.liveness;

/*
 * @test TestOwners
 * @summary Native resources of dropped objects in H2 are released: memory of buffers, descriptors and mappings.
 *          H2 is not marked through where this would release nothing
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @run driver gc.terrace.h2.liveness.TestOwners
 */

import java.io.FileInputStream;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

import jdk.test.lib.process.OutputAnalyzer;
import gc.terrace.h2.Child;
import gc.terrace.h2.Tree;
import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

public class TestOwners {

    private static final int LIVE = 60;
    private static final String MARKING = "Marking through H2: it keeps ";

    public static void main(String[] args) throws Exception {
        run(Buffers.class, "-XX:MaxDirectMemorySize=8m").shouldContain("the library waits");
        run(Descriptors.class).shouldContain("requested freed none");
        run(Mappings.class).shouldContain("they are many");
        run(Finalizers.class).shouldContain(MARKING);

        // If all owners in H2 are alive, markings become rarer and rarer, because the VM cannot know this before. The test of the
        // policy checks the bounds. If H1 keeps the owners alive, one marking is allowed, because the VM cannot know this either.
        long markings = count(MARKING, run(AllLive.class));
        assertTrue(markings >= 1 && markings <= 10, markings + " markings at 20 requests, for nothing");
        markings = count(MARKING, run(InH1.class, "-XX:MaxDirectMemorySize=8m"));
        assertTrue(markings <= 1, markings + " markings for what is in H1");
        run(NoOwners.class).shouldNotContain("Marking through H2: ").shouldNotContain("owners of something");
    }

    private static long count(String text, OutputAnalyzer output) {
        return output.asLines().stream().filter(line -> line.contains(text)).count();
    }

    private static OutputAnalyzer run(Class<?> program, String... options) throws Exception {
        return Child.run(program, List.of("-Xmx160m", "-XX:AllocateH2At=.", "-XX:H2Size=256m",
                                          "-XX:H2RegionSize=4m", "-Xlog:gc+h2=debug"), options);
    }

    interface Maker {
        Object make(int i) throws Exception;
    }

    interface Collection {
        void run();
    }

    /** Replaces the entries of a cache. All of them move. */
    private static void replace(int count, Maker maker, Collection collection) throws Exception {
        Random random = new Random(1);
        List<Object> cache = new ArrayList<>();
        SecondHeap.move(1);
        for (int i = 0; i < count; i++) {
            Object[] entry = { maker.make(i), new byte[1000] };
            SecondHeap.tagRoot(entry, 1);
            if (cache.size() < LIVE) {
                cache.add(entry);
            } else {
                cache.set(random.nextInt(LIVE), entry);
            }
            if (i % 50 == 49) {
                collection.run();
            }
        }
        System.out.println("the end, " + cache.size());
    }

    /** Buffers of 64 KB. At most 128 fit at a time. */
    static class Buffers {
        public static void main(String[] args) throws Exception {
            replace(2000, i -> ByteBuffer.allocateDirect(64 << 10), SecondHeap::transfer);
        }
    }

    static class Descriptors {
        private static int most;

        public static void main(String[] args) throws Exception {
            replace(3000, i -> {
                FileInputStream in = new FileInputStream("/dev/null");
                if (i % 100 == 0) {
                    // Cleaners run in a separate thread.
                    waitFor(() -> open() < 600);
                    most = Math.max(most, open());
                }
                return in;
            }, System::gc);
            assertTrue(most < 600, most + " descriptors");
        }

        private static int open() {
            return new java.io.File("/proc/self/fd").list().length;
        }
    }

    static class Mappings {
        public static void main(String[] args) throws Exception {
            Path path = Files.createTempFile(Path.of("."), "map", ".bin");
            Files.write(path, new byte[4096]);
            try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                replace(4000, i -> {
                    if (i % 1000 == 999) {
                        waitFor(() -> mappings(path) < 1500);
                        assertTrue(mappings(path) < 1500, mappings(path) + " mappings");
                    }
                    return file.map(FileChannel.MapMode.READ_WRITE, 0, 4096);
                }, SecondHeap::transfer);
            }
        }

        private static long mappings(Path path) {
            try {
                String name = path.getFileName().toString();
                return Files.readAllLines(Path.of("/proc/self/maps")).stream().filter(line -> line.endsWith(name)).count();
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }

    static class Finalizers {
        static final AtomicInteger FINALIZED = new AtomicInteger();

        static class Finalizable {
            @Override
            protected void finalize() {
                FINALIZED.incrementAndGet();
            }
        }

        public static void main(String[] args) throws Exception {
            replace(1000, i -> new Finalizable(), System::gc);
            waitFor(() -> FINALIZED.get() >= 800);
            assertTrue(FINALIZED.get() >= 800 && FINALIZED.get() <= 1000 - LIVE, FINALIZED.get() + " were finalized");
        }
    }

    static class AllLive {
        public static void main(String[] args) throws Exception {
            Cleaner cleaner = Cleaner.create();
            List<Object> all = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                Object owner = new byte[100];
                cleaner.register(owner, () -> { });
                all.add(owner);
            }
            moveToH2(all.toArray());
            for (int i = 0; i < 20; i++) {
                System.gc();
            }
            System.out.println("the end, " + all.size());
        }
    }

    /** Garbage in H1, with many live objects in H2. */
    static class InH1 {
        public static void main(String[] args) throws Exception {
            Object[] alive = moveToH2(new Object[] { new byte[1000], Tree.make(1000, 1) });
            for (int i = 0; i < 2000; i++) {
                ByteBuffer.allocateDirect(64 << 10);
            }
            System.out.println("the end, " + alive.length);
        }
    }

    static class NoOwners {
        public static void main(String[] args) throws Exception {
            replace(1000, i -> new int[i % 10], System::gc);
        }
    }
}
