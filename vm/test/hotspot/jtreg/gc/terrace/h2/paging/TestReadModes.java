// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.paging;

/*
 * @test TestReadModes
 * @summary A label that the program reads at random is read in single pages, and a label that it reads in passes in large blocks.
 *          The mode follows changes of the program, and H2RandomAccess overrides it
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management jdk.management
 *
 * @run main/othervm/timeout=300 -Xmx256m -XX:AllocateH2At=. -XX:H2Size=600m -XX:+UnlockDiagnosticVMOptions -XX:H2ResidentLimit=1m
 *                   -Xlog:gc+h2 gc.terrace.h2.paging.TestReadModes found
 * @run main/othervm/timeout=300 -Xmx256m -XX:AllocateH2At=. -XX:H2Size=600m -XX:+UnlockDiagnosticVMOptions -XX:H2ResidentLimit=1m
 *                   -XX:-H2HugePages gc.terrace.h2.paging.TestReadModes once
 * @run main/othervm/timeout=300 -Xmx256m -XX:AllocateH2At=. -XX:H2Size=600m -XX:+UnlockDiagnosticVMOptions -XX:H2ResidentLimit=1m
 *                   -XX:+H2RandomAccess gc.terrace.h2.paging.TestReadModes random
 * @run main/othervm/timeout=300 -Xmx256m -XX:AllocateH2At=. -XX:H2Size=600m -XX:+UnlockDiagnosticVMOptions -XX:H2ResidentLimit=1m
 *                   -XX:-H2RandomAccess gc.terrace.h2.paging.TestReadModes sequential
 */

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.ObjectName;
import jtreg.SkippedException;

import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

public class TestReadModes {

    private static final int COUNT = 20;
    private static final int ROWS = 3 << 10;
    private static final int ROW = 4 << 10;
    private static final int SINGLE_READS = 200;
    // Single pages arrive fast, and the VM looks for threads that wait only every 50 ms.
    private static final int MANY_READS = 4000;
    private static final int GARBAGE_MB = 48;
    // Between collections, so that the VM expects to use so much memory rarely.
    private static final long RARELY = TimeUnit.MILLISECONDS.toNanos(1500);
    // Bounds the reading, which a real program would continue without end.
    private static final long PATIENCE = TimeUnit.MINUTES.toNanos(2);

    private static final byte[][][] structures = new byte[COUNT][][];
    // The rows of all structures. The array is in H1, so that reading a row needs no other page of H2.
    private static final byte[][] rows = new byte[COUNT * ROWS][];
    private static final long LABEL = freshLabel();

    public static void main(String[] args) throws Exception {
        requireH2();
        if (STOCK) {
            return;
        }
        for (int i = 0; i < COUNT; i++) {
            structures[i] = new byte[ROWS][ROW - 16];
            System.arraycopy(structures[i], 0, rows, i * ROWS, ROWS);
            moveToH2(structures[i], LABEL);
        }
        // Pages that are not written back stay in memory.
        new ProcessBuilder("sync").start().waitFor();
        // So do pages that were never mapped.
        bytesOfPass();
        if (bytesOfPass() == 0) {
            throw new SkippedException("pages of H2 do not leave memory here, or the system does not tell what is read");
        }
        if (args[0].equals("found")) {
            found();
            readUntil("random", () -> bytesOfReads(MANY_READS));
            unusedHeapIsReleased();
        } else if (args[0].equals("once")) {
            found();
        } else {
            forced(args[0]);
        }
    }

    private static void found() throws Exception {
        assertEquals(mode(), "sequential", "the mode of what was tagged, at first");
        long before = bytesOfSingleReads();
        readUntil("random", () -> bytesOfReads(MANY_READS));
        long after = bytesOfSingleReads();
        System.out.println(before / SINGLE_READS + " bytes for a read before, " + after / SINGLE_READS + " after");
        // Some pages beside the rows belong to the arrays of references.
        assertTrue(after < SINGLE_READS * 64L * 1024, after + " bytes for " + SINGLE_READS + " reads at random");
        readUntil("sequential", TestReadModes::bytesOfPass);
    }

    /** A collection releases the memory of dead objects in the old generation, because threads wait for pages of H2. */
    private static void unusedHeapIsReleased() throws Exception {
        byte[][] old = new byte[GARBAGE_MB << 8][ROW - 16];
        System.gc();
        long before = rssOfHeap();
        long releasedBefore = releasedBytes();
        long expected = (GARBAGE_MB << 20) * 3L / 4;
        Reference.reachabilityFence(old);
        old = null;
        long start = System.nanoTime();
        // A debug build writes to all unused memory of the heap after each collection.
        boolean writes = !"release".equals(System.getProperty("jdk.debug"));
        while (writes ? releasedBytes() < releasedBefore + expected : rssOfHeap() > before - expected) {
            assertTrue(System.nanoTime() - start < PATIENCE, "the heap keeps " + rssOfHeap() + " of " + before + " bytes: " + report());
            long begin = System.nanoTime();
            while (System.nanoTime() - begin < RARELY) {
                bytesOfPass();
            }
            System.gc();
        }
        assertTrue(releasedBytes() > releasedBefore, report());
    }

    private static long releasedBytes() throws Exception {
        Matcher released = Pattern.compile("^Unused memory of the heap released for pages of H2: ([\\d.]+)M", Pattern.MULTILINE)
                                  .matcher(report());
        return released.find() ? (long) (Double.parseDouble(released.group(1)) * (1 << 20)) : 0;
    }

    private static long rssOfHeap() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("RssAnon:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) << 10;
            }
        }
        throw new SkippedException("the system does not tell what is in memory");
    }

    private static void forced(String mode) throws Exception {
        for (int i = 0; i < 3; i++) {
            bytesOfSingleReads();
            bytesOfPass();
        }
        Matcher all = Pattern.compile("all labels are read (\\w+): ").matcher(report());
        assertTrue(all.find() && all.group(1).equals(mode), "not all labels are read " + mode + ": " + report());
    }

    private interface Reads {
        long read() throws Exception;
    }

    private static void readUntil(String mode, Reads reads) throws Exception {
        long start = System.nanoTime();
        while (!mode().equals(mode)) {
            assertTrue(System.nanoTime() - start < PATIENCE, "the label is never read " + mode + ": " + report());
            reads.read();
        }
    }

    private static long bytesOfSingleReads() throws Exception {
        return bytesOfReads(SINGLE_READS);
    }

    /** Returns the bytes read from storage when single rows are read that are not in memory. */
    private static long bytesOfReads(int count) throws Exception {
        leaveMemory();
        long before = bytesRead();
        ThreadLocalRandom random = ThreadLocalRandom.current();
        for (int i = 0; i < count; i++) {
            assertEquals(rows[random.nextInt(rows.length)][ROW / 2], 0, "a byte of a row");
        }
        return bytesRead() - before;
    }

    private static long bytesOfPass() throws Exception {
        leaveMemory();
        long before = bytesRead();
        for (byte[] row : rows) {
            assertEquals(row[ROW / 2], 0, "a byte of a row");
        }
        return bytesRead() - before;
    }

    private static void leaveMemory() throws InterruptedException {
        long before = SecondHeap.statistics().getPagedOutBytes();
        for (byte[][] structure : structures) {
            SecondHeap.dismiss(structure);
        }
        // Half of the data, except for the 64 MB that stay at least.
        long expected = before + (COUNT * (long) ROWS * ROW - (64 << 20)) / 2;
        waitFor(() -> SecondHeap.statistics().getPagedOutBytes() >= expected);
    }

    private static long bytesRead() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/io"))) {
            if (line.startsWith("read_bytes: ")) {
                return Long.parseLong(line.substring("read_bytes: ".length()));
            }
        }
        throw new SkippedException("the system does not tell what is read");
    }

    private static String mode() throws Exception {
        Matcher mode = Pattern.compile("^reads of label " + LABEL + ": (\\w+), ", Pattern.MULTILINE).matcher(report());
        return mode.find() ? mode.group(1) : "sequential";
    }

    private static String report() throws Exception {
        return (String) ManagementFactory.getPlatformMBeanServer().invoke(
            new ObjectName("com.sun.management:type=DiagnosticCommand"), "terraceH2", new Object[] { new String[0] },
            new String[] { String[].class.getName() });
    }
}
