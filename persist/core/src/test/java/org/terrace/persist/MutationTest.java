// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.medium.Site;

/**
 * The crash tests see it when any one write or sync of the engine does nothing: none is there in vain, and none is
 * untested. {@link Site#INTERVAL_SYNC} is the promise of {@code GROUP} about a time, which no state of the disk shows;
 * {@link DurabilityTest} has it. The limit of the pages is for copies of files in use: {@link CopiesWhileWritingTest} has it. Those of
 * a conversion are in {@link EvolutionCrashTest}, those of memory that persists in {@link LinesCrashTest}.
 */
class MutationTest {
    private static final List<String> OPERATIONS = List.of("push a", "large bytes of a", "checkpoint", "add to a and b",
            "large bytes of a", "push b", "large bytes of a", "free bytes of a", "large bytes of a", "add to a and b");

    @TestFactory
    Stream<DynamicTest> everySiteIsNeeded() {
        return Stream.of(Site.values()).filter(site -> !site.name().startsWith("CREATE") && !site.name().startsWith("CONVERT")
                && !site.name().startsWith("PAGE_LIMIT") && site != Site.INTERVAL_SYNC && site != Site.NAME_SYNC
                && !LinesCrashTest.SYNCS.contains(site))
                .map(site -> DynamicTest.dynamicTest(site.name(),
                () -> assertThrows(AssertionError.class, () -> runWithout(site))));
    }

    @TestFactory
    Stream<DynamicTest> everySiteOfTheCreationIsNeeded() {
        return Stream.of(Site.values()).filter(site -> site.name().startsWith("CREATE") || site == Site.NAME_SYNC)
                .map(site -> DynamicTest.dynamicTest(site.name(),
                () -> assertThrows(Throwable.class, () -> CreationCrashTest.run(new Disk(), site))));
    }

    private static void runWithout(Site site) {
        // Of durability SYNC, then of PROCESS, where only checkpoints sync.
        CrashTest.scenario(CrashScenario.TINY, OPERATIONS).delete(site).run();
        CrashTest.scenario(CrashScenario.TINY.durability(Durability.PROCESS), OPERATIONS).losingAcknowledged().delete(site).run();
    }
}
