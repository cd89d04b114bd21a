// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.far;

/*
 * @test
 * @summary Under Shenandoah, unreachable objects on absent pages are finalized, although marking reaches their pages
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=120 gc.terrace.far.TestShenandoahFinalizers
 */

import java.lang.ref.Reference;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import jdk.test.lib.process.OutputAnalyzer;

public class TestShenandoahFinalizers {

    public static final class Program {
        static final int OBJECTS = 5_000;
        // Larger than a page.
        static final int BETWEEN = 5_000;
        static final int CYCLES = 4;
        static final AtomicInteger finalized = new AtomicInteger();

        /** Only the resource refers to it, and it refers back. */
        static final class Part {
            final byte[] data = new byte[BETWEEN];
            final Resource resource;

            Part(Resource resource) {
                this.resource = resource;
            }
        }

        static final class Resource {
            final byte[] data;
            Part part;

            Resource(byte[] data) {
                this.data = data;
            }

            @Override
            @SuppressWarnings("removal")
            protected void finalize() {
                finalized.incrementAndGet();
            }
        }

        public static void main(String[] arguments) throws Exception {
            Object[] between = new Object[OBJECTS];
            Object[] resources = new Object[OBJECTS];
            for (int i = 0; i < OBJECTS; i++) {
                // The array is allocated after the resource and before its java.lang.ref.Finalizer. So each one has another page.
                Resource resource = new Resource(new byte[BETWEEN]);
                resources[i] = resource;
                between[i] = new byte[BETWEEN];
                resource.part = new Part(resource);
            }
            for (int i = 0; i < CYCLES; i++) {
                System.gc();
            }
            resources = null;
            for (int i = 0; i < CYCLES && finalized.get() < OBJECTS; i++) {
                System.gc();
                System.runFinalization();
            }
            Reference.reachabilityFence(between);
            System.out.println(finalized + " objects finalized");
        }
    }

    public static void main(String[] arguments) throws Exception {
        List<String> flags = Far.tortured(1, "-XX:+UseShenandoahGC", "-Xms192m", "-Xmx192m", "-XX:ConcGCThreads=2");
        OutputAnalyzer output = Far.run(flags, Program.class.getName());
        output.shouldHaveExitValue(0);
        output.shouldMatch("Marking from summaries: [1-9]");
        output.shouldContain(Program.OBJECTS + " objects finalized");
    }
}
