// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.terrace.persist.FieldType.DOUBLE;
import static org.terrace.persist.FieldType.FLOAT;
import static org.terrace.persist.FieldType.INT;
import static org.terrace.persist.FieldType.LONG;
import static org.terrace.persist.FieldType.REFERENCE;

import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass.Builder;
import org.terrace.persist.evolution.Thing;
import org.terrace.persist.evolution.Thing.Version;
import org.terrace.persist.medium.CrashStates;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.medium.Site;

/** Tests crashes of the machine at every moment of a conversion. The heap must be the old one or the new one, with all of its data. */
class EvolutionCrashTest {
    private static final int COUNT = 12;
    private static final Consumer<Builder<Thing>> OLD = b -> b.field("x", INT).field("f", FLOAT).field("next", REFERENCE);
    private static final Consumer<Builder<Thing>> NEW = b -> b.field("added", LONG).field("x", LONG).field("g", DOUBLE, "f")
            .field("next", REFERENCE).field("other", REFERENCE);
    private static final Consumer<Builder<Thing>> RENAMED =
            b -> b.field("y", INT, "x").field("g", FLOAT, "f").field("next", REFERENCE);

    private Version old;
    private Version current;

    private void fill(Heap heap) {
        old = Thing.define(OLD);
        heap.atomic(() -> {
            for (int i = 0; i < COUNT; i++) {
                Thing thing = old.create(heap);
                old.set(thing, "x", i);
                old.set(thing, "f", i / 2f);
                old.set(thing, "next", heap.root("thing", Thing.class));
                heap.setRoot("thing", thing);
            }
        });
        heap.atomic(() -> old.create(heap));
    }

    private void prepare(Heap heap) {
        fill(heap);
        current = Thing.define(NEW);
    }

    private String dump(Heap heap) {
        return dump(heap, current, "x", "g");
    }

    private static String dump(Heap heap, Version version, String x, String f) {
        StringBuilder text = new StringBuilder();
        for (Thing t = heap.root("thing", Thing.class); t != null; t = (Thing) version.get(t, "next")) {
            text.append(version.get(t, x)).append('/').append(version.get(t, f)).append(' ');
        }
        return text.toString();
    }

    private CrashScenario scenario() {
        CrashScenario scenario = new CrashScenario(CrashScenario.TINY, this::dump).describe("conversion").prepare(this::prepare);
        scenario.then(heap -> heap.atomic(() -> {
            Thing thing = heap.root("thing", Thing.class);
            current.set(thing, "x", (Long) current.get(thing, "x") + 1000);
            current.set(thing, "added", 5L);
        }));
        return scenario.then(heap -> heap.atomic(() -> {
            Thing thing = current.create(heap);
            current.set(thing, "next", heap.root("thing", Thing.class));
            heap.setRoot("thing", thing);
        }));
    }

    @Test
    void aConversionSurvivesACrashAtEveryMoment() {
        int states = scenario().run();
        assertTrue(states > 0);
        System.out.println("crash states opened, conversion: " + states);
    }

    @Test
    void soOnMemoryThatPersists() {
        System.out.println("crash states opened, lines, conversion: " + scenario().onLines().run());
    }

    @Test
    void aRenamingSurvivesACrashAtEveryMoment() {
        CrashScenario scenario = new CrashScenario(CrashScenario.TINY, heap -> dump(heap, current, "y", "g"));
        scenario.describe("renaming").prepare(heap -> {
            fill(heap);
            current = Thing.define(RENAMED);
        });
        assertTrue(scenario.then(heap -> heap.atomic(() -> current.set(heap.root("thing", Thing.class), "y", 99))).run() > 0);
    }

    @TestFactory
    Stream<DynamicTest> everySiteIsNeeded() {
        return Stream.of(Site.CONVERT_PAGE, Site.CONVERT_SYNC, Site.NAME_SYNC).map(site -> DynamicTest.dynamicTest(
                site.name(), () -> assertThrows(Throwable.class, () -> scenario().delete(site).run())));
    }

    @TestFactory
    Stream<DynamicTest> everySiteIsNeededOnMemoryThatPersists() {
        return Stream.of(Site.CONVERT_PAGE, Site.CONVERT_SYNC, Site.NAME_SYNC).map(site -> DynamicTest.dynamicTest(
                site.name(), () -> assertThrows(Throwable.class, () -> scenario().onLines().delete(site).run())));
    }

    /** The converted heap had not been closed. */
    @Test
    void aRecoveryWithAConversionSurvivesACrashAtEveryMoment() {
        Disk disk = new Disk();
        Disk killed;
        String expected;
        try (Heap heap = Heap.open(disk.path("test.heap"), CrashScenario.TINY)) {
            fill(heap);
            heap.checkpoint();
            heap.atomic(() -> old.set(heap.root("thing", Thing.class), "x", 77));
            heap.setRoot("more", heap.atomic(() -> old.create(heap)));
            expected = dump(heap, old, "x", "f");
            killed = disk.copy();
        }
        disk.dispose();
        Disk replay = killed.copy();
        killed.record();
        current = Thing.define(NEW);
        Heap.open(killed.path("test.heap"), CrashScenario.TINY).close();
        int[] opened = new int[1];
        for (Disk.Event event : killed.events()) {
            replay.apply(event);
            new CrashStates(replay).forEach(20, new Random(7), crashed -> {
                try (Heap heap = Heap.open(crashed.path("test.heap"), CrashScenario.TINY)) {
                    assertEquals(expected, dump(heap), "after " + event);
                    assertEquals(0L, current.get(heap.root("more", Thing.class), "added"), "after " + event);
                    assertEquals(List.of(), heap.check(), "after " + event);
                    opened[0]++;
                }
            });
        }
        assertTrue(opened[0] > 100, opened[0] + " states");
        replay.dispose();
        killed.dispose();
    }

    /** The rename by the killed program is only in the page cache. Later commits must not depend on it. */
    @Test
    void aCommitAfterAConversionThatWasKilledSurvivesACrashOfTheMachine() {
        Disk disk = new Disk();
        try (Heap heap = Heap.open(disk.path("test.heap"), CrashScenario.TINY)) {
            fill(heap);
        }
        Disk replay = disk.copy();
        disk.record();
        current = Thing.define(NEW);
        Heap.open(disk.path("test.heap"), CrashScenario.TINY).close();
        for (Disk.Event event : disk.events()) {
            replay.apply(event);
            Disk killed = replay.copy();
            try (Heap heap = Heap.open(killed.path("test.heap"), CrashScenario.TINY)) {
                heap.atomic(() -> current.set(heap.root("thing", Thing.class), "x", 4711L));
                new CrashStates(killed).forEach(4, new Random(7), crashed -> {
                    try (Heap again = Heap.open(crashed.path("test.heap"), CrashScenario.TINY)) {
                        assertEquals(4711L, current.get(again.root("thing", Thing.class), "x"), "killed after " + event);
                    }
                });
            }
            killed.dispose();
        }
        replay.dispose();
        disk.dispose();
    }

    @Test
    void theOldProgramOpensWhatACrashLeftBeforeTheEndAndTheNewOneAfterIt() {
        Disk disk = new Disk();
        String expected;
        try (Heap heap = Heap.open(disk.path("test.heap"), CrashScenario.TINY)) {
            fill(heap);
            expected = dump(heap, old, "x", "f");
        }
        Disk replay = disk.copy();
        disk.record();
        current = Thing.define(NEW);
        Heap.open(disk.path("test.heap"), CrashScenario.TINY).close();
        boolean renamed = false;
        boolean published = false;
        int[] opened = new int[2];
        for (Disk.Event event : disk.events()) {
            replay.apply(event);
            // Until then, a crash of the machine undoes the rename.
            renamed |= event.kind() == Disk.Event.Kind.PUBLISH;
            published |= renamed && event.kind() == Disk.Event.Kind.NAMES;
            boolean isNew = published;
            new CrashStates(replay).forEach(20, new Random(7), crashed -> {
                Version version = Thing.define(isNew ? NEW : OLD);
                try (Heap heap = Heap.open(crashed.path("test.heap"), CrashScenario.TINY)) {
                    assertEquals(expected, dump(heap, version, "x", isNew ? "g" : "f"), "after " + event);
                    assertEquals(List.of(), heap.check(), "after " + event);
                    opened[isNew ? 1 : 0]++;
                }
            });
        }
        assertTrue(opened[0] > 100 && opened[1] > 10, opened[0] + " old, " + opened[1] + " new");
        replay.dispose();
        disk.dispose();
    }
}
