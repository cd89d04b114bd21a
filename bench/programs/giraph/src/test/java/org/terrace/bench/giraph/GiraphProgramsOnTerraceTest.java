// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.giraph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.giraph.worker.DefaultWorkerObserver;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.terrace.SecondHeap;
import org.terrace.SecondHeapLabelUsage;

/**
 * Tests the programs with a second heap to which all eligible objects move. Run them with {@code mvn
 * -Dterrace.jdk=HOME}. These tests check the objects that the plugin moves, not those that the collector selects when
 * the heap is nearly full.
 */
@EnabledIfSystemProperty(named = "terrace.jdk", matches = ".+", disabledReason = "no Terrace JDK was given")
class GiraphProgramsOnTerraceTest extends ProgramsInProcesses {

    private static final int SUPERSTEPS = 50; // of label propagation, and PageRank

    /** A superstep in which all programs have messages. */
    private static final int LOOKED_AT = 2;

    private static final Pattern SUPERSTEP = Pattern.compile("^superstep (\\d+): (\\d+) bytes of (.*)$", Pattern.MULTILINE);
    private static final Pattern CLASS = Pattern.compile("^ +(\\d+) +[\\d.]+ +(\\S+)$", Pattern.MULTILINE);

    /** Classes of message maps, edge lists, and their parts. */
    private static final Pattern DATA = Pattern.compile("\\[.*|it\\.unimi\\.dsi\\.fastutil\\..*|org\\.apache\\.giraph\\.("
            + "edge\\.ByteArrayEdges|utils\\.|types\\.ops\\.collections\\.Basic2ObjectMap|comm\\.messages\\.primitives\\.\\w+\\$).*");
    private static final Pattern MESSAGE = Pattern.compile("org\\.apache\\.hadoop\\.io\\.(Long|Int|Float|Double)Writable");

    /**
     * Moves scheduled objects before each superstep, and prints the contents of H2. The edges move first. Otherwise
     * objects that move in the same collection and lie within the same 512 bytes of the heap would get one label.
     */
    public static final class Mover extends DefaultWorkerObserver {
        @Override
        public void preSuperstep(long superstep) {
            SecondHeap.transfer();
            System.out.println("superstep " + superstep + ": " + SecondHeap.statistics().getUsedBytes() + " bytes of "
                    + SecondHeap.labels().stream().map(SecondHeapLabelUsage::getLabel).sorted().collect(Collectors.toList()));
            if (superstep == LOOKED_AT) {
                System.out.println(report("-objects"));
            }
        }

        @Override
        public void postSuperstep(long superstep) {
            if (superstep == 0) {
                SecondHeap.transfer();
            }
        }

        private static String report(String argument) {
            try {
                return (String) ManagementFactory.getPlatformMBeanServer().invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"), "terraceH2",
                        new Object[] {new String[] {argument}}, new String[] {String[].class.getName()});
            } catch (JMException e) {
                throw new AssertionError(e);
            }
        }
    }

    @BeforeAll
    static void startAll() throws IOException {
        startAll(12, SUPERSTEPS, System.getProperty("terrace.jdk"),
                List.of("-XX:AllocateH2At=" + folder, "-XX:H2Size=1g", "-XX:H2RegionSize=2m", "-XX:-H2MoveUnhinted"),
                "-D", "giraph.mapper.observers=org.terrace.giraph.TerracePlugin",
                "-D", "giraph.worker.observers=" + Mover.class.getName());
    }

    @ParameterizedTest
    @EnumSource
    void edgesAndMessagesAreInH2AndNothingElse(Program program) throws Exception {
        String printed = processes.right(program);
        Matcher superstep = SUPERSTEP.matcher(printed);
        while (superstep.find() && Integer.parseInt(superstep.group(1)) < LOOKED_AT) {
            // The superstep that is checked.
        }
        assertEquals("[-1, " + LOOKED_AT + "]", superstep.group(3), printed);

        TreeMap<String, Integer> classes = new TreeMap<>();
        Matcher row = CLASS.matcher(printed);
        while (row.find()) {
            classes.merge(row.group(2), Integer.valueOf(row.group(1)), Integer::sum);
        }
        int withEdges = processes.graph(program).sources();
        assertEquals(withEdges, classes.remove("org.apache.giraph.edge.ByteArrayEdges"), printed);
        int vertices = 1 << 12;
        classes.forEach((name, count) -> {
            if (MESSAGE.matcher(name).matches()) {
                assertTrue(count <= vertices, () -> "more " + name + " than combined messages:\n" + printed);
            } else {
                assertTrue(DATA.matcher(name).matches(), () -> name + " in\n" + printed);
            }
        });
    }

    @Test
    void roomIsBoundedAndMessagesOfOldSuperstepsAreGone() throws Exception {
        Matcher superstep = SUPERSTEP.matcher(processes.right(Program.CDLP));
        List<Long> used = new ArrayList<>();
        while (superstep.find()) {
            if (!used.isEmpty()) {
                assertEquals("[-1, " + used.size() + "]", superstep.group(3), "the edges, and the messages of this superstep only");
            }
            used.add(Long.valueOf(superstep.group(2)));
        }
        assertEquals(SUPERSTEPS + 1, used.size());
        assertTrue(used.stream().allMatch(bytes -> bytes <= 2 * used.get(1)), used::toString);
    }
}
