// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.giraph;

import java.io.IOException;
import org.apache.giraph.graph.BasicComputation;
import org.apache.giraph.graph.Vertex;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;

/** PageRank for a number of supersteps, with an average rank of 1. The rank of vertices without outgoing edges is lost. */
public final class PageRank extends BasicComputation<LongWritable, DoubleWritable, NullWritable, DoubleWritable> {

    static final double DAMPING = 0.85;

    @Override
    public void compute(Vertex<LongWritable, DoubleWritable, NullWritable> vertex, Iterable<DoubleWritable> messages)
            throws IOException {
        double rank = 1;
        if (getSuperstep() > 0) {
            double sum = 0;
            for (DoubleWritable message : messages) {
                sum += message.get();
            }
            rank = 1 - DAMPING + DAMPING * sum;
        }
        vertex.setValue(new DoubleWritable(rank));
        if (getSuperstep() == getConf().getInt(Program.ITERATIONS, 0)) {
            vertex.voteToHalt();
        } else if (vertex.getNumEdges() > 0) {
            sendMessageToAllEdges(vertex, new DoubleWritable(rank / vertex.getNumEdges()));
        }
    }
}
