// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.management.ConstructorParameters;

/** The usage of the second heap by one label. */
public final class SecondHeapLabelUsage {

    // Number of columns per label in the array that the VM fills: label, regions, held, used, garbage, resident.
    private static final int ROW = 6;
    // Number of columns per label in the array of tiers: label, tier, fast bytes.
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

    /** For JMX, which rebuilds the usage from the attributes of a VM that does not measure waits. */
    @ConstructorParameters({"label", "regions", "heldRegions", "usedBytes", "garbageBytes", "residentBytes"})
    public SecondHeapLabelUsage(long label, long regions, long heldRegions, long usedBytes, long garbageBytes,
                                long residentBytes) {
        this(label, regions, heldRegions, usedBytes, garbageBytes, residentBytes, -1);
    }

    /** For JMX, which rebuilds the usage from the attributes of a VM that has no tiers. */
    @ConstructorParameters({"label", "regions", "heldRegions", "usedBytes", "garbageBytes", "residentBytes", "waitedNanos"})
    public SecondHeapLabelUsage(long label, long regions, long heldRegions, long usedBytes, long garbageBytes,
                                long residentBytes, long waitedNanos) {
        this(label, regions, heldRegions, usedBytes, garbageBytes, residentBytes, waitedNanos, null, 0);
    }

    /** For JMX, which rebuilds the usage from the attributes of a VM that does not sample accesses. */
    @ConstructorParameters({"label", "regions", "heldRegions", "usedBytes", "garbageBytes", "residentBytes", "waitedNanos",
                            "tier", "fastBytes"})
    public SecondHeapLabelUsage(long label, long regions, long heldRegions, long usedBytes, long garbageBytes,
                                long residentBytes, long waitedNanos, String tier, long fastBytes) {
        this(label, regions, heldRegions, usedBytes, garbageBytes, residentBytes, waitedNanos, tier, fastBytes, -1);
    }

    /** For JMX, which rebuilds the usage from its attributes. */
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
     * Makes one usage per label from the arrays of the VM. The array {@code waits} has labels and nanoseconds in turn,
     * {@code tiers} has labels, ordinals of tiers and fast bytes, and {@code heats} has labels and thousandths. These three are
     * null if the VM does not provide them.
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
            // A label that entered H2 between the two calls to the VM has no tier yet.
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

    /**
     * The label. Objects have it because they were tagged with it or were reached from an object tagged with it. A label below
     * {@link SecondHeap#MIN_LABEL} is that of objects that moved without a hint.
     */
    public long getLabel() {
        return label;
    }

    /**
     * Number of regions that contain objects of the label. Small labels may share regions, so the sum over all labels can exceed
     * the number of regions in use.
     */
    public long getRegions() {
        return regions;
    }

    /**
     * Number of those regions that were referenced from outside H2 at the last major collection, weak references
     * included. The other regions are alive only because regions refer to them. Regions that were filled since then count
     * as held.
     */
    public long getHeldRegions() {
        return heldRegions;
    }

    /** Bytes that the label's objects occupy, including dead objects in live regions. */
    public long getUsedBytes() {
        return usedBytes;
    }

    /**
     * Bytes of dead objects in live regions that the last marking through H2 found (see
     * {@link SecondHeapMXBean#getDeepMarkings}), and 0 before the first one. There can be more by now. In a region that labels
     * share, each label gets a share in proportion to its bytes.
     */
    public long getGarbageBytes() {
        return garbageBytes;
    }

    /** Bytes of the label's objects that are in memory now. Pages that any process has read count, as the system counts them. */
    public long getResidentBytes() {
        return residentBytes;
    }

    /**
     * How long threads of the program waited for pages of this label since the VM started, in nanoseconds, summed over
     * threads. An estimate by samples. -1 if the system does not report waits.
     */
    public long getWaitedNanos() {
        return waitedNanos;
    }

    /** The {@link SecondHeap.Tier} in which the label was placed, by name; null if H2 has no tiers. */
    public String getTier() {
        return tier;
    }

    /** The part of {@link #getUsedBytes} in fast regions, or 0 if H2 has no tiers. It does not say where the pages are now. */
    public long getFastBytes() {
        return fastBytes;
    }

    /**
     * The fraction of the label's pages that the program accessed in a short window, as a mean over windows. All labels have windows
     * of the same length, so a label with more heat is accessed more often. The length follows the program, so heats of different times
     * do not compare. A label that is placed in the fast tier starts with 1. -1 if the VM does not sample accesses.
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
