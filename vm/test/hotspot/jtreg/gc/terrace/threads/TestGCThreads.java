// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.threads;

/*
 * @test TestGCThreads
 * @summary Collectors with adaptive stealing and stable worker ids lose no objects, with more threads than processors, and
 *          report their work
 * @library /test/lib
 * @run driver gc.terrace.threads.TestGCThreads
 */

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jdk.test.lib.process.OutputAnalyzer;
import jdk.test.lib.process.ProcessTools;

public class TestGCThreads {

    private static final Pattern STATISTICS = Pattern.compile(
        "(\\S.*), (.*): (\\d+) workers, steal attempts (\\d+), failed (\\d+), queue reads (\\d+), termination offers (\\d+), ([\\d.]+)ms, "
        + "processors (\\d+), migrations (\\d+), waited ([\\d.]+)ms, subtasks((?: \\d+)*)");
    private static final String[] COLLECTORS = { "-XX:+UseParallelGC", "-XX:+UseG1GC", "-XX:+UseShenandoahGC" };
    private static final String[][] FLAGS = {
        { "-XX:+GCAdaptiveStealing" },
        { "-XX:+GCStableWorkers" },
        { "-XX:+GCAdaptiveStealing", "-XX:+GCStableWorkers", "-XX:-UseDynamicNumberOfGCThreads" },
        { "-XX:+UnlockDiagnosticVMOptions", "-XX:+GCTaskStatistics" },
    };

    public static void main(String[] args) throws Exception {
        for (String collector : COLLECTORS) {
            for (String[] flags : FLAGS) {
                check(collector, flags);
            }
        }
        OutputAnalyzer off = run("-XX:+UseParallelGC");
        off.shouldNotMatch(STATISTICS.pattern());
        for (String without : List.of("SerialGC", "ZGC")) {
            run("-XX:+Use" + without, "-XX:+GCAdaptiveStealing", "-XX:+GCStableWorkers")
                .shouldContain("GCAdaptiveStealing has no effect with " + without)
                .shouldContain("GCStableWorkers has no effect with " + without);
        }
        run("-XX:+UseG1GC", "-XX:+GCAdaptiveStealing", "-XX:+GCStableWorkers").shouldNotContain("has no effect");
    }

    private static void check(String collector, String... flags) throws Exception {
        List<String> options = new ArrayList<>(List.of(collector, "-XX:ParallelGCThreads=9", "-XX:ConcGCThreads=3"));
        options.addAll(List.of(flags));
        OutputAnalyzer output = run(options.toArray(new String[0]));
        int lines = 0;
        long allAttempts = 0;
        long allOffers = 0;
        long allClaims = 0;
        Matcher found = STATISTICS.matcher(output.getStdout());
        while (found.find()) {
            lines++;
            long attempts = Long.parseLong(found.group(4));
            long failed = Long.parseLong(found.group(5));
            if (attempts - failed > Long.parseLong(found.group(6))) {
                throw new RuntimeException("more was taken from queues than they were looked at: " + found.group());
            }
            if (failed > attempts) {
                throw new RuntimeException("more failures than attempts: " + found.group());
            }
            allAttempts += attempts;
            allOffers += Long.parseLong(found.group(7));
            int workers = Integer.parseInt(found.group(3));
            int processors = Integer.parseInt(found.group(9));
            if (processors < 1 || processors > workers) {
                throw new RuntimeException(workers + " workers on " + processors + " processors: " + found.group());
            }
            String[] claims = found.group(12).trim().split(" ");
            if (claims.length != workers) {
                throw new RuntimeException(claims.length + " numbers of subtasks for " + workers + " workers: " + found.group());
            }
            for (String claimed : claims) {
                allClaims += Long.parseLong(claimed);
            }
        }
        if (lines == 0 || allAttempts == 0 || allOffers == 0) {
            throw new RuntimeException(options + ": " + lines + " lines, " + allAttempts + " attempts to steal, " + allOffers
                                       + " offers of termination");
        }
        if (collector.contains("Parallel") && allClaims == 0) {
            throw new RuntimeException(options + ": no subtask was claimed");
        }
        System.out.println(options + ": " + allAttempts + " attempts, " + allOffers + " offers, " + allClaims + " subtasks");
    }

    private static OutputAnalyzer run(String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of("-Xmx96m", "-Xms96m", "-Xlog:gc+task+stats=debug:stdout:uptime,tags"));
        command.addAll(List.of(options));
        command.add(Program.class.getName());
        OutputAnalyzer output = ProcessTools.executeTestJava(command.toArray(new String[0]));
        output.shouldHaveExitValue(0);
        output.shouldContain("the trees are whole");
        return output;
    }

    /** A program with unbalanced trees, so that workers can steal. It changes and checks them continuously. */
    public static class Program {
        private static final class Tree {
            final int number;
            Tree left;
            Tree right;

            Tree(int number) {
                this.number = number;
            }
        }

        private static final int TREES = 40;
        private static final int DEPTH = 11;

        public static void main(String[] args) {
            Random random = new Random(1);
            Tree[] trees = new Tree[TREES];
            for (int i = 0; i < 1500; i++) {
                trees[random.nextInt(TREES)] = grow(1, DEPTH);
                if (i % 100 == 0) {
                    System.gc();
                    checkAll(trees);
                }
            }
            checkAll(trees);
            System.out.println("the trees are whole");
        }

        private static Tree grow(int number, int depth) {
            Tree tree = new Tree(number);
            if (depth > 0) {
                tree.left = grow(2 * number, depth - 1);
                tree.right = grow(2 * number + 1, depth - 1);
            }
            return tree;
        }

        private static void checkAll(Tree[] trees) {
            for (Tree tree : trees) {
                if (tree != null && size(tree, 1) != (2 << DEPTH) - 1) {
                    throw new RuntimeException("a tree lost nodes");
                }
            }
        }

        private static int size(Tree tree, int number) {
            if (tree == null) {
                return 0;
            }
            if (tree.number != number) {
                throw new RuntimeException("node " + tree.number + " is where " + number + " should be");
            }
            return 1 + size(tree.left, 2 * number) + size(tree.right, 2 * number + 1);
        }
    }
}
