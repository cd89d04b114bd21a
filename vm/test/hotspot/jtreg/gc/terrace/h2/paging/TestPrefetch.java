// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.paging;

/*
 * @test TestPrefetch
 * @summary Objects that were reached from one root are adjacent, so that a structure can be prefetched alone: from each of its
 *          parts, across regions, and when regions were freed in between
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management jdk.management
 *
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=400m -XX:ParallelGCThreads=4
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.paging.TestPrefetch
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=400m -XX:H2RegionSize=2m -XX:ParallelGCThreads=1
 *                   -XX:H2PagerThreads=4
 *                   gc.terrace.h2.paging.TestPrefetch
 * @run main/othervm -Xmx256m -XX:AllocateH2At=. -XX:H2Size=400m -XX:H2RegionSize=4m -XX:-H2HugePages
 *                   -XX:-UseCompressedOops
 *                   gc.terrace.h2.paging.TestPrefetch
 */

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

public class TestPrefetch {

    private static final long MB = 1 << 20;
    private static final int ROW = 8 << 10;
    private static final HotSpotDiagnosticMXBean VM = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);

    /** Allowance for a neighbour that is too small for a cluster of its own, and for blocks of H1 that two structures share. */
    private static final long SLACK = 4 * MB;

    public static void main(String[] args) throws Exception {
        requireH2();
        SecondHeap.prefetch(new Object());
        assertEquals(prefetched(), 0, "bytes read ahead for an object in H1");
        long pagers = STOCK ? 0 : Long.parseLong(VM.getVMOption("H2PagerThreads").getValue());
        waitFor(() -> readers() == pagers);         // a thread has its name once it runs
        assertEquals(readers(), pagers, "threads that read ahead");

        long label = freshLabel();
        byte[][][] structures = interleaved(4, 12 * MB);
        for (byte[][] structure : structures) {
            SecondHeap.tagRoot(structure, label);
        }
        SecondHeap.move(label);
        SecondHeap.transfer();
        for (byte[][] structure : structures) {
            assertInH2(structure, "the structure");
            assertReadAhead(structure, 12 * MB, 12 * MB + SLACK, "the structure");
            assertReadAhead(structure[structure.length / 3], 12 * MB, 12 * MB + SLACK, "a row's structure");
        }

        byte[][] large = moveToH2(interleaved(1, 100 * MB)[0]);
        assertReadAhead(large, 64 * MB, 64 * MB + 16 * MB + SLACK, "the beginning of a large structure");

        byte[] array = moveToH2(new byte[(int) (20 * MB)]);
        assertReadAhead(array, 20 * MB, 20 * MB + SLACK, "a large array");

        int[] small = moveToH2(new int[3]);
        assertReadAhead(small, 1, SLACK, "a small object");

        for (int i = 0; i < structures.length; i += 2) {
            structures[i] = null;
        }
        System.gc();
        byte[][] fresh = moveToH2(interleaved(1, 30 * MB)[0]);
        assertReadAhead(fresh, 30 * MB, 30 * MB + SLACK, "a structure in regions that were freed");
        assertReadAhead(structures[1], 12 * MB, 12 * MB + SLACK, "a structure whose neighbours were freed");
        Reference.reachabilityFence(array);
    }

    private static long readers() {
        try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
            return threads.filter(thread -> nameOf(thread).startsWith("H2 Pager")).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String nameOf(Path thread) {
        try {
            return Files.readString(thread.resolve("comm"));
        } catch (IOException e) {
            return "";   // the thread has ended
        }
    }

    /** Makes structures of many rows, whose rows are allocated in turn, as by tasks that run at the same time. */
    private static byte[][][] interleaved(int count, long bytes) {
        byte[][][] structures = new byte[count][(int) (bytes / ROW)][];
        for (int row = 0; row < bytes / ROW; row++) {
            for (byte[][] structure : structures) {
                structure[row] = new byte[ROW - 16];
            }
        }
        return structures;
    }

    private static void assertReadAhead(Object root, long low, long high, String what) throws InterruptedException {
        long before = prefetched();
        SecondHeap.prefetch(root);
        waitFor(() -> STOCK || prefetched() - before >= low);
        // Waits as long as the counter grows, in case more is prefetched than expected.
        for (long now = prefetched(), last = -1; now != last; now = prefetched()) {
            last = now;
            Thread.sleep(200);
        }
        long actual = prefetched() - before;
        assertTrue(STOCK || actual >= low && actual <= high,
                   what + ": " + actual + " bytes were read ahead, expected " + low + " to " + high);
    }

    private static long prefetched() {
        return SecondHeap.statistics().getPrefetchedBytes();
    }
}
