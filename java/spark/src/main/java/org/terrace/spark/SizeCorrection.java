// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

/**
 * What cached partitions really take, as a share of what Spark estimates, learned from transfers. Spark estimates each
 * partition by itself, so what several of them refer to counts in each: the generations of a graph, which share their
 * indexes, take a third of the estimates together.
 *
 * <p>The sums decay by half with each observation. One thread at a time may observe, any may ask for the share.
 */
final class SizeCorrection {

    /** What we learned may be wrong for the next partitions; then this bounds by how much. */
    static final double LEAST = 1.0 / 32;

    private long seenEstimated;
    private long seenReal;
    private double estimated;
    private double real;
    private volatile double share = 1;

    /**
     * @param estimatedBytes what ever moved, as Spark estimates it
     * @param realBytes      what ever moved, as the VM counts it
     */
    void observe(long estimatedBytes, long realBytes) {
        if (estimatedBytes == seenEstimated) {
            return;
        }
        estimated = estimated / 2 + (estimatedBytes - seenEstimated);
        real = real / 2 + (realBytes - seenReal);
        seenEstimated = estimatedBytes;
        seenReal = realBytes;
        share = Math.max(LEAST, Math.min(1, real / estimated));
    }

    /** Between {@link #LEAST} and 1; 1 as long as nothing is known. */
    double share() {
        return share;
    }
}
