// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.threads;

/*
 * @test TestWorkersNotCreated
 * @summary When no more GC threads can be created, collections complete with the existing ones, whatever flag of Terrace is on
 * @library /test/lib /java/api/src/main/java
 * @run driver/timeout=600 gc.terrace.threads.TestWorkersNotCreated
 */

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import jdk.test.lib.process.ProcessTools;
import org.terrace.SecondHeap;

public class TestWorkersNotCreated {

    private static final int THREADS = 8;
    private static final long LIMIT_SECONDS = 120;
    private static final String END = "the rows are whole";

    private static final List<String> COLLECTORS = List.of("UseParallelGC", "UseG1GC", "UseShenandoahGC");
    private static final Map<String, List<String>> FLAGS = Map.of(
        "adaptive", List.of("-XX:+GCAdaptiveStealing"),
        "stable", List.of("-XX:+GCStableWorkers"),
        "statistics", List.of("-XX:+GCTaskStatistics"),
        "static", List.of("-XX:GCThreadBinding=static"),
        "dynamic", List.of("-XX:GCThreadBinding=dynamic"),
        "all", List.of("-XX:+GCAdaptiveStealing", "-XX:+GCStableWorkers", "-XX:GCThreadBinding=dynamic"));

    private static int failures;

    public static void main(String[] args) throws Exception {
        for (String collector : COLLECTORS) {
            for (List<String> flags : FLAGS.values()) {
                check(collector, flags);
            }
        }
        String h2 = "-XX:AllocateH2At=" + Files.createDirectory(Path.of("h2")).toAbsolutePath();
        check("UseParallelGC", List.of(h2, "-XX:H2Size=64m", "-XX:H2DeepMarkingInterval=2"));
        check("UseParallelGC", List.of(h2, "-XX:H2Size=64m", "-XX:H2DeepMarkingInterval=2", "-XX:+GCAdaptiveStealing",
                                       "-XX:+GCStableWorkers"));
        check("UseG1GC", List.of("-XX:+UseFarMemory"));
        if (failures != 0) {
            throw new RuntimeException(failures + " did not end as they should");
        }
    }

    private static void check(String collector, List<String> flags) throws Exception {
        List<String> command = new ArrayList<>(List.of(
            "-Xmx96m", "-XX:+" + collector, "-XX:+UnlockDiagnosticVMOptions", "-XX:+InjectGCWorkerCreationFailure",
            "-XX:ParallelGCThreads=" + THREADS, "-XX:ConcGCThreads=3", "-Xlog:gc+task"));
        command.addAll(flags);
        command.add(Program.class.getName());
        File output = new File("output.txt");
        Process vm = ProcessTools.createLimitedTestJavaProcessBuilder(command).redirectErrorStream(true).redirectOutput(output).start();
        boolean hasEnded = vm.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
        if (!hasEnded) {
            vm.destroyForcibly().waitFor();
        }
        String text = Files.readString(output.toPath());
        boolean isWarned = !collector.equals("UseParallelGC") || text.contains("Only 1 of " + THREADS + " GC threads could be created");
        if (!hasEnded || vm.exitValue() != 0 || !text.contains(END) || !isWarned) {
            failures++;
            System.out.println(text);
        }
        System.out.println(collector + " " + flags + (hasEnded ? ": exit " + vm.exitValue() : ": does not end"));
    }

    /** Runs minor and major collections, with references to process, and transfers if there is H2. */
    public static final class Program {
        private static final int ROWS = 200;

        public static void main(String[] args) {
            Object[][] rows = new Object[ROWS][];
            for (int round = 0; round < 40; round++) {
                for (int i = 0; i < ROWS; i++) {
                    rows[i] = new Object[] { new byte[1000 + i], new java.lang.ref.WeakReference<>(rows[i]), "row " + i + round };
                }
                Object[] root = { rows.clone() };
                SecondHeap.tagRoot(root, round);
                SecondHeap.move(round);
                byte[][] garbage = new byte[20][];
                for (int i = 0; i < 200; i++) {
                    garbage[i % garbage.length] = new byte[100_000];
                }
                if (round % 8 == 0) {
                    System.gc();
                }
            }
            for (int i = 0; i < ROWS; i++) {
                if (((byte[]) rows[i][0]).length != 1000 + i || !rows[i][2].equals("row " + i + 39)) {
                    throw new RuntimeException("row " + i + " has changed");
                }
            }
            System.out.println(END);
        }
    }
}
