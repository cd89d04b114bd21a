// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.space;

/*
 * @test TestLockedMemory
 * @summary If a program locks its memory (mlockall), unused regions of H2 are not read into memory, and H2 is unlocked
 *          again. The same holds for programs that had locked their memory before the VM started
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm/native -Xmx64m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m
 *                          -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                          gc.terrace.h2.space.TestLockedMemory
 * @run main/othervm/native -Xmx64m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m -XX:-H2HugePages
 *                          gc.terrace.h2.space.TestLockedMemory
 */

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import jdk.test.lib.process.OutputAnalyzer;
import jdk.test.lib.process.ProcessTools;
import jtreg.SkippedException;
import gc.terrace.h2.Tree;
import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

public class TestLockedMemory {

    private static final long MB = 1 << 20, REGION = 2 * MB;
    private static final int GROUPS = 12, REGIONS_OF_GROUP = 8;
    private static final String SAID = "The program locked its memory (mlockall). H2, ";

    static native int lockAll();

    static native int unlockAll();

    public static void main(String[] args) throws Exception {
        requireH2();
        System.loadLibrary("TestLockedMemory");
        emptyHeap();
        freedRegions();
        lockedAgain();
        lockedUnderLoad();
        lockedBeforeStart();
        lockFails();
    }

    private static void lock() {
        int error = lockAll();
        if (error != 0) {
            throw new SkippedException("mlockall is not allowed here: error " + error);
        }
    }

    private static void emptyHeap() throws Exception {
        lock();
        assertEquals(residentBytes(), 0, "bytes of an empty H2 in memory");
        waitForUnlock();
    }

    /** The regions in the middle are freed, and have no space on the device once it was released. */
    private static void freedRegions() throws Exception {
        List<byte[][]> groups = new ArrayList<>();
        for (int i = 0; i < GROUPS; i++) {
            byte[][] group = new byte[REGIONS_OF_GROUP][(int) (REGION - MB / 2)];
            for (byte[] row : group) {
                row[0] = (byte) i;
            }
            groups.add(moveToH2(group));
        }
        for (int i = 1; i < GROUPS - 1; i++) {
            groups.set(i, null);
        }
        majorGC();
        long inUse = SecondHeap.statistics().getRegionsInUse() * REGION;
        assertTrue(inUse <= 3 * REGIONS_OF_GROUP * REGION, inUse + " bytes of regions in use");
        // The space of freed regions is released after the pause, one region at a time.
        waitFor(() -> bytesInFile() < inUse + REGION);
        lock();
        long resident = residentBytes();
        assertTrue(resident <= inUse, resident + " bytes of H2 are in memory, but " + inUse + " are in use");
        waitForUnlock();
        for (int i = 1; i < GROUPS - 1; i++) {
            groups.set(i, moveToH2(new byte[REGIONS_OF_GROUP][(int) (REGION - MB / 2)]));
        }
        majorGC();
        assertEquals(groups.get(0)[REGIONS_OF_GROUP - 1][0], 0, "content of the first group");
        assertEquals(groups.get(GROUPS - 1)[0][0], GROUPS - 1, "content of the last group");
    }

    private static void lockedAgain() throws Exception {
        byte[] large = moveToH2(new byte[(int) (40 * MB)]);
        for (int i = 0; i < 3; i++) {
            lock();
            waitForUnlock();
        }
        assertTrue(ofProcess("VmLck:") > 0, "the rest of the program stays locked");
        assertInH2(large, "a large array");
    }

    /** H2 and its reserved mappings are unlocked, even if the VM looks while mlockall goes from mapping to mapping. */
    private static void lockedUnderLoad() throws Exception {
        AtomicBoolean ends = new AtomicBoolean();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors(); i++) {
            Thread thread = new Thread(() -> {
                while (!ends.get()) {
                    Thread.onSpinWait();
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (int i = 0; i < 40; i++) {
            assertEquals(unlockAll(), 0, "error of munlockall");
            Thread.sleep(50 + i % 10 * 25);   // the VM looks every 250 ms
            lock();
            waitForUnlock();
        }
        ends.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void lockedBeforeStart() throws Exception {
        OutputAnalyzer output = run(true, "0:1");
        output.shouldHaveExitValue(0).shouldContain("the end").shouldNotContain(SAID);
    }

    private static void lockFails() throws Exception {
        String may = "H2 may be in locked memory (mlockall), and take memory that others need: ";
        run(false, "status_open:1+").shouldHaveExitValue(0).shouldContain(may + "Too many open files").shouldContain("the end");
        run(false, "status_read:1+").shouldHaveExitValue(0).shouldContain(may + "I/O error").shouldContain("the end");
        run(true, "unlock:1+").shouldHaveExitValue(0).shouldContain(may + "Cannot allocate memory").shouldContain("the end");
        run(true, "unlock_new:1").shouldHaveExitValue(0).shouldContain(SAID).shouldContain("the end");
    }

    private static OutputAnalyzer run(boolean locked, String failCall) throws Exception {
        List<String> command = new ArrayList<>(List.of(
            "-Xmx64m", "-XX:AllocateH2At=.", "-XX:H2Size=1g", "-XX:H2RegionSize=2m", "-XX:+UnlockDiagnosticVMOptions",
            "-XX:H2DeepMarkingInterval=1"));
        if (!failCall.startsWith("0")) {
            command.add("-Dterrace.h2.failCall=" + failCall);
        }
        command.addAll(List.of(Program.class.getName(), Boolean.toString(locked && !failCall.startsWith("unlock:"))));
        ProcessBuilder builder = ProcessTools.createLimitedTestJavaProcessBuilder(command);
        if (locked) {
            Path library = Path.of(System.getProperty("test.nativepath"), System.mapLibraryName("TestLockedMemory"));
            builder.environment().put("LD_PRELOAD", library.toString());
        }
        return ProcessTools.executeProcess(builder);
    }

    public static final class Program {
        public static void main(String[] args) throws Exception {
            requireH2();
            Tree tree = moveToH2(Tree.make(3000, 1));
            majorGC();
            tree.check(3000, 1);
            Thread.sleep(1000);
            if (Boolean.parseBoolean(args[0])) {
                assertTrue(ofProcess("VmLck:") > 0, "the program is locked");
                waitForUnlock();
            }
            System.out.println("the end");
        }
    }

    private static void waitForUnlock() throws IOException, InterruptedException {
        waitFor(() -> {
            try {
                return !ofH2("VmFlags:").contains(" lo ");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        assertTrue(!ofH2("VmFlags:").contains(" lo "), "H2 stays locked");
    }

    /** Returns the resident bytes of the mappings of H2's file. */
    private static long residentBytes() {
        try {
            return ofH2("Rss:").lines().mapToLong(TestLockedMemory::kilobytes).sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the lines with a name for the mappings of H2's file. */
    private static String ofH2(String name) throws IOException {
        String directory = Path.of(".").toRealPath() + "/";
        boolean ofH2 = false;
        StringBuilder lines = new StringBuilder();
        for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
            if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                ofH2 = line.contains(directory);
            } else if (ofH2 && line.startsWith(name)) {
                lines.append(line).append(" \n");
            }
        }
        assertTrue(lines.length() > 0, "no " + name + " of H2 in /proc/self/smaps");
        return lines.toString();
    }

    private static long ofProcess(String name) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith(name)) {
                return kilobytes(line);
            }
        }
        throw new RuntimeException("no " + name + " in /proc/self/status");
    }

    private static long kilobytes(String line) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
    }
}
