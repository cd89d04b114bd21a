// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares plans of programs with the expected tiers, which are in comments on the lines of the programs. */
class PlacementTest {

    @TempDir
    Path folder;

    static Plan plan(Path... paths) throws InputException {
        return Placement.of(Findings.of(Program.read(List.of(paths))));
    }

    static Plan planWithLibrary(String main, Path program, Path library) throws InputException {
        return Placement.of(Findings.of(Program.read(List.of(program), List.of(library)), main));
    }

    @Test
    void newestScala() throws Exception {
        Plan plan = plan(Compilers.newestScala(Compilers.sources(".scala"), folder));
        assertEquals(Truth.of(Compilers.sources(".scala"), true), Truth.in(plan));
    }

    @Test
    void oldestScala() throws Exception {
        Plan plan = plan(Compilers.oldestScala(Compilers.sources(".scala"), folder));
        assertEquals(Truth.of(Compilers.sources(".scala"), true), Truth.in(plan));
    }

    @ParameterizedTest
    @ValueSource(strings = {"8", "11", "17"})
    void java(String release) throws Exception {
        Plan plan = plan(Compilers.javac(Compilers.sources(".java"), folder, "-g", "--release", release));
        assertEquals(Truth.of(Compilers.sources(".java"), true), Truth.in(plan));
    }

    @Test
    void whatIsOnlyComputedIsKnownToo() throws Exception {
        List<Path> source = List.of(Compilers.PROGRAMS.resolve("PageRank.scala"));
        Plan plan = plan(Compilers.newestScala(source, folder));
        Set<String> computed = plan.entries().stream().filter(entry -> !entry.persisted())
                .map(entry -> entry.tier() + " " + entry.variable() + " " + entry.site()).collect(Collectors.toCollection(TreeSet::new));
        assertEquals(Truth.of(source, false), computed);
    }

    @Test
    void aDatasetThatSqlReadsIsLeftToMeasurement() throws Exception {
        Plan plan = plan(Compilers.newestScala(List.of(Compilers.PROGRAMS.resolve("Tables.scala")), folder));
        Plan.Entry seen = plan.entries().stream().filter(entry -> entry.variable().equals("seen")).findFirst().orElseThrow();
        assertEquals(Tier.AUTO, seen.tier());
        assertTrue(!seen.hasSite(), seen.site());
    }

    @Test
    void aLibraryThatWasNotGivenMakesNoGuess() throws Exception {
        Plan plan = plan(Compilers.newestScala(List.of(Compilers.PROGRAMS.resolve("Components.scala")), folder));
        assertTrue(plan.entries().stream().noneMatch(Plan.Entry::persisted), plan.toString());
    }

    /** Of a program with several main methods, a plan with --main has what this one reaches. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aMainMethodIsTheEntry(boolean oldest) throws Exception {
        List<Path> source = List.of(Compilers.PROGRAMS.resolve("Entries.scala"));
        Path classes = oldest ? Compilers.oldestScala(source, folder) : Compilers.newestScala(source, folder);
        assertEquals(Set.of("fast wanted parallelize at Entries.scala:9", "slow shared parallelize at Entries.scala:30",
                "slow held parallelize at Entries.scala:45"), Truth.in(planOf("FirstEntry", classes)));
        assertEquals(Set.of("fast field parallelize at Entries.scala:19"), Truth.in(planOf("SecondEntry", classes)));
    }

    private static Plan planOf(String main, Path classes) throws InputException {
        return Placement.of(Findings.of(Program.read(List.of(classes)), main));
    }

    /** A loop has the line of its condition, even if it is the first statement of a method. */
    @Test
    void aLoopHasTheLineOfItsCondition() throws Exception {
        Plan plan = plan(Compilers.newestScala(List.of(Compilers.PROGRAMS.resolve("Entries.scala")), folder));
        String why = plan.entries().stream().filter(entry -> entry.variable().equals("wanted")).findFirst().orElseThrow().why();
        assertEquals("used in the loop at Entries.scala:37, not made in it", why);
    }
}
