// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ZipfTest {

    private static final int SIZE = 1000;
    private static final int DRAWN = 200_000;

    @ParameterizedTest
    @CsvSource({"0.5", "0.99"})
    void ranksAreDrawnByTheLaw(double theta) {
        Zipf zipf = new Zipf(SIZE, theta);
        SplittableRandom random = new SplittableRandom(1);
        int[] drawn = new int[SIZE];
        for (int i = 0; i < DRAWN; i++) {
            drawn[zipf.next(random)]++;
        }
        double sum = IntStream.rangeClosed(1, SIZE).mapToDouble(rank -> Math.pow(rank, -theta)).sum();
        assertEquals(DRAWN / sum, drawn[zipf.key(0)], DRAWN / sum / 20, "of the hottest");
        long hottest = IntStream.range(0, DRAWN).filter(i -> zipf.rank(random) == 0).count();
        assertEquals(DRAWN / sum, hottest, DRAWN / sum / 20, "of rank 0");
        double half = IntStream.rangeClosed(1, SIZE / 2).mapToDouble(rank -> Math.pow(rank, -theta)).sum() * DRAWN / sum;
        assertEquals(half, IntStream.range(0, SIZE / 2).map(rank -> drawn[zipf.key(rank)]).sum(), half / 20, "of the hotter half");
    }

    @Test
    void eachRankHasAKeyOfItsOwnFarFromTheNext() {
        Zipf zipf = new Zipf(SIZE, 0.99);
        BitSet keys = new BitSet();
        for (int rank = 0; rank < SIZE; rank++) {
            keys.set(zipf.key(rank));
            assertTrue(rank == 0 || Math.abs(zipf.key(rank) - zipf.key(rank - 1)) > 1, "ranks " + rank + " and before");
        }
        assertEquals(SIZE, keys.cardinality());
        assertEquals(SIZE, keys.length());
    }

    @Test
    void whatTheFormulaCannotDoIsRefused() {
        for (double theta : new double[] {0, 1, Double.NaN}) {
            assertThrows(IllegalArgumentException.class, () -> new Zipf(SIZE, theta));
        }
        assertThrows(IllegalArgumentException.class, () -> new Zipf(0, 0.5));
    }
}
