// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.giraph;

import java.util.SplittableRandom;

/**
 * Generates the edges of an R-MAT graph (Chakrabarti et al., SDM '04) with the probabilities of Graph500. Each part is
 * an independent stream, which depends only on the seed and the part's number.
 */
final class Rmat {

    /** Probabilities of the quadrants. The fourth one has the rest. */
    private static final double A = 0.57;
    private static final double B = 0.19;
    private static final double C = 0.19;

    private final int scale;
    private final SplittableRandom random;
    private long source;
    private long target;

    /**
     * @param scale binary logarithm of the number of vertices
     */
    Rmat(int scale, long seed, int part) {
        this.scale = scale;
        this.random = new SplittableRandom(seed * 1_000_003 + part);
    }

    void next() {
        source = 0;
        target = 0;
        for (int bit = 0; bit < scale; bit++) {
            double where = random.nextDouble();
            source = source << 1 | (where >= A + B ? 1 : 0);
            target = target << 1 | (where >= A && where < A + B || where >= A + B + C ? 1 : 0);
        }
    }

    long source() {
        return source;
    }

    long target() {
        return target;
    }

    /** Returns the weight of an edge, between 1 and 2, which is always the same. */
    static float weight(long source, long target) {
        long mixed = (source * 0x9E3779B97F4A7C15L + target) * 0xBF58476D1CE4E5B9L;
        return 1 + (mixed >>> 40) / (float) (1 << 24);
    }
}
