// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.management.ConstructorParameters;

/** What the second heap holds of one label. */
public final class SecondHeapLabelUsage {

    // Of one label in the array that the VM fills: label, regions, held, used, garbage, resident.
    private static final int ROW = 6;
    // Label, tier, fast bytes.
    private static final int TIER_ROW = 3;

    private final long label;
    private final long regions;
    private final long heldRegions;
    private final long usedBytes;
    private final long garbageBytes;
    private final long residentBytes;
    private final long waitedNanos;
    private final String tier;
    private final long fastBytes;
    private final double heat;

    /** For JMX, which rebuilds it from the attributes of a VM that does not know of waits. */
    @ConstructorParameters({"label", "regions", "heldRegions", "usedBytes", "garbageBytes", "residentBytes"})
    public SecondHeapLabelUsage(long label, long regions, long heldRegions, long usedBytes, long garbageBytes,
                                long residentBytes) {
        this(label, regions, heldRegions, usedBytes, garbageBytes, residentBytes, -1);
    }

    /** For JMX, which rebuilds it from the attributes of a VM that does not know of tiers. */
    @ConstructorParameters({"label", "regions", "heldRegions", "usedBytes", "garbageBytes", "residentBytes", "waitedNanos"})
    public SecondHeapLabelUsage(long label, long regions, long heldRegions, long usedBytes, long garbageBytes,
                                long residentBytes, long waitedNanos) {
        this(label, regions, heldRegions, usedBytes, garbageBytes, residentBytes, waitedNanos, null, 0);
    }

    /** For JMX, which rebuilds it from the attributes of a VM that does not know of accesses. */
    @ConstructorParameters({"label", "regions", "heldRegions", "usedBytes", "garbageBytes", "residentBytes", "waitedNanos",
                            "tier", "fastBytes"})
    public SecondHeapLabelUsage(long label, long regions, long heldRegions, long usedBytes, long garbageBytes,
                                long residentBytes, long waitedNanos, String tier, long fastBytes) {
        this(label, regions, heldRegions, usedBytes, garbageBytes, residentBytes, waitedNanos, tier, fastBytes, -1);
    }

    /** For JMX, which rebuilds it from its attributes. */
    @ConstructorParameters({"label", "regions", "heldRegions", "usedBytes", "garbageBytes", "residentBytes", "waitedNanos",
                            "tier", "fastBytes", "heat"})
    public SecondHeapLabelUsage(long label, long regions, long heldRegions, long usedBytes, long garbageBytes,
                                long residentBytes, long waitedNanos, String tier, long fastBytes, double heat) {
        this.label = label;
        this.regions = regions;
        this.heldRegions = heldRegions;
        this.usedBytes = usedBytes;
        this.garbageBytes = garbageBytes;
        this.residentBytes = residentBytes;
        this.waitedNanos = waitedNanos;
        this.tier = tier;
        this.fastBytes = fastBytes;
        this.heat = heat;
    }

    /**
     * Waits are labels and nanoseconds in turn, tiers are labels, numbers of tiers and fast bytes in turn, heats are labels and
     * thousandths in turn; null if they are not known.
     */
    static List<SecondHeapLabelUsage> of(long[] rows, long[] waits, long[] tiers, long[] heats) {
        Map<Long, Long> waited = byLabel(waits);
        Map<Long, Long> hot = byLabel(heats);
        Map<Long, Integer> rowOfTier = new HashMap<>();
        for (int i = 0; tiers != null && i + TIER_ROW <= tiers.length; i += TIER_ROW) {
            rowOfTier.put(tiers[i], i);
        }
        List<SecondHeapLabelUsage> usages = new ArrayList<>(rows.length / ROW);
        for (int i = 0; i + ROW <= rows.length; i += ROW) {
            Integer placed = rowOfTier.get(rows[i]);
            // A label may have come into H2 between the two questions.
            String tier = tiers == null ? null : SecondHeap.Tier.values()[placed == null ? 0 : (int) tiers[placed + 1]].name();
            usages.add(new SecondHeapLabelUsage(rows[i], rows[i + 1], rows[i + 2], rows[i + 3], rows[i + 4],
                                                rows[i + 5], waited.getOrDefault(rows[i], waits == null ? -1L : 0L),
                                                tier, placed == null ? 0 : tiers[placed + 2],
                                                heats == null ? -1 : hot.getOrDefault(rows[i], 0L) / 1000.0));
        }
        return Collections.unmodifiableList(usages);
    }

    private static Map<Long, Long> byLabel(long[] pairs) {
        Map<Long, Long> values = new HashMap<>();
        for (int i = 0; pairs != null && i < pairs.length; i += 2) {
            values.put(pairs[i], pairs[i + 1]);
        }
        return values;
    }

    /** The label that its objects were tagged with, or reached from. */
    public long getLabel() {
        return label;
    }

    /** Number of regions with objects of it. Small labels may share regions, so the sum over labels can exceed what is in use. */
    public long getRegions() {
        return regions;
    }

    /**
     * Number of those regions to which something outside of H2 referred at the last major collection, weak references
     * included; the others are alive only because other regions refer to them. Regions that were filled since count as
     * held.
     */
    public long getHeldRegions() {
        return heldRegions;
    }

    /** Bytes that its objects take, dead ones in living regions included. */
    public long getUsedBytes() {
        return usedBytes;
    }

    /**
     * Bytes of dead objects in living regions that the last marking through H2 found (see
     * {@link SecondHeapMXBean#getDeepMarkings}); there can be more. In a region that labels share, in proportion to their bytes.
     */
    public long getGarbageBytes() {
        return garbageBytes;
    }

    /** Bytes of its objects that are in memory now, as the system counts: what one process reads is there for all. */
    public long getResidentBytes() {
        return residentBytes;
    }

    /**
     * How long threads of the program waited for pages of this label since the VM started, in nanoseconds, summed over
     * threads: an estimate by samples. -1 if the system does not tell.
     */
    public long getWaitedNanos() {
        return waitedNanos;
    }

    /** The {@link SecondHeap.Tier} in which the label was placed, by name; null if H2 has no tiers. */
    public String getTier() {
        return tier;
    }

    /** Of {@link #getUsedBytes}, those in fast regions; 0 if H2 has no tiers. Where its pages are is another question. */
    public long getFastBytes() {
        return fastBytes;
    }

    /**
     * How much of it the program accesses: of its pages the part that was accessed between two looks, as a mean in which the
     * last look counts a quarter. A hint to place it in the fast tier is 1 at first. -1 if the VM does not look.
     */
    public double getHeat() {
        return heat;
    }

    @Override
    public String toString() {
        return "label " + label + ": " + usedBytes + " bytes in " + regions + " regions (" + heldRegions + " held), "
            + residentBytes + " resident, " + garbageBytes + " garbage"
            + (tier != null ? ", " + tier + ", " + fastBytes + " fast" : "")
            + (heat >= 0 ? ", heat " + heat : "")
            + (waitedNanos > 0 ? ", waited for " + waitedNanos / 1_000_000 + " ms" : "");
    }
}
