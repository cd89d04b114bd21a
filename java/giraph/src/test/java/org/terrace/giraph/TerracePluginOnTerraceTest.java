// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.giraph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
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
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.giraph.comm.messages.MessageStore;
import org.apache.giraph.conf.GiraphConfiguration;
import org.apache.giraph.conf.GiraphConstants;
import org.apache.giraph.io.EdgeReader;
import org.apache.giraph.io.formats.IntNullTextEdgeInputFormat;
import org.apache.giraph.worker.DefaultWorkerObserver;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.terrace.SecondHeap;
import org.terrace.SecondHeapLabelUsage;

/** Tests the plugin on a Terrace JDK with H2 on. Run with {@code mvn -Dterrace.jdk=HOME}. */
@SuppressWarnings({"rawtypes", "unchecked"})
class TerracePluginOnTerraceTest {

    private static final int VERTICES = 20_000;
    private static final int SUPERSTEPS = 50;

    private static final Pattern ROW = Pattern.compile("^ +(\\d+) +[\\d.]+ +(\\S+)$", Pattern.MULTILINE);

    @BeforeAll
    static void sayWhatIsSkipped() {
        if (Boolean.getBoolean("terrace.expected")) {
            assertTrue(SecondHeap.isAvailable(), "terrace.jdk was given but it has no second heap");
        }
        if (!SecondHeap.isAvailable()) {
            System.out.println("SKIPPED: Giraph on the second heap; run it with -Dterrace.jdk=<home of a Terrace JDK>");
        }
    }

    @BeforeEach
    void withH2() {
        assumeTrue(SecondHeap.isAvailable(), "no second heap on this VM");
    }

    // -- Stores ---------------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void completeMessagesMoveAndNothingElseDoes(Stores kind) throws Exception {
        Workers workers = new Workers();
        workers.superstep = 1000 + kind.ordinal();
        var conf = kind.conf();
        MessageStore store = kind.fill(new TerraceMessageStoreFactory(), workers, conf);
        Map<Integer, Object> partitions = partitions(store);
        SecondHeap.transfer();
        partitions.values().forEach(messages -> assertEquals(SecondHeap.State.IN_H1, SecondHeap.state(messages),
                "what may still be added to stays"));

        store.finalizeStore();
        SecondHeap.transfer();
        partitions.values().forEach(messages -> assertEquals(SecondHeap.State.IN_H2, SecondHeap.state(messages)));
        for (Object stays : List.of(workers, workers.vertices, workers.vertices[7], conf, store, partitions)) {
            assertEquals(SecondHeap.State.IN_H1, SecondHeap.state(stays), stays.getClass()::getName);
        }
        for (int i = 0; i < Stores.VERTICES; i++) {
            WritableComparable vertex = kind.vertex(i);
            assertEquals(kind.expected(i), Stores.messages(store, vertex));
            store.clearVertexMessages(vertex);
            assertTrue(store.hasMessagesForVertex(vertex), "no write to H2");
        }
        assertTrue(used(workers.superstep) > 0);
        for (int partition : Workers.PARTITIONS) {
            store.clearPartition(partition);
        }
        store.clearAll();
        store = null; // as in Giraph, because the store may refer to objects that moved with its messages
        partitions = null;
        Boundary.end();
        System.gc();
        assertEquals(0, used(workers.superstep), "its regions die whole");
    }

    private static long used(long label) {
        return SecondHeap.labels().stream().filter(usage -> usage.getLabel() == label)
                .mapToLong(SecondHeapLabelUsage::getUsedBytes).sum();
    }

    private static Map<Integer, Object> partitions(MessageStore store) throws ReflectiveOperationException {
        Field partitions = MovingMessageStore.class.getDeclaredField("partitions");
        partitions.setAccessible(true);
        return (Map<Integer, Object>) partitions.get(store);
    }

    // -- Jobs -----------------------------------------------------------------------------------------------------------

    /**
     * Runs a transfer before each superstep, and records the usage of H2. An additional transfer moves the edges before the first
     * messages. In one transfer, objects within the same 512 bytes of the heap get one label, so some objects would live as long
     * as objects of another label.
     */
    public static final class Mover extends DefaultWorkerObserver {

        static final List<Long> USED = new ArrayList<>();
        static final List<Set<Long>> LABELS = new ArrayList<>();
        static String objects;

        @Override
        public void preSuperstep(long superstep) {
            SecondHeap.transfer();
            USED.add(SecondHeap.statistics().getUsedBytes());
            Set<Long> labels = new TreeSet<>();
            SecondHeap.labels().forEach(usage -> labels.add(usage.getLabel()));
            LABELS.add(labels);
            if (superstep == SUPERSTEPS / 2) {
                objects = report("-objects");
            }
        }

        @Override
        public void postSuperstep(long superstep) {
            if (superstep == 0) {
                SecondHeap.transfer();
            }
        }
    }

    @Test
    void edgesStayMessagesComeAndGo() throws Exception {
        Labels labels = new Labels(VERTICES, SUPERSTEPS);
        Mover.USED.clear();
        Mover.LABELS.clear();
        long freed = SecondHeap.statistics().getRegionsFreed();
        assertEquals(labels.expected(), labels.run(TerracePlugin.class, Mover.class));

        assertEquals(SUPERSTEPS + 1, Mover.USED.size());
        for (long superstep = 1; superstep <= SUPERSTEPS; superstep++) {
            assertEquals(Set.of(TaggedEdges.LABEL, superstep), Mover.LABELS.get((int) superstep),
                    "the edges, and the messages of this superstep only");
        }
        long bound = 2 * Mover.USED.get(1);
        assertTrue(Mover.USED.stream().allMatch(used -> used <= bound), () -> Mover.USED.toString());
        assertTrue(SecondHeap.statistics().getRegionsFreed() - freed >= SUPERSTEPS - 1);

        TreeMap<String, Integer> classes = new TreeMap<>();
        Matcher row = ROW.matcher(Mover.objects);
        while (row.find()) {
            classes.merge(row.group(2), Integer.valueOf(row.group(1)), Integer::sum);
        }
        assertEquals(VERTICES, classes.get("org.apache.giraph.edge.ByteArrayEdges"), Mover.objects);
        assertTrue(classes.get("org.apache.giraph.utils.io.ExtendedDataInputOutput") > VERTICES * 0.99, Mover.objects);
        for (String name : classes.keySet()) {
            assertTrue(name.startsWith("[") || name.startsWith("it.unimi.dsi.fastutil.")
                    || name.startsWith("org.apache.giraph.edge.ByteArrayEdges")
                    || name.startsWith("org.apache.giraph.utils.")
                    || name.startsWith("org.apache.giraph.types.ops.collections.Basic2ObjectMap")
                    || name.startsWith("org.apache.giraph.comm.messages.primitives.IdByteArrayMessageStore$"),
                    () -> name + " in\n" + Mover.objects);
        }
    }

    private static String report(String... arguments) {
        try {
            return (String) ManagementFactory.getPlatformMBeanServer().invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"), "terraceH2", new Object[] {arguments},
                    new String[] {String[].class.getName()});
        } catch (JMException e) {
            throw new AssertionError(e);
        }
    }

    /** A user's input format that runs a transfer when the input has been read. */
    public static final class Transferring extends IntNullTextEdgeInputFormat {

        static final Set<Long> LABELS = new TreeSet<>();

        @Override
        public EdgeReader<IntWritable, NullWritable> createEdgeReader(InputSplit split, TaskAttemptContext context) {
            return new IntNullTextEdgeReader() {
                @Override
                public void close() throws IOException {
                    super.close();
                    SecondHeap.transfer();
                    SecondHeap.labels().forEach(usage -> LABELS.add(usage.getLabel()));
                }
            };
        }
    }

    /**
     * Prints whether a job in this VM had the right result, and the labels in H2 after its input was read and after it was
     * loaded.
     */
    public static final class Loaded {
        public static void main(String[] arguments) throws Exception {
            Labels labels = new Labels(20 * VERTICES, 2);
            GiraphConfiguration job = labels.job(TerracePlugin.class, Mover.class);
            job.setEdgeInputFormatClass(Transferring.class);
            boolean right = labels.expected().equals(labels.run(job, null));
            System.gc();
            System.out.println("right: " + right + ", read: " + Transferring.LABELS + ", computed: " + Mover.LABELS.get(1) + ", at the end "
                    + used(MovingEdgeStore.LABEL) + " bytes of the input");
            System.exit(0);
        }
    }

    @Test
    void inputMovesWhileItIsLoaded(@TempDir Path folder) throws Exception {
        String printed = run(folder, "-Xmx400m", Loaded.class);
        // Regions of dead objects are freed by the next collection, at the latest.
        assertTrue(printed.contains("right: true, read: [-2], computed: [-1, 1], at the end 0 bytes")
                || printed.contains("right: true, read: [-2], computed: [-2, -1, 1], at the end 0 bytes"), printed);
    }

    /** Prints whether a job in this VM had the right result, and how much of H2 is used. */
    public static final class Job {
        public static void main(String[] arguments) throws Exception {
            Labels labels = new Labels(VERTICES, 8);
            boolean right = labels.expected().equals(labels.run(TerracePlugin.class, Mover.class));
            System.out.println("right: " + right + ", failed: " + (SecondHeap.statistics().getFailedTransfers() > 0));
            System.exit(0);
        }
    }

    private static String run(Path folder, String option, Class<?> program, String... arguments) throws Exception {
        // These tests check transfers that the plugin requests, not transfers that the collector starts when the heap is full.
        List<String> options = List.of("-Xmx200m", "-XX:AllocateH2At=" + folder, "-XX:H2RegionSize=2m", "-XX:-H2MoveUnhinted", option);
        return Children.java(folder, 5, options, program, List.of(arguments));
    }

    @Test
    void aFullH2LeavesTheJobInH1(@TempDir Path folder) throws Exception {
        String printed = run(folder, "-XX:H2Size=4m", Job.class);
        assertTrue(printed.contains("right: true"), printed);
        assertTrue(printed.contains("H2 is full") || printed.contains("failed: true"), printed);
        assertFalse(printed.contains("OutOfMemoryError"), printed);
    }

    private static final int CHECKPOINT = 4;

    /** Halts its VM in a superstep after a checkpoint, when edges and messages are in H2. */
    public static final class Killer extends DefaultWorkerObserver {
        @Override
        public void postSuperstep(long superstep) {
            if (superstep == CHECKPOINT + 1) {
                System.out.println("killed with " + SecondHeap.labels());
                Runtime.getRuntime().halt(137);
            }
        }
    }

    /** A job with checkpoints in a folder, which is either killed or continues from a checkpoint. */
    public static final class Checkpointed {
        public static void main(String[] arguments) throws Exception {
            Labels labels = new Labels(VERTICES, 8);
            boolean again = arguments.length > 1;
            GiraphConfiguration job = again ? labels.job(TerracePlugin.class, Mover.class)
                    : labels.job(TerracePlugin.class, Mover.class, Killer.class);
            job.setCheckpointFrequency(2);
            if (again) {
                job.setLong(GiraphConstants.RESTART_SUPERSTEP, CHECKPOINT);
            }
            System.out.println("right: " + labels.expected().equals(labels.run(job, Path.of(arguments[0])))
                    + ", supersteps: " + Mover.LABELS.size() + ", in H2: " + Mover.LABELS);
            System.exit(0);
        }
    }

    @Test
    void aKilledJobGoesOnFromItsCheckpoint(@TempDir Path folder) throws Exception {
        Path checkpoints = Files.createDirectory(folder.resolve("checkpoints"));
        String killed = run(folder, "-XX:H2Size=1g", Checkpointed.class, checkpoints.toString());
        assertTrue(killed.contains("killed with [") && !killed.contains("right: "), killed);
        String printed = run(folder, "-XX:H2Size=1g", Checkpointed.class, checkpoints.toString(), "restart");
        // Supersteps 4 to 8. Data from the checkpoint moves like data that was sent and loaded. The edges are tagged in superstep 4.
        assertTrue(printed.contains("right: true, supersteps: 5, in H2: [[4], [-1, 5]"), printed);
    }
}
