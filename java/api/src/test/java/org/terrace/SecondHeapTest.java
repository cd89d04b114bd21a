// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.lang.management.ManagementFactory;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.management.JMX;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Tests the contracts of the API on a JVM without H2, and the names and numbers that the VM relies on. */
class SecondHeapTest {

    @BeforeEach
    void withoutH2() {
        assumeFalse(SecondHeap.isAvailable(), "this VM has a second heap");
    }

    @Test
    void hintsDoNothing() {
        Object root = new Object[] {"a", "b"};
        SecondHeap.tagRoot(root, 1);
        SecondHeap.tagRoot(root, SecondHeap.MIN_LABEL);
        SecondHeap.move(1);
        SecondHeap.hold(1);
        SecondHeap.move(SecondHeap.MIN_LABEL);
        SecondHeap.place(1, SecondHeap.Tier.HEAP);
        SecondHeap.transfer();
        assertFalse(SecondHeap.hasTiers());
        assertEquals(SecondHeap.State.IN_H1, SecondHeap.state(root));
        SecondHeap.untag(root);
    }

    @Test
    void nullIsRefused() {
        assertThrows(NullPointerException.class, () -> SecondHeap.tagRoot(null, 1));
        assertThrows(NullPointerException.class, () -> SecondHeap.untag(null));
        assertThrows(NullPointerException.class, () -> SecondHeap.state(null));
        assertThrows(NullPointerException.class, () -> SecondHeap.place(1, null));
    }

    @Test
    void reservedLabelsAreRefused() {
        for (long label : new long[] {Long.MIN_VALUE, SecondHeap.MIN_LABEL - 1}) {
            for (Executable call : new Executable[] {() -> SecondHeap.tagRoot("root", label), () -> SecondHeap.move(label),
                                                     () -> SecondHeap.hold(label), () -> SecondHeap.place(label, SecondHeap.Tier.SLOW)}) {
                String message = assertThrows(IllegalArgumentException.class, call).getMessage();
                assertTrue(message.contains("label " + label + " is reserved"), message);
            }
        }
    }

    @Test
    void statisticsAreEmpty() {
        SecondHeapStatistics statistics = SecondHeap.statistics();
        assertFalse(statistics.isAvailable());
        assertEquals(0, statistics.getCapacityBytes());
        assertEquals(0, statistics.getTransfers());
        assertEquals(-1, statistics.getDueBytesEstimate());
        assertEquals(-1, statistics.getWaitedNanos());
        assertEquals(-1, statistics.getSamples());
        assertEquals("no second heap", statistics.toString());
        assertEquals(List.of(), SecondHeap.labels());
    }

    @Test
    void statisticsFollowTheOrderOfTheVm() {
        long[] counters = new long[26];
        Arrays.setAll(counters, i -> 100 + i);
        SecondHeapStatistics statistics = new SecondHeapStatistics(counters);
        assertTrue(statistics.isAvailable());
        assertEquals(100, statistics.getCapacityBytes());
        assertEquals(101, statistics.getUsedBytes());
        assertEquals(102, statistics.getRegionsInUse());
        assertEquals(103, statistics.getRegionsTotal());
        assertEquals(104, statistics.getRegionSizeBytes());
        assertEquals(105, statistics.getTransfers());
        assertEquals(106, statistics.getFailedTransfers());
        assertEquals(107, statistics.getMovedObjects());
        assertEquals(108, statistics.getMovedBytes());
        assertEquals(109, statistics.getTransferNanos());
        assertEquals(110, statistics.getRegionsFreed());
        assertEquals(111, statistics.getTaggedRoots());
        assertEquals(112, statistics.getMinorScanNanos());
        assertEquals(113, statistics.getMinorScannedCards());
        assertEquals(114, statistics.getDueBytesEstimate());
        assertEquals(115, statistics.getPrefetchedBytes());
        assertEquals(116, statistics.getDeepMarkings());
        assertEquals(117, statistics.getPagedOutBytes());
        assertEquals(118, statistics.getMajorScannedCards());
        assertEquals(119, statistics.getWaitedNanos());
        assertEquals(120, statistics.getUnplacedWaitNanos());
        assertEquals(122, statistics.getSamples());
        assertEquals(123, statistics.getSampleNanos());
        assertEquals(124, statistics.getMigratedToFastBytes());
        assertEquals(125, statistics.getMigratedToSlowBytes());
    }

    /** Tests the values that a monitoring program with this library reads from a VM with an older library. */
    @Test
    void labelsOfAnOlderVm() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName("org.terrace.test:type=OlderLabels");
        server.registerMBean(new StandardMBean(() -> new OlderLabel(), OlderLabelsMXBean.class, true), name);
        try {
            SecondHeapLabelUsage label = JMX.newMXBeanProxy(server, name, NewerLabelsMXBean.class).getFirst();
            assertEquals(1, label.getLabel());
            assertEquals(6, label.getResidentBytes());
            assertEquals(-1, label.getWaitedNanos());
            assertNull(label.getTier());
            assertEquals(-1, label.getHeat());
        } finally {
            server.unregisterMBean(name);
        }
    }

    /** The attributes of the first version. */
    public static final class OlderLabel {
        public long getLabel() {
            return 1;
        }

        public long getRegions() {
            return 2;
        }

        public long getHeldRegions() {
            return 3;
        }

        public long getUsedBytes() {
            return 4;
        }

        public long getGarbageBytes() {
            return 5;
        }

        public long getResidentBytes() {
            return 6;
        }
    }

    /** The older library in the VM. */
    public interface OlderLabelsMXBean {
        OlderLabel getFirst();
    }

    /** The library in the monitoring program. */
    public interface NewerLabelsMXBean {
        SecondHeapLabelUsage getFirst();
    }

    @Test
    void labelsFollowTheOrderOfTheVm() {
        long[] rows = {1, 2, 3, 4, 5, 6, 11, 0, 0, 0, 0, 0};
        List<SecondHeapLabelUsage> labels = SecondHeapLabelUsage.of(rows, new long[] {-4, 8, 1, 7}, new long[] {1, 2, 3},
                new long[] {1, 250});
        assertEquals(2, labels.size());
        assertEquals(11, labels.get(1).getLabel());
        assertEquals(0, labels.get(1).getWaitedNanos());
        assertEquals(-1, SecondHeapLabelUsage.of(rows, null, null, null).get(1).getWaitedNanos());
        SecondHeapLabelUsage first = labels.get(0);
        assertEquals("SLOW 3", first.getTier() + " " + first.getFastBytes());
        assertEquals("AUTO 0", labels.get(1).getTier() + " " + labels.get(1).getFastBytes());
        assertNull(SecondHeapLabelUsage.of(rows, null, null, null).get(0).getTier());
        assertEquals(0.25, first.getHeat());
        assertEquals(0, labels.get(1).getHeat());
        assertEquals(-1, SecondHeapLabelUsage.of(rows, null, null, null).get(0).getHeat());
        assertEquals("1 2 3 4 5 6 7", String.join(" ", List.of(first.getLabel(), first.getRegions(),
                first.getHeldRegions(), first.getUsedBytes(), first.getGarbageBytes(), first.getResidentBytes(),
                first.getWaitedNanos())
                .stream().map(String::valueOf).collect(Collectors.toList())));
    }

    @Test
    void anOlderVmMayKnowFewerCounters() {
        SecondHeapStatistics statistics = new SecondHeapStatistics(new long[] {7});
        assertEquals(7, statistics.getCapacityBytes());
        assertEquals(0, statistics.getMovedBytes());
        assertEquals(-1, statistics.getDueBytesEstimate());
        assertEquals(-1, statistics.getWaitedNanos());
        assertEquals(-1, statistics.getSamples());
    }

    @Test
    void theBeanIsRegisteredOnceAndAnswers() throws Exception {
        SecondHeapManagement.register();
        SecondHeapManagement.register();
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName("org.terrace:type=SecondHeap");
        assertEquals(false, server.getAttribute(name, "Available"));
        assertEquals(0L, server.getAttribute(name, "MovedBytes"));
        assertEquals(-1L, server.getAttribute(name, "DueBytesEstimate"));
        Set<String> attributes = Arrays.stream(server.getMBeanInfo(name).getAttributes())
                .map(MBeanAttributeInfo::getName).collect(Collectors.toCollection(TreeSet::new));
        assertEquals(26, attributes.size(), attributes::toString);
        Object[] labels = (Object[]) server.getAttribute(new ObjectName(SecondHeapManagement.LABELS_NAME), "Labels");
        assertEquals(0, labels.length);
    }

    /** The VM identifies tiers by their ordinals. */
    @Test
    void tiersKeepTheirNumbers() {
        assertEquals("[AUTO, FAST, SLOW, HEAP]", Arrays.toString(SecondHeap.Tier.values()));
    }

    /** The VM binds these by class, name and signature, so renaming one is an incompatible change. */
    @Test
    void nativesAreThoseTheVmBinds() {
        Set<String> natives = Arrays.stream(SecondHeap.class.getDeclaredMethods())
                .filter(m -> Modifier.isNative(m.getModifiers()))
                .map(m -> Modifier.toString(m.getModifiers()) + " " + m.getReturnType().getSimpleName() + " "
                        + m.getName() + Arrays.stream(m.getParameterTypes()).map(Class::getSimpleName)
                                .collect(Collectors.joining(",", "(", ")")))
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(new TreeSet<>(Set.of(
                "private static native void tagRoot0(Object,long)",
                "private static native void untag0(Object)",
                "private static native void move0(long)",
                "private static native void hold0(long)",
                "private static native void place0(long,int)",
                "private static native long[] tiers0()",
                "private static native long[] heats0()",
                "private static native int state0(Object)",
                "private static native void transfer0()",
                "private static native void prefetch0(Object)",
                "private static native void dismiss0(Object)",
                "private static native long[] statistics0()",
                "private static native long[] labels0()",
                "static native long[] event0(long)",
                "private static native long[] waits0()",
                "static native String eventReason0(long)")), natives);
    }
}
