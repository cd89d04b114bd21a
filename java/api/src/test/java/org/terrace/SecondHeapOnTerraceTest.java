// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Tests the contracts of the API on a Terrace JDK with H2 on. Run with {@code mvn -Dterrace.jdk=HOME}. */
class SecondHeapOnTerraceTest {

    // Labels are program-wide, so each test takes its own.
    private static long nextLabel = 1_000_000;

    private final long label = nextLabel++;

    @BeforeAll
    static void sayWhatIsSkipped() {
        if (Boolean.getBoolean("terrace.expected")) {
            assertTrue(SecondHeap.isAvailable(), "terrace.jdk was given but it has no second heap");
        }
        if (!SecondHeap.isAvailable()) {
            System.out.println("SKIPPED: tests of the second heap; run them with -Dterrace.jdk=<home of a Terrace JDK>");
        }
    }

    @BeforeEach
    void withH2() {
        assumeTrue(SecondHeap.isAvailable(), "no second heap on this VM");
    }

    @Test
    void aDueStructureMovesAsAWhole() {
        Map<Integer, List<String>> map = structure();
        long movedBefore = SecondHeap.statistics().getMovedObjects();
        SecondHeap.tagRoot(map, label);
        assertEquals(SecondHeap.State.IN_H1, SecondHeap.state(map));
        SecondHeap.move(label);
        assertEquals(SecondHeap.State.DUE, SecondHeap.state(map));
        SecondHeap.transfer();
        assertEquals(SecondHeap.State.IN_H2, SecondHeap.state(map));
        assertEquals(SecondHeap.State.IN_H2, SecondHeap.state(map.get(17)));
        assertEquals(SecondHeap.State.IN_H2, SecondHeap.state(map.get(17).get(1)));
        assertEquals(structure(), map);
        assertTrue(SecondHeap.statistics().getMovedObjects() >= movedBefore + 5_000);
    }

    @Test
    void theLabelMayBeDueBeforeTheTag() {
        SecondHeap.move(label);
        Object root = new long[1000];
        SecondHeap.tagRoot(root, label);
        assertEquals(SecondHeap.State.DUE, SecondHeap.state(root));
        SecondHeap.transfer();
        assertEquals(SecondHeap.State.IN_H2, SecondHeap.state(root));
    }

    @Test
    void whatIsHeldOrUntaggedStays() {
        Object held = new int[100];
        Object untagged = new int[100];
        Object never = new int[100];
        SecondHeap.tagRoot(held, label);
        SecondHeap.move(label);
        SecondHeap.hold(label);
        long other = nextLabel++;
        SecondHeap.tagRoot(untagged, other);
        SecondHeap.move(other);
        SecondHeap.untag(untagged);
        SecondHeap.transfer();
        assertEquals(SecondHeap.State.IN_H1, SecondHeap.state(held));
        assertEquals(SecondHeap.State.IN_H1, SecondHeap.state(untagged));
        assertEquals(SecondHeap.State.IN_H1, SecondHeap.state(never));
    }

    @Test
    void reservedLabelsAreRefused() {
        Object root = new int[100];
        for (long reserved = Long.MIN_VALUE; reserved < SecondHeap.MIN_LABEL; reserved++) {
            long refused = reserved;
            String message = assertThrows(IllegalArgumentException.class, () -> SecondHeap.tagRoot(root, refused)).getMessage();
            assertTrue(message.contains("label " + refused + " is reserved"), message);
        }
        long tagged = SecondHeap.statistics().getTaggedRoots();
        SecondHeap.tagRoot(root, SecondHeap.MIN_LABEL);
        SecondHeap.move(SecondHeap.MIN_LABEL);
        assertEquals(tagged + 1, SecondHeap.statistics().getTaggedRoots());
        SecondHeap.transfer();
        assertEquals(SecondHeap.State.IN_H2, SecondHeap.state(root));
        assertTrue(SecondHeap.labels().stream().anyMatch(l -> l.getLabel() == SecondHeap.MIN_LABEL));
    }

    @Test
    void theVmRefusesReservedLabelsOfOlderLibraries() throws Exception {
        Method tagRoot = SecondHeap.class.getDeclaredMethod("tagRoot0", Object.class, long.class);
        Method move = SecondHeap.class.getDeclaredMethod("move0", long.class);
        tagRoot.setAccessible(true);
        move.setAccessible(true);
        long reserved = SecondHeap.MIN_LABEL - 1;
        for (Executable call : new Executable[] {() -> tagRoot.invoke(null, new int[100], reserved), () -> move.invoke(null, reserved)}) {
            Throwable thrown = assertThrows(InvocationTargetException.class, call).getCause();
            assertTrue(thrown instanceof IllegalArgumentException, thrown.toString());
        }
    }

    @Test
    void anInternedStringMovesOnlyByItsOwnTag() {
        String reached = ("reached " + label).intern();
        String tagged = ("tagged " + label).intern();
        Object[] root = {reached, tagged};
        move(root);
        assertEquals(SecondHeap.State.IN_H1, SecondHeap.state(reached));
        assertEquals(SecondHeap.State.IN_H1, SecondHeap.state(tagged));
        move(tagged);
        assertSame(tagged, ("tagged " + label).intern());
    }

    @Test
    void theLastLabelWins() {
        Object root = new int[100];
        long due = label;
        long notDue = nextLabel++;
        SecondHeap.move(due);
        SecondHeap.tagRoot(root, due);
        SecondHeap.tagRoot(root, notDue);
        assertEquals(SecondHeap.State.IN_H1, SecondHeap.state(root));
        SecondHeap.tagRoot(root, due);
        assertEquals(SecondHeap.State.DUE, SecondHeap.state(root));
        SecondHeap.transfer();
        assertEquals(SecondHeap.State.IN_H2, SecondHeap.state(root));
        SecondHeap.tagRoot(root, notDue);
        SecondHeap.untag(root);
        assertEquals(SecondHeap.State.IN_H2, SecondHeap.state(root));
    }

    @Test
    void anObjectInH2IsAnOrdinaryObject() {
        Object[] root = new Object[1000];
        Object first = new Object();
        root[0] = first;
        int rootHash = System.identityHashCode(root);
        int firstHash = first.hashCode();
        move(root);
        assertSame(first, root[0]);
        assertEquals(rootHash, System.identityHashCode(root));
        assertEquals(firstHash, root[0].hashCode());
        synchronized (root) {
            root.notifyAll();
        }
        assertEquals(1000, root.clone().length);
    }

    @Test
    void whatH2RefersToSurvivesInEitherHeap() {
        Object[] root = new Object[10_000];
        move(root);
        List<byte[]> pressure = new ArrayList<>();
        for (int i = 0; i < root.length; i++) {
            root[i] = "young " + i;
            if (i % 100 == 0) {
                pressure.add(new byte[1 << 20]);
                if (pressure.size() > 20) {
                    pressure.clear();
                }
            }
            if (i % 2500 == 0) {
                SecondHeap.transfer();
            }
        }
        SecondHeap.transfer();
        for (int i = 0; i < root.length; i++) {
            assertEquals("young " + i, root[i]);
        }
    }

    @Test
    void aTagDoesNotKeepItsObjectAlive() {
        WeakReference<Object> dead = taggedAndForgotten();
        SecondHeap.transfer();
        assertNull(dead.get());
    }

    @Test
    void theApiWorksFromAnyLoader() throws Exception {
        URL classes = SecondHeap.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {classes}, ClassLoader.getPlatformClassLoader())) {
            Class<?> other = loader.loadClass(SecondHeap.class.getName());
            assertNotEquals(SecondHeap.class, other);
            Object root = new int[1000];
            other.getMethod("tagRoot", Object.class, long.class).invoke(null, root, label);
            SecondHeap.move(label);
            other.getMethod("transfer").invoke(null);
            assertEquals(SecondHeap.State.IN_H2, SecondHeap.state(root));
        }
    }

    @Test
    void statisticsAddUp() throws Exception {
        SecondHeapStatistics before = SecondHeap.statistics();
        move(new byte[3 << 20]);
        SecondHeapStatistics after = SecondHeap.statistics();
        assertTrue(after.getTransfers() > before.getTransfers());
        assertTrue(after.getMovedBytes() >= before.getMovedBytes() + (3 << 20));
        assertTrue(after.getUsedBytes() <= after.getCapacityBytes());
        assertTrue(after.getRegionsInUse() > 0 && after.getRegionsInUse() <= after.getRegionsTotal());
        SecondHeapManagement.register();
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName(SecondHeapManagement.NAME);
        assertEquals(true, server.getAttribute(name, "Available"));
        assertEquals(after.getCapacityBytes(), server.getAttribute(name, "CapacityBytes"));
    }

    @Test
    void labelsTellWhatIsThere() throws Exception {
        byte[] root = new byte[3 << 20];
        move(root);
        SecondHeapLabelUsage usage = SecondHeap.labels().stream().filter(l -> l.getLabel() == label).findAny().get();
        assertTrue(usage.getUsedBytes() >= 3 << 20, usage::toString);
        assertTrue(usage.getRegions() > 0 && usage.getHeldRegions() == usage.getRegions(), usage::toString);
        assertTrue(usage.getResidentBytes() > 0 && usage.getResidentBytes() <= usage.getUsedBytes(), usage::toString);
        assertEquals(SecondHeap.statistics().getUsedBytes(),
                     SecondHeap.labels().stream().mapToLong(SecondHeapLabelUsage::getUsedBytes).sum());
        SecondHeapManagement.register();
        SecondHeapLabelsMXBean bean = JMX.newMXBeanProxy(ManagementFactory.getPlatformMBeanServer(),
                new ObjectName(SecondHeapManagement.LABELS_NAME), SecondHeapLabelsMXBean.class);
        assertTrue(bean.getLabels().stream().anyMatch(l -> l.getLabel() == label && l.getUsedBytes() >= 3 << 20));
        assertEquals(SecondHeap.State.IN_H2, SecondHeap.state(root));
    }

    private void move(Object root) {
        SecondHeap.tagRoot(root, label);
        SecondHeap.move(label);
        SecondHeap.transfer();
        assertEquals(SecondHeap.State.IN_H2, SecondHeap.state(root));
    }

    private WeakReference<Object> taggedAndForgotten() {
        Object root = new int[100];
        SecondHeap.tagRoot(root, label);
        return new WeakReference<>(root);
    }

    private static Map<Integer, List<String>> structure() {
        Map<Integer, List<String>> map = new HashMap<>();
        for (int i = 0; i < 1000; i++) {
            map.put(i, new ArrayList<>(List.of("key " + i, "value " + i)));
        }
        return map;
    }
}
