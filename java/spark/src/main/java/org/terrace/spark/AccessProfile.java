// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
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

    /** Configuration key by which the driver tells executors to count. */
    static final String PROFILED = "terrace.profiled";

    static final String TITLE = "# Terrace profile of cached RDDs, version 1";

    private static final Method RDDS = Sequences.method(StageInfo.class, "rddInfos");

    private static final int WRITE_SECONDS = 10;

    /** The sums of all RDDs with one creation site. */
    private static final class Site {

        final long[] sums = new long[Count.values().length];
        long mostBytes; // at a time

        void add(long[] message, int at) {
            for (int i = 0; i < sums.length; i++) {
                sums[i] += message[at + i];
            }
            mostBytes = Math.max(mostBytes, get(Count.BYTES) - get(Count.REMOVED_BYTES));
        }

        long get(Count count) {
            return sums[count.ordinal()];
        }
    }

    private final Path file;
    private final String application;
    private final IntFunction<String> siteOfCached;
    private final Map<String, Site> sites = new TreeMap<>();
    private final Map<Integer, String> siteOf = new HashMap<>();
    private final List<long[]> waiting = new ArrayList<>(); // counts of RDDs whose site is not known yet
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "terrace-access-profile");
        thread.setDaemon(true);
        return thread;
    });
    private long fastBytes;
    private boolean changed;
    private boolean ended;
    private long written = System.nanoTime();

    /**
     * @param siteOfCached maps the id of an RDD that is cached now to its creation site, and others to null
     * @throws IllegalArgumentException if the file cannot be written, or is not a profile
     */
    AccessProfile(String file, String application, IntFunction<String> siteOfCached) {
        this.file = Path.of(file).toAbsolutePath();
        this.application = application.replaceAll("\\s+", " ");
        this.siteOfCached = siteOfCached;
        try {
            refuseOther();
            Files.write(temporary(), new byte[0]);
            Files.delete(temporary());
        } catch (IOException e) {
            throw new IllegalArgumentException(OPTION + "=" + file + " cannot be written by the driver (" + e
                    + "); name a file in an existing folder", e);
        }
    }

    private void refuseOther() throws IOException {
        if (Files.exists(file) && Files.size(file) > 0) {
            String start = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
            if (!start.startsWith(TITLE)) {
                throw new IllegalArgumentException(OPTION + "=" + file + " exists and is not a profile, so it is not overwritten; "
                        + "name another file");
            }
        }
    }

    private Path temporary() {
        return file.resolveSibling(file.getFileName() + ".new");
    }

    void start() {
        timer.scheduleWithFixedDelay(this::writeSometimes, 1, 1, TimeUnit.SECONDS);
    }

    /** Writes the file for the last time, except for messages of executors that arrive later. */
    void end() {
        timer.shutdownNow();
        synchronized (this) {
            collect();
            ended = true;
            changed = true;
            write();
            LOG.info("Terrace: wrote the profile of {} creation sites to {}", sites.size(), file);
        }
    }

    /** Remembers creation sites of cached RDDs, because a program may unpersist an RDD before its counts arrive. */
    @Override
    public void onStageSubmitted(SparkListenerStageSubmitted submitted) {
        synchronized (this) {
            for (Iterator<RDDInfo> i = Sequences.iterator(RDDS, submitted.stageInfo()); i.hasNext();) {
                RDDInfo rdd = i.next();
                if (rdd.storageLevel().isValid() && !rdd.callSite().contains("\n")) { // one with lines is the long form
                    siteOf.put(rdd.id(), rdd.callSite());
                }
            }
        }
    }

    synchronized void add(long[] message) {
        fastBytes += message[0];
        for (int at = 1; at < message.length; at += 1 + Count.values().length) {
            waiting.add(Arrays.copyOfRange(message, at, at + 1 + Count.values().length));
        }
        changed = true;
        attribute();
        if (ended) {
            write();
        }
    }

    private void attribute() {
        waiting.removeIf(counts -> {
            int rddId = (int) counts[0];
            String site = siteOf.get(rddId);
            if (site == null) {
                site = siteOfCached.apply(rddId);
                if (site == null) {
                    return false;
                }
                siteOf.put(rddId, site);
            }
            sites.computeIfAbsent(site, key -> new Site()).add(counts, 1);
            return true;
        });
    }

    /** Takes the counts of the executor in this VM, if there is one, as in local mode. */
    private void collect() {
        AccessCounts local = TerraceExecutorPlugin.countsInDriver();
        long[] message = local == null ? null : local.take();
        if (message != null) {
            add(message);
        }
    }

    private synchronized void writeSometimes() {
        try {
            collect();
            if (changed && System.nanoTime() - written > TimeUnit.SECONDS.toNanos(WRITE_SECONDS)) {
                write();
            }
        } catch (RuntimeException e) { // or the timer would stop
            LOG.warn("Terrace: the profile {} was not written", file, e);
        }
    }

    private void write() {
        attribute();
        List<String> lines = new ArrayList<>(List.of(TITLE, "# Of " + application + ". Each line: partitions cached, their bytes, "
                + "most bytes at a time, reads of partitions, bytes read, creation site.", "fast " + fastBytes));
        sites.forEach((site, sums) -> lines.add(sums.get(Count.PARTITIONS) + " " + sums.get(Count.BYTES) + " " + sums.mostBytes + " "
                + sums.get(Count.READS) + " " + sums.get(Count.READ_BYTES) + " " + site));
        lines.add("end " + sites.size());
        try {
            Files.write(temporary(), lines, StandardCharsets.UTF_8);
            Files.move(temporary(), file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            changed = false;
        } catch (IOException e) {
            LOG.warn("Terrace: the profile {} cannot be written", file, e);
        }
        written = System.nanoTime();
    }
}
