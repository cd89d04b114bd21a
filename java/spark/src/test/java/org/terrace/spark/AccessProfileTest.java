// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerUnpersistRDD;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.storage.StorageLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the profile that the driver writes of a run. */
class AccessProfileTest {

    private static final int PARTITIONS = 3;

    @TempDir
    Path folder;

    private static JavaRDD<double[]> cached(LocalSpark spark, String site, StorageLevel level) {
        spark.sc.setCallSite(site);
        JavaRDD<double[]> rdd = spark.data(PARTITIONS).persist(level);
        spark.sc.clearCallSite();
        return rdd;
    }

    private Path file() {
        return folder.resolve("profile.txt");
    }

    /** Returns the numbers of each site. */
    static Map<String, long[]> sites(List<String> lines) {
        Map<String, long[]> found = new HashMap<>();
        for (String line : lines) {
            String[] words = line.split(" ", 6);
            if (words.length == 6 && !line.startsWith("#")) {
                long[] numbers = new long[5];
                for (int i = 0; i < numbers.length; i++) {
                    numbers[i] = Long.parseLong(words[i]);
                }
                found.put(words[5], numbers);
            }
        }
        return found;
    }

    @Test
    void readsOfEachSiteAreCounted() throws Exception {
        try (LocalSpark spark = LocalSpark.on(new ObedientHeap(), AccessProfile.OPTION, file().toString(),
                TerraceExecutorPlugin.TRANSFER_FRACTION, "0")) {
            JavaRDD<double[]> links = cached(spark, "links at A.scala:1", StorageLevel.MEMORY_ONLY());
            for (int pass = 0; pass < 5; pass++) {
                LocalSpark.sum(links);
            }
            for (int generation = 0; generation < 4; generation++) {
                JavaRDD<double[]> contribs = cached(spark, "contribs at A.scala:2", StorageLevel.MEMORY_AND_DISK());
                LocalSpark.sum(contribs);
                LocalSpark.sum(contribs);
                contribs.unpersist(true);
            }
            LocalSpark.sum(cached(spark, "once at A.scala:3", StorageLevel.MEMORY_ONLY()));
            LocalSpark.sum(cached(spark, "bytes at A.scala:4", StorageLevel.MEMORY_ONLY_SER()));
        }
        List<String> lines = Files.readAllLines(file());
        assertEquals(AccessProfile.TITLE, lines.get(0));
        assertTrue(lines.get(1).startsWith("# Of test. "), lines.get(1));
        assertEquals("fast " + new ObedientHeap().fastBytes(), lines.get(2));
        assertEquals("end 3", lines.get(lines.size() - 1));
        Map<String, long[]> sites = sites(lines);
        long[] links = sites.get("links at A.scala:1");
        assertEquals(PARTITIONS, links[0]);
        assertTrue(links[1] > 0.9 * PARTITIONS * LocalSpark.PARTITION, lines::toString);
        assertEquals(links[1], links[2]);
        assertEquals(4 * PARTITIONS, links[3], "the pass that caches is not counted");
        assertEquals(4 * links[1], links[4]);
        long[] contribs = sites.get("contribs at A.scala:2");
        assertEquals(4 * PARTITIONS, contribs[0]);
        assertEquals(4 * PARTITIONS, contribs[3]);
        assertEquals(contribs[1], contribs[4]);
        assertEquals(contribs[1] / 4.0, contribs[2], 0.05 * contribs[2], "one generation at a time");
        assertEquals(PARTITIONS, sites.get("once at A.scala:3")[0]);
        assertEquals(0, sites.get("once at A.scala:3")[3]);
    }

    /** To evict a partition, the store gets it from the same map as for a read. */
    @Test
    void anEvictionIsNoRead() throws Exception {
        ObedientHeap heap = new ObedientHeap();
        heap.setFull(true);
        try (LocalSpark spark = LocalSpark.on(heap, AccessProfile.OPTION, file().toString())) {
            JavaRDD<double[]> first = cached(spark, "first at A.scala:1", StorageLevel.MEMORY_AND_DISK());
            LocalSpark.sum(first);
            for (int other = 0; other < 8; other++) {
                LocalSpark.sum(cached(spark, "others at A.scala:2", StorageLevel.MEMORY_AND_DISK()));
            }
            assertTrue(spark.info(first).diskSize() > 0, "the first is evicted");
        }
        Map<String, long[]> sites = sites(Files.readAllLines(file()));
        assertEquals(0, sites.get("first at A.scala:1")[3]);
        assertEquals(0, sites.get("others at A.scala:2")[3]);
    }

    /** If a program is killed, the file of the last seconds is left. */
    @Test
    void theFileIsWrittenDuringTheRun() throws Exception {
        try (LocalSpark spark = LocalSpark.on(new ObedientHeap(), AccessProfile.OPTION, file().toString(), AccessProfile.PERIOD, "0")) {
            JavaRDD<double[]> links = cached(spark, "links at A.scala:1", StorageLevel.MEMORY_ONLY());
            LocalSpark.sum(links);
            LocalSpark.sum(links);
            LocalSpark.until(written -> written, () -> Files.exists(file()));
            LocalSpark.until(found -> found != null && found[3] == PARTITIONS,
                    () -> sites(Files.readAllLines(file())).get("links at A.scala:1"));
        }
    }

    @Test
    void withoutTheSettingNothingIsCounted() {
        try (LocalSpark spark = LocalSpark.on(new ObedientHeap())) {
            LocalSpark.sum(cached(spark, "links at A.scala:1", StorageLevel.MEMORY_ONLY()));
            assertEquals(null, TerraceExecutorPlugin.countsInDriver());
        }
        assertFalse(Files.exists(file()));
    }

    @Test
    void aFileThatCannotBeWrittenStopsSparkAtItsStart() throws IOException {
        assertRefused(folder.resolve("nowhere/profile.txt"), "cannot be written by the driver");
        Path other = Files.writeString(folder.resolve("plan.txt"), "# Terrace placement plan, version 1\n");
        assertRefused(other, "exists and is not a profile");
        assertEquals("# Terrace placement plan, version 1\n", Files.readString(other));
    }

    private static void assertRefused(Path file, String why) {
        Exception e = assertThrows(Exception.class,
                () -> LocalSpark.on(new ObedientHeap(), AccessProfile.OPTION, file.toString()).close());
        assertTrue(e.toString().contains("spark.terrace.profile=" + file) && e.toString().contains(why), e::toString);
    }

    /** Executors of a cluster send their counts, and some arrive after the end of the program. */
    @Test
    void messagesOfExecutorsAreAdded() throws IOException {
        Map<Integer, String> cached = new HashMap<>(Map.of(1, "map at A.java:1", 2, "map at A.java:1"));
        AccessProfile profile = new AccessProfile(file().toString(), "two\nlines", cached::get);
        AccessCounts first = new AccessCounts("1", 100);
        AccessCounts second = new AccessCounts("2", 50);
        first.cached(new RDDBlockId(1, 0), 10);
        second.cached(new RDDBlockId(2, 0), 20);
        second.cached(new RDDBlockId(3, 0), 5);
        profile.add(first.take());
        profile.add(second.take());
        assertEquals(null, second.take());
        for (int i = 0; i < 3; i++) {
            second.read(new RDDBlockId(2, 0), 20);
        }
        second.removed(new RDDBlockId(2, 0), 20);
        profile.end();
        assertEquals(List.of("fast 150", "2 30 30 0 0 map at A.java:1", "end 1"), linesWithNumbers());
        cached.put(3, "map at A.java:2");
        profile.add(second.take());
        assertEquals(List.of("fast 150", "2 30 30 2 40 map at A.java:1", "1 5 5 0 0 map at A.java:2", "end 2"), linesWithNumbers());
    }

    private AccessProfile profile(String... sites) {
        return new AccessProfile(file().toString(), "test", id -> sites[id]);
    }

    /** The most bytes at a time do not depend on when messages are sent. */
    @Test
    void generationsBetweenTwoMessagesCountOneByOne() throws IOException {
        AccessProfile profile = profile("map at A.java:1", "map at A.java:1", "map at A.java:1", "map at A.java:2");
        AccessCounts counts = new AccessCounts("1", 0);
        for (int rddId = 2; rddId >= 0; rddId--) {
            counts.cached(new RDDBlockId(rddId, 0), 10);
            counts.cached(new RDDBlockId(rddId, 1), 10);
            counts.removed(new RDDBlockId(rddId, 0), 10);
            counts.removed(new RDDBlockId(rddId, 1), 10);
        }
        counts.cached(new RDDBlockId(3, 0), 7);
        counts.read(new RDDBlockId(3, 0), 7);
        counts.removed(new RDDBlockId(3, 0), 7);
        profile.add(counts.take());
        counts.cached(new RDDBlockId(0, 0), 10);
        counts.cached(new RDDBlockId(1, 0), 15);
        counts.removed(new RDDBlockId(0, 0), 10);
        profile.add(counts.take());
        profile.end();
        assertEquals(List.of("fast 0", "8 85 25 0 0 map at A.java:1", "1 7 7 0 0 map at A.java:2", "end 2"), linesWithNumbers());
    }

    /** A lost executor takes no space, nor does it have fast memory. */
    @Test
    void executorsThatExistAtATimeAreAdded() throws IOException {
        AccessProfile profile = profile("map at A.java:1");
        for (int executor = 0; executor < 4; executor++) {
            AccessCounts counts = new AccessCounts(Integer.toString(executor), 100);
            counts.cached(new RDDBlockId(0, executor), 10);
            profile.add(counts.take());
            if (executor > 0) {
                profile.onExecutorRemoved(new SparkListenerExecutorRemoved(0, Integer.toString(executor), "lost"));
                counts.cached(new RDDBlockId(0, 10 + executor), 1000);
                profile.add(counts.take());
            }
        }
        profile.end();
        assertEquals(List.of("fast 200", "7 3040 20 0 0 map at A.java:1", "end 1"), linesWithNumbers());
    }

    /** A long application with dynamic allocation starts and removes executors without end. */
    @Test
    void executorsRemovedLongAgoAreForgotten() throws IOException {
        AccessProfile profile = profile("map at A.java:1");
        AccessCounts last = new AccessCounts(Integer.toString(AccessProfile.REMOVED + 99), 100);
        last.cached(new RDDBlockId(0, 0), 10);
        profile.add(last.take());
        for (int executor = 0; executor < AccessProfile.REMOVED + 100; executor++) {
            profile.onExecutorRemoved(new SparkListenerExecutorRemoved(0, Integer.toString(executor), "idle"));
        }
        assertEquals(AccessProfile.REMOVED, profile.rememberedExecutors());
        last.cached(new RDDBlockId(0, 1), 1000);
        profile.add(last.take());
        profile.end();
        assertEquals(List.of("fast 100", "2 1010 10 0 0 map at A.java:1", "end 1"), linesWithNumbers());
    }

    /** Dynamic allocation starts with one executor, which has all partitions of the first generation. */
    @Test
    void partitionsMayGoToOtherExecutors() throws IOException {
        AccessProfile profile = profile("map at A.java:1", "map at A.java:1");
        AccessCounts first = new AccessCounts("1", 0);
        first.cached(new RDDBlockId(0, 0), 10);
        first.cached(new RDDBlockId(0, 1), 10);
        first.removed(new RDDBlockId(0, 0), 10);
        first.removed(new RDDBlockId(0, 1), 10);
        profile.add(first.take());
        AccessCounts second = new AccessCounts("2", 0);
        second.cached(new RDDBlockId(1, 0), 10);
        first.cached(new RDDBlockId(1, 1), 10);
        profile.add(second.take());
        profile.add(first.take());
        profile.end();
        assertEquals(List.of("fast 0", "4 40 20 0 0 map at A.java:1", "end 1"), linesWithNumbers());
    }

    @Test
    void creationSitesOfUnpersistedRddsAreForgotten() {
        AccessProfile profile = new AccessProfile(file().toString(), "test", id -> "map at A.java:1");
        AccessCounts counts = new AccessCounts("1", 0);
        for (int rddId = 0; rddId < AccessProfile.UNPERSISTED + 100; rddId++) {
            counts.cached(new RDDBlockId(rddId, 0), 1);
        }
        profile.add(counts.take());
        assertEquals(AccessProfile.UNPERSISTED + 100, profile.rememberedSites());
        for (int rddId = 0; rddId < AccessProfile.UNPERSISTED + 100; rddId++) {
            profile.onUnpersistRDD(new SparkListenerUnpersistRDD(rddId));
        }
        assertEquals(AccessProfile.UNPERSISTED, profile.rememberedSites());
    }

    @Test
    void countsOfUnknownSitesAreDroppedAtLast() {
        AccessProfile profile = new AccessProfile(file().toString(), "test", id -> null);
        AccessCounts counts = new AccessCounts("1", 0);
        for (int rddId = 0; rddId < AccessProfile.WAITING + 100; rddId++) {
            counts.cached(new RDDBlockId(rddId, 0), 1);
        }
        List<String> log = log(() -> {
            profile.add(counts.take());
            profile.end();
        });
        assertTrue(log.get(0).contains("does not know the creation site of RDD 0, "), log::toString);
        assertTrue(log.get(log.size() - 1).contains("lacks " + (AccessProfile.WAITING + 100) + " counts"), log::toString);
    }

    @Test
    void aFileThatCannotBeWrittenAtTheEndIsNotReportedAsWritten() throws IOException {
        AccessProfile profile = profile();
        Files.createDirectories(file().resolve("folder"));
        List<String> log = log(profile::end);
        assertEquals(1, log.size(), log::toString);
        assertTrue(log.get(0).contains("cannot be written"), log::toString);
    }

    /** Returns the messages that the plugin logs meanwhile. */
    private static List<String> log(Runnable action) {
        List<String> messages = new ArrayList<>();
        AbstractAppender appender = new AbstractAppender("list", null, null, true, Property.EMPTY_ARRAY) {
            @Override
            public void append(LogEvent event) {
                messages.add(event.getMessage().getFormattedMessage());
            }
        };
        appender.start();
        Logger logger = (Logger) LogManager.getLogger(TerracePlugin.class);
        Level level = logger.getLevel();
        logger.setLevel(Level.INFO);
        logger.addAppender(appender);
        try {
            action.run();
        } finally {
            logger.removeAppender(appender);
            logger.setLevel(level);
        }
        return messages;
    }

    /** The user may have a file with any name in the same folder. */
    @Test
    void otherFilesStay() throws IOException {
        Path other = Files.writeString(folder.resolve("profile.txt.new"), "of the user");
        AccessProfile profile = profile();
        profile.end();
        assertEquals("of the user", Files.readString(other));
        try (var files = Files.list(folder)) {
            assertEquals(List.of(file(), other), files.sorted().collect(Collectors.toList()));
        }
    }

    /** The check of an existing file reads its title only, because a mistaken one may be larger than the heap. */
    @Test
    void aLargeFileIsNotReadAsAWhole() throws IOException {
        Files.writeString(file(), AccessProfile.TITLE);
        try (RandomAccessFile sparse = new RandomAccessFile(file().toFile(), "rw")) {
            sparse.setLength(4L << 30);
        }
        profile().end();
        assertEquals(List.of("fast 0", "end 0"), linesWithNumbers());
        Files.write(file(), "# Terrace profile of c\u00e4ched RDDs, version 1".getBytes(StandardCharsets.UTF_8));
        assertThrows(IllegalArgumentException.class, this::profile);
    }

    @Test
    void countsThatCouldNotBeSentAreSentLater() {
        List<Object> sent = new ArrayList<>();
        boolean[] fails = {true};
        PluginContext context = (PluginContext) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {PluginContext.class},
                (proxy, method, arguments) -> {
                    if (fails[0]) {
                        throw new IllegalStateException("no driver");
                    }
                    sent.add(arguments[0]);
                    return null;
                });
        AccessCounts counts = new AccessCounts("1", 100);
        ReportSender sender = new ReportSender(context, () -> null, counts::take);
        counts.cached(new RDDBlockId(1, 0), 10);
        sender.stop();
        fails[0] = false;
        counts.cached(new RDDBlockId(2, 0), 20);
        sender.stop();
        assertEquals(2, sent.size());
        AccessProfile profile = new AccessProfile(file().toString(), "test", id -> "map at A.java:" + id);
        sent.forEach(message -> profile.add((Map.Entry<?, ?>) message));
        profile.end();
        assertEquals(Map.of("map at A.java:1", 10L, "map at A.java:2", 20L), sites(lines()).entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, site -> site.getValue()[1])));
    }

    private List<String> lines() {
        try {
            return Files.readAllLines(file());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> linesWithNumbers() {
        return lines().subList(2, lines().size());
    }
}
