// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.crash;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.terrace.persist.CopiesWhileWritingTest;
import org.terrace.persist.Durability;
import org.terrace.persist.DurabilityTest;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.medium.Site;

/**
 * Checks that the crash tests detect it if any single write or sync of the engine is omitted. Therefore each of them is necessary
 * and tested. Other tests cover the remaining sites. {@link DurabilityTest} covers {@link Site#INTERVAL_SYNC}, whose time limit in
 * {@code GROUP} no state of the disk shows. {@link CopiesWhileWritingTest} covers the limit of the pages, which is for copies of
 * open files. {@link EvolutionCrashTest} covers conversions, and {@link LinesCrashTest} persistent memory.
 */
public class MutationTest {
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
        // First with SYNC, then with PROCESS, in which only checkpoints sync.
        CrashTest.scenario(CrashScenario.TINY, OPERATIONS).delete(site).run();
        CrashTest.scenario(CrashScenario.TINY.durability(Durability.PROCESS), OPERATIONS).losingAcknowledged().delete(site).run();
    }
}
