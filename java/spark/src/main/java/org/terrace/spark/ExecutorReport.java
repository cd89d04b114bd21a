// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import java.util.Arrays;

/** The usage of one executor's second heap, at one moment. */
final class ExecutorReport {

    final String executorId;
    final String host;

    private final long[] figures;

    private ExecutorReport(String executorId, String host, long[] figures) {
        this.executorId = executorId;
        this.host = host;
        this.figures = figures;
    }

    static ExecutorReport of(String executorId, String host, Heap heap, BlockMover mover) {
        CachedBlocks blocks = mover.blocks();
        long[] figures = new long[Figure.values().length];
        figures[Figure.BLOCKS_IN_H2.ordinal()] = blocks.movedBlocks();
        figures[Figure.BYTES_IN_H2.ordinal()] = blocks.movedBytes();
        figures[Figure.BLOCKS_DUE.ordinal()] = blocks.dueBlocks();
        figures[Figure.BYTES_DUE.ordinal()] = blocks.dueBytes();
        figures[Figure.H2_USED.ordinal()] = heap.usedBytes();
        figures[Figure.H2_CAPACITY.ordinal()] = heap.capacityBytes();
        figures[Figure.TRANSFERS.ordinal()] = heap.transfers();
        figures[Figure.TRANSFER_MILLIS.ordinal()] = heap.transferMillis();
        figures[Figure.MOVED_BYTES.ordinal()] = heap.movedBytes();
        figures[Figure.STALLS.ordinal()] = mover.stalls();
        return new ExecutorReport(executorId, host, figures);
    }

    long get(Figure figure) {
        return figures[figure.ordinal()];
    }

    boolean sameFigures(ExecutorReport other) {
        return other != null && Arrays.equals(figures, other.figures);
    }

    /**
     * Converts the report to the form in which it is sent. It consists of JDK classes only, because Spark reads messages with a
     * class loader that does not know a plugin from {@code --jars}.
     */
    Object toMessage() {
        return new Object[] {executorId, host, figures};
    }

    static ExecutorReport fromMessage(Object message) {
        Object[] parts = (Object[]) message;
        return new ExecutorReport((String) parts[0], (String) parts[1], (long[]) parts[2]);
    }

    @Override
    public String toString() {
        return String.format(
                "%d cached partitions (%s) in H2, %s of %s used; %d transfers moved %s in %s, %d moved nothing",
                get(Figure.BLOCKS_IN_H2), show(Figure.BYTES_IN_H2), show(Figure.H2_USED), show(Figure.H2_CAPACITY),
                get(Figure.TRANSFERS), show(Figure.MOVED_BYTES), show(Figure.TRANSFER_MILLIS), get(Figure.STALLS));
    }

    private String show(Figure figure) {
        return figure.show(get(figure));
    }
}
