// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace;

/**
 * The second heap as seen by monitoring tools, registered as {@value SecondHeapManagement#NAME} by
 * {@link SecondHeapManagement#register}. Each attribute is read separately, so two values may be from different
 * moments. {@link SecondHeap#statistics} returns all values of one moment.
 */
public interface SecondHeapMXBean {

    /** Whether this VM has a second heap. If not, every other attribute is 0 or -1. */
    boolean isAvailable();

    /** Maximum size of H2 in bytes of address space. The space on the device may be smaller. */
    long getCapacityBytes();

    /** Bytes of the device that objects in H2 occupy now, including dead objects in live regions. */
    long getUsedBytes();

    /** Number of regions that hold objects now. */
    long getRegionsInUse();

    /** Number of regions that H2 may have, in use or not. */
    long getRegionsTotal();

    /** Size of a region in bytes. */
    long getRegionSizeBytes();

    /** Number of completed transfers. */
    long getTransfers();

    /** Number of transfers that were abandoned, for example because the device was full. They moved nothing. */
    long getFailedTransfers();

    /** Number of objects that were moved to H2. */
    long getMovedObjects();

    /** Bytes of objects that were moved to H2. */
    long getMovedBytes();

    /** Time that major collections spent on transfers, in nanoseconds. */
    long getTransferNanos();

    /** Number of times a region was found dead and freed. */
    long getRegionsFreed();

    /**
     * Number of objects in H1 that have a tag now, including objects that died since the last collection. The VM looks at each tag
     * to count them.
     */
    long getTaggedRoots();

    /** Time that minor collections spent looking for references from H2 to H1, in nanoseconds, summed over threads. */
    long getMinorScanNanos();

    /** Number of cards (512 bytes of H2 each) that minor collections scanned for references to H1. */
    long getMinorScannedCards();

    /**
     * Number of cards that major collections scanned for references to H1. A collection scans a card twice, to mark and to
     * adjust. Cards are excluded if their region has recorded the targets of its references, unless one of these objects moved or
     * left its static field.
     */
    long getMajorScannedCards();

    /** The VM's estimate of the bytes that the next transfer will move, or -1 if it has none. */
    long getDueBytesEstimate();

    /** Bytes that were prefetched, or found in memory already, because of {@link SecondHeap#prefetch}. */
    long getPrefetchedBytes();

    /** Number of major collections that marked through the objects of H2, because free space in H2 or H1 was short. */
    long getDeepMarkings();

    /** Bytes that the VM asked the system to page out because of {@link SecondHeap#dismiss}. */
    long getPagedOutBytes();

    /**
     * How long threads of the program waited for pages of H2, in nanoseconds, summed over threads. An estimate by samples.
     * -1 if the system does not report waits. {@link SecondHeapLabelUsage#getWaitedNanos} has the waits by label.
     */
    long getWaitedNanos();

    /** As {@link #getWaitedNanos}, but for pages that the VM could not attribute to H2 or to other memory. */
    long getUnplacedWaitNanos();

    /**
     * Number of samples of page accesses. One sample covers a region or a group of adjacent regions
     * ({@code -XX:H2TierPolicy}). -1 if the VM does not sample accesses.
     */
    long getSamples();

    /** Processor time of sampling, in nanoseconds. It excludes the page faults that sampling causes in the program. */
    long getSampleNanos();

    /** Bytes of regions that became fast because they were accessed more than others. */
    long getMigratedToFastBytes();

    /** Bytes of regions that became slow because others were accessed more. */
    long getMigratedToSlowBytes();
}
