// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.report;

/*
 * @test TestServices
 * @summary Diagnostic commands, memory beans, the statistics and the JDK's tools return consistent results while H2 is in use
 * @library / /test/lib /java/api/src/main/java
 * @modules java.base/jdk.internal.misc
 *          java.management jdk.management jdk.jfr
 *
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -XX:H2RegionSize=2m
 *                   -XX:NativeMemoryTracking=summary -Xlog:gc*=debug:file=gc.log
 *                   gc.terrace.h2.report.TestServices tools
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -XX:-UseCompressedOops -XX:-UsePerfData
 *                   -Xlog:gc*=trace:file=gc.log
 *                   gc.terrace.h2.report.TestServices
 */

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.management.MBeanServer;
import javax.management.ObjectName;

import jdk.test.lib.JDKToolFinder;
import jdk.test.lib.hprof.model.Snapshot;
import jdk.test.lib.hprof.parser.Reader;
import jdk.test.lib.process.OutputAnalyzer;
import jdk.test.lib.process.ProcessTools;
import gc.terrace.h2.Tree;
import org.terrace.SecondHeap;
import org.terrace.SecondHeapStatistics;

import static gc.terrace.h2.H2Test.*;

public class TestServices {

    private static final String[][] COMMANDS = {
        { "gcHeapInfo" }, { "gcClassHistogram" }, { "threadPrint", "-l" }, { "vmClassloaderStats" }, { "vmFlags" },
        { "vmStringtable" }, { "vmSymboltable" }, { "vmMetaspace" }, { "vmInfo" }, { "compilerCodecache" },
        { "vmUptime" }, { "vmClassHierarchy" }, { "gcFinalizerInfo" }, { "vmNativeMemory" }, { "gcRun" }
    };

    public static void main(String[] args) throws Exception {
        requireH2();
        SecondHeapStatistics before = SecondHeap.statistics();
        commands();
        Tree tree = moveToH2(Tree.make(10_000, 1));
        commands();
        minorGC();
        if (!STOCK) {
            statistics(before, SecondHeap.statistics());
        }
        pools();
        if (args.length > 0 && !STOCK) {
            tools(tree);
        }
        tree.assertInH2();
        tree.check(10_000, 1);
    }

    private static void commands() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName("com.sun.management:type=DiagnosticCommand");
        for (String[] command : COMMANDS) {
            boolean known = false;
            for (var operation : server.getMBeanInfo(name).getOperations()) {
                known |= operation.getName().equals(command[0]) && operation.getSignature().length == 1;
            }
            String[] arguments = command.length > 1 ? new String[] { command[1] } : new String[0];
            Object output = known
                ? server.invoke(name, command[0], new Object[] { arguments }, new String[] { String[].class.getName() })
                : "";
            System.out.println(command[0] + ": " + String.valueOf(output).length() + " characters");
        }
    }

    /** Runs the JDK's tools, in processes that attach to this one. They come from the compiler's JDK, which starts faster. */
    private static void tools(Tree tree) throws Exception {
        String pid = Long.toString(ProcessHandle.current().pid());
        tool("jcmd", pid, "JFR.start", "name=tools", "settings=profile").shouldContain("Started recording");
        tool("jmap", "-histo:live", pid).shouldMatch("\\s10000\\s+\\d+\\s+" + Tree.class.getName());
        tool("jstat", "-gc", pid).shouldContain("OU");
        synchronized (tree) {
            tool("jstack", "-l", pid).shouldMatch("locked <0x[0-9a-f]+> \\(a " + Tree.class.getName() + "\\)");
        }
        Path dump = Path.of("tools.hprof").toAbsolutePath();
        tool("jmap", "-dump:live,gz=1,format=b,file=" + dump, pid).shouldContain("Heap dump file created");
        try (Snapshot snapshot = Reader.readFile(dump.toString(), false, 0)) {
            snapshot.resolve(false);
            assertEquals(snapshot.findClass(Tree.class.getName()).getInstancesCount(false), 10_000, "trees in the dump");
        }
        Files.delete(dump);
        String recording = Path.of("tools.jfr").toAbsolutePath().toString();
        tool("jcmd", pid, "JFR.stop", "name=tools", "filename=" + recording);
        tool("jfr", "summary", recording).shouldMatch("jdk.ParallelOldGarbageCollection +[1-9]");
    }

    private static OutputAnalyzer tool(String name, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(JDKToolFinder.getCompileJDKTool(name)));
        command.addAll(List.of(arguments));
        return ProcessTools.executeProcess(new ProcessBuilder(command)).shouldHaveExitValue(0);
    }

    private static void statistics(SecondHeapStatistics before, SecondHeapStatistics after) {
        System.out.println(after);
        assertTrue(after.isAvailable(), "the statistics are not available");
        assertEquals(after.getCapacityBytes(), 256 << 20, "the capacity");
        assertTrue(after.getTransfers() > before.getTransfers(), "no transfer was counted");
        assertTrue(after.getMovedObjects() - before.getMovedObjects() >= 30_000,
                   after.getMovedObjects() + " moved objects, expected some 40000");
        long moved = after.getMovedBytes() - before.getMovedBytes();
        assertTrue(moved >= 1_000_000 && moved <= 10_000_000, moved + " moved bytes");
        assertTrue(after.getUsedBytes() >= moved, after.getUsedBytes() + " used bytes, " + moved + " moved");
        assertTrue(after.getUsedBytes() <= after.getRegionsInUse() * after.getRegionSizeBytes(),
                   after.getUsedBytes() + " bytes in " + after.getRegionsInUse() + " regions");
        assertTrue(after.getRegionsInUse() <= after.getRegionsTotal(), "more regions in use than there are");
        assertTrue(after.getRegionsTotal() * after.getRegionSizeBytes() <= after.getCapacityBytes(),
                   "more regions than fit");
        assertEquals(after.getFailedTransfers(), 0, "failed transfers");
    }

    private static void pools() {
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            MemoryUsage usage = pool.getUsage();
            System.out.println(pool.getName() + ": " + usage);
            assertTrue(usage.getUsed() <= usage.getCommitted(), pool.getName() + " uses more than it has");
        }
        MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        assertTrue(heap.getUsed() <= heap.getCommitted() && heap.getCommitted() <= heap.getMax(), "the heap: " + heap);
        assertTrue(heap.getUsed() <= Runtime.getRuntime().totalMemory(), "the heap: " + heap);
        assertTrue(Runtime.getRuntime().maxMemory() <= 128 << 20, "the maximum is H1's");
    }
}
