// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.space;

/*
 * @test TestLimits
 * @summary If the system limits a process, or H1 is exhausted, the VM reports it, and data in H2 remain correct. H2 itself
 *          takes few mappings
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @run driver gc.terrace.h2.space.TestLimits
 */

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import jdk.test.lib.hprof.model.JavaClass;
import jdk.test.lib.hprof.model.Snapshot;
import jdk.test.lib.hprof.parser.Reader;
import jdk.test.lib.process.OutputAnalyzer;
import jdk.test.lib.process.ProcessTools;
import gc.terrace.h2.Tree;
import org.terrace.SecondHeap;
import org.terrace.SecondHeap.State;

import static gc.terrace.h2.H2Test.*;

public class TestLimits {

    private static final long MB = 1 << 20;

    public static void main(String[] args) throws Exception {
        fileSizeAtStart();
        fileSizeOfATransfer();
        addressSpace();
        descriptors();
        mappings();
        outOfMemory();
    }

    private static void fileSizeAtStart() throws Exception {
        for (long limit : new long[] { 0, 1, 63 }) {
            OutputAnalyzer output = run("--fsize=" + limit * MB, "-XX:H2Size=64m", Moves.class.getName());
            assertRefused(output, "AllocateH2At=.: ", "ulimit -f", "H2Size");
        }
        // The limit exceeds H2Size, because the file is aligned for huge pages.
        assertEnded(run("--fsize=" + 66 * MB, "-XX:H2Size=64m", Moves.class.getName()));
    }

    private static void fileSizeOfATransfer() throws Exception {
        OutputAnalyzer output = run("--fsize=" + 66 * MB, "-XX:H2Size=64m", "-XX:+UnlockDiagnosticVMOptions",
                                    "-XX:+VerifyH2", LowersFileSize.class.getName());
        assertEnded(output).shouldContain("H2 transfer abandoned: File too large; objects stay in H1");
    }

    private static void addressSpace() throws Exception {
        assertEnded(runIn2G("-XX:H2Size=64m", "-XX:+UseCompressedOops"));
        assertRefused(runIn2G("-XX:H2Size=2g", "-XX:+UseCompressedOops"), "H2Size");
        assertRefused(runIn2G("-XX:H2Size=2g", "-XX:-UseCompressedOops"), "H2Size");
    }

    // The VM's other reservations are made small. The number of processors determines threads, and the room that malloc reserves.
    private static OutputAnalyzer runIn2G(String size, String oops) throws Exception {
        return run("--as=" + 2048 * MB, "-XX:ReservedCodeCacheSize=64m", "-XX:CompressedClassSpaceSize=64m", "-XX:ParallelGCThreads=2",
                   size, oops, Moves.class.getName());
    }

    private static void descriptors() throws Exception {
        OutputAnalyzer output = run("--nofile=64", "-XX:H2Size=64m", "-XX:+UnlockDiagnosticVMOptions", "-XX:+VerifyH2",
                                    "-XX:H2DeepMarkingInterval=1", UsesAllDescriptors.class.getName());
        // The files of marks are opened at the start.
        assertEnded(output).shouldNotContain("in memory").shouldNotContain("not marked through");
        output.shouldMatch("(?s)Marked through H2.*no descriptors.*Marked through H2.*descriptors again.*Marked through H2");
    }

    private static void mappings() throws Exception {
        assertEnded(run(null, "-XX:H2Size=700m", "-XX:+UnlockDiagnosticVMOptions", "-XX:H2ResidentLimit=1m",
                        UsesManyRegions.class.getName()));
    }

    private static void outOfMemory() throws Exception {
        assertEnded(run(null, "-XX:H2Size=64m", FillsH1.class.getName(), "caught"));

        OutputAnalyzer output = run(null, "-XX:H2Size=64m", "-XX:+ExitOnOutOfMemoryError", FillsH1.class.getName());
        output.shouldHaveExitValue(3);
        output.shouldContain("Terminating due to java.lang.OutOfMemoryError");

        String dump = "exhausted.hprof";
        output = run(null, "-XX:H2Size=64m", "-XX:+HeapDumpOnOutOfMemoryError", "-XX:HeapDumpPath=" + dump,
                     FillsH1.class.getName());
        output.shouldHaveExitValue(1);
        output.shouldContain("Heap dump file created");
        try (Snapshot snapshot = Reader.readFile(dump, false, 0)) {
            snapshot.resolve(false);
            JavaClass tree = snapshot.findClass(Tree.class.getName());
            assertTrue(tree != null, "no class of H2's objects in the dump");
            assertEquals(tree.getInstancesCount(false), FillsH1.NODES, "objects of H2 in the dump");
        }
        Files.delete(Path.of(dump));
    }

    /** @param limit an option of {@code prlimit}, or null; it is in effect when the VM starts */
    private static OutputAnalyzer run(String limit, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("-Xmx64m", "-XX:AllocateH2At=.", "-XX:H2RegionSize=2m",
                                                       "-Xlog:gc+h2"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = ProcessTools.createLimitedTestJavaProcessBuilder(command);
        if (limit != null) {
            builder.command().addAll(0, List.of("prlimit", limit, "--"));
        }
        builder.environment().put("MALLOC_ARENA_MAX", "2");
        System.out.println(String.join(" ", builder.command()));
        return ProcessTools.executeProcess(builder);
    }

    private static OutputAnalyzer assertEnded(OutputAnalyzer output) {
        output.shouldHaveExitValue(0);
        return output.shouldContain("the end");
    }

    private static void assertRefused(OutputAnalyzer output, String... words) {
        output.shouldHaveExitValue(1);
        output.shouldContain("Error occurred during initialization of VM");
        for (String word : words) {
            output.shouldContain(word);
        }
        output.shouldNotContain("A fatal error has been detected").shouldNotContain("the end");
    }

    public static final class Moves {
        public static void main(String[] args) {
            requireH2();
            Tree tree = moveToH2(Tree.make(1000, 1));
            majorGC();
            tree.check(1000, 1);
            tree.assertInH2();
            System.out.println("the end");
        }
    }

    public static final class LowersFileSize {
        public static void main(String[] args) throws Exception {
            requireH2();
            Tree first = moveToH2(Tree.make(1000, 1));
            limitFileSize(4 * MB);
            Tree[] trees = { Tree.make(12_000, 2), Tree.make(12_000, 3) };
            long label = freshLabel();
            SecondHeap.tagRoot(trees, label);
            SecondHeap.move(label);
            for (int round = 0; round < 3; round++) {
                SecondHeap.transfer();
                assertState(State.DUE, trees, "what does not fit into the file");
                first.check(1000, 1);
                trees[0].check(12_000, 2);
                trees[1].check(12_000, 3);
                first.extra = Tree.make(10, round);
                minorGC();
                ((Tree) first.extra).check(10, round);
            }
            limitFileSize(66 * MB);
            SecondHeap.transfer();
            assertInH2(trees, "what fits again");
            trees[0].check(12_000, 2);
            trees[1].check(12_000, 3);
            first.check(1000, 1);
            System.out.println("the end");
        }

        // The colon sets only the soft limit, which can be raised again.
        private static void limitFileSize(long bytes) throws Exception {
            String pid = Long.toString(ProcessHandle.current().pid());
            Process prlimit = new ProcessBuilder("prlimit", "--pid", pid, "--fsize=" + bytes + ":").inheritIO().start();
            assertEquals(prlimit.waitFor(), 0, "status of prlimit");
        }
    }

    public static final class UsesAllDescriptors {
        public static void main(String[] args) throws Exception {
            requireH2();
            Tree tree = moveToH2(Tree.make(1000, 1));
            majorGC();
            List<FileInputStream> open = new ArrayList<>();
            // The VM's own threads open files for a moment. Such a descriptor would be free again when the marking needs one.
            for (int failures = 0; failures < 5; failures++) {
                try {
                    for (;;) {
                        open.add(new FileInputStream("/dev/null"));
                    }
                } catch (FileNotFoundException e) {
                    Thread.sleep(50);
                }
            }
            System.out.println("no descriptors: " + open.size());
            majorGC();
            // A transfer needs no descriptor.
            tree.extra = moveToH2(Tree.make(1000, 2));
            for (FileInputStream stream : open) {
                stream.close();
            }
            System.out.println("descriptors again: " + open.size());
            majorGC();
            tree.check(1000, 1);
            ((Tree) tree.extra).check(1000, 2);
            System.out.println("the end");
        }
    }

    /** Uses many regions. The system allows a process about 65,000 mappings, and a large H2 has more regions. */
    public static final class UsesManyRegions {
        private static final int COUNT = 300;
        private static final long[][] arrays = new long[COUNT][];

        public static void main(String[] args) throws Exception {
            requireH2();
            int before = mappings().size();
            for (int i = 0; i < COUNT; i++) {
                long label = freshLabel();
                arrays[i] = new long[70_000];     // more than a quarter of a region, so that labels do not share
                Arrays.fill(arrays[i], i);
                SecondHeap.tagRoot(arrays[i], label);
                SecondHeap.move(label);
            }
            majorGC();
            assertTrue(SecondHeap.statistics().getRegionsInUse() >= COUNT, "labels share regions");
            assertFewMappings(before);

            for (long[] array : arrays) {
                SecondHeap.prefetch(array);
                SecondHeap.dismiss(array);
            }
            for (int i = 0; i < COUNT; i += 3) {
                arrays[i] = null;
            }
            majorGC();
            assertTrue(SecondHeap.statistics().getRegionsFreed() >= COUNT / 4, "regions were not freed");
            assertFewMappings(before);
            check();
            System.out.println("the end");
        }

        private static void check() {
            for (int i = 0; i < COUNT; i++) {
                if (arrays[i] != null) {
                    int expected = i;
                    assertInH2(arrays[i], "array " + i);
                    assertTrue(Arrays.stream(arrays[i]).allMatch(n -> n == expected), "array " + i + " has changed");
                }
            }
        }

        private static List<String> mappings() throws IOException {
            return Files.readAllLines(Path.of("/proc/self/maps"));
        }

        /** @param before mappings of the VM without regions in use; their number grows with that of processors */
        private static void assertFewMappings(int before) throws Exception {
            String directory = Path.of(".").toRealPath() + "/";
            List<String> all = mappings();
            long file = all.stream().filter(line -> line.contains(directory) && line.endsWith("(deleted)")).count();
            System.out.println(all.size() + " mappings, " + before + " before, " + file + " of H2's file and those of marks");
            assertTrue(file > 0 && file < 25, file + " mappings of H2's file");
            assertTrue(all.size() < before + COUNT / 2, all.size() + " mappings in all, " + before + " before");
        }
    }

    public static final class FillsH1 {
        static final int NODES = 1000;

        public static void main(String[] args) {
            requireH2();
            Tree tree = moveToH2(Tree.make(NODES, 1));
            if (args.length == 0) {
                fill();
            }
            for (int round = 0; round < 3; round++) {
                try {
                    fill();
                } catch (OutOfMemoryError e) {
                    System.out.println(e);
                }
                tree.check(NODES, 1);
                tree.assertInH2();
                tree.extra = moveToH2(Tree.make(NODES, round));
                minorGC();
                ((Tree) tree.extra).check(NODES, round);
            }
            System.out.println("the end");
        }

        private static void fill() {
            List<byte[]> all = new ArrayList<>();
            for (;;) {
                all.add(new byte[100_000]);
            }
        }
    }
}
