// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.h2;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;
import org.terrace.SecondHeap;

/** Data in H2 in partitions, each an array of rows of 1 KB. */
final class Partitions {

    static final int ROW_BYTES = 1 << 10;

    private static final long BATCH_BYTES = 64 << 20;

    private Partitions() {
    }

    /**
     * Creates partitions of {@code partitionSize} bytes up to {@code size} bytes in total, and moves them. {@code
     * label} maps the number of a partition to its label.
     */
    static List<long[][]> inH2(long size, long partitionSize, IntToLongFunction label) {
        List<long[][]> partitions = new ArrayList<>();
        long unmoved = 0;
        for (long made = 0; made < size; made += partitionSize) {
            long[][] rows = rows((int) (partitionSize / ROW_BYTES));
            long labelled = label.applyAsLong(partitions.size());
            SecondHeap.tagRoot(rows, labelled);
            SecondHeap.move(labelled);
            partitions.add(rows);
            unmoved += partitionSize;
            if (unmoved >= BATCH_BYTES || made + partitionSize >= size) {
                SecondHeap.transfer();
                unmoved = 0;
            }
        }
        return partitions;
    }

    private static long[][] rows(int count) {
        long[][] rows = new long[count][];
        for (int i = 0; i < count; i++) {
            rows[i] = new long[(ROW_BYTES - 16 - 4) / 8];
            rows[i][0] = i;
        }
        return rows;
    }
}
