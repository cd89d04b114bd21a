// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.space;

/*
 * @test TestFreedSpace
 * @summary The space of freed regions is released after the pause, and the space of a used region never is
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @run driver gc.terrace.h2.space.TestFreedSpace
 */

import java.util.List;
import java.util.Random;

import jdk.test.lib.process.OutputAnalyzer;
import gc.terrace.h2.Child;
import gc.terrace.h2.Tree;
import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

public class TestFreedSpace {

    private static final String RETURNED = "Uncommitted the space of free region";
    private static final String REUSED = "were reused before their space was uncommitted";

    public static void main(String[] args) throws Exception {
        OutputAnalyzer output = run(Freed.class);
        assertTrue(count(RETURNED, output) >= 40, count(RETURNED, output) + " regions were uncommitted");
        for (String line : output.asLines()) {
            assertTrue(!line.contains(RETURNED) || !line.contains("GC("), "in a pause: " + line);
        }

        long reused = 0;
        long returned = 0;
        for (int seed = 0; seed < 3; seed++) {
            output = run(Reused.class, "-Dseed=" + seed, "-XX:+UnlockDiagnosticVMOptions", "-XX:+VerifyH2");
            reused += count(REUSED, output);
            returned += count(RETURNED, output);
        }
        assertTrue(reused > 0, "no region was used again at once");
        assertTrue(returned > 0, "no region was uncommitted");

        // Each freed region keeps its space, and is used again with its old content.
        output = run(Reused.class, "-XX:+UnlockDiagnosticVMOptions", "-XX:+VerifyH2", "-Dterrace.h2.failCall=punch:1+");
        assertTrue(count(REUSED, output) > 0, "no region was used again");
        assertTrue(count(RETURNED, output) == 0, "nothing can be uncommitted");
        output.shouldContain("Space of a freed region stays allocated in AllocateH2At=.: ");

        // In the pause that frees regions, the device is full until the space of one region is uncommitted.
        long opened = Long.parseLong(run(Full.class).firstMatch("opened (\\d+)", 1));
        output = run(Full.class, "-XX:+UnlockDiagnosticVMOptions", "-Dterrace.h2.failCall=fallocate:" + (opened + 1));
        output.shouldContain("Made to fail: fallocate").shouldNotContain("transfer abandoned")
              .shouldContain("The device is full: the space of 1 free regions was uncommitted");
    }

    private static long count(String text, OutputAnalyzer output) {
        return output.asLines().stream().filter(line -> line.contains(text)).count();
    }

    private static OutputAnalyzer run(Class<?> program, String... options) throws Exception {
        return Child.run(program, List.of("-Xmx160m", "-XX:AllocateH2At=.", "-XX:H2Size=256m",
                                          "-XX:H2RegionSize=2m", "-Xlog:gc+h2=debug"), options);
    }

    /** Regions die together, and the file shrinks. */
    static class Freed {
        static byte[][] keep;

        public static void main(String[] args) throws Exception {
            byte[][] all = moveToH2(new byte[48][1_500_000]);
            keep = moveToH2(new byte[1][100_000]);
            long full = bytesInFile();
            assertTrue(full >= 80L << 20, full + " bytes in use");
            all = null;
            System.gc();
            waitFor(() -> bytesInFile() <= 16L << 20);
            assertTrue(bytesInFile() <= 16L << 20, bytesInFile() + " bytes stay in the file");
            System.out.println("the end, " + keep.length);
        }
    }

    /** A collection frees regions and needs new ones. */
    static class Full {
        public static void main(String[] args) throws Exception {
            byte[][] all = moveToH2(new byte[48][1_500_000]);
            System.out.println("opened " + SecondHeap.statistics().getRegionsInUse());
            byte[][] next = new byte[4][1_500_000];
            all = null;
            moveToH2(next);
            System.out.println("the end, " + next.length);
        }
    }

    /** Each round drops some arrays, and moves others into their regions while the space is being released. */
    static class Reused {
        public static void main(String[] args) throws Exception {
            Random random = new Random(Long.getLong("seed", 0));
            Object[] trees = new Object[12];
            for (int round = 0; round < 40; round++) {
                for (int i = 0; i < trees.length; i++) {
                    if (random.nextInt(3) == 0) {
                        Tree tree = Tree.make(2000, round * trees.length + i);
                        tree.extra = new byte[random.nextInt(4 << 20)];
                        trees[i] = tree;
                        SecondHeap.tagRoot(tree, 100 + i);
                        SecondHeap.move(100 + i);
                    }
                }
                SecondHeap.transfer();
                // Sometimes there is time to release all of the space, and sometimes none of it.
                if (random.nextBoolean()) {
                    Thread.sleep(random.nextInt(30));
                }
                for (Object tree : trees) {
                    if (tree != null) {
                        ((Tree) tree).check(2000, ((Tree) tree).seed);
                    }
                }
            }
            System.out.println("the end, " + trees.length);
        }
    }
}
