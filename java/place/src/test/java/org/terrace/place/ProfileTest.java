// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.spark.PluginWithoutMoves;
import picocli.CommandLine;

/** Tests plans with the profile of an earlier run. */
class ProfileTest {

    private static final String TITLE = "# Terrace profile of cached RDDs, version 1";
    private static final String LINKS = "groupByKey at JavaPageRank.java:16";
    private static final String CONTRIBS = "flatMapToPair at JavaPageRank.java:21";

    @TempDir
    Path folder;

    private Path classes;
    private final StringWriter out = new StringWriter();
    private final StringWriter errors = new StringWriter();

    @BeforeEach
    void compile() throws Exception {
        classes = Compilers.javac(List.of(Compilers.PROGRAMS.resolve("JavaPageRank.java"),
                Compilers.PROGRAMS.resolve("JavaRecursion.java")), Files.createDirectories(folder.resolve("classes")), "-g");
    }

    private int run(Object... words) {
        out.getBuffer().setLength(0);
        errors.getBuffer().setLength(0);
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(errors));
        return line.execute(Arrays.stream(words).map(Object::toString).toArray(String[]::new));
    }

    private Path profile(String... lines) throws Exception {
        return Files.writeString(folder.resolve("profile.txt"), TITLE + "\n# Of a test.\n" + String.join("\n", lines) + "\n");
    }

    private Map<String, Tier> plan(Object... options) throws Exception {
        Path file = folder.resolve("plan.txt");
        Files.deleteIfExists(file);
        Object[] words = Arrays.copyOf(options, options.length + 3);
        words[options.length] = "--out";
        words[options.length + 1] = file;
        words[options.length + 2] = classes;
        assertEquals(0, run(words), errors::toString);
        Map<String, Tier> tiers = new TreeMap<>();
        PlanFile.read(file).forEach((site, line) -> tiers.put(site, line.tier()));
        return tiers;
    }

    private void assertPrinted(String... parts) {
        for (String part : parts) {
            assertTrue(out.toString().contains(part), "'" + part + "' is not in: " + out);
        }
    }

    /** Profiles a program that Spark runs, and plans the same program with this profile. */
    @Test
    void theHottestOfARunIsFast() throws Exception {
        Path profile = folder.resolve("profile.txt");
        try (URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()}, getClass().getClassLoader())) {
            Thread.currentThread().setContextClassLoader(loader);
            try (JavaSparkContext sc = new JavaSparkContext(new SparkConf(false).setMaster("local[1]").setAppName("profiled")
                    .set("spark.ui.enabled", "false").set("spark.driver.host", "127.0.0.1")
                    .set("spark.driver.bindAddress", "127.0.0.1").set("spark.plugins", PluginWithoutMoves.class.getName())
                    .set("spark.terrace.profile", profile.toString()))) {
                var run = loader.loadClass("JavaRecursion").getDeclaredMethod("run", JavaSparkContext.class, int.class);
                run.setAccessible(true);
                assertEquals(8 * 4 + 2 * 4, (long) run.invoke(null, sc, 8));
            } finally {
                Thread.currentThread().setContextClassLoader(getClass().getClassLoader());
            }
        }
        String deep = "parallelize at JavaRecursion.java:11";
        String twice = "parallelize at JavaRecursion.java:12";
        String never = "parallelize at JavaRecursion.java:13";
        assertEquals(Map.of(deep, Tier.SLOW, twice, Tier.FAST, never, Tier.FAST, LINKS, Tier.FAST, CONTRIBS, Tier.SLOW), plan());
        assertEquals(Map.of(deep, Tier.FAST, twice, Tier.SLOW, never, Tier.FAST, LINKS, Tier.FAST, CONTRIBS, Tier.SLOW),
                plan("--profile", profile));
        assertPrinted("was read 7.0 times in profile.txt; the program says slow, no loop uses it",
                "was read 1.0 times in profile.txt, and it is larger than the fast memory; the program says fast, used in the loop at",
                "not made in it; not in profile.txt",
                "profile.txt decides the tiers of 2 cached RDDs, 0 of which were not found in the program. 3 keep the tier of "
                + "the program.");
        assertEquals(Tier.FAST, plan("--profile", profile, "--fast", "1m").get(twice));
    }

    @Test
    void fastMemoryIsForTheHottestThatFit() throws Exception {
        Path profile = profile("fast 0", "10 1000 1000 20 2000 " + LINKS, "40 4000 400 40 4000 " + CONTRIBS,
                "10 700 700 30 2100 map at Library.scala:7", "10 500 500 9 450 map at Library.scala:8", "end 4");
        Map<String, Tier> tiers = plan("--profile", profile, "--fast", "2k");
        assertEquals(Tier.FAST, tiers.get(CONTRIBS), "ten reads of each byte");
        assertEquals(Tier.FAST, tiers.get("map at Library.scala:7"), "three");
        assertEquals(Tier.SLOW, tiers.get(LINKS), "two, and there are 948 bytes left");
        assertTrue(!tiers.containsKey("map at Library.scala:8"), "less than one read of a partition says nothing");
        assertPrinted("was read 2.0 times in profile.txt, and other RDDs take the fast memory; the program says fast");
        tiers = plan("--profile", profile, "--fast", "3k");
        assertEquals(Tier.FAST, tiers.get(LINKS));
    }

    @Test
    void fastMemoryIsAlsoForThoseThatTheProgramKeepsThere() throws Exception {
        Path profile = profile("fast 0", "10 1500 1500 9 900 " + LINKS, "4 400 400 40 4000 " + CONTRIBS,
                "10 400 400 30 1200 map at Library.scala:7", "10 100 100 20 200 map at Library.scala:8", "end 4");
        Map<String, Tier> tiers = plan("--profile", profile, "--fast", "2k");
        assertEquals(Tier.FAST, tiers.get(LINKS), "read too little, so that the program decides");
        assertEquals(Tier.FAST, tiers.get(CONTRIBS));
        assertEquals(Tier.SLOW, tiers.get("map at Library.scala:7"), "there are 148 bytes left");
        assertEquals(Tier.FAST, tiers.get("map at Library.scala:8"));
        tiers = plan("--profile", profile, "--fast", "1k");
        assertEquals(Tier.FAST, tiers.get(CONTRIBS), "the hottest");
        assertEquals(Tier.SLOW, tiers.get("map at Library.scala:8"), "the memory is full");
    }

    /** What does not fit as a whole is fast if nothing is hotter. */
    @Test
    void theHottestIsFastInAnyCase() throws Exception {
        Map<String, Tier> tiers = plan("--profile",
                profile("fast 10", "10 1000 1000 50 5000 " + LINKS, "4 40 4 4 40 " + CONTRIBS, "end 2"));
        assertEquals(Tier.FAST, tiers.get(CONTRIBS));
        assertEquals(Tier.SLOW, tiers.get(LINKS));
        tiers = plan("--profile", profile("fast 10", "10 1000 1000 50 5000 " + LINKS, "4 40 40 4 40 " + CONTRIBS, "end 2"));
        assertEquals(Tier.FAST, tiers.get(LINKS));
        assertEquals(Tier.SLOW, tiers.get(CONTRIBS));
    }

    @Test
    void withTooFewReadsTheProgramDecides() throws Exception {
        Map<String, Tier> tiers = plan("--profile", profile("fast 10", "10 1000 1000 9 900 " + LINKS, "4 40 4 0 0 " + CONTRIBS, "end 2"));
        assertEquals(Tier.FAST, tiers.get(LINKS));
        assertEquals(Tier.SLOW, tiers.get(CONTRIBS));
        assertPrinted("not made in it; too few reads in profile.txt (9 of 10 partitions)", "(0 of 4 partitions)");
    }

    /** The tier in the file is that of the analysis, so that the next plan without a profile does not keep it. */
    @Test
    void aMeasuredTierIsNotKeptAsAChangeOfTheUser() throws Exception {
        Path file = folder.resolve("plan.txt");
        Path profile = profile("fast 10", "10 1000 1000 50 5000 " + CONTRIBS, "end 1");
        assertEquals(0, run("--profile", profile, "--out", file, classes));
        assertEquals(Tier.FAST, PlanFile.read(file).get(CONTRIBS).tier());
        assertEquals(0, run("--out", file, classes));
        assertEquals(Tier.SLOW, PlanFile.read(file).get(CONTRIBS).tier());
        Files.writeString(file, Files.readString(file).replace("slow " + CONTRIBS, "heap " + CONTRIBS));
        assertEquals(0, run("--profile", profile, "--out", file, classes));
        assertEquals(Tier.HEAP, PlanFile.read(file).get(CONTRIBS).tier(), "a user overrules a profile");
    }

    @Test
    void aWrongFileIsRefused() throws Exception {
        assertRefused(folder.resolve("absent.txt"), "absent.txt cannot be read: no such file or folder");
        assertRefused(folder, "cannot be read: ");
        assertRefused(Files.write(folder.resolve("binary"), new byte[] {'#', (byte) 0xc3, '\n'}), "binary cannot be read");
        assertRefused(Files.writeString(folder.resolve("empty"), ""), "empty is not a profile of this version");
        assertRefused(Files.writeString(folder.resolve("plan"), "# Terrace placement plan, version 1\n"),
                "plan is not a profile of this version: its first line is not '" + TITLE + "'. A run with spark.terrace.profile=FILE");
        assertRefused(Files.writeString(folder.resolve("next"), "# Terrace profile of cached RDDs, version 2\nend 0\n"),
                "not a profile of this");
        String good = "10 1000 1000 50 5000 " + LINKS;
        for (String bad : List.of("10 1000 1000 50 " + LINKS, "10 1000 1000 50 5000", "10 1000 -1 50 5000 map at A.java:1", good,
                "10 1000 1000 50 99999999999999999999 map at A.java:1", "fast map at A.java:1", "fast")) {
            assertRefused(profile("fast 10", good, bad, "end 2"), "profile.txt, line 5 is damaged: it is '" + bad + "'");
        }
        assertRefused(profile("fast 10", good), "profile.txt is incomplete: it has 1 creation sites, but no last line 'end 1'");
        assertRefused(profile("fast 10", good, "end 2"), "incomplete: it has 1 creation sites, but its last line is 'end 2'");
        assertRefused(profile("end 1", "fast 10", good), "incomplete: it has 1 creation sites, but no last line 'end 1'");
        assertRefused(profile("fast 10", "end 0"), "has no cached RDD");
        assertRefused(profile("fast 10", "10 1000 1000 50 5000 map at Other.java:3", "end 1"),
                "is of another program or version: none of its 1 creation sites is in classes. The first is 'map at Other.java:3'");
        assertRefused(profile("fast 0", good, "end 1"), "had no fast memory, so --fast SIZE must give the size");
    }

    private void assertRefused(Path profile, String why) {
        assertEquals(2, run("--profile", profile, classes));
        assertTrue(errors.toString().startsWith("place: --profile: ") && errors.toString().contains(why), errors::toString);
        assertEquals("", out.toString());
    }

    @Test
    void aWrongSizeIsRefused() throws Exception {
        Path profile = profile("fast 10", "10 1000 1000 50 5000 " + LINKS, "end 1");
        for (String size : List.of("", "0", "0g", "8x", "-1", "8 g", "8gb", "8388608t", "1234567890123456789k")) {
            assertEquals(2, run("--profile", profile, "--fast=" + size, classes), size);
            assertTrue(errors.toString().contains("--fast: '" + size + "' is not a size, such as 512m or 8g"), errors::toString);
        }
        assertEquals(2, run("--fast", "8g", classes));
        assertTrue(errors.toString().contains("--fast: only with --profile"), errors::toString);
        for (String size : List.of("1", "8G", "512m", "8388607t", "8388608k", "1000000g", "03K", "123456789012345678")) {
            assertEquals(0, run("--profile", profile, "--fast", size, classes), size);
        }
    }
}
