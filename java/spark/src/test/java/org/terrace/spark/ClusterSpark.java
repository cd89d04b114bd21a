// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.terrace.SecondHeap;

/**
 * A standalone cluster of JVMs on the loopback interface, with a master and workers. Workers pretend to be on different hosts, so
 * that Spark speculates. Executors have the plugin on the second heap of their VM, or on an {@link ObedientHeap} without one.
 */
final class ClusterSpark implements AutoCloseable {

    static final int WORKERS = 3;

    private static final long START_SECONDS = 300;
    // The JVMs end before C2 compilation would pay off.
    private static final String QUICK_START = "-XX:TieredStopAtLevel=1";
    private static final String CLASS_PATH =
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));

    private final Path folder;
    private final List<Process> processes = new ArrayList<>();
    private final String url;

    ClusterSpark(Path folder) throws IOException, InterruptedException {
        this.folder = folder;
        try {
            Files.createDirectories(folder.resolve("home/jars"));
            url = start("master.Master", 1, "Starting Spark master at (spark://\\S+)", "--port", "0");
            for (int worker = 1; worker <= WORKERS; worker++) {
                start("worker.Worker", worker, "(Successfully registered) with master", "--cores", "1", "--memory", "1g",
                        "--work-dir", folder.resolve("work-" + worker).toString(), url);
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Returns the settings of an application on this cluster. Each executor has the memory of {@link LocalSpark}. */
    SparkConf conf(String... settings) {
        List<String> vm = new ArrayList<>(List.of("-XX:-UsePerfData"));
        if (SecondHeap.isAvailable()) {
            Collections.addAll(vm, "-XX:AllocateH2At=.", "-XX:H2Size=1g");
        } else {
            vm.add(QUICK_START);
        }
        SparkConf conf = LocalSpark.conf().setMaster(url)
                .set("spark.plugins", PluginInCluster.class.getName())
                .set("spark.executor.memory", "300m")
                .set("spark.executor.cores", "1")
                .set("spark.executor.extraClassPath", CLASS_PATH)
                .set("spark.executor.extraJavaOptions", String.join(" ", vm))
                .set("spark.ui.enabled", "true").set("spark.ui.port", "0")
                // Wait for all executors before the first task, because an executor that knows no other one makes no replica.
                .set("spark.cores.max", Integer.toString(WORKERS))
                .set("spark.scheduler.minRegisteredResourcesRatio", "1")
                .set("spark.scheduler.maxRegisteredResourcesWaitingTime", START_SECONDS + "s")
                .set("spark.storage.cachedPeersTtl", "500")
                .set(TerraceExecutorPlugin.TRANSFER_FRACTION, "0");
        for (int i = 0; i < settings.length; i += 2) {
            conf.set(settings[i], settings[i + 1]);
        }
        return conf;
    }

    /** Kills the JVM of an executor, like a crash. */
    void kill(String executorId) {
        processes.stream().flatMap(Process::descendants)
                .filter(process -> workingFolder(process).endsWith(executorId))
                .findFirst().orElseThrow(() -> new AssertionError("no process is executor " + executorId))
                .destroyForcibly();
    }

    private static Path workingFolder(ProcessHandle process) {
        try {
            return Files.readSymbolicLink(Path.of("/proc", Long.toString(process.pid()), "cwd"));
        } catch (IOException e) {
            return Path.of(""); // the process has ended
        }
    }

    /** Returns the number of partitions in H2 that each live executor reports. */
    static Map<String, Long> blocksInH2() {
        Map<String, Long> blocks = new TreeMap<>();
        PluginInCluster.driverPlugin.reports().list().stream().filter(entry -> !entry.gone).forEach(
                entry -> blocks.put(entry.report.executorId, entry.report.get(Figure.BLOCKS_IN_H2)));
        return blocks;
    }

    static long sum(Map<String, Long> blocks) {
        return blocks.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Waits until executors together have a number of partitions in H2. */
    static Map<String, Long> untilInH2(long blocks) throws Exception {
        return LocalSpark.until(found -> sum(found) == blocks, ClusterSpark::blocksInH2);
    }

    /** Returns the errors that executors find in their accounting of storage memory. */
    static List<String> mistakes(LocalSpark spark) {
        List<Integer> tasks = IntStream.range(0, 4 * WORKERS).boxed().collect(Collectors.toList());
        return spark.sc.parallelize(tasks, tasks.size()).map(task -> {
            Thread.sleep(50); // so that each executor runs some of the tasks
            String mistake = LocalSpark.mistake(PluginInCluster.executorPlugin.mover());
            return mistake.isEmpty() ? "" : SparkEnv.get().executorId() + ": " + mistake;
        }).filter(text -> !text.isEmpty()).collect();
    }

    private String start(String kind, int host, String ready, String... arguments)
            throws IOException, InterruptedException {
        Path log = folder.resolve(kind + "-" + host + ".log");
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java", "-Xmx256m", QUICK_START,
                "-Dlog4j2.configurationFile=org/apache/spark/log4j2-defaults.properties"));
        Collections.addAll(command, "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
                "--add-opens=java.base/java.nio=ALL-UNNAMED", "-cp", CLASS_PATH, "org.apache.spark.deploy." + kind,
                "--host", "127.0.0." + host, "--webui-port", "0");
        Collections.addAll(command, arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().putAll(Map.of(
                "SPARK_HOME", folder.resolve("home").toString(), "SPARK_SCALA_VERSION", "2.13",
                "SPARK_LOCAL_IP", "127.0.0." + host, "SPARK_LOCAL_DIRS", folder.resolve("local").toString()));
        Process process = builder.start();
        processes.add(process);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (System.nanoTime() < deadline && process.isAlive()) {
            Matcher found = Pattern.compile(ready).matcher(Files.readString(log));
            if (found.find()) {
                return found.group(1);
            }
            Thread.sleep(100);
        }
        throw new AssertionError(kind + " did not start:\n" + Files.readString(log));
    }

    @Override
    public void close() {
        for (Process process : processes) {
            List<ProcessHandle> all = process.descendants().collect(Collectors.toList());
            process.destroyForcibly();
            all.forEach(ProcessHandle::destroyForcibly);
        }
        for (Process process : processes) {
            try {
                process.waitFor();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
