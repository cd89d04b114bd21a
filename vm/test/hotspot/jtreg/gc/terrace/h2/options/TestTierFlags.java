// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.options;

/*
 * @test TestTierFlags
 * @summary Errors of the flags of tiers name the flag and the remedy. Without H2FastSize there are no tiers
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management jdk.management
 * @run driver gc.terrace.h2.options.TestTierFlags
 */

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;

import com.sun.management.OperatingSystemMXBean;
import jdk.test.lib.process.OutputAnalyzer;
import org.terrace.SecondHeap;
import org.terrace.SecondHeap.Tier;

import static gc.terrace.h2.options.VM.*;

public class TestTierFlags {

    private static final String DIAGNOSTIC = "-XX:+UnlockDiagnosticVMOptions";

    public static void main(String[] args) throws Exception {
        Path directory = freshDirectory("tiers");
        String h2 = "-XX:AllocateH2At=" + directory;
        String size = "-XX:H2Size=256m";
        assertRefused(run("-XX:H2FastSize=64m"), "H2FastSize is set", "AllocateH2At=<directory>");
        assertRefused(run(h2, size, "-XX:H2FastSize=8m"), "H2FastSize must be at least H2RegionSize");
        assertRefused(run(h2, size, "-XX:H2FastSize=-1"), "H2FastSize");
        assertRefused(run(h2, size, "-XX:H2FastSize=64m", "-XX:H2TierPolicy=best"),
                      "H2TierPolicy=best", "hints, monitor, both, interleave, lru, slow or writes");
        assertRefused(run(h2, size, "-XX:H2TierPolicy=both"), "H2TierPolicy is set", "H2FastSize=<bytes>");
        assertRefused(run(h2, size, "-XX:H2FastSize=64m", "-XX:H2SampleBudget=0"), "H2SampleBudget");
        assertRefused(run(h2, size, "-XX:H2FastSize=64m", "-XX:H2SampleInterval=0"), "H2SampleInterval");

        assertPlaces(false, h2, size).shouldNotContain("Tiers: ");
        assertPlaces(true, h2, size, "-XX:H2FastSize=16m").shouldContain("Tiers: up to 16M of H2 fast, policy hints");
        assertPlaces(true, h2, size, "-XX:H2FastSize=4m", "-XX:H2RegionSize=2m");
        for (String policy : new String[] { "monitor", "both", "interleave", "lru", "slow", "writes" }) {
            boolean tiers = !policy.equals("lru") && !policy.equals("slow");
            assertPlaces(tiers, h2, size, "-XX:H2FastSize=64m", "-XX:H2TierPolicy=" + policy).shouldContain("policy " + policy);
        }
        // The only node, or one of the nodes that the process may use anyway.
        OutputAnalyzer node = run(List.of("-XX:AllocateH2OnNode=0", size, "-XX:H2FastSize=64m"), Places.class, "placed");
        if (node.getOutput().contains("H2FastSize has no effect")) {
            node.shouldHaveExitValue(0).shouldContain("tiers false");
        }
        assertPlaces(true, h2, size, "-XX:H2FastSize=64m", "-XX:H2TierPolicy=monitor", DIAGNOSTIC, "-Dterrace.h2.failCall=scan_pages:1")
            .shouldContain("H2TierPolicy=monitor: accesses cannot be seen").shouldContain("policy hints");
        assertPlaces(true, h2, size, "-XX:H2FastSize=64m", "-XX:H2TierPolicy=writes", DIAGNOSTIC, "-Dterrace.h2.failCall=userfaultfd:1")
            .shouldContain("H2TierPolicy=writes: accesses cannot be seen, as the system refuses userfaultfd (Operation not permitted)")
            .shouldContain("seccomp").shouldContain("policy hints");
        String all = "H2FastSize=256M is taken";
        assertPlaces(true, h2, size, "-XX:H2FastSize=256m").shouldNotContain("is taken").shouldContain("Tiers: up to 256M");
        for (String more : new String[] { "257m", "8t" }) {
            assertPlaces(true, h2, size, "-XX:H2FastSize=" + more).shouldContain(all).shouldContain("Tiers: up to 256M");
        }
        long memory = ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getTotalMemorySize();
        assertPlaces(true, h2, size, "-XX:H2FastSize=64m", "-Xms64m", "-Xmx" + (memory >> 20) + "m")
            .shouldContain("exceed the available memory");
        assertEmpty(directory);
    }

    private static OutputAnalyzer assertPlaces(boolean tiers, String... flags) throws Exception {
        String[] placed = List.of(flags).stream().filter(flag -> flag.startsWith("-XX:H2FastSize=")).toArray(String[]::new);
        return run(List.of(flags), Places.class, placed).shouldHaveExitValue(0).shouldContain("tiers " + tiers);
    }

    /** Places and moves structures, with or without tiers. */
    public static final class Places {
        public static void main(String[] args) throws Exception {
            for (Tier tier : Tier.values()) {
                byte[] root = new byte[1 << 20];
                root[5] = 7;
                SecondHeap.tagRoot(root, tier.ordinal());
                SecondHeap.place(tier.ordinal(), tier);
                SecondHeap.move(tier.ordinal());
                SecondHeap.transfer();
                boolean stays = args.length > 0 && tier == Tier.HEAP;
                if ((SecondHeap.state(root) == SecondHeap.State.IN_H2) == stays || root[5] != 7) {
                    throw new RuntimeException("a root in tier " + tier + " is " + SecondHeap.state(root));
                }
                SecondHeap.prefetch(root);
                SecondHeap.dismiss(root);
            }
            SecondHeap.labels().forEach(System.out::println);
            System.out.println("tiers " + SecondHeap.hasTiers());
        }
    }
}
