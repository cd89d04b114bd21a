// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.options;

/*
 * @test TestStringFlags
 * @summary A string flag of Terrace with a value that is empty, long, wrong or not ASCII is rejected with a message that names the flag
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management jdk.management
 * @run driver gc.terrace.h2.options.TestStringFlags
 */

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jdk.test.lib.process.OutputAnalyzer;
import jdk.test.lib.process.ProcessTools;

import static gc.terrace.h2.options.VM.*;

/** Tests all string flags that the VM prints, except upstream's flags, so that a new flag is included automatically. */
public class TestStringFlags {

    private static final Set<String> OF_UPSTREAM = Set.of(
        "AbortVMOnException", "AbortVMOnExceptionMessage", "AllocateHeapAt", "ArchiveClassesAtExit", "CompilationMode", "CompileCommand",
        "CompileCommandFile", "CompileOnly", "CompilerDirectivesFile", "ControlIntrinsic", "DeoptimizeOnlyAt", "DisableIntrinsic",
        "DummyManageableStringFlag", "DumpLoadedClassList", "ErrorFile", "ExtraSharedClassListFile", "FlightRecorderOptions",
        "HeapDumpPath", "InlineDataFile", "JVMCILibDumpJNIConfig", "JVMCILibPath", "LogFile", "MetaspaceReclaimPolicy",
        "NativeMemoryTracking", "OnError", "OnOutOfMemoryError", "PauseAtStartupFile", "PerfDataSaveFile", "PrintAssemblyOptions",
        "PrintIdealGraphAddress", "PrintIdealGraphFile", "ReplayDataFile", "SharedArchiveConfigFile", "SharedArchiveFile",
        "SharedClassListFile", "ShenandoahGCHeuristics", "ShenandoahGCMode", "StartFlightRecording", "SuppressErrorAt", "TraceJVMTI",
        "VerifyGCType", "VerifySubSet");
    private static final Pattern STRING_FLAG = Pattern.compile("^ *ccstr(?:list)? +(\\w+) +=", Pattern.MULTILINE);
    private static final List<String> PROPERTIES = List.of("terrace.h2.failCall", "terrace.far.failCall");

    // Values as the shell passes them, by the names under which they are reported.
    private static final Map<String, String> VALUES = new TreeMap<>(Map.of(
        "empty", "",
        "wrong", "x",
        "almost", "none,static:hints",
        "conversions", "%s%n%d%99999d",
        "blank", " ",
        "long", "l".repeat(10_000),
        "long path", "/p".repeat(5_000),
        "not ASCII", "\u00fc\u2603\ud83d\ude00",
        "no text", "\u0001\u0080"));

    public static void main(String[] args) throws Exception {
        Path directory = freshDirectory("strings");
        List<String> h2 = List.of("-XX:AllocateH2At=" + directory, "-XX:H2Size=64m");
        List<String> tiers = List.of("-XX:AllocateH2At=" + directory, "-XX:H2Size=64m", "-XX:H2FastSize=16m");
        Set<String> flags = ownFlags();
        System.out.println("string flags: " + flags);
        if (!flags.containsAll(Set.of("AllocateH2At", "H2TierPolicy", "GCThreadBinding"))) {
            throw new RuntimeException("flags are missing: " + flags);
        }
        for (Map.Entry<String, String> value : VALUES.entrySet()) {
            for (String flag : flags) {
                for (List<String> others : List.of(List.<String>of(), List.of("-XX:+UseSerialGC"), h2, tiers)) {
                    refused(flag, value, others, "-XX:" + flag + "=" + value.getValue());
                }
            }
            for (String property : PROPERTIES) {
                List<String> others = new ArrayList<>(h2);
                others.add("-XX:+UnlockDiagnosticVMOptions");
                refused(property, value, others, "-D" + property + "=" + value.getValue());
            }
        }
        refusedRules(h2);
        assertEmpty(directory);
        directoryThatIsNotAscii(directory);
    }

    private static Set<String> ownFlags() throws Exception {
        OutputAnalyzer all = ProcessTools.executeProcess(ProcessTools.createLimitedTestJavaProcessBuilder(
            "-XX:+UnlockDiagnosticVMOptions", "-XX:+UnlockExperimentalVMOptions", "-XX:+PrintFlagsFinal", "-version"));
        all.shouldHaveExitValue(0);
        Set<String> flags = new TreeSet<>();
        Matcher found = STRING_FLAG.matcher(all.getStdout());
        while (found.find()) {
            flags.add(found.group(1));
        }
        flags.removeAll(OF_UPSTREAM);
        return flags;
    }

    private static void refused(String name, Map.Entry<String, String> value, List<String> others, String flag) throws Exception {
        List<String> command = new ArrayList<>(others);
        command.add(flag);
        System.out.println(name + ", " + value.getKey() + ", with " + others);
        assertRefused(start(command), name);
    }

    // Goes through a shell, because the test's own locale may be unable to pass such arguments.
    private static OutputAnalyzer start(List<String> arguments) throws Exception {
        List<String> command = new ArrayList<>(arguments);
        command.addAll(0, List.of("-Xmx64m", "-XX:-CreateCoredumpOnCrash"));
        command.add(Report.class.getName());
        List<String> java = ProcessTools.createLimitedTestJavaProcessBuilder(command).command();
        StringBuilder script = new StringBuilder("exec");
        for (String word : java) {
            script.append(" '").append(word.replace("'", "'\\''")).append("'");
        }
        Path file = Path.of("start.sh");
        Files.write(file, script.append('\n').toString().getBytes(StandardCharsets.UTF_8));
        return ProcessTools.executeProcess("/bin/sh", file.toString());
    }

    private static void refusedRules(List<String> h2) throws Exception {
        for (String rule : List.of("pwrite", "pwrite:", "pwrite:0", "pwrite:-1", "pwrite: 1", "pwrite:1:", "pwrite:1:-5", "pwrite:1:0",
                                   "pwrite:1:4294967296", "pwrite:99999999999999999999", "pwrite:1,", ",pwrite:1", "pwrite:1++",
                                   "p:1", "pwritten:1", "pwrite:1 ")) {
            List<String> others = new ArrayList<>(h2);
            others.add("-XX:+UnlockDiagnosticVMOptions");
            refused("terrace.h2.failCall", Map.entry(rule, rule), others, "-Dterrace.h2.failCall=" + rule);
        }
    }

    private static void directoryThatIsNotAscii(Path directory) throws Exception {
        Path script = Path.of("make.sh");
        String name = directory + "/\u00fc \u2603";
        Files.write(script, ("mkdir '" + name + "'\n").getBytes(StandardCharsets.UTF_8));
        ProcessTools.executeProcess("/bin/sh", script.toString()).shouldHaveExitValue(0);
        assertH2(start(List.of("-Xlog:gc+h2", "-XX:AllocateH2At=" + name, "-XX:H2Size=64m"))).shouldContain("moved true");
    }
}
