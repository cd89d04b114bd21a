// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.SecondHeap;
import org.terrace.spark.PlanReader;

/** Tests that the Spark plugin reads the plans that the analysis writes, and that both reject the same lines. */
class PlanRoundTripTest {

    private static final String TITLE = "# Terrace placement plan, version 1";

    /** Sites in Spark's notation, with encoded operators, constructors and unusual file names. */
    private static final List<String> SITES = List.of("groupByKey at PageRank.scala:13", "$plus$plus at Union.scala:1",
            "<init> at A.java:2", "map at My File.scala:3", "map at two  spaces.scala:4", "map at a#b.scala:5", "map at #.scala:6",
            "map at tab\tstop.scala:7", "größer at Größe.scala:8", "map at 数据.scala:9", "map at fast.scala:10",
            "fast at slow:11", "map at -:0", "map at A.java:1234567890", "x".repeat(500) + " at Long.scala:12",
            "cache at trailing#:13");

    @TempDir
    Path folder;

    private final StringWriter notes = new StringWriter();

    private static Plan.Entry entry(String site, Tier tier, boolean persisted) {
        return new Plan.Entry("data # " + tier, List.of(), site, null, tier, "used in the loop at My # File.scala:3: # all", persisted,
                List.of());
    }

    private Path write(Path file, Plan.Entry... entries) throws InputException {
        PlanFile.write(file, new Plan(Arrays.asList(entries), List.of(), entries.length, 0), "a # program.jar",
                new PrintWriter(notes, true));
        return file;
    }

    private static void assertReadAs(Map<String, Tier> expected, Path file) throws InputException {
        PlanReader plan = new PlanReader(file);
        Map<String, PlanFile.Line> lines = PlanFile.read(file);
        assertEquals(expected.keySet(), lines.keySet());
        assertEquals(expected.size(), plan.size());
        expected.forEach((site, tier) -> {
            assertEquals(tier, lines.get(site).tier(), site);
            assertEquals(tier.name(), plan.tierOf(site), site);
        });
    }

    @Test
    void bothKnowTheSameTiers() {
        assertEquals(names(Tier.values()), names(SecondHeap.Tier.values()));
    }

    private static Set<String> names(Enum<?>[] tiers) {
        return Arrays.stream(tiers).map(Enum::name).collect(Collectors.toSet());
    }

    @Test
    void eachTierOfEachSite() throws Exception {
        for (int shift = 0; shift < Tier.values().length; shift++) {
            Map<String, Tier> expected = new LinkedHashMap<>();
            List<Plan.Entry> entries = new ArrayList<>();
            for (int i = 0; i < SITES.size(); i++) {
                Tier tier = Tier.values()[(i + shift) % Tier.values().length];
                expected.put(SITES.get(i), tier);
                entries.add(entry(SITES.get(i), tier, true));
            }
            assertReadAs(expected, write(folder.resolve("plan" + shift), entries.toArray(Plan.Entry[]::new)));
        }
        assertEquals("", notes.toString());
    }

    @Test
    void whatHasNoTierIsNoLine() throws Exception {
        Path file = write(folder.resolve("plan"), entry("map at A.java:1", Tier.FAST, true), entry("map at A.java:2", Tier.SLOW, false),
                entry(Plan.NO_SITE + "cached rows at A.java:3", Tier.AUTO, true));
        assertReadAs(Map.of("map at A.java:1", Tier.FAST), file);
        assertReadAs(Map.of(), write(folder.resolve("empty")));
    }

    @Test
    void aSiteThatLooksLikeACommentIsLeftOutAndNamed() throws Exception {
        Path file = write(folder.resolve("plan"), entry("map at A # B.java:1", Tier.SLOW, true), entry("map at A.java:2", Tier.HEAP, true));
        assertReadAs(Map.of("map at A.java:2", Tier.HEAP), file);
        assertTrue(notes.toString().contains("leaves 'map at A # B.java:1' out"), notes.toString());
    }

    /** Reads an edited plan with overruled tiers, blanks, comments and foreign line ends, and writes it again. */
    @Test
    void whatAPersonMakesOfIt() throws Exception {
        Plan.Entry[] entries = {entry("map at A.java:1", Tier.FAST, true), entry("map at My File.scala:2", Tier.SLOW, true)};
        Path file = write(folder.resolve("plan"), entries);
        String text = Files.readString(file).replace("slow map at My", "\t heap   map at My") + "\n# slow map at A.java:1\n"
                + "  auto added at B.java:3  \n";
        Map<String, Tier> expected = Map.of("map at A.java:1", Tier.FAST, "map at My File.scala:2", Tier.HEAP,
                "added at B.java:3", Tier.AUTO);
        for (String end : List.of("\n", "\r\n")) {
            Files.writeString(file, text.replace("\n", end));
            assertReadAs(expected, file);
            assertReadAs(expected, write(file, entries));
        }
    }

    @Test
    void bothNameTheLineThatIsWrong() throws Exception {
        String good = "fast map at A.java:1 # fast: a, b\n\n";
        for (String bad : List.of("fast", "fast # data", "fast #", "quick map at A.java:2", "FAST map at A.java:2", "map at A.java:2",
                "fast, map at A.java:2", "\u00a0fast map at A.java:2", "= fast map at A.java:2")) {
            assertRefused(TITLE + "\n" + good + bad + "\n", ", line 4: a line is a tier (", bad.strip());
        }
        assertRefused(TITLE + "\n" + good + "slow map at A.java:1\n", ", line 4: 'map at A.java:1' has two tiers");
        for (String other : List.of("", "\n" + TITLE + "\n", TITLE + "0\n", "fast map at A.java:1\n")) {
            assertRefused(other, "its first line is not '" + TITLE + "'");
        }
        Path binary = Files.write(folder.resolve("binary"), new byte[] {'#', (byte) 0xc3, '\n'});
        assertThrows(InputException.class, () -> PlanFile.read(binary));
        assertThrows(IllegalArgumentException.class, () -> new PlanReader(binary));
    }

    private void assertRefused(String text, String... parts) throws Exception {
        Path file = Files.writeString(folder.resolve("wrong"), text);
        String here = assertThrows(InputException.class, () -> PlanFile.read(file), text).getMessage();
        String there = assertThrows(IllegalArgumentException.class, () -> new PlanReader(file), text).getMessage();
        for (String part : parts) {
            assertTrue(here.contains(part), here);
            assertTrue(there.contains(part), there);
        }
        assertTrue(here.contains(file.toString()) && there.contains(file.toString()), here + there);
    }
}
