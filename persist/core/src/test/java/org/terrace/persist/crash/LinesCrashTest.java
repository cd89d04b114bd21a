// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.terrace.persist.Cell;
import org.terrace.persist.CopiesWhileWritingTest;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapMedium;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.medium.Site;
import org.terrace.persist.types.PersistentByteArray;

/**
 * Tests crashes of a heap on persistent memory with the same programs as on sectors. Each line of 64 bytes that was not written
 * back may be torn. Each store, write-back and sync of the engine is omitted in turn, which the tests must detect.
 */
class LinesCrashTest {
    /** Syncs that are only needed on persistent memory. */
    static final Set<Site> SYNCS = Set.of(Site.MAPPED_SYNC, Site.EXTEND_SYNC);
    private static final List<Site> STORES = List.of(Site.COMMIT, Site.CHECKPOINT_PAGE, Site.SUPERBLOCK, Site.LIFE);
    /** PAGE_LIMIT_MOVED is needed only for copies of open files, which {@link CopiesWhileWritingTest} tests. */
    private static final List<Site> STORES_OF_GROWTH = List.of(Site.PAGE_LIMIT);
    private static final List<String> OPERATIONS = List.of("push a", "large bytes of a", "checkpoint", "add to a and b",
            "large bytes of a", "push b", "free bytes of a", "large bytes of a", "add to a and b");
    private static final int STATES = Integer.getInteger("persist.statesOnLines", 75);
    private static final HeapOptions GROWING = CrashScenario.TINY.maxSize(8 << 20).logSize(512 << 10);

    private static CrashScenario scenario(List<String> names) {
        return CrashTest.scenario(CrashScenario.TINY, names).onLines().budget(STATES);
    }

    @Test
    void theHeapIsWrittenByStores() {
        Disk disk = Disk.ofLines();
        try (Heap heap = Heap.open(disk.path("test.heap"), CrashScenario.TINY)) {
            assertEquals(HeapMedium.DAX, heap.promises().medium());
            Cell cell = heap.root("cell", Cell.class, () -> new Cell(heap, 1, null));
            disk.record();
            heap.atomic(() -> cell.value(2));
            assertEquals(List.of(Disk.Event.Kind.WRITE, Disk.Event.Kind.WRITE_BACK),
                    disk.events().stream().map(Disk.Event::kind).toList());
        }
        try (Heap heap = Heap.open(disk.path("test.heap"), CrashScenario.TINY.medium(HeapMedium.FILE))) {
            assertEquals(HeapMedium.FILE, heap.promises().medium());
            disk.record();
            heap.atomic(() -> heap.root("cell", Cell.class).value(3));
            assertEquals(List.of(Disk.Event.Kind.WRITE, Disk.Event.Kind.SYNC),
                    disk.events().stream().map(Disk.Event::kind).toList());
        }
        disk.dispose();
    }

    @Test
    void everyOperationAloneSurvivesACrashAtEveryMoment() {
        int states = 0;
        for (String name : CrashTest.OPERATIONS.keySet()) {
            states += scenario(List.of(name)).run();
        }
        CrashTest.report("lines, single operations", states);
    }

    @Test
    void randomSequencesSurviveACrashAtEveryMoment() {
        int states = 0;
        List<String> names = List.copyOf(CrashTest.OPERATIONS.keySet());
        long seed = Long.getLong("persist.seed", 20211026);
        for (int i = 0; i < Integer.getInteger("persist.sequences", 6); i++) {
            Random random = new Random(seed + i);
            List<String> sequence = new ArrayList<>();
            for (int k = 2 + random.nextInt(8); k > 0; k--) {
                sequence.add(names.get(random.nextInt(names.size())));
            }
            states += scenario(sequence).seed(seed + i).run();
        }
        CrashTest.report("lines, random sequences", states);
    }

    @Test
    void aLogThatWrapsManyTimesSurvivesACrashAtEveryMoment() {
        List<String> sequence = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            sequence.addAll(List.of("large bytes of a", "add to a", "free bytes of a", "push a"));
        }
        CrashTest.report("lines, wrapping log", scenario(sequence).run());
    }

    @Test
    void atTheLowestLevelNothingAcknowledgedIsLost() {
        CrashScenario scenario = CrashTest.scenario(CrashScenario.TINY.durability(Durability.PROCESS), OPERATIONS).onLines();
        CrashTest.report("lines, PROCESS", scenario.budget(STATES).run());
    }

    @Test
    void theOnlyWholeSuperblockIsOverwrittenLast() {
        for (int damaged : new int[] {0, 4096}) {
            Disk disk = Disk.ofLines();
            Heap.open(disk.path("test.heap"), CrashScenario.TINY).close();
            disk.contentOf("test.heap")[damaged + 32]++;
            disk.record();
            try (Heap heap = Heap.open(disk.path("test.heap"), CrashScenario.TINY)) {
                List<Long> positions = disk.events().stream().filter(event -> event.site() == Site.SUPERBLOCK
                        && event.kind() == Disk.Event.Kind.WRITE).map(Disk.Event::position).toList();
                assertEquals(List.of((long) damaged, 4096L - damaged), positions);
            }
            disk.dispose();
        }
    }

    private static CrashScenario growth() {
        return new CrashScenario(GROWING, heap -> {
            Cell cell = heap.root("a", Cell.class);
            return cell.value() + " " + (cell.other() instanceof PersistentByteArray bytes ? bytes.length() : 0);
        }).onLines().describe("growth").prepare(heap -> heap.setRoot("a", heap.atomic(() -> new Cell(heap, 0, null))))
                .then(heap -> heap.atomic(() -> {
                    Cell cell = heap.root("a", Cell.class);
                    cell.value(1);
                    // Zeros need no space in the log.
                    cell.other(new PersistentByteArray(heap, 1 << 20));
                })).then(Heap::checkpoint).then(heap -> heap.atomic(() -> heap.root("a", Cell.class).value(2)));
    }

    @Test
    void aFileThatGrowsSurvivesACrashAtEveryMoment() {
        CrashTest.report("lines, growth", growth().budget(60).run());
    }

    @TestFactory
    Stream<DynamicTest> everyStoreIsNeeded() {
        return STORES.stream().map(site -> DynamicTest.dynamicTest(site.name(),
                () -> assertThrows(AssertionError.class, () -> scenario(OPERATIONS).delete(site).run())));
    }

    @TestFactory
    Stream<DynamicTest> everyWriteBackIsNeeded() {
        return STORES.stream().map(site -> DynamicTest.dynamicTest(site.name(),
                () -> assertThrows(AssertionError.class, () -> scenario(OPERATIONS).deleteWriteBack(site).run())));
    }

    @TestFactory
    Stream<DynamicTest> everyStoreAndWriteBackIsNeededWhereTheFileGrows() {
        return STORES_OF_GROWTH.stream().flatMap(site -> Stream.of(
                DynamicTest.dynamicTest(site.name(),
                        () -> assertThrows(AssertionError.class, () -> growth().budget(60).delete(site).run())),
                DynamicTest.dynamicTest("write-back of " + site,
                        () -> assertThrows(AssertionError.class, () -> growth().budget(60).deleteWriteBack(site).run()))));
    }

    @Test
    void aSyncIsNeededWhereAKilledProcessHasStored() {
        assertThrows(AssertionError.class, () -> scenario(OPERATIONS).delete(Site.MAPPED_SYNC).run());
    }

    @Test
    void aSyncIsNeededWhereTheFileGrows() {
        assertThrows(AssertionError.class, () -> growth().budget(60).delete(Site.EXTEND_SYNC).run());
    }

    @TestFactory
    Stream<DynamicTest> everySiteOfTheCreationIsNeeded() {
        return Stream.of(Site.values()).filter(site -> site.name().startsWith("CREATE") || site == Site.NAME_SYNC)
                .map(site -> DynamicTest.dynamicTest(site.name(),
                () -> assertThrows(Throwable.class, () -> CreationCrashTest.run(Disk.ofLines(), site))));
    }

    @Test
    void theSitesAreAllOfThoseThatAreUsed() {
        Disk disk = Disk.ofLines();
        disk.record();
        try (Heap heap = Heap.open(disk.path("test.heap"), GROWING)) {
            heap.setRoot("a", heap.atomic(() -> new Cell(heap, 0, null)));
            heap.atomic(() -> heap.root("a", Cell.class).other(new PersistentByteArray(heap, 1 << 20)));
        }
        for (Disk.Event event : disk.events()) {
            Site site = event.site();
            assertTrue(site == null || STORES.contains(site) || STORES_OF_GROWTH.contains(site) || SYNCS.contains(site)
                    || site.name().startsWith("CREATE") || site == Site.NAME_SYNC || site == Site.PAGE_LIMIT_MOVED,
                    "no test leaves out " + site);
        }
        disk.dispose();
    }
}
