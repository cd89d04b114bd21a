// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

/**
 * The real size of cached partitions as a share of Spark's estimates, learned from transfers. Spark estimates each
 * partition separately, so an object that several partitions refer to counts in each of them. For example, the generations of a
 * graph share their indexes, and together take a third of the estimates.
 *
 * <p>Each observation halves the weight of earlier ones. One thread at a time may observe. Any thread may read the share.
 */
final class SizeCorrection {

    /** Lower bound of the share, which limits the error if the next partitions differ from earlier ones. */
    static final double LEAST = 1.0 / 32;

    private long seenEstimated;
    private long seenReal;
    private double estimated;
    private double real;
    private volatile double share = 1;

    /**
     * @param estimatedBytes all bytes moved so far, as Spark estimates them
     * @param realBytes      all bytes moved so far, as the VM counts them
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

    /** Returns a share between {@link #LEAST} and 1. It is 1 before the first observation. */
    double share() {
        return share;
    }
}
