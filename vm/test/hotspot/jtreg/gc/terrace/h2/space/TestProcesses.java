// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.space;

/*
 * @test TestProcesses
 * @summary H2's file belongs to one process. Its children do not have it, other VMs have their own file in the same
 *          directory, and no file remains, however the process ends
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @run driver gc.terrace.h2.space.TestProcesses
 */

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jdk.test.lib.process.OutputAnalyzer;
import jdk.test.lib.process.ProcessTools;

import static gc.terrace.h2.H2Test.*;

import gc.terrace.h2.Tree;

public class TestProcesses {

    private static final String READY = "ready";
    private static final String ERRORS = "hs_err.log";

    public static void main(String[] args) throws Exception {
        children();
        neighbours();
        endedBy("KILL", 137);
        endedBy("TERM", 143);
        endedBy("ABRT", 134);
        crash();
        theDirectoryIsRemoved();
    }

    private static void children() throws Exception {
        Path directory = freshDirectory("children");
        try (VM vm = new VM(directory, StartsAProcess.class, directory.toString())) {
            vm.assertEnded();
        }
    }

    private static void neighbours() throws Exception {
        Path directory = freshDirectory("neighbours");
        try (VM a = new VM(directory, Moves.class, "0", "10");
             VM b = new VM(directory, Moves.class, "1000", "10");
             VM c = new VM(directory, Moves.class, "2000", "10");
             VM d = new VM(directory, Moves.class, "3000", "10")) {
            Set<Object> inodes = new HashSet<>();
            for (VM vm : List.of(a, b, c, d)) {
                vm.await(READY);
                List<Path> files = filesOf(vm.process.pid(), directory);
                assertTrue(!files.isEmpty(), "no file of a VM");
                for (Path file : files) {
                    assertTrue(inodes.add(Files.getAttribute(file, "unix:ino")), "a file of two VMs");
                }
            }
            assertEmpty(directory);
            for (VM vm : List.of(a, b, c, d)) {
                vm.goOn();
            }
            for (VM vm : List.of(a, b, c, d)) {
                vm.assertEnded();
            }
        }
        assertEmpty(directory);
    }

    private static void endedBy(String signal, int status) throws Exception {
        Path directory = freshDirectory("ended-by-" + signal);
        try (VM vm = new VM(directory, Moves.class, "1", Integer.toString(Integer.MAX_VALUE))) {
            vm.await(READY);
            vm.goOn();
            vm.await("round 2");
            assertEmpty(directory);
            vm.signal(signal);
            assertEquals(vm.process.waitFor(), status, "status after SIG" + signal);
        }
        assertEmpty(directory);
    }

    private static void crash() throws Exception {
        Path directory = freshDirectory("crash");
        try (VM vm = new VM(directory, Crashes.class)) {
            vm.await("# A fatal error has been detected by the Java Runtime Environment:");
            vm.output.lines().forEach(System.out::println);
            assertEquals(vm.process.waitFor(), 1, "status after a crash without a core");
        }
        assertEmpty(directory);
        new OutputAnalyzer(Path.of(ERRORS))
            .shouldMatch("^ H2 +total 131072K, used [1-9][0-9]*K")
            .shouldContain("1 of 64 regions of 2048K in use, file in " + directory);
    }

    private static void theDirectoryIsRemoved() throws Exception {
        Path directory = freshDirectory("removed");
        try (VM vm = new VM(directory, Moves.class, "1", "3")) {
            vm.await(READY);
            Files.delete(directory);
            vm.goOn();
            // Files of markings are opened at the start.
            vm.assertEnded().shouldContain("Marked through H2: ").shouldNotContain("No such file or directory");
        }
    }

    private static Path freshDirectory(String name) throws IOException {
        return Files.createDirectory(Path.of(name)).toRealPath();
    }

    private static void assertEmpty(Path directory) {
        String[] names = directory.toFile().list();
        assertEquals(String.join(", ", names), "", "what is in " + directory);
    }

    /** Finds the files by their descriptors, because the VM unlinks them. */
    private static List<Path> filesOf(long pid, Path directory) throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
            return descriptors.filter(descriptor -> isIn(descriptor, directory)).collect(Collectors.toList());
        }
    }

    private static boolean isIn(Path descriptor, Path directory) {
        try {
            return Files.readSymbolicLink(descriptor).startsWith(directory);
        } catch (IOException e) {
            return false;                // the descriptor was closed meanwhile
        }
    }

    /** A VM that runs a program with H2 in a directory, and whose output is read. */
    private static final class VM implements AutoCloseable {
        final Process process;
        private final BufferedReader output;
        private final StringBuilder read = new StringBuilder();

        VM(Path directory, Class<?> program, String... arguments) throws IOException {
            List<String> command = new ArrayList<>(List.of(
                "-Xmx64m", "-XX:AllocateH2At=" + directory, "-XX:H2Size=128m", "-XX:H2RegionSize=2m", "-Xlog:gc+h2",
                "-XX:+UnlockDiagnosticVMOptions", "-XX:+VerifyH2", "-XX:H2DeepMarkingInterval=1",
                "-XX:+CrashOnOutOfMemoryError", "-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=" + ERRORS,
                program.getName()));
            command.addAll(List.of(arguments));
            process = ProcessTools.createLimitedTestJavaProcessBuilder(command).redirectErrorStream(true).start();
            output = process.inputReader();
        }

        void await(String expected) throws IOException {
            String line;
            do {
                line = output.readLine();
                assertTrue(line != null, "no line \"" + expected + "\" in\n" + read);
                read.append(line).append('\n');
            } while (!line.equals(expected));
        }

        void goOn() throws IOException {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
        }

        void signal(String name) throws Exception {
            String pid = Long.toString(process.pid());
            Process kill = new ProcessBuilder("kill", "-" + name, pid).inheritIO().start();
            assertEquals(kill.waitFor(), 0, "status of kill");
        }

        OutputAnalyzer assertEnded() throws Exception {
            await("the end");
            output.lines().forEach(line -> read.append(line).append('\n'));
            assertEquals(process.waitFor(), 0, "status of the VM that said\n" + read);
            return new OutputAnalyzer(read.toString());
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    /** Moves one tree, waits, and moves others. The checks would fail if another VM overwrote them. */
    public static final class Moves {
        public static void main(String[] args) throws Exception {
            requireH2();
            int seed = Integer.parseInt(args[0]);
            int rounds = Integer.parseInt(args[1]);
            Tree first = moveToH2(Tree.make(2000, seed));
            System.out.println(READY);
            System.in.read();
            for (int i = 1; i <= rounds; i++) {
                first.extra = moveToH2(Tree.make(2000, seed + i));
                minorGC();
                majorGC();
                first.check(2000, seed);
                ((Tree) first.extra).check(2000, seed + i);
                System.out.println("round " + i);
            }
            System.out.println("the end");
        }
    }

    public static final class Crashes {
        public static void main(String[] args) {
            requireH2();
            Tree tree = moveToH2(Tree.make(1000, 1));
            long[] moreThanThereIs = new long[1 << 27];
            tree.check(1000, moreThanThereIs.length);
        }
    }

    public static final class StartsAProcess {
        private static final long O_CLOEXEC = 02000000;

        public static void main(String[] args) throws Exception {
            requireH2();
            Path directory = Path.of(args[0]);
            Tree tree = moveToH2(Tree.make(1000, 1));
            majorGC();
            List<Path> files = filesOf(ProcessHandle.current().pid(), directory);
            assertTrue(!files.isEmpty(), "no descriptors of H2's directory");
            Process child = new ProcessBuilder("ls", "-l", "/proc/self/fd").redirectErrorStream(true).start();
            String descriptors = new String(child.getInputStream().readAllBytes());
            assertTrue(descriptors.contains(" 0 -> "), "not a list of descriptors: " + descriptors);
            assertTrue(!descriptors.contains(directory.toString()), "the child has H2's file: " + descriptors);
            // Java closes descriptors in a child process, but native code that starts one may not.
            for (Path file : files) {
                Path info = Path.of("/proc/self/fdinfo").resolve(file.getFileName());
                String flags = Files.readString(info).lines().filter(line -> line.startsWith("flags:")).findFirst().get();
                assertTrue((Long.parseLong(flags.substring(6).trim(), 8) & O_CLOEXEC) != 0, "inherited: " + flags);
            }
            tree.check(1000, 1);
            System.out.println("the end");
        }
    }
}
