// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.giraph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.giraph.worker.DefaultWorkerObserver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.SecondHeap;
import org.terrace.SecondHeapLabelUsage;

/**
 * Runs jobs on a YARN cluster with a master and two workers, each in its own JVM, with the options of docs/use/giraph.md. Takes
 * minutes, mostly waits of Giraph, so it runs in {@code ./terrace nightly} or with
 * {@code mvn -Dterrace.jdk=HOME -Dterrace.nightly=true}.
 */
@EnabledIfSystemProperty(named = "terrace.nightly", matches = "true", disabledReason = "a part of ./terrace nightly")
class HadoopClusterOnTerraceTest {

    private static final int SUPERSTEPS = 8;
    private static final int CHECKPOINT = 4;
    private static final int LIMIT_MINUTES = 15;
    private static final String WORKER = "worker in superstep ";

    /** Runs a transfer before each superstep, and prints the usage of H2. */
    public static class Mover extends DefaultWorkerObserver {
        @Override
        public void preSuperstep(long superstep) {
            SecondHeap.transfer();
            System.out.println(WORKER + superstep + ": " + SecondHeap.labels().stream().map(SecondHeapLabelUsage::getLabel)
                    .sorted().collect(Collectors.toList()));
        }
    }

    /** Ends the JVM of one worker, in a superstep after a checkpoint. */
    public static final class Killer extends Mover {

        static final String ONCE = "killer.once";

        @Override
        public void postSuperstep(long superstep) {
            if (superstep == CHECKPOINT + 1) {
                try {
                    Files.createFile(Path.of(getConf().get(ONCE)));
                } catch (FileAlreadyExistsException e) {
                    return;
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
                Runtime.getRuntime().halt(137);
            }
        }
    }

    @Test
    void workersInJvmsOfTheirOwnUseH2AndOneMayDie(@TempDir Path folder) throws Exception {
        assumeTrue(SecondHeap.isAvailable(), "no second heap on this VM");
        Labels labels = new Labels(5000, SUPERSTEPS);
        Files.write(folder.resolve("edges.txt"), List.of(labels.lines()));
        Files.createDirectory(folder.resolve("h2"));
        Path killed = folder.resolve("killed");
        Page page = new Page();

        List<String> arguments = new ArrayList<>(job(page, folder, "whole", Mover.class, List.of()));
        arguments.add(HadoopCluster.NEXT);
        List<String> checkpoints = new ArrayList<>(page.options("-Dgiraph.checkpointFrequency"));
        checkpoints.add("-Dgiraph.checkpointDirectory=" + folder.resolve("checkpoints"));
        checkpoints.add("-D" + Killer.ONCE + "=" + killed);
        arguments.addAll(job(page, folder, "interrupted", Killer.class, checkpoints));
        List<String> options = new ArrayList<>(List.of("-Xmx300m", "-Dtest.build.data=" + folder.resolve("yarn")));
        options.addAll(HadoopCluster.OPENS);
        String printed = Children.java(folder, LIMIT_MINUTES, options, HadoopCluster.class, arguments);

        assertEquals(labels.expected(), result(folder.resolve("whole"), printed));
        assertTrue(Files.exists(killed), printed);
        assertEquals(labels.expected(), result(folder.resolve("interrupted"), printed));
        List<List<String>> jobs = workers(folder.resolve("yarn"));
        assertEquals(2, jobs.size(), jobs::toString);
        assertEquals(2, jobs.get(0).size(), jobs::toString);
        assertEquals(4, jobs.get(1).size(), () -> "two workers, and two that went on: " + jobs);
        for (String worker : jobs.get(0)) {
            for (int superstep = 1; superstep <= SUPERSTEPS; superstep++) {
                assertTrue(worker.contains(WORKER + superstep + ": [-1, " + superstep + "]"), worker);
            }
        }
        Set<Boolean> ends = new TreeSet<>();
        for (String worker : jobs.get(1)) {
            boolean first = worker.contains(WORKER + "0:");
            assertFalse(first && worker.contains(WORKER + SUPERSTEPS), worker);
            assertTrue(first || worker.contains(WORKER + (CHECKPOINT + 1) + ": [-1, " + (CHECKPOINT + 1) + "]"), worker);
            ends.add(first);
        }
        assertEquals(Set.of(false, true), ends, jobs::toString);
    }

    private static List<String> job(Page page, Path folder, String output, Class<? extends Mover> observer, List<String> more) {
        List<String> arguments = new ArrayList<>();
        for (String option : page.options("-Dgiraph.mapper.observers")) {
            arguments.add(option.replace("/opt/terrace", System.getProperty("java.home")).replace("-Xmx4g", "-Xmx200m")
                    .replace("/fast/disk", folder.resolve("h2").toString()).replace("50g", "1g -XX:H2RegionSize=2m -XX:-H2MoveUnhinted"));
        }
        arguments.addAll(more);
        arguments.addAll(List.of("-Dgiraph.worker.observers=" + observer.getName(), "-D" + Labels.SUPERSTEPS + "=" + SUPERSTEPS,
                "-Dgiraph.zkDir=" + folder.resolve("zookeeper-" + output),
                "-Dgiraph.zkManagerDirectory=" + folder.resolve("zookeepers-" + output), Labels.Spread.class.getName(),
                "-eif", "org.apache.giraph.io.formats.IntNullTextEdgeInputFormat", "-eip", folder.resolve("edges.txt").toString(),
                "-vof", "org.apache.giraph.io.formats.IdWithValueTextOutputFormat", "-op", folder.resolve(output).toString(),
                "-w", "2"));
        return arguments;
    }

    private static TreeMap<Integer, Integer> result(Path output, String log) throws IOException {
        assertTrue(Files.exists(output.resolve("_SUCCESS")), log);
        TreeMap<Integer, Integer> result = new TreeMap<>();
        try (Stream<Path> parts = Files.list(output)) {
            for (Path part : (Iterable<Path>) parts.filter(file -> file.getFileName().toString().startsWith("part"))::iterator) {
                Labels.read(Files.readAllLines(part), result);
            }
        }
        return result;
    }

    /** Returns the output of the workers of each job. */
    private static List<List<String>> workers(Path folder) throws IOException {
        TreeMap<String, List<String>> jobs = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : (Iterable<Path>) files.filter(file -> file.endsWith("stdout"))::iterator) {
                String printed = Files.readString(file);
                if (printed.contains(WORKER)) {
                    String application = file.getParent().getParent().getFileName().toString();
                    jobs.computeIfAbsent(application, name -> new ArrayList<>()).add(printed);
                }
            }
        }
        return new ArrayList<>(jobs.values());
    }
}
