// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.harness;

import java.util.SplittableRandom;

/**
 * Keys with a Zipf distribution (Gray et al., SIGMOD '94). Ranks are assigned to keys so that adjacent keys are not
 * equally hot. This class is thread-safe.
 */
public final class Zipf {

    private static final long PRIME = 1_000_000_007L;

    private final int size;
    private final double theta;
    private final double zeta;
    private final double alpha;
    private final double eta;

    /**
     * @param size  the number of keys, which start at 0
     * @param theta exponent above 0 and below 1, with which the n-th key is 1/n^theta times as frequent as the first
     * @throws IllegalArgumentException if there are no keys, or the formula does not hold for {@code theta}
     */
    public Zipf(int size, double theta) {
        if (size < 1 || !(theta > 0 && theta < 1)) {
            throw new IllegalArgumentException(size + " keys, exponent " + theta + ": at least 1, and between 0 and 1");
        }
        this.size = size;
        this.theta = theta;
        double sum = 0;
        for (int i = 1; i <= size; i++) {
            sum += Math.pow(i, -theta);
        }
        zeta = sum;
        alpha = 1 / (1 - theta);
        eta = (1 - Math.pow(2.0 / size, 1 - theta)) / (1 - (1 + Math.pow(2, -theta)) / zeta);
    }

    public int next(SplittableRandom random) {
        return key(rank(random));
    }

    /** Returns a rank from 0 to the number of keys minus one. Rank 0 is the most frequent. */
    public int rank(SplittableRandom random) {
        double u = random.nextDouble();
        double scaled = u * zeta;
        long rank = scaled < 1 ? 0 : scaled < 1 + Math.pow(2, -theta) ? 1 : (long) (size * Math.pow(eta * u - eta + 1, alpha));
        return (int) Math.min(rank, size - 1);
    }

    /** Returns the key of a rank, where rank 0 is the hottest. All ranks have different keys. */
    int key(long rank) {
        return (int) (rank * PRIME % size);
    }
}
