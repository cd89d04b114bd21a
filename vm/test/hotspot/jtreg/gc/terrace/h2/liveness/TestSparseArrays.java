// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.liveness;

/*
 * @test TestSparseArrays
 * @summary Marking through H2 does not read parts of large arrays that have no references, and finds each reference that the
 *          program has stored there
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @run driver/timeout=300 gc.terrace.h2.liveness.TestSparseArrays
 */

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jdk.test.lib.process.OutputAnalyzer;
import gc.terrace.h2.Child;
import gc.terrace.h2.Tree;
import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

public class TestSparseArrays {

    // Too large for the heap, so the program allocates such an array in H2.
    private static final int LENGTH = 13 << 20;
    // The part of an array that is read or left out as a whole.
    private static final int SLICE_KB = 32;
    private static final Pattern READ = Pattern.compile("Large arrays of references: read (\\d+)K of (\\d+)K");

    public static void main(String[] args) throws Exception {
        OutputAnalyzer output = run(Sparse.class);
        int ends = 2;           // slices in which the array begins and ends are always read
        check(output, "allocated", Sparse.ARRAYS * ends);
        check(output, "a reference", Sparse.ARRAYS * ends + 1);
        check(output, "no reference again", Sparse.ARRAYS * ends);
        check(output, "many references", Sparse.ARRAYS * ends + Sparse.REFERENCES);
        check(output, "moved, and read once", Sparse.ARRAYS * ends + Sparse.REFERENCES + ends);

        for (List<String> options : List.<List<String>>of(
                List.of(), List.of("-XX:-UseCompressedOops", "-XX:ParallelGCThreads=4"), List.of("-XX:+H2UnionFind"),
                List.of("-XX:+UnlockExperimentalVMOptions", "-XX:+H2MarkAhead"),
                List.of("-Xcomp", "-XX:-TieredCompilation", "-XX:CompileCommand=compileonly,gc.terrace.h2.liveness.TestSparseArrays*::*"),
                List.of("-Dterrace.h2.failCall=watch_cards:1+:1"))) {
            run(References.class, options.toArray(String[]::new));
        }
    }

    /** That the last marking through H2 before a line has read at most so many slices. */
    private static void check(OutputAnalyzer output, String line, int slices) {
        List<String> lines = output.asLines();
        Matcher last = null;
        for (String each : lines.subList(0, lines.indexOf(line))) {
            Matcher matcher = READ.matcher(each);
            last = matcher.find() ? matcher : last;
        }
        assertTrue(last != null, "no marking through H2 before \"" + line + "\"");
        long all = Long.parseLong(last.group(2));
        long read = Long.parseLong(last.group(1));
        assertTrue(all >= Sparse.ARRAYS * (LENGTH / 256L), all + "K of arrays");
        assertTrue(read <= (long) slices * SLICE_KB, read + "K were read before \"" + line + "\"");
    }

    private static OutputAnalyzer run(Class<?> program, String... options) throws Exception {
        return Child.run(program, List.of("-Xmx64m", "-XX:AllocateH2At=.", "-XX:H2Size=1g", "-XX:H2RegionSize=2m",
                                          "-XX:+UnlockDiagnosticVMOptions", "-XX:H2DeepMarkingInterval=1", "-XX:+VerifyH2",
                                          "-Xlog:gc+h2=debug"), options);
    }

    static class Sparse {
        static final int ARRAYS = 2;
        static final int REFERENCES = 20;
        static Object[][] arrays = new Object[ARRAYS][];

        public static void main(String[] args) {
            for (int i = 0; i < ARRAYS; i++) {
                arrays[i] = new Object[LENGTH];
            }
            System.gc();
            System.out.println("allocated");
            arrays[1][LENGTH / 2] = Tree.make(10, 1);
            minorGC();
            System.gc();
            System.out.println("a reference");
            ((Tree) arrays[1][LENGTH / 2]).check(10, 1);
            arrays[1][LENGTH / 2] = null;
            System.gc();
            System.gc();
            System.out.println("no reference again");
            Random random = new Random(1);
            for (int i = 0; i < REFERENCES; i++) {
                arrays[i % 2][random.nextInt(LENGTH)] = arrays[(i + 1) % 2];
            }
            System.gc();
            System.gc();
            System.out.println("many references");
            Object[] moved = moveToH2(new Object[3 << 20]);
            System.gc();
            System.gc();
            System.out.println("moved, and read once");
            System.out.println("the end, " + moved.length);
        }
    }

    /** Trees in H1 and H2 to which only elements of sparse arrays refer. */
    static class References {
        static final int ROUNDS = 8;
        static final int SIZE = 20;
        static Object[][] arrays = new Object[2][];
        static Random random = new Random(42);

        public static void main(String[] args) {
            requireH2();
            arrays[0] = new Object[LENGTH];
            arrays[1] = moveToH2(new Object[3 << 20]);
            List<int[]> places = new ArrayList<>();
            for (int round = 0; round < ROUNDS; round++) {
                for (int i = 0; i < 20; i++) {
                    places.add(store(places.size()));
                }
                collect();
                // Half of the references are dropped, so that slices become null again.
                for (int i = places.size() - 1; i >= 0; i -= 2) {
                    int[] place = places.remove(i);
                    arrays[place[0]][place[1]] = null;
                }
                collect();
                for (int[] place : places) {
                    ((Tree) arrays[place[0]][place[1]]).check(SIZE, place[2]);
                }
            }
            copies();
            System.out.println("the end");
        }

        private static int[] store(int seed) {
            int array = random.nextInt(2);
            int place = random.nextInt(arrays[array].length);
            while (arrays[array][place] != null) {
                place = random.nextInt(arrays[array].length);
            }
            Tree tree = Tree.make(SIZE, seed);
            if (random.nextBoolean()) {
                moveToH2(tree);
            }
            switch (random.nextInt(3)) {
                case 0 -> arrays[array][place] = tree;
                case 1 -> System.arraycopy(new Object[] { tree }, 0, arrays[array], place, 1);
                default -> Arrays.fill(arrays[array], place, place + 1, tree);
            }
            return new int[] { array, place, seed };
        }

        private static void collect() {
            for (int i = random.nextInt(3); i > 0; i--) {
                minorGC();
            }
            System.gc();
        }

        /** The barrier marks an array as a whole, if the program has just allocated it. */
        private static void copies() {
            Object[] small = new Object[100];
            Arrays.setAll(small, i -> Tree.make(SIZE, i));
            moveToH2(small);
            Object[] copy = Arrays.copyOf(small, LENGTH);
            Object[] clone = copy.clone();
            small = null;
            collect();
            collect();
            for (int i = 0; i < 100; i++) {
                ((Tree) copy[i]).check(SIZE, i);
                assertTrue(copy[i] == clone[i], "element " + i);
            }
        }
    }
}
