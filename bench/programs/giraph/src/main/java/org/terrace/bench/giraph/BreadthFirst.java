// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.giraph;

import java.io.IOException;
import org.apache.giraph.graph.BasicComputation;
import org.apache.giraph.graph.Vertex;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;

/** Breadth-first search, which computes the distance of each vertex from vertex 0 in edges. */
public final class BreadthFirst extends BasicComputation<LongWritable, IntWritable, NullWritable, IntWritable> {

    static final int FAR = Integer.MAX_VALUE;

    @Override
    public void compute(Vertex<LongWritable, IntWritable, NullWritable> vertex, Iterable<IntWritable> messages)
            throws IOException {
        boolean reached = getSuperstep() == 0 && vertex.getId().get() == 0;
        if (getSuperstep() == 0) {
            vertex.setValue(new IntWritable(reached ? 0 : FAR));
        } else if (messages.iterator().hasNext() && (isNew(vertex) || vertex.getValue().get() == FAR)) {
            vertex.setValue(new IntWritable((int) getSuperstep()));
            reached = true;
        }
        if (reached) {
            sendMessageToAllEdges(vertex, vertex.getValue());
        }
        vertex.voteToHalt();
    }

    /** Giraph creates vertices without edges when they receive a message, with the value 0. */
    private static boolean isNew(Vertex<LongWritable, IntWritable, NullWritable> vertex) {
        return vertex.getId().get() != 0 && vertex.getValue().get() == 0;
    }
}
