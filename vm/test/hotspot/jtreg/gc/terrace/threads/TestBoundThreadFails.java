// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.threads;

/*
 * @test TestBoundThreadFails
 * @summary When a GC thread that is bound to a processor crashes, the command of OnError is not bound
 * @requires os.family == "linux"
 * @library /test/lib
 * @run main/othervm/native gc.terrace.threads.TestBoundThreadFails
 */

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import jdk.test.lib.Utils;
import jdk.test.lib.process.ProcessTools;
import jtreg.SkippedException;

public class TestBoundThreadFails {

    private static final String FIELD = "Cpus_allowed_list:";
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);
    private static final Path FOUND = Path.of("found.txt");

    public static void main(String[] args) throws Exception {
        String all = processors(Path.of("/proc/self/status"));
        if (all.matches("\\d+")) {
            throw new SkippedException("there is one processor only: " + all);
        }
        for (String collector : new String[] { "-XX:+UseParallelGC", "-XX:+UseG1GC", "-XX:+UseShenandoahGC" }) {
            Files.deleteIfExists(FOUND);
            Process vm = ProcessTools.createLimitedTestJavaProcessBuilder(
                "-Djava.library.path=" + Utils.TEST_NATIVE_PATH, collector, "-XX:ParallelGCThreads=2", "-XX:GCThreadBinding=static",
                "-XX:-CreateCoredumpOnCrash", "-XX:OnError=grep " + FIELD + " /proc/self/status > " + FOUND, Program.class.getName())
                .redirectErrorStream(true).redirectOutput(Path.of("output.txt").toFile()).start();
            if (!vm.waitFor(120, TimeUnit.SECONDS)) {
                vm.destroyForcibly().waitFor();
                throw new RuntimeException(collector + ": it does not end");
            }
            String output = Files.readString(Path.of("output.txt"));
            System.out.println(output);
            if (!output.contains("a bound thread gets a signal") || !output.contains("A fatal error has been detected")) {
                throw new RuntimeException(collector + ": no bound thread has failed");
            }
            String found = processors(FOUND);
            if (!found.equals(all)) {
                throw new RuntimeException(collector + ": what OnError runs may use processors " + found + ", not " + all);
            }
        }
    }

    static String processors(Path status) throws IOException {
        return Files.readAllLines(status).stream().filter(line -> line.startsWith(FIELD)).findFirst()
            .map(line -> line.substring(FIELD.length()).trim()).orElseThrow();
    }

    public static class Program {
        static native int fail(int thread);

        public static void main(String[] args) throws Exception {
            System.loadLibrary("TestBoundThreadFails");
            long start = System.nanoTime();
            int thread;
            while ((thread = bound()) == 0) {
                if (System.nanoTime() - start > PATIENCE) {
                    throw new RuntimeException("no GC thread is bound");
                }
                System.gc();
                Thread.sleep(50);
            }
            System.out.println("a bound thread gets a signal");
            int error = fail(thread);
            if (error == 0) {
                Thread.sleep(60_000);       // the VM terminates meanwhile
            }
            throw new RuntimeException("the signal was not sent, or not taken: error " + error);
        }

        private static boolean isBound(Path task) {
            try {
                String name = Files.readString(task.resolve("comm"));
                return (name.startsWith("GC Thread#") || name.startsWith("Shenandoah GC T"))
                    && processors(task.resolve("status")).matches("\\d+");
            } catch (IOException e) {
                return false;                       // the thread has ended
            }
        }

        private static int bound() throws IOException {
            try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
                for (Path task : tasks) {
                    if (isBound(task)) {
                        return Integer.parseInt(task.getFileName().toString());
                    }
                }
            }
            return 0;
        }
    }
}
