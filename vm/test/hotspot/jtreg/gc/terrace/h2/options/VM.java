// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.options;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import com.sun.management.HotSpotDiagnosticMXBean;
import jdk.test.lib.process.OutputAnalyzer;
import jdk.test.lib.process.ProcessTools;
import org.terrace.SecondHeap;

/** Starts VMs with exactly the flags that a test specifies, without the flags of the test itself. */
final class VM {

    private VM() {
    }

    /** Starts a VM whose main class prints properties of the VM, see {@link Report}. */
    static OutputAnalyzer run(String... flags) throws Exception {
        return run(List.of(flags), Report.class);
    }

    static OutputAnalyzer run(List<String> flags, Class<?> mainClass, String... args) throws Exception {
        List<String> command = new ArrayList<>(List.of("-Xmx64m", "-Xlog:gc+h2"));
        command.addAll(flags);
        command.add(mainClass.getName());
        command.addAll(List.of(args));
        return ProcessTools.executeProcess(ProcessTools.createLimitedTestJavaProcessBuilder(command));
    }

    /** Asserts that the VM rejects its flags. It exits with 1 and a message with all the words, without a crash or running Java. */
    static OutputAnalyzer assertRefused(OutputAnalyzer output, String... words) {
        output.shouldHaveExitValue(1);
        for (String word : words) {
            output.shouldContain(word);
        }
        output.shouldNotContain(Report.STARTED);
        output.shouldNotContain("A fatal error has been detected");
        output.shouldNotContain("assert(");
        return output;
    }

    static OutputAnalyzer assertStarted(OutputAnalyzer output) {
        output.shouldHaveExitValue(0);
        output.shouldContain(Report.STARTED);
        return output;
    }

    static OutputAnalyzer assertH2(OutputAnalyzer output) {
        assertStarted(output);
        output.shouldContain("H2 available true");
        output.shouldContain("UseParallelGC true");
        output.shouldContain("H2: ");
        return output;
    }

    static Path freshDirectory(String name) throws IOException {
        Path path = Path.of(name).toAbsolutePath();
        Files.createDirectory(path);
        return path;
    }

    static void assertEmpty(Path directory) {
        String[] names = directory.toFile().list();
        if (names == null || names.length != 0) {
            throw new RuntimeException(directory + " holds " + String.join(", ", names));
        }
    }

    /** Prints some properties of its own VM, and collects garbage once. */
    public static final class Report {
        static final String STARTED = "report of the started VM";

        public static void main(String[] args) {
            System.out.println(STARTED);
            System.out.println("H2 available " + SecondHeap.isAvailable());
            HotSpotDiagnosticMXBean bean = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            for (String flag : new String[] { "UseParallelGC", "UseCompressedOops", "UseCompressedClassPointers" }) {
                System.out.println(flag + " " + bean.getVMOption(flag).getValue());
            }
            System.out.println("capacity " + SecondHeap.statistics().getCapacityBytes());
            System.out.println("region size " + SecondHeap.statistics().getRegionSizeBytes());
            if (args.length > 0) {
                String[] names = new File(args[0]).list();
                System.out.println("files " + names.length);
            }
            Object[] root = { new byte[100_000], "text", new Object() };
            SecondHeap.tagRoot(root, 1);
            SecondHeap.move(1);
            SecondHeap.transfer();
            System.gc();
            System.out.println("moved " + (SecondHeap.state(root) == SecondHeap.State.IN_H2));
        }
    }
}
