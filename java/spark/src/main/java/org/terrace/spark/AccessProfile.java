// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerUnpersistRDD;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.storage.RDDInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.terrace.spark.AccessCounts.Count;
import scala.collection.Iterator;

/**
 * The driver's profile of a run: for each creation site of cached RDDs, how much they took and how much of them tasks read. {@code
 * ./terrace place --profile} reads it. Panthera (TOCS '22, section 5) counts accesses of chunks of memory in an earlier run.
 *
 * <p>The file is written at the end, and during the run every {@value #WRITE_SECONDS} seconds, so that a killed program leaves one. It
 * is replaced atomically.
 */
final class AccessProfile extends SparkListener {

    private static final Logger LOG = LoggerFactory.getLogger(TerracePlugin.class);

    static final String OPTION = "spark.terrace.profile";

    /** Least number of seconds between two writes during the run. Only tests set it. */
    static final String PERIOD = "spark.terrace.profile.seconds";

    /** Configuration key by which the driver tells executors to count. */
    static final String PROFILED = "terrace.profiled";

    static final String TITLE = "# Terrace profile of cached RDDs, version 1";

    private static final Method RDDS = Sequences.method(StageInfo.class, "rddInfos");

    static final int WRITE_SECONDS = 10;

    /** Number of unpersisted RDDs whose creation sites are remembered, because their last counts may not have arrived. */
    static final int UNPERSISTED = 10_000;

    /** Number of removed executors that are remembered, because their last messages may not have arrived. */
    static final int REMOVED = 10_000;

    /** Number of records that wait for the creation sites of their RDDs. */
    static final int WAITING = 10_000;

    /** The bytes that the RDDs of one creation site take in one executor. */
    private static final class Space {

        long bytes;
        long mostBytes; // at a time, since an executor came or went
    }

    /** The sums of all RDDs with one creation site. */
    private static final class Site {

        final long[] sums = new long[Count.values().length];
        final Map<String, Space> spaces = new HashMap<>(); // by executor
        long mostBytes; // of all executors together, because each of them has its own fast memory

        void add(long[] record) {
            for (int i = 0; i < sums.length; i++) {
                sums[i] += record[1 + i];
            }
        }

        void addSpace(String executor, long bytes) {
            Space space = spaces.computeIfAbsent(executor, id -> new Space());
            space.bytes += bytes;
            if (space.bytes > space.mostBytes) {
                space.mostBytes = space.bytes;
                mostBytes = Math.max(mostBytes, spaces.values().stream().mapToLong(each -> each.mostBytes).sum());
            }
        }

        long get(Count count) {
            return sums[count.ordinal()];
        }
    }

    /** A record of an executor. */
    private static final class Record {

        final String executor;
        final long[] numbers;

        Record(String executor, long[] numbers) {
            this.executor = executor;
            this.numbers = numbers;
        }

        int rddId() {
            return (int) numbers[0];
        }

        long get(Count count) {
            return numbers[1 + count.ordinal()];
        }
    }

    private final Path file;
    private final Path temporary;
    private final String application;
    private final IntFunction<String> siteOfCached;
    private final Map<String, Site> sites = new TreeMap<>();
    private final Map<Integer, String> siteOf = new HashMap<>();
    private final Queue<Integer> unpersisted = new ArrayDeque<>();
    private final Queue<Record> waiting = new ArrayDeque<>(); // of RDDs whose site is not known yet
    private final Map<String, Long> fastOf = new HashMap<>(); // of each executor that has sent a message and exists
    private final Set<String> removedExecutors = new LinkedHashSet<>(); // the oldest first
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "terrace-access-profile");
        thread.setDaemon(true);
        return thread;
    });
    private long fastBytes; // of all executors at a time, at most
    private long dropped; // records
    private boolean changed;
    private boolean ended;
    private long written = System.nanoTime();
    private long period; // of writes, in ns

    /**
     * @param siteOfCached maps the id of an RDD that is cached now to its creation site, and others to null
     * @throws IllegalArgumentException if the file cannot be written, or is not a profile
     */
    AccessProfile(String file, String application, IntFunction<String> siteOfCached) {
        this.file = Path.of(file).toAbsolutePath();
        this.temporary = this.file.resolveSibling(this.file.getFileName() + "." + UUID.randomUUID() + ".new");
        this.application = application.replaceAll("\\s+", " ");
        this.siteOfCached = siteOfCached;
        try {
            refuseOther();
            Files.write(temporary, new byte[0]);
            Files.delete(temporary);
        } catch (IOException e) {
            throw new IllegalArgumentException(OPTION + "=" + file + " cannot be written by the driver (" + e
                    + "); name a file in an existing folder", e);
        }
    }

    private void refuseOther() throws IOException {
        if (Files.exists(file) && Files.size(file) > 0) {
            try (InputStream content = Files.newInputStream(file)) {
                if (!TITLE.equals(new String(content.readNBytes(TITLE.length()), StandardCharsets.UTF_8))) {
                    throw new IllegalArgumentException(OPTION + "=" + file + " exists and is not a profile, so it is not "
                            + "overwritten; name another file");
                }
            }
        }
    }

    /** @param seconds least number of seconds between two writes */
    void start(int seconds) {
        period = TimeUnit.SECONDS.toNanos(seconds);
        timer.scheduleWithFixedDelay(this::writeSometimes, 1, 1, TimeUnit.SECONDS);
    }

    /** Writes the file for the last time, except for messages of executors that arrive later. */
    void end() {
        timer.shutdownNow();
        synchronized (this) {
            collect();
            ended = true;
            changed = true;
            if (write()) {
                LOG.info("Terrace: wrote the profile of {} creation sites to {}", sites.size(), file);
            }
            if (dropped + waiting.size() > 0) {
                LOG.warn("Terrace: the profile {} lacks {} counts of RDDs whose creation sites the driver does not know", file,
                        dropped + waiting.size());
            }
        }
    }

    /** Remembers creation sites of cached RDDs, because a program may unpersist an RDD before its counts arrive. */
    @Override
    public void onStageSubmitted(SparkListenerStageSubmitted submitted) {
        synchronized (this) {
            for (Iterator<RDDInfo> i = Sequences.iterator(RDDS, submitted.stageInfo()); i.hasNext();) {
                RDDInfo rdd = i.next();
                if (rdd.storageLevel().isValid() && !rdd.callSite().contains("\n")) { // one with lines is the long form
                    siteOf.put(rdd.id(), rdd.callSite().intern()); // Spark makes a string for each RDD
                }
            }
        }
    }

    /** Forgets the creation sites of RDDs that have been unpersisted long ago. */
    @Override
    public void onUnpersistRDD(SparkListenerUnpersistRDD event) {
        synchronized (this) {
            unpersisted.add(event.rddId());
            if (unpersisted.size() > UNPERSISTED) {
                siteOf.remove(unpersisted.remove());
            }
        }
    }

    /** The partitions of a removed executor are lost, and others cache them again. */
    @Override
    public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
        synchronized (this) {
            removedExecutors.add(removed.executorId());
            if (removedExecutors.size() > REMOVED) {
                removedExecutors.remove(removedExecutors.iterator().next());
            }
            if (fastOf.remove(removed.executorId()) != null) {
                sites.values().forEach(site -> site.spaces.remove(removed.executorId()));
                executorsChanged();
            }
        }
    }

    /** Other executors may cache the partitions from now on, so the most bytes of one from before do not add to those of another. */
    private void executorsChanged() {
        sites.values().forEach(site -> site.spaces.values().forEach(space -> space.mostBytes = space.bytes));
        fastBytes = Math.max(fastBytes, fastOf.values().stream().mapToLong(Long::longValue).sum());
    }

    synchronized int rememberedSites() {
        return siteOf.size();
    }

    synchronized int rememberedExecutors() {
        return removedExecutors.size();
    }

    /** @param message of {@link AccessCounts#take} */
    synchronized void add(Map.Entry<?, ?> message) {
        String executor = (String) message.getKey();
        long[] numbers = (long[]) message.getValue();
        if (!removedExecutors.contains(executor) && fastOf.put(executor, numbers[0]) == null) {
            executorsChanged();
        }
        for (int at = 1; at < numbers.length; at += AccessCounts.WIDTH) {
            waiting.add(new Record(executor, Arrays.copyOfRange(numbers, at, at + AccessCounts.WIDTH)));
        }
        changed = true;
        attribute();
        for (; waiting.size() > WAITING; dropped++) {
            Record record = waiting.remove();
            if (dropped == 0) {
                LOG.warn("Terrace: the driver does not know the creation site of RDD {}, so the profile {} lacks its counts",
                        record.rddId(), file);
            }
        }
        if (ended) {
            write();
        }
    }

    private void attribute() {
        waiting.removeIf(record -> {
            String name = siteOf.computeIfAbsent(record.rddId(), siteOfCached::apply);
            if (name == null) {
                return false;
            }
            Site site = sites.computeIfAbsent(name, key -> new Site());
            site.add(record.numbers);
            if (fastOf.containsKey(record.executor)) {
                site.addSpace(record.executor, record.get(Count.BYTES) - record.get(Count.REMOVED_BYTES));
            }
            return true;
        });
    }

    /** Takes the counts of the executor in this VM, if there is one, as in local mode. */
    private void collect() {
        AccessCounts local = TerraceExecutorPlugin.countsInDriver();
        Map.Entry<String, long[]> message = local == null ? null : local.take();
        if (message != null) {
            add(message);
        }
    }

    private synchronized void writeSometimes() {
        try {
            collect();
            if (changed && System.nanoTime() - written > period) {
                write();
            }
        } catch (RuntimeException e) { // or the timer would stop
            LOG.warn("Terrace: the profile {} was not written", file, e);
        }
    }

    /** Returns false if the file cannot be written. */
    private boolean write() {
        attribute();
        List<String> lines = new ArrayList<>(List.of(TITLE, "# Of " + application + ". Each line: partitions cached, their bytes, "
                + "most bytes at a time, reads of partitions, bytes read, creation site.", "fast " + fastBytes));
        sites.forEach((site, sums) -> lines.add(sums.get(Count.PARTITIONS) + " " + sums.get(Count.BYTES) + " " + sums.mostBytes + " "
                + sums.get(Count.READS) + " " + sums.get(Count.READ_BYTES) + " " + site));
        lines.add("end " + sites.size());
        try {
            Files.write(temporary, lines, StandardCharsets.UTF_8);
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            changed = false;
            return true;
        } catch (IOException e) {
            LOG.warn("Terrace: the profile {} cannot be written", file, e);
            return false;
        } finally {
            written = System.nanoTime();
        }
    }
}
