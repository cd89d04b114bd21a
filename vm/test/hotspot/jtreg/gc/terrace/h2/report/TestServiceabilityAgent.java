// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.report;

/*
 * @test TestServiceabilityAgent
 * @summary jhsdb finds the objects of H2 in a running VM and in a core file, but not its garbage, and reports a core file
 *          that lacks them
 * @library / /test/lib /java/api/src/main/java
 * @modules java.base/jdk.internal.misc
 *          java.management
 * @run driver/timeout=300 gc.terrace.h2.report.TestServiceabilityAgent
 */

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jdk.test.lib.JDKToolFinder;
import jdk.test.lib.SA.SATestUtils;
import jdk.test.lib.hprof.model.Snapshot;
import jdk.test.lib.hprof.parser.Reader;
import jdk.test.lib.process.OutputAnalyzer;
import jdk.test.lib.process.ProcessTools;

import static gc.terrace.h2.H2Test.*;

public class TestServiceabilityAgent {

    private static final int IN_H2 = 1234, IN_H1 = 567, GARBAGE = 89;

    static final class InH2 {
        Object reference;
    }

    static final class InH1 {
        Object reference;
    }

    public static void main(String[] args) throws Exception {
        SATestUtils.skipIfCannotAttach();
        process("-XX:+UseCompressedOops");
        process("-XX:-UseCompressedOops");
        Path whole = core("whole");
        if (whole == null) {
            System.out.println("Not tested: core files. The system makes none here, or elsewhere.");
            return;
        }
        check(histogram("--core", whole.toString(), "--exe", java()), IN_H2);
        Files.delete(whole);
        Path without = core("without", "-XX:-DumpSharedMappingsInCore");
        check(histogram("--core", without.toString(), "--exe", java())
                  .shouldMatch("WARNING: [1-9][0-9]* KB of H2 are not in the core file"), 0);
        Files.delete(without);
    }

    private static void process(String references) throws Exception {
        Process process = start("process", references);
        try {
            String pid = Long.toString(process.pid());
            check(histogram("--pid", pid), IN_H2);
            Path file = Path.of("agent.hprof");
            agent("", "jmap", "--binaryheap", "--dumpfile", file.toString(), "--pid", pid).shouldHaveExitValue(0);
            try (Snapshot snapshot = Reader.readFile(file.toString(), false, 0)) {
                snapshot.resolve(false);
                assertEquals(snapshot.findClass(InH2.class.getName()).getInstancesCount(false), IN_H2, "H2 objects in the dump");
                assertEquals(snapshot.findClass(InH1.class.getName()).getInstancesCount(false), IN_H1, "H1 objects in the dump");
            }
            Files.delete(file);
            // The agent knows the address range of H2. All commands ask the heap whether an address is in it.
            OutputAnalyzer universe = agent("universe\nquit\n", "-J-Xmx200m", "clhsdb", "--pid", pid, "-J-Dspace=a b");
            universe.shouldHaveExitValue(0).shouldMatch("H2 \\[ \\[0x[0-9a-f]+,0x[0-9a-f]+\\), [1-9][0-9]* bytes used \\]");
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /** @return null if the system writes no core files to the working directory */
    private static Path core(String name, String... options) throws Exception {
        Path directory = Files.createDirectory(Path.of(name));
        Process process = start(name, options);
        new ProcessBuilder("kill", "-SEGV", Long.toString(process.pid())).inheritIO().start().waitFor();
        process.waitFor();
        try (Stream<Path> files = Files.list(directory)) {
            List<Path> found = files.filter(file -> file.getFileName().toString().startsWith("core")).collect(Collectors.toList());
            return found.isEmpty() ? null : found.get(0);
        }
    }

    /** Starts a VM in a directory with this name, and returns when its objects are in H2. */
    private static Process start(String name, String... options) throws Exception {
        Path directory = Path.of(name);
        Files.createDirectories(directory);
        List<String> command = new ArrayList<>(List.of("-Xmx64m", "-XX:AllocateH2At=.", "-XX:H2Size=256m", "-XX:H2RegionSize=2m",
                                                       "-XX:+UnlockDiagnosticVMOptions", "-XX:H2DeepMarkingInterval=1"));
        command.addAll(List.of(options));
        command.add(Holder.class.getName());
        List<String> java = ProcessTools.createLimitedTestJavaProcessBuilder(command).command();
        List<String> shell = new ArrayList<>(List.of("sh", "-c", "ulimit -c unlimited; exec \"$@\"", "sh"));
        shell.addAll(java);
        Process process = new ProcessBuilder(shell).directory(directory.toFile()).redirectErrorStream(true).start();
        String line = process.inputReader().readLine();
        assertEquals(line, "ready", "what the program says");
        return process;
    }

    private static OutputAnalyzer histogram(String... target) throws Exception {
        List<String> command = new ArrayList<>(List.of("jmap", "--histo"));
        command.addAll(List.of(target));
        OutputAnalyzer output = agent("", command.toArray(new String[0]));
        return output.shouldHaveExitValue(0).shouldNotContain("does not match with SA version");
    }

    private static OutputAnalyzer agent(String input, String... command) throws Exception {
        List<String> whole = new ArrayList<>(List.of(JDKToolFinder.getTestJDKTool("jhsdb")));
        whole.addAll(List.of(command));
        ProcessBuilder builder = new ProcessBuilder(whole);
        builder.environment().put("JDK_JAVA_OPTIONS", "-XX:OptionsOfTheProgramNotOfItsTools");
        Path typed = Files.writeString(Path.of("typed"), input);
        return ProcessTools.executeProcess(builder.redirectInput(typed.toFile()));
    }

    private static void check(OutputAnalyzer histogram, int inH2) {
        assertEquals(count(histogram.getOutput(), InH2.class.getName()), inH2, "H2 objects in the histogram");
        assertEquals(count(histogram.getOutput(), InH1.class.getName()), IN_H1, "H1 objects in the histogram");
    }

    /** Parses the count of a line such as "12: 1234 19744 name". */
    private static int count(String histogram, String className) {
        return histogram.lines().map(line -> line.trim().split("\\s+"))
            .filter(words -> words.length > 3 && words[3].equals(className)).mapToInt(words -> Integer.parseInt(words[1])).sum();
    }

    private static String java() {
        return JDKToolFinder.getTestJDKTool("java");
    }

    public static final class Holder {
        private static final InH2[] MOVED = new InH2[IN_H2 + GARBAGE];
        private static final InH1[] KEPT = new InH1[IN_H1];

        public static void main(String[] args) throws Exception {
            requireH2();
            for (int i = 0; i < MOVED.length; i++) {
                MOVED[i] = new InH2();
            }
            InH2[] moved = moveToH2(MOVED.clone());
            Arrays.fill(MOVED, null);
            for (int i = 0; i < GARBAGE; i++) {          // at both ends, and between live objects
                moved[i % 3 == 0 ? i : i % 3 == 1 ? 10 * i : moved.length - 1 - i] = null;
            }
            majorGC();
            moved = Arrays.stream(moved).filter(Objects::nonNull).toArray(InH2[]::new);
            for (int i = 0; i < KEPT.length; i++) {
                KEPT[i] = new InH1();
                KEPT[i].reference = moved[i];
                moved[i].reference = KEPT[i];
            }
            System.out.println("ready");
            System.in.read();
        }
    }
}
