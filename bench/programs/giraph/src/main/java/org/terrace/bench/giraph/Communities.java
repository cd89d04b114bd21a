// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.giraph;

import java.io.IOException;
import java.util.Arrays;
import org.apache.giraph.graph.BasicComputation;
import org.apache.giraph.graph.Vertex;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;

/**
 * Communities by label propagation (CDLP, as in Graphalytics). In each superstep a vertex takes the most frequent label
 * of its neighbours, or the least of the most frequent ones. Edges lead both ways. Labels cannot be combined, so there
 * is a message for each edge.
 */
public final class Communities extends BasicComputation<LongWritable, LongWritable, NullWritable, LongWritable> {

    private long[] labels = new long[64];

    @Override
    public void compute(Vertex<LongWritable, LongWritable, NullWritable> vertex, Iterable<LongWritable> messages)
            throws IOException {
        if (getSuperstep() == 0) {
            vertex.setValue(new LongWritable(vertex.getId().get()));
        } else {
            int count = 0;
            for (LongWritable message : messages) {
                if (count == labels.length) {
                    labels = Arrays.copyOf(labels, 2 * count);
                }
                labels[count++] = message.get();
            }
            vertex.setValue(new LongWritable(mostFrequent(labels, count)));
        }
        if (getSuperstep() == getConf().getInt(Program.ITERATIONS, 0)) {
            vertex.voteToHalt();
        } else {
            sendMessageToAllEdges(vertex, vertex.getValue());
        }
    }

    /** Sorts the first {@code count} labels, which must be at least one, and returns the most frequent. */
    static long mostFrequent(long[] labels, int count) {
        Arrays.sort(labels, 0, count);
        long best = labels[0];
        int most = 0;
        int from = 0;
        for (int i = 1; i <= count; i++) {
            if (i == count || labels[i] != labels[from]) {
                if (i - from > most) {
                    most = i - from;
                    best = labels[from];
                }
                from = i;
            }
        }
        return best;
    }
}
