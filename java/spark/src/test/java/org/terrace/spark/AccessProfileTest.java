// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.api.java.JavaRDD;
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
    private static Map<String, long[]> sites(List<String> lines) {
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
        assertTrue(contribs[2] <= contribs[1], lines::toString);
        assertEquals(PARTITIONS, sites.get("once at A.scala:3")[0]);
        assertEquals(0, sites.get("once at A.scala:3")[3]);
    }

    /** If a program is killed, the file of the last seconds is left. */
    @Test
    void theFileIsWrittenDuringTheRun() throws Exception {
        try (LocalSpark spark = LocalSpark.on(new ObedientHeap(), AccessProfile.OPTION, file().toString())) {
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
        AccessCounts first = new AccessCounts(100);
        AccessCounts second = new AccessCounts(50);
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

    private List<String> linesWithNumbers() throws IOException {
        List<String> lines = Files.readAllLines(file());
        return lines.subList(2, lines.size());
    }
}
