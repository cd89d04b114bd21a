// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.threads;

/*
 * @test TestGCThreadBinding
 * @summary GC threads, and no other threads, are bound to processors as requested. When the system takes processors away and
 *          returns them, the bindings follow
 * @library /test/lib
 * @run driver/timeout=300 gc.terrace.threads.TestGCThreadBinding
 */

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import jdk.test.lib.process.OutputAnalyzer;
import jdk.test.lib.process.ProcessTools;

public class TestGCThreadBinding {

    private static final String[] COLLECTORS = { "-XX:+UseParallelGC", "-XX:+UseG1GC", "-XX:+UseShenandoahGC" };

    public static void main(String[] args) throws Exception {
        for (String collector : COLLECTORS) {
            run(collector, "none", 2);
            run(collector, "static", 2);
            run(collector, "static", 5);
            run(collector, "dynamic", 2);
            run(collector, "dynamic", 5);
        }
        OutputAnalyzer wrong = ProcessTools.executeTestJava("-XX:GCThreadBinding=fixed", "-version");
        wrong.shouldNotHaveExitValue(0);
        wrong.shouldContain("GCThreadBinding=fixed: must be none, static or dynamic");
        for (String other : new String[] { "SerialGC", "ZGC", "EpsilonGC" }) {
            ProcessTools.executeTestJava("-XX:+UnlockExperimentalVMOptions", "-XX:+Use" + other, "-XX:GCThreadBinding=static", "-version")
                .shouldHaveExitValue(0).shouldContain("GCThreadBinding has no effect with " + other);
        }
        for (String collector : COLLECTORS) {
            OutputAnalyzer idle = ProcessTools.executeTestJava("-Xmx96m", collector, "-XX:GCThreadBinding=dynamic", Idle.class.getName());
            idle.shouldHaveExitValue(0).shouldContain("as expected").shouldNotContain("has no effect");
        }
    }

    private static void run(String collector, String mode, int threads) throws Exception {
        List<String> command = new ArrayList<>(List.of(
            "-Xmx96m", "-Xlog:gc+task*=debug:stdout:uptime,tags", collector, "-XX:-UseDynamicNumberOfGCThreads",
            "-XX:ParallelGCThreads=" + threads, "-XX:ConcGCThreads=1", "-XX:GCThreadBinding=" + mode,
            Program.class.getName(), mode));
        OutputAnalyzer output = ProcessTools.executeTestJava(command.toArray(new String[0]));
        System.out.println(collector + " " + mode + " " + threads);
        output.shouldHaveExitValue(0);
        output.shouldContain("as expected");
        int processors = Program.processors();
        if (mode.equals("none")) {
            output.shouldNotContain("binding");
        } else {
            output.shouldContain(mode + " binding to " + processors + " processors");
        }
        if (mode.equals("static") || mode.equals("dynamic") && threads <= processors) {
            output.shouldContain("is bound to processor");
        } else {
            output.shouldNotContain("is bound to processor");
        }
    }

    /** Tests that the watcher of GC threads sleeps while nothing collects, and wakes up again when something does. */
    public static class Idle {
        private static final int NAPS = 20;

        public static void main(String[] args) throws Exception {
            System.gc();
            Path status = watcher().resolve("status");
            // The watcher checks after that collection, and goes to sleep.
            long before;
            long start = System.nanoTime();
            do {
                before = wakes(status);
                Thread.sleep(500);
            } while (wakes(status) != before && System.nanoTime() - start < Program.PATIENCE);
            for (int i = 0; i < NAPS; i++) {
                Thread.sleep(100);      // the watcher's period while something collects
            }
            long whileIdle = wakes(status) - before;
            System.out.println("the watcher woke up " + whileIdle + " times while this thread did " + NAPS + " times");
            if (whileIdle > 1) {
                throw new RuntimeException("the watcher wakes up though nothing collects");
            }
            before = wakes(status);
            start = System.nanoTime();
            do {
                System.gc();
                Thread.sleep(50);
            } while (wakes(status) < before + 2 && System.nanoTime() - start < Program.PATIENCE);
            if (wakes(status) < before + 2) {
                throw new RuntimeException("the watcher does not look though something collects");
            }
            System.out.println("as expected");
        }

        private static long wakes(Path status) throws IOException {
            return Long.parseLong(Program.field(Files.readAllLines(status), "voluntary_ctxt_switches:"));
        }

        private static String nameOf(Path task) {
            try {
                return Files.readString(task.resolve("comm")).trim();
            } catch (IOException e) {
                return "";                              // the thread has ended
            }
        }

        private static Path watcher() throws IOException {
            try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
                for (Path task : tasks) {
                    if (nameOf(task).equals("GC Binding")) {
                        return task;
                    }
                }
            }
            throw new RuntimeException("there is no watcher");
        }
    }

    public static class Program {
        private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);

        private interface Expectation {
            /** Returns null if the expectation is met, or else a description of the error. */
            String complaint() throws IOException;
        }

        public static void main(String[] args) throws Exception {
            String mode = args[0];
            String all = processorsOf("main thread", threads(false));
            collect();
            await(() -> complaint(mode, all));
            // Changes the affinity of every thread, as a changed cpuset does.
            List<Integer> ids = ids(all);
            if (ids.size() > 1) {
                String last = String.valueOf(ids.get(ids.size() - 1));
                restrict(last);
                collect();
                await(() -> complaint(mode, last));
                restrict(all);
                collect();
                await(() -> complaint(mode, all));
            }
            System.out.println("as expected");
        }

    /** Collects long enough for the watcher to check several times, each time after a collection. */
        private static void collect() throws Exception {
            for (int i = 0; i < 20; i++) {
                System.gc();
                Thread.sleep(50);
            }
        }

        static int processors() throws IOException {
            return ids(field(Files.readAllLines(Path.of("/proc/self/status")), "Cpus_allowed_list:")).size();
        }

    /** Waits, with collections in between, because the watcher acts only after a collection. */
        private static void await(Expectation expectation) throws Exception {
            long start = System.nanoTime();
            for (String wrong; (wrong = expectation.complaint()) != null; ) {
                if (System.nanoTime() - start > PATIENCE) {
                    throw new RuntimeException(wrong);
                }
                System.gc();
                Thread.sleep(50);
            }
        }

        private static String complaint(String mode, String allowed) throws IOException {
            for (Map.Entry<String, String> other : threads(false).entrySet()) {
                if (!other.getValue().equals(allowed)) {
                    return other.getKey() + " runs on " + other.getValue() + ", not on " + allowed;
                }
            }
            Map<String, String> threads = threads(true);
            if (threads.isEmpty()) {
                return "there are no GC threads";
            }
            List<Integer> used = new ArrayList<>();
            for (Map.Entry<String, String> thread : threads.entrySet()) {
                List<Integer> own = ids(thread.getValue());
                boolean isFree = thread.getValue().equals(allowed);
                boolean isBound = own.size() == 1 && ids(allowed).contains(own.get(0));
                if (mode.equals("none") ? !isFree : mode.equals("static") ? !isBound : !isFree && !isBound) {
                    return thread.getKey() + " runs on " + thread.getValue() + " of " + allowed;
                }
                if (isBound && !used.contains(own.get(0))) {
                    used.add(own.get(0));
                }
            }
            int expected = Math.min(threads.size(), ids(allowed).size());
            return mode.equals("static") && used.size() != expected ? "GC threads use " + used + " of " + allowed : null;
        }

    /** Returns the processors on which the workers of GC pauses may run, or all other threads. */
        private static Map<String, String> threads(boolean gc) throws IOException {
            Map<String, String> found = new TreeMap<>();
            try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
                for (Path task : tasks) {
                    List<String> status;
                    try {
                        status = Files.readAllLines(task.resolve("status"));
                    } catch (IOException e) {
                        continue;                       // the thread has ended
                    }
                    String name = field(status, "Name:");
                    boolean isGC = name.startsWith("GC Thread#") || name.startsWith("Shenandoah GC T");
                    if (isGC == gc) {
                        found.put(name + " " + task.getFileName(), field(status, "Cpus_allowed_list:"));
                    }
                }
            }
            return found;
        }

        private static String processorsOf(String what, Map<String, String> threads) {
            return threads.get(threads.keySet().stream()
                .filter(name -> name.endsWith(" " + ProcessHandle.current().pid())).findFirst()
                .orElseThrow(() -> new RuntimeException("no " + what)));
        }

        private static String field(List<String> status, String name) {
            return status.stream().filter(line -> line.startsWith(name)).findFirst()
                .map(line -> line.substring(name.length()).trim()).orElseThrow();
        }

        private static List<Integer> ids(String list) {
            List<Integer> ids = new ArrayList<>();
            for (String range : list.split(",")) {
                String[] ends = range.split("-");
                for (int id = Integer.parseInt(ends[0]); id <= Integer.parseInt(ends[ends.length - 1]); id++) {
                    ids.add(id);
                }
            }
            return ids;
        }

        private static void restrict(String processors) throws Exception {
            Process taskset = new ProcessBuilder("taskset", "-a", "-c", "-p", processors,
                                                 String.valueOf(ProcessHandle.current().pid()))
                .redirectErrorStream(true).start();
            String output = new String(taskset.getInputStream().readAllBytes());
            if (taskset.waitFor() != 0) {
                throw new RuntimeException("taskset: " + output);
            }
        }
    }
}
