// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.ObjectName;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netbeans.lib.profiler.heap.Heap;
import org.netbeans.lib.profiler.heap.HeapFactory;
import org.netbeans.lib.profiler.heap.Instance;
import org.netbeans.lib.profiler.heap.JavaClass;
import org.netbeans.lib.profiler.heap.ObjectArrayInstance;
import org.netbeans.lib.profiler.heap.PrimitiveArrayInstance;

/**
 * Tests that NetBeans' analyser opens a heap dump with objects in both heaps, and counts the same objects as the VM's own heap
 * walk. The size of each heap in megabytes is {@code terrace.dump.megabytes}:
 *
 * <pre>{@code
 * mvn -pl api -am verify -Dterrace.jdk=HOME -Dsurefire.failIfNoSpecifiedTests=false -Dtest=HeapDumpOnTerraceTest \
 *     -Dterrace.test.vmargs="-Xmx6g -Dterrace.dump.megabytes=2048"
 * }</pre>
 */
class HeapDumpOnTerraceTest {

    private static final int MEGABYTES = Integer.getInteger("terrace.dump.megabytes", 64);
    private static final int PER_MEGABYTE = 1024;
    private static final int PAYLOAD = 960;
    private static final long LABEL = 77_000_001;

    /** An object in H1. */
    static class Inner {
        final byte[] payload = new byte[PAYLOAD];
        Inner next;
    }

    /** An object in H2. */
    static final class Outer extends Inner {
        Inner inH1;
    }

    /** The roots of both heaps. */
    static final class Roots {
        final Inner[] inH1 = new Inner[MEGABYTES * PER_MEGABYTE];
        final Outer[] inH2 = new Outer[MEGABYTES * PER_MEGABYTE];
    }

    private static Roots roots;

    @TempDir
    Path folder;

    @BeforeEach
    void withH2() {
        assumeTrue(SecondHeap.isAvailable(), "no second heap on this VM");
    }

    @Test
    void anAnalyserSeesBothHeaps() throws Exception {
        roots = new Roots();
        fill();
        assertEquals(SecondHeap.State.IN_H2, SecondHeap.state(roots.inH2[7]));
        assertEquals(SecondHeap.State.IN_H1, SecondHeap.state(roots.inH1[7]));
        Map<String, Long> walked = histogram();
        Path dump = folder.resolve("both.hprof");
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(dump.toString(), true);
        int first = System.identityHashCode(roots);
        roots = null;
        System.gc();
        assertTrue(first != 0 && Files.size(dump) > 2L * MEGABYTES * PER_MEGABYTE * PAYLOAD, "the dump is too small");

        Heap heap = HeapFactory.createHeap(dump.toFile());
        for (Class<?> type : new Class<?>[] {Inner.class, Outer.class, Roots.class}) {
            assertEquals(walked.get(type.getName()), instances(heap, type.getName()), type.getName());
        }
        long bytes = 2L * MEGABYTES * PER_MEGABYTE;
        assertTrue(instances(heap, "byte[]") >= bytes, instances(heap, "byte[]") + " arrays of bytes");
        assertTrue(Math.abs(walked.get("[B") - instances(heap, "byte[]")) < 5_000,
                   "arrays of bytes: " + walked.get("[B") + " walked, " + instances(heap, "byte[]") + " in the dump");
        follow(heap);
    }

    private static void fill() {
        for (int i = 0; i < roots.inH2.length; i++) {
            roots.inH2[i] = new Outer();
            roots.inH2[i].payload[0] = (byte) i;
            roots.inH2[i].next = i == 0 ? null : roots.inH2[i - 1];
        }
        SecondHeap.tagRoot(roots.inH2, LABEL);
        SecondHeap.move(LABEL);
        SecondHeap.transfer();
        for (int i = 0; i < roots.inH1.length; i++) {
            roots.inH1[i] = new Inner();
            roots.inH1[i].payload[0] = (byte) -i;
            roots.inH1[i].next = i % 2 == 0 ? roots.inH2[i] : null;
            roots.inH2[i].inH1 = roots.inH1[i];
        }
    }

    /** Checks references between the heaps, in both directions. */
    private static void follow(Heap heap) {
        Instance found = (Instance) heap.getJavaClassByName(Roots.class.getName()).getInstances().get(0);
        ObjectArrayInstance inH2 = (ObjectArrayInstance) found.getValueOfField("inH2");
        ObjectArrayInstance inH1 = (ObjectArrayInstance) found.getValueOfField("inH1");
        assertEquals(MEGABYTES * PER_MEGABYTE, inH2.getLength());
        for (int i : new int[] {0, 1, 2, 100, 101, inH2.getLength() - 2, inH2.getLength() - 1}) {
            Instance outer = (Instance) inH2.getValues().get(i);
            Instance inner = (Instance) inH1.getValues().get(i);
            assertEquals(inner.getInstanceId(), ((Instance) outer.getValueOfField("inH1")).getInstanceId());
            assertEquals(i == 0 ? null : inH2.getValues().get(i - 1), outer.getValueOfField("next"));
            assertEquals(i % 2 == 0 ? outer : null, inner.getValueOfField("next"));
            PrimitiveArrayInstance payload = (PrimitiveArrayInstance) outer.getValueOfField("payload");
            assertEquals(PAYLOAD, payload.getLength());
            assertEquals(String.valueOf((byte) i), payload.getValues().get(0));
        }
    }

    private static long instances(Heap heap, String name) {
        JavaClass type = heap.getJavaClassByName(name);
        return type == null ? -1 : type.getInstancesCount();
    }

    /** Returns the counts of the VM's own heap walk: class to number of instances. */
    private static Map<String, Long> histogram() throws Exception {
        String text = (String) ManagementFactory.getPlatformMBeanServer().invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
                new Object[] {new String[0]}, new String[] {String[].class.getName()});
        Map<String, Long> counts = new HashMap<>();
        Matcher line = Pattern.compile("^ *\\d+: +(\\d+) +\\d+ +(\\S+)", Pattern.MULTILINE).matcher(text);
        while (line.find()) {
            counts.put(line.group(2), Long.valueOf(line.group(1)));
        }
        return counts;
    }
}
