// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

import org.terrace.SecondHeap;
import org.terrace.SecondHeap.State;

/**
 * Utilities of the tests of the second heap. They move objects, query where objects are, and cause collections.
 *
 * <p>With {@code -Dterrace.test.stock=true} the tests run on a JVM without H2, where the API has no effect. They then check
 * contents, but not locations. That is for debugging the tests.
 */
public final class H2Test {

    public static final boolean STOCK = Boolean.getBoolean("terrace.test.stock");

    // Long enough for a busy machine and a slow disk, where a shorter wait fails at random.
    private static final long PATIENCE = TimeUnit.MINUTES.toNanos(2);

    private static final AtomicLong NEXT_LABEL = new AtomicLong(0x7e44ace000L);

    private static volatile Object sink;

    private H2Test() {
    }

    /** Fails unless this VM has an H2, because a test without one would pass without testing anything. */
    public static void requireH2() {
        if (!STOCK && !SecondHeap.isAvailable()) {
            throw new RuntimeException("no second heap: is -XX:AllocateH2At on the command line?");
        }
    }

    /** Returns an unused label. */
    public static long freshLabel() {
        return NEXT_LABEL.incrementAndGet();
    }

    /** Moves {@code root} and the objects reachable from it. Fails if they do not move. */
    public static <T> T moveToH2(T root) {
        return moveToH2(root, freshLabel());
    }

    public static <T> T moveToH2(T root, long label) {
        SecondHeap.tagRoot(root, label);
        SecondHeap.move(label);
        SecondHeap.transfer();
        assertInH2(root, "the root");
        return root;
    }

    public static void assertState(State expected, Object object, String what) {
        if (STOCK) {
            return;
        }
        State actual = SecondHeap.state(object);
        if (actual != expected) {
            throw new RuntimeException(what + " (" + object.getClass().getName() + ") is " + actual
                                       + ", expected " + expected);
        }
    }

    public static void assertInH1(Object object, String what) {
        assertState(State.IN_H1, object, what);
    }

    public static void assertInH2(Object object, String what) {
        assertState(State.IN_H2, object, what);
    }

    public static void assertTrue(boolean condition, String message) {
        if (!condition) {
            throw new RuntimeException(message);
        }
    }

    public static void assertEquals(long actual, long expected, String what) {
        if (actual != expected) {
            throw new RuntimeException(what + ": got " + actual + ", expected " + expected);
        }
    }

    public static void assertEquals(Object actual, Object expected, String what) {
        if (expected == null ? actual != null : !expected.equals(actual)) {
            throw new RuntimeException(what + ": got " + actual + ", expected " + expected);
        }
    }

    public static void assertSame(Object actual, Object expected, String what) {
        if (actual != expected) {
            throw new RuntimeException(what + ": got " + describe(actual) + ", expected " + describe(expected));
        }
    }

    private static String describe(Object object) {
        return object == null ? "null"
                : object.getClass().getName() + "@" + Integer.toHexString(System.identityHashCode(object))
                  + " " + SecondHeap.state(object);
    }

    /** Waits for background work of the VM, the JDK or the system. Gives up after two minutes. */
    public static void waitFor(BooleanSupplier condition) throws InterruptedException {
        long start = System.nanoTime();
        while (!condition.getAsBoolean() && System.nanoTime() - start < PATIENCE) {
            Thread.sleep(10);
        }
    }

    /** Returns the space that the file of H2, and the file of marks if there is one, take on their file system. */
    public static long bytesInFile() {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            long bytes = 0;
            for (Path file : files) {
                bytes += isOfH2(file) ? blocks(file) * 512 : 0;
            }
            return bytes;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isOfH2(Path descriptor) throws IOException {
        try {
            Path file = Files.readSymbolicLink(descriptor);
            return file.toString().endsWith(" (deleted)") && file.startsWith(Path.of("").toAbsolutePath());
        } catch (NoSuchFileException e) {
            return false;        // closed meanwhile by another thread
        }
    }

    private static long blocks(Path file) throws IOException {
        String path = "/proc/" + ProcessHandle.current().pid() + "/fd/" + file.getFileName();
        Process stat = new ProcessBuilder("stat", "-L", "-c", "%b", path).start();
        String text = new String(stat.getInputStream().readAllBytes()).trim();
        return text.isEmpty() ? 0 : Long.parseLong(text);    // empty if the file was closed meanwhile
    }

    /** Runs a major collection, which also transfers scheduled structures. */
    public static void majorGC() {
        System.gc();
    }

    /** Allocates until the young generation has been collected {@code times} more times. */
    public static void minorGC(int times) {
        for (int i = 0; i < times; i++) {
            long before = minorCount();
            while (minorCount() == before) {
                for (int j = 0; j < 64; j++) {
                    sink = new byte[8 << 10];
                }
            }
        }
        sink = null;
    }

    public static void minorGC() {
        minorGC(1);
    }

    public static long minorCount() {
        return collections("PS Scavenge");
    }

    public static long majorCount() {
        return collections("PS MarkSweep");
    }

    private static long collections(String name) {
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (bean.getName().equals(name)) {
                return bean.getCollectionCount();
            }
        }
        throw new RuntimeException("no collector named " + name + ": is this ParallelGC?");
    }
}
