// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace;

/**
 * A snapshot of the second heap's counters. Counters are cumulative since the VM started unless stated otherwise.
 * Without H2 every counter is 0, except that {@link #getDueBytesEstimate}, {@link #getSamples} and the waits are -1.
 */
public final class SecondHeapStatistics implements SecondHeapMXBean {

    // Indices into the array that the VM fills. A newer VM may append counters, and an older one may have fewer. Both are
    // tolerated.
    private static final int CAPACITY_BYTES = 0;
    private static final int USED_BYTES = 1;
    private static final int REGIONS_IN_USE = 2;
    private static final int REGIONS_TOTAL = 3;
    private static final int REGION_SIZE_BYTES = 4;
    private static final int TRANSFERS = 5;
    private static final int FAILED_TRANSFERS = 6;
    private static final int MOVED_OBJECTS = 7;
    private static final int MOVED_BYTES = 8;
    private static final int TRANSFER_NANOS = 9;
    private static final int REGIONS_FREED = 10;
    private static final int TAGGED_ROOTS = 11;
    private static final int MINOR_SCAN_NANOS = 12;
    private static final int MINOR_SCANNED_CARDS = 13;
    private static final int DUE_BYTES_ESTIMATE = 14;
    private static final int PREFETCHED_BYTES = 15;
    private static final int DEEP_MARKINGS = 16;
    private static final int PAGED_OUT_BYTES = 17;
    private static final int MAJOR_SCANNED_CARDS = 18;
    private static final int WAITED_NANOS = 19;
    private static final int UNPLACED_WAIT_NANOS = 20;
    // Index 21 is for the VM's internal use.
    private static final int SAMPLES = 22;
    private static final int SAMPLE_NANOS = 23;
    private static final int MIGRATED_TO_FAST_BYTES = 24;
    private static final int MIGRATED_TO_SLOW_BYTES = 25;

    private final long[] counters;

    SecondHeapStatistics(long[] counters) {
        this.counters = counters == null ? new long[0] : counters.clone();
    }

    private long counter(int index) {
        return index < counters.length ? counters[index] : 0;
    }

    @Override
    public boolean isAvailable() {
        return counters.length > 0;
    }

    @Override
    public long getCapacityBytes() {
        return counter(CAPACITY_BYTES);
    }

    @Override
    public long getUsedBytes() {
        return counter(USED_BYTES);
    }

    @Override
    public long getRegionsInUse() {
        return counter(REGIONS_IN_USE);
    }

    @Override
    public long getRegionsTotal() {
        return counter(REGIONS_TOTAL);
    }

    @Override
    public long getRegionSizeBytes() {
        return counter(REGION_SIZE_BYTES);
    }

    @Override
    public long getTransfers() {
        return counter(TRANSFERS);
    }

    @Override
    public long getFailedTransfers() {
        return counter(FAILED_TRANSFERS);
    }

    @Override
    public long getMovedObjects() {
        return counter(MOVED_OBJECTS);
    }

    @Override
    public long getMovedBytes() {
        return counter(MOVED_BYTES);
    }

    @Override
    public long getTransferNanos() {
        return counter(TRANSFER_NANOS);
    }

    @Override
    public long getRegionsFreed() {
        return counter(REGIONS_FREED);
    }

    @Override
    public long getTaggedRoots() {
        return counter(TAGGED_ROOTS);
    }

    @Override
    public long getMinorScanNanos() {
        return counter(MINOR_SCAN_NANOS);
    }

    @Override
    public long getMinorScannedCards() {
        return counter(MINOR_SCANNED_CARDS);
    }

    @Override
    public long getMajorScannedCards() {
        return counter(MAJOR_SCANNED_CARDS);
    }

    @Override
    public long getDueBytesEstimate() {
        return DUE_BYTES_ESTIMATE < counters.length ? counters[DUE_BYTES_ESTIMATE] : -1;
    }

    @Override
    public long getPrefetchedBytes() {
        return counter(PREFETCHED_BYTES);
    }

    @Override
    public long getDeepMarkings() {
        return counter(DEEP_MARKINGS);
    }

    @Override
    public long getPagedOutBytes() {
        return counter(PAGED_OUT_BYTES);
    }

    @Override
    public long getWaitedNanos() {
        return WAITED_NANOS < counters.length ? counters[WAITED_NANOS] : -1;
    }

    @Override
    public long getUnplacedWaitNanos() {
        return UNPLACED_WAIT_NANOS < counters.length ? counters[UNPLACED_WAIT_NANOS] : -1;
    }

    @Override
    public long getSamples() {
        return SAMPLES < counters.length ? counters[SAMPLES] : -1;
    }

    @Override
    public long getSampleNanos() {
        return counter(SAMPLE_NANOS);
    }

    @Override
    public long getMigratedToFastBytes() {
        return counter(MIGRATED_TO_FAST_BYTES);
    }

    @Override
    public long getMigratedToSlowBytes() {
        return counter(MIGRATED_TO_SLOW_BYTES);
    }

    @Override
    public String toString() {
        if (!isAvailable()) {
            return "no second heap";
        }
        return "H2 " + getUsedBytes() + " of " + getCapacityBytes() + " bytes used, " + getRegionsInUse() + " of "
                + getRegionsTotal() + " regions, " + getTransfers() + " transfers (" + getFailedTransfers()
                + " failed) moved " + getMovedObjects() + " objects, " + getMovedBytes() + " bytes";
    }
}
