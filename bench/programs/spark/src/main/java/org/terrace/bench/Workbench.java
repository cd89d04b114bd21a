// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerBlockUpdated;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.storage.BlockManagerMaster;
import org.apache.spark.storage.BlockStatus;
import org.apache.spark.storage.BlockUpdatedInfo;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.storage.RDDInfo;
import scala.jdk.javaapi.CollectionConverters;

/** A Spark context, in this JVM or on a cluster, with measurements of the program that uses it. */
final class Workbench implements AutoCloseable {

    private static final String H2_BEAN = "org.terrace:type=SecondHeap";

    final JavaSparkContext sc;

    private final String workload;
    private final SparkOptions options;
    private final long cpuAtStart = cpuNanos();
    private final long start = System.nanoTime();
    private final Map<String, Object> seconds = new LinkedHashMap<>();
    private final Traffic traffic = new Traffic();

    Workbench(String workload, SparkOptions options) {
        this.workload = workload;
        this.options = options;
        this.sc = new JavaSparkContext(options.sparkConf(workload));
        sc.sc().addSparkListener(traffic);
        seconds.put("start", secondsSince(start));
        sc.sc().uiWebUrl().foreach(url -> {
            System.err.printf("%s: %s is at %s%n", workload, sc.sc().applicationId(), url);
            return null;
        });
    }

    /** Returns the numbers from 0 as an RDD, as the source of generated data. */
    JavaRDD<Long> numbers(long count, int partitions) {
        return sc.sc().range(0, count, 1, partitions).toJavaRDD().map(Long.class::cast);
    }

    /** Runs a part of the program and records its wall time. */
    <T> T phase(String name, Supplier<T> body) {
        long phaseStart = System.nanoTime();
        T result = body.get();
        double took = secondsSince(phaseStart);
        seconds.put(name, took);
        System.err.printf("%s: %s took %.1f s%n", workload, name, took);
        return result;
    }

    /** Prints the line of results. Cached RDDs are counted now, so they must not be unpersisted before. */
    void report(Map<String, Object> parameters, Map<String, Object> result) {
        seconds.put("total", secondsSince(start));
        double cpu = round((cpuNanos() - cpuAtStart) / 1e9);
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("workload", workload);
        report.put("parameters", parameters);
        report.put("result", result);
        report.put("seconds", seconds);
        report.put("cpuSeconds", cpu);
        // These values precede the count of cached RDDs, which Spark treats as an access and for which the plugin prefetches.
        report.put("deviceReadBytes", deviceReadBytes());
        report.put("h2", secondHeap());
        report.put("cached", cached());
        report.put("spilled", traffic.report());
        report.put("taskReadBytes", traffic.readBytes.get());
        report.put("gc", collectors());
        report.put("setup", setup());
        print(report);
    }

    static void print(Map<String, Object> report) {
        try {
            System.out.println(new ObjectMapper().writeValueAsString(report));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Returns the places of the partitions of cached RDDs. A partition in memory has an entry in a memory store, in
     * either heap. All executors are queried, because a store does not report that it reads a partition back from disk.
     */
    private Map<String, Object> cached() {
        BlockManagerMaster stores = SparkEnv.get().blockManager().master();
        long partitions = 0;
        long inMemory = 0;
        long onDisk = 0;
        for (JavaRDD<?> rdd : sc.getPersistentRDDs().values()) {
            for (int i = 0; i < rdd.getNumPartitions(); i++) {
                Collection<BlockStatus> copies = CollectionConverters.asJavaCollection(
                        stores.getBlockStatus(new RDDBlockId(rdd.id(), i), true).values());
                partitions++;
                inMemory += copies.stream().anyMatch(copy -> copy.memSize() > 0) ? 1 : 0;
                onDisk += copies.stream().anyMatch(copy -> copy.diskSize() > 0) ? 1 : 0;
            }
        }
        long cachedPartitions = 0;
        long memoryBytes = 0;
        long diskBytes = 0;
        for (RDDInfo info : sc.sc().getRDDStorageInfo()) {
            cachedPartitions += info.numCachedPartitions();
            memoryBytes += info.memSize();
            diskBytes += info.diskSize();
        }
        Map<String, Object> cached = new LinkedHashMap<>();
        cached.put("partitions", partitions);
        cached.put("cached", cachedPartitions);
        cached.put("inMemory", inMemory);
        cached.put("onDisk", onDisk);
        cached.put("memoryBytes", memoryBytes);
        cached.put("diskBytes", diskBytes);
        return cached;
    }

    /** Returns the bytes that devices have read for this process, or -1 if the system does not report them. */
    private static long deviceReadBytes() {
        try {
            return Files.readAllLines(Path.of("/proc/self/io")).stream().filter(line -> line.startsWith("read_bytes: "))
                    .mapToLong(line -> Long.parseLong(line.substring("read_bytes: ".length()))).findFirst().orElse(-1);
        } catch (IOException e) {
            return -1;
        }
    }

    private static Map<String, Object> collectors() {
        long minorCount = 0;
        long minorMillis = 0;
        long majorCount = 0;
        long majorMillis = 0;
        Map<String, Object> all = new LinkedHashMap<>();
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            all.put(bean.getName(), Map.of("count", bean.getCollectionCount(), "ms", bean.getCollectionTime()));
            if (isMinor(bean.getName())) {
                minorCount += bean.getCollectionCount();
                minorMillis += bean.getCollectionTime();
            } else {
                majorCount += bean.getCollectionCount();
                majorMillis += bean.getCollectionTime();
            }
        }
        Map<String, Object> gc = new LinkedHashMap<>();
        gc.put("minorCount", minorCount);
        gc.put("minorMs", minorMillis);
        gc.put("majorCount", majorCount);
        gc.put("majorMs", majorMillis);
        gc.put("collectors", all);
        return gc;
    }

    private static boolean isMinor(String collector) {
        return collector.contains("Scavenge") || collector.contains("Young") || collector.contains("Minor")
                || collector.equals("Copy") || collector.equals("ParNew");
    }

    /** Returns the attributes of the second heap's MXBean, or null if there is none. */
    private static Map<String, Object> secondHeap() {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        try {
            ObjectName name = new ObjectName(H2_BEAN);
            if (!server.isRegistered(name)) {
                return null;
            }
            Map<String, Object> attributes = new LinkedHashMap<>();
            for (MBeanAttributeInfo attribute : server.getMBeanInfo(name).getAttributes()) {
                attributes.put(attribute.getName(), server.getAttribute(name, attribute.getName()));
            }
            return attributes;
        } catch (JMException e) {
            throw new IllegalStateException("cannot read " + H2_BEAN, e);
        }
    }

    private Map<String, Object> setup() {
        Map<String, Object> setup = new LinkedHashMap<>();
        setup.put("vm", System.getProperty("java.vm.name"));
        setup.put("vmVersion", System.getProperty("java.vm.version"));
        setup.put("maxHeapBytes", Runtime.getRuntime().maxMemory());
        setup.put("spark", sc.version());
        setup.put("cores", options.cores);
        setup.put("storageLevel", options.storageLevel);
        setup.put("plugins", sc.getConf().get("spark.plugins", ""));
        return setup;
    }

    @Override
    public void close() {
        sc.close();
    }

    static double secondsSince(long start) {
        return round((System.nanoTime() - start) / 1e9);
    }

    private static double round(double seconds) {
        return Math.round(seconds * 1000) / 1000.0;
    }

    private static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    /** Counts the data that tasks read from cached partitions and input files, and what Spark wrote to disk because memory was short. */
    private static final class Traffic extends SparkListener {

        private final AtomicLong readBytes = new AtomicLong();
        private final AtomicLong shuffleMemoryBytes = new AtomicLong();
        private final AtomicLong shuffleDiskBytes = new AtomicLong();
        private final AtomicLong blocksToDisk = new AtomicLong();
        private final AtomicLong blockBytesToDisk = new AtomicLong();
        private final Map<String, Long> onDisk = new LinkedHashMap<>(); // only the listener's thread uses it

        @Override
        public void onTaskEnd(SparkListenerTaskEnd end) {
            TaskMetrics metrics = end.taskMetrics();
            if (metrics != null) {
                readBytes.addAndGet(metrics.inputMetrics().bytesRead());
                shuffleMemoryBytes.addAndGet(metrics.memoryBytesSpilled());
                shuffleDiskBytes.addAndGet(metrics.diskBytesSpilled());
            }
        }

        @Override
        public void onBlockUpdated(SparkListenerBlockUpdated updated) {
            BlockUpdatedInfo info = updated.blockUpdatedInfo();
            if (!(info.blockId() instanceof RDDBlockId)) {
                return;
            }
            Long before = onDisk.put(info.blockId().name(), info.diskSize());
            if (info.diskSize() > 0 && (before == null || before == 0)) {
                blocksToDisk.incrementAndGet();
                blockBytesToDisk.addAndGet(info.diskSize());
            }
        }

        Map<String, Object> report() {
            Map<String, Object> report = new LinkedHashMap<>();
            report.put("cachedBlocks", blocksToDisk.get());
            report.put("cachedBytes", blockBytesToDisk.get());
            report.put("shuffleMemoryBytes", shuffleMemoryBytes.get());
            report.put("shuffleDiskBytes", shuffleDiskBytes.get());
            return report;
        }
    }
}
