// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import java.lang.reflect.Field;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.memory.MemoryManager;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.memory.MemoryEntry;
import org.apache.spark.storage.memory.MemoryStore;
import org.apache.spark.util.Utils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.terrace.SecondHeapManagement;

/** The executor's part of the plugin. Creates and installs its components. If this fails, Spark works as without the plugin. */
final class TerraceExecutorPlugin implements ExecutorPlugin {

    static final String ENABLED = "spark.terrace.enabled";
    static final String TRANSFER_FRACTION = "spark.terrace.transferFraction";
    static final String LANDING_FRACTION = "spark.terrace.landingFraction";

    private static final Logger LOG = LoggerFactory.getLogger(TerracePlugin.class);

    private static final long STOP_SECONDS = 30;

    /** Spark's id of the executor in local mode. */
    private static final String DRIVER = "driver";

    /** In bytes. Larger portions would save few collections, but make each one long. */
    private static final long LARGE_PORTION = 256L << 20;

    private static final Pattern LOCAL = Pattern.compile("^local\\[(\\d+)");

    /** The mover of the executor in local mode, which runs in the driver's VM, or null. */
    private static volatile BlockMover moverInDriver;

    /** The counts of the executor in local mode, which runs in the driver's VM, or null. The driver takes them itself. */
    private static volatile AccessCounts countsInDriver;

    private final Heap heap;
    private BlockMover mover;
    private Thread thread;
    private Supplier<ExecutorReport> report;
    private ReportSender sender;
    private TierQuestions questions; // null without a plan
    private AccessCounts counts;     // null without a profile

    TerraceExecutorPlugin(Heap heap) {
        this.heap = heap;
    }

    BlockMover mover() {
        return mover;
    }

    @Override
    public void init(PluginContext context, Map<String, String> extraConf) {
        SparkConf conf = context.conf();
        if (!conf.getBoolean(ENABLED, true)) {
            LOG.info("Terrace: switched off by {}; Spark caches as usual", ENABLED);
            return;
        }
        if (!heap.isAvailable()) {
            // A warning, because Spark starts executors with -XX:+IgnoreUnrecognizedVMOptions, so the VM reports nothing.
            LOG.warn("Terrace: executor {} runs on {} ({}) without a second heap, so Spark caches as usual. Start it on a "
                    + "Terrace JDK with -XX:AllocateH2At=<dir> (spark.executor.extraJavaOptions; in local mode "
                    + "--driver-java-options), or set {}=false", context.executorID(), System.getProperty("java.home"),
                    System.getProperty("java.vm.version"), ENABLED);
            return;
        }
        if (extraConf.containsKey(TierQuestions.PLANNED)) {
            questions = new TierQuestions(context);
            if (!heap.hasTiers()) {
                LOG.warn("Terrace: executor {} has a second heap without tiers, so only the lines 'heap' of {} have an effect. "
                        + "Start it with -XX:H2FastSize=<bytes>", context.executorID(), PlacementPlan.OPTION);
            }
        }
        if (extraConf.containsKey(AccessProfile.PROFILED)) {
            counts = new AccessCounts(context.executorID(), heap.fastBytes());
        }
        double storageFraction = conf.getDouble("spark.memory.storageFraction", 0.5); // safe from execution
        double landingFraction = fraction(conf, LANDING_FRACTION, storageFraction);

        SparkEnv env = SparkEnv.get();
        MemoryManager memoryManager = env.memoryManager();
        long memory = memoryManager.maxOnHeapStorageMemory();
        long portion = portion(conf, memory, Runtime.getRuntime().maxMemory());
        mover = new BlockMover(heap, memoryManager, slots(conf), portion, (long) (memory * landingFraction), questions,
                counts, (long) (memory * storageFraction));
        try {
            install(conf, env.blockManager().memoryStore(), memoryManager, mover);
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            mover = null;
            LOG.warn("Terrace: this version of Spark is not supported, so Spark caches as usual", e);
            return;
        }
        mover.prepare();
        thread = new Thread(mover, "terrace-block-mover");
        thread.setDaemon(true);
        thread.start();
        if (context.executorID().equals(DRIVER)) {
            moverInDriver = mover; // names of metrics contain the application id, which Spark does not have yet
            countsInDriver = counts;
        } else {
            registerMetrics(context.metricRegistry(), mover);
        }
        SecondHeapManagement.register();
        String host = Utils.localHostName(); // the context's host name fails on executors of a cluster
        report = () -> ExecutorReport.of(context.executorID(), host, heap, mover);
        sender = new ReportSender(context, report, counts == null || countsInDriver == counts ? () -> null : counts::take);
        sender.start();
        LOG.info("Terrace: cached partitions move to the second heap, in portions of {} bytes", portion);
    }

    @Override
    public void shutdown() {
        if (mover == null) {
            return;
        }
        if (moverInDriver == mover) {
            moverInDriver = null;
        }
        LOG.info("Terrace: at the end {}", report.get());
        sender.stop();
        if (questions != null) {
            questions.stop();
        }
        mover.stop();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(STOP_SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        mover.cede();
    }

    /**
     * Returns the number of bytes to move at a time. The default is large enough to be worth a collection, even if Spark has a
     * small part of the heap. It is not larger, because the pause grows with it.
     *
     * @param memory bytes of Spark's memory
     * @param heap   bytes of the whole heap
     */
    static long portion(SparkConf conf, long memory, long heap) {
        long portion = (long) (memory * fraction(conf, TRANSFER_FRACTION, 0.4));
        return conf.contains(TRANSFER_FRACTION) ? portion : Math.max(Math.min(portion, LARGE_PORTION), heap / 10);
    }

    private static double fraction(SparkConf conf, String key, double byDefault) {
        double value = conf.getDouble(key, byDefault);
        if (!(value >= 0 && value <= 1)) {
            throw new IllegalArgumentException(key + " must be between 0 and 1, not " + value);
        }
        return value;
    }

    /** Returns how many tasks run at a time in this executor. The default is the number of processors. */
    private static int slots(SparkConf conf) {
        Matcher local = LOCAL.matcher(conf.get("spark.master", ""));
        int cores = local.find() ? Integer.parseInt(local.group(1))
                : conf.getInt("spark.executor.cores", Runtime.getRuntime().availableProcessors());
        return Math.max(1, cores / conf.getInt("spark.task.cpus", 1));
    }

    private static void install(SparkConf conf, MemoryStore store, MemoryManager memoryManager, BlockMover mover)
            throws ReflectiveOperationException {
        Field entries = MemoryStore.class.getDeclaredField("entries");
        entries.setAccessible(true);
        PressureGate gate = new PressureGate(conf, memoryManager, store, mover);
        synchronized (memoryManager) {
            @SuppressWarnings("unchecked")
            LinkedHashMap<BlockId, MemoryEntry<?>> before =
                    (LinkedHashMap<BlockId, MemoryEntry<?>>) entries.get(store);
            synchronized (before) {
                before.forEach(mover.blocks()::put);
                entries.set(store, mover.blocks());
            }
            memoryManager.setMemoryStore(gate);
        }
    }

    static AccessCounts countsInDriver() {
        return countsInDriver;
    }

    static void forgetCountsInDriver() {
        countsInDriver = null;
    }

    /** Registers the metrics of the executor in the driver, if there is one, as in local mode. */
    static void registerMetricsInDriver(MetricRegistry registry) {
        BlockMover mover = moverInDriver;
        if (mover != null) {
            registerMetrics(registry, mover);
        }
    }

    private static void registerMetrics(MetricRegistry registry, BlockMover mover) {
        CachedBlocks blocks = mover.blocks();
        registry.register("h2.blocks", (Gauge<Integer>) blocks::movedBlocks);
        registry.register("h2.bytes", (Gauge<Long>) blocks::movedBytes);
        registry.register("due.blocks", (Gauge<Integer>) blocks::dueBlocks);
        registry.register("due.bytes", (Gauge<Long>) blocks::dueBytes);
        registry.register("transfers", (Gauge<Long>) mover::transfers);
        registry.register("transfers.stalled", (Gauge<Long>) mover::stalls);
        registry.register("landing.bytes", (Gauge<Long>) mover::landingHeld);
    }
}
