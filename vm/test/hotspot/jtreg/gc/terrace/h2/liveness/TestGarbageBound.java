// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.liveness;

/*
 * @test TestGarbageBound
 * @summary An H2 with much free space is marked through and its sparse regions are evacuated when much of it may be garbage. A
 *          program that loads pays for one such marking, one that rests for none
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @run driver gc.terrace.h2.liveness.TestGarbageBound
 */

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import jdk.test.lib.process.OutputAnalyzer;
import gc.terrace.h2.Child;
import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

public class TestGarbageBound {

    private static final int ROW = 1000;
    private static final long MB = 1 << 20;

    public static void main(String[] args) throws Exception {
        run(Replaces.class);
        run(Replaces.class, "-XX:+UnlockExperimentalVMOptions", "-XX:+H2MarkAhead").shouldContain("Marked concurrently before it: ");
        run(Replaces.class, "-XX:H2GarbageThreshold=100", "-Dunbounded=true");
        run(Loads.class);
    }

    private static OutputAnalyzer run(Class<?> program, String... options) throws Exception {
        // A quarter of H2, 256 MB, is the least garbage that is worth a marking.
        return Child.run(program, List.of("-Xmx64m", "-XX:AllocateH2At=.", "-XX:H2Size=1g", "-XX:H2RegionSize=2m",
                                          "-Xlog:gc+h2=debug"), options);
    }

    private static long used() {
        return SecondHeap.statistics().getUsedBytes();
    }

    private static long markings() {
        return SecondHeap.statistics().getDeepMarkings();
    }

    // A group of rows, in H2.
    private static byte[][] group(int megabytes) {
        byte[][] rows = new byte[(int) (megabytes * MB / ROW)][];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = new byte[ROW];
        }
        return moveToH2(rows, 1);
    }

    /** 24 MB of live data, of which single rows are replaced: each region keeps some. */
    static final class Replaces {
        private static byte[][][] live = new byte[12][][];

        public static void main(String[] args) {
            requireH2();
            for (int i = 0; i < live.length; i++) {
                live[i] = group(2);
            }
            Random random = new Random(1);
            long most = 0;
            long dropped = 0;
            for (int moved = 0; moved < 400; moved += 2) {
                byte[][] rows = group(2);
                for (byte[] row : rows) {
                    byte[][] of = live[random.nextInt(live.length)];
                    of[random.nextInt(of.length)] = row;
                }
                minorGC();                      // finds what was written
                most = Math.max(most, used());
                dropped = Math.max(dropped, most - used());
            }
            System.out.println(SecondHeap.statistics() + ", at most " + most / MB + " MB, then " + dropped / MB + " MB less");
            if (Boolean.getBoolean("unbounded")) {
                assertEquals(markings(), 0, "markings through H2 without a bound");
            } else {
                assertTrue(markings() > 0, "H2 was not marked through");
                assertTrue(dropped >= most / 2, "garbage stays in H2");
            }
            System.out.println("the end");
        }
    }

    /** 400 MB of live data, and then collections without more of it. */
    static final class Loads {
        public static void main(String[] args) {
            requireH2();
            List<byte[][]> live = new ArrayList<>();
            while (live.size() < 80) {
                live.add(group(5));
            }
            long loaded = markings();
            assertTrue(loaded <= 1, loaded + " markings through H2 of a program that loads");
            for (int i = 0; i < 40; i++) {
                majorGC();
            }
            assertEquals(markings(), loaded, "markings through H2 of a program that rests");
            assertEquals(live.get(79)[0].length, ROW, "a row");
            System.out.println("the end");
        }
    }
}
