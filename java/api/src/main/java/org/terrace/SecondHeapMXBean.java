// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace;

/**
 * The second heap as seen by monitoring tools, registered as {@value SecondHeapManagement#NAME} by
 * {@link SecondHeapManagement#register}. Each attribute is read on its own, so two of them may come from different
 * moments; {@link SecondHeap#statistics} gives all of one moment.
 */
public interface SecondHeapMXBean {

    /** Whether this VM has a second heap; if not, every other attribute is 0 or -1. */
    boolean isAvailable();

    /** Bytes of address space that H2 may fill: its maximum size, not what it takes on the device. */
    long getCapacityBytes();

    /** Bytes of the device that objects in H2 take now, dead ones in living regions included. */
    long getUsedBytes();

    /** Number of regions that hold objects now. */
    long getRegionsInUse();

    /** Number of regions that H2 may have, in use or not. */
    long getRegionsTotal();

    /** Size of a region in bytes. */
    long getRegionSizeBytes();

    /** Number of transfers that were completed. */
    long getTransfers();

    /** Number of transfers that were given up, for example because the device was full; nothing was moved by them. */
    long getFailedTransfers();

    /** Number of objects that were moved to H2. */
    long getMovedObjects();

    /** Bytes of objects that were moved to H2. */
    long getMovedBytes();

    /** Time that major collections spent on transfers, in nanoseconds. */
    long getTransferNanos();

    /** Number of times a region was found dead and given back. */
    long getRegionsFreed();

    /** Number of objects in H1 that have a tag now, those included that died since the last collection. */
    long getTaggedRoots();

    /** Time that minor collections spent looking for references from H2 to H1, in nanoseconds, summed over threads. */
    long getMinorScanNanos();

    /** Number of cards (512 bytes of H2 each) that minor collections scanned for references to H1. */
    long getMinorScannedCards();

    /**
     * Number of cards that major collections scanned for references to H1, once to mark and once to adjust. Cards whose
     * region remembers what they refer to are not among them, unless one of these objects moved or left its static field.
     */
    long getMajorScannedCards();

    /** The VM's estimate of the bytes that the next transfer will move, or -1 if it has none. */
    long getDueBytesEstimate();

    /** Bytes that were read ahead, or found in memory already, because of {@link SecondHeap#prefetch}. */
    long getPrefetchedBytes();

    /** Number of major collections that marked through the objects of H2, because room there or in H1 was short. */
    long getDeepMarkings();

    /** Bytes that were to leave memory because of {@link SecondHeap#dismiss}. */
    long getPagedOutBytes();

    /**
     * How long threads of the program waited for pages of H2, in nanoseconds, summed over threads: an estimate by samples.
     * -1 if the system does not tell. By label: {@link SecondHeapLabelUsage#getWaitedNanos}.
     */
    long getWaitedNanos();

    /** Ditto, for pages of which the VM could not find out whether they belong to H2. */
    long getUnplacedWaitNanos();

    /**
     * How often the VM looked which pages of a region, or of some that belong together, were accessed
     * ({@code -XX:H2TierPolicy}); -1 if it does not look.
     */
    long getSamples();

    /** Processor time for that, in nanoseconds, without the page faults that it costs the program. */
    long getSampleNanos();

    /** Bytes of regions that became fast because they were accessed more than others. */
    long getMigratedToFastBytes();

    /** Bytes of regions that became slow because others were accessed more. */
    long getMigratedToSlowBytes();
}
