// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.transfer;

/*
 * @test TestTransferFull
 * @summary A transfer that finds no space leaves its objects in H1 and logs it, and the program continues. When there is space again,
 *          for example after failed device writes, scheduled structures move
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @run driver/timeout=300 gc.terrace.h2.transfer.TestTransferFull
 */

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import jdk.test.lib.process.OutputAnalyzer;
import gc.terrace.h2.Child;
import gc.terrace.h2.Tmpfs;
import gc.terrace.h2.Tree;
import org.terrace.SecondHeap;
import org.terrace.SecondHeap.State;

import static gc.terrace.h2.H2Test.*;

public class TestTransferFull {

    private static final String WARNING = "H2 transfer abandoned: ";
    private static final String STAY = "objects stay in H1";

    public static void main(String[] args) throws Exception {
        List<String> verify = List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+VerifyH2", "-XX:+VerifyBeforeGC",
                                      "-XX:+VerifyAfterGC");
        // Four regions of 2 MB, which is too few.
        OutputAnalyzer output = run(Fills.class, verify, "-XX:H2Size=8m");
        output.shouldContain(WARNING).shouldContain(STAY);
        output = run(Fills.class, verify, "-XX:H2Size=8m", "-XX:-UseCompressedOops", "-XX:ParallelGCThreads=1");
        output.shouldContain(WARNING).shouldContain(STAY);
        // A structure that needs more space than there is, or more adjacent space, does not obstruct others.
        for (Class<?> program : List.of(TooLarge.class, InPieces.class)) {
            output = run(program, verify, "-XX:H2Size=16m");
            output.shouldContain(WARNING).shouldContain(STAY);
        }

        for (int at : new int[] { 1, 2, 7 }) {
            output = run(Retries.class, verify, "-XX:H2Size=512m", "-XX:H2FailTransferAt=" + at);
            output.shouldContain(WARNING).shouldContain(STAY);
        }
        output = run(Retries.class, verify, "-XX:H2Size=512m", "-XX:H2FailTransferAt=3", "-XX:-UseCompressedOops",
                     "-XX:ParallelGCThreads=1");
        output.shouldContain(WARNING).shouldContain(STAY);
        run(Retries.class, verify, "-XX:H2Size=512m").shouldNotContain(WARNING);
        onASmallFileSystem(verify);
    }

    private static OutputAnalyzer run(Class<?> program, List<String> flags, String... more) throws Exception {
        return runAt(Path.of("."), program, flags, more);
    }

    private static OutputAnalyzer runAt(Path directory, Class<?> program, List<String> flags, String... more)
            throws Exception {
        List<String> options = new ArrayList<>(List.of("-Xmx160m", "-XX:AllocateH2At=" + directory, "-XX:H2RegionSize=2m",
                                                       "-Xlog:gc+h2"));
        options.addAll(flags);
        return Child.run(program, options, more);
    }

    // Requires the right to mount.
    private static void onASmallFileSystem(List<String> verify) throws Exception {
        Path mountPoint = Path.of("small").toAbsolutePath();
        Files.createDirectory(mountPoint);
        try (Tmpfs tmpfs = new Tmpfs(mountPoint, "size=24m")) {
            // The size fits when the VM starts. Later, other files take the space.
            OutputAnalyzer output = runAt(mountPoint, SharesTheDevice.class, verify, "-XX:H2Size=20m",
                                          "-Dsmall=" + mountPoint);
            output.shouldContain(WARNING).shouldContain(STAY);
        }
    }

    private static State transfer(Object root) {
        long label = freshLabel();
        SecondHeap.tagRoot(root, label);
        SecondHeap.move(label);
        SecondHeap.transfer();
        return SecondHeap.state(root);
    }

    /** Moves trees until no more fit, and tries some more. */
    public static final class Fills {
        public static void main(String[] args) {
            requireH2();
            List<Tree> trees = new ArrayList<>();
            int moved = 0;
            for (int i = 0; i < 25; i++) {
                Tree tree = Tree.make(4000, i);
                trees.add(tree);
                if (transfer(tree) == State.IN_H2) {
                    tree.assertInH2();
                    moved++;
                } else {
                    assertState(State.DUE, tree, "a tree that did not fit");
                    assertInH1(tree.left, "a part of a tree that did not fit");
                }
                for (int k = 0; k < trees.size(); k++) {
                    trees.get(k).check(4000, k);
                    trees.get(k).extra = trees.get(i / 2);
                }
                if (i % 5 == 0) {
                    minorGC();
                }
            }
            assertTrue(STOCK || moved > 0 && moved < 25, moved + " trees were moved");
            for (int k = 0; k < trees.size(); k++) {
                trees.get(k).check(4000, k);
                assertSame(trees.get(k).extra, trees.get(12), "the last reference stored into tree " + k);
            }
            System.out.println("the end");
        }
    }

    public static final class TooLarge {
        public static void main(String[] args) {
            requireH2();
            long[] large = new long[2 << 20];
            large[1 << 20] = 5;
            Object[] holder = { large, Tree.make(10, 1) };
            transfer(holder);
            assertState(State.DUE, holder, "a holder of 16 MB in an H2 of 16");
            Tree small = Tree.make(1000, 2);
            transfer(small);
            assertState(State.IN_H2, small, "a small tree after a large one");
            // So many structures do not fit that one collection does not try all of them.
            List<Object[]> holders = new ArrayList<>();
            long label = freshLabel();
            SecondHeap.move(label);
            for (int i = 0; i < 20; i++) {
                holders.add(new Object[] { large, i });
                SecondHeap.tagRoot(holders.get(i), label);
            }
            Tree last = Tree.make(1000, 3);
            SecondHeap.tagRoot(last, label);
            for (int i = 0; i < 10; i++) {
                SecondHeap.transfer();
            }
            assertState(State.IN_H2, last, "a small tree after twenty large ones");
            assertState(State.DUE, holder, "the first holder, later");
            // Without the large array, the structure fits.
            holder[0] = null;
            holders.clear();
            SecondHeap.transfer();
            assertState(State.IN_H2, holder, "the first holder, without the large array");
            assertEquals(large[1 << 20], 5, "an element of the large array");
            ((Tree) holder[1]).check(10, 1);
            small.check(1000, 2);
            last.check(1000, 3);
            System.out.println("the end");
        }
    }

    /** No three adjacent regions are free. */
    public static final class InPieces {
        public static void main(String[] args) {
            requireH2();
            List<long[]> regions = new ArrayList<>();
            for (int i = 0; i < 7; i++) {
                regions.add(new long[200_000]);
                transfer(regions.get(i));
                assertState(State.IN_H2, regions.get(i), "an array for one region");
            }
            for (int i = 1; i < 7; i += 2) {
                regions.set(i, null);
            }
            majorGC();
            long label = freshLabel();
            long[] three = new long[600_000];
            Tree small = Tree.make(1000, 2);
            SecondHeap.tagRoot(three, label);
            SecondHeap.tagRoot(small, label);
            SecondHeap.move(label);
            SecondHeap.transfer();
            assertState(State.DUE, three, "an array for three regions");
            assertState(State.IN_H2, small, "a small tree after it");
            regions.clear();
            majorGC();
            SecondHeap.transfer();
            assertState(State.IN_H2, three, "an array for three regions, with room");
            small.check(1000, 2);
            System.out.println("the end");
        }
    }

    /** A write fails during this program. The due structures stay due and move later. */
    public static final class Retries {
        public static void main(String[] args) {
            requireH2();
            long label = freshLabel();
            SecondHeap.move(label);
            List<Tree> trees = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                // More than one region at a time, so that a transfer has written some when it fails.
                Tree tree = Tree.make(12_000, i);
                SecondHeap.tagRoot(tree, label);
                trees.add(tree);
                SecondHeap.transfer();
                if (SecondHeap.state(tree) != State.IN_H2) {
                    assertState(State.DUE, tree, "a tree whose transfer failed");
                    tree.check(12_000, i);
                    minorGC();
                    SecondHeap.transfer();
                }
                tree.assertInH2();
                for (int k = 0; k < trees.size(); k++) {
                    trees.get(k).check(12_000, k);
                }
            }
            System.out.println("the end");
        }
    }

    public static final class SharesTheDevice {
        public static void main(String[] args) throws Exception {
            requireH2();
            Tree first = Tree.make(1000, 1);
            transfer(first);
            assertInH2(first, "a tree on an empty device");
            Path other = Path.of(System.getProperty("small"), "other");
            byte[] junk = new byte[1 << 20];
            try (var out = Files.newOutputStream(other)) {
                for (;;) {
                    out.write(junk);
                }
            } catch (IOException e) {
                System.out.println("the device is full: " + e.getMessage());
            }
            Tree[] trees = { Tree.make(10_000, 2), Tree.make(10_000, 3) };
            assertTrue(transfer(trees) != State.IN_H2, "trees were moved to a full device");
            for (int round = 0; round < 3; round++) {
                first.check(1000, 1);
                trees[0].check(10_000, 2);
                trees[1].check(10_000, 3);
                first.extra = Tree.make(10, round);
                minorGC();
                majorGC();
                ((Tree) first.extra).check(10, round);
            }
            Files.delete(other);
            SecondHeap.transfer();
            assertInH2(trees, "trees on a device with space again");
            trees[0].assertInH2();
            trees[0].check(10_000, 2);
            trees[1].check(10_000, 3);
            first.check(1000, 1);
            System.out.println("the end");
        }
    }
}
