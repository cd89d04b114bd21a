// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.giraph;

import java.io.IOException;
import org.apache.giraph.combiner.MessageCombiner;
import org.apache.giraph.edge.Edge;
import org.apache.giraph.graph.BasicComputation;
import org.apache.giraph.graph.Vertex;
import org.apache.hadoop.io.FloatWritable;
import org.apache.hadoop.io.LongWritable;

/** Shortest paths from vertex 0 along edges with lengths. */
public final class ShortestPaths extends BasicComputation<LongWritable, FloatWritable, FloatWritable, FloatWritable> {

    @Override
    public void compute(Vertex<LongWritable, FloatWritable, FloatWritable> vertex, Iterable<FloatWritable> messages)
            throws IOException {
        boolean source = vertex.getId().get() == 0;
        // Giraph creates vertices without edges when they receive a message, with the value 0.
        boolean far = getSuperstep() == 0 || !source && vertex.getValue().get() == 0;
        float before = far ? Float.POSITIVE_INFINITY : vertex.getValue().get();
        float least = getSuperstep() == 0 && source ? 0 : before;
        for (FloatWritable message : messages) {
            least = Math.min(least, message.get());
        }
        if (least < before) {
            for (Edge<LongWritable, FloatWritable> edge : vertex.getEdges()) {
                sendMessage(edge.getTargetVertexId(), new FloatWritable(least + edge.getValue().get()));
            }
        }
        vertex.setValue(new FloatWritable(least));
        vertex.voteToHalt();
    }

    /** A combiner that keeps the least message. */
    public static final class Least implements MessageCombiner<LongWritable, FloatWritable> {
        @Override
        public void combine(LongWritable vertex, FloatWritable kept, FloatWritable message) {
            kept.set(Math.min(kept.get(), message.get()));
        }

        @Override
        public FloatWritable createInitialMessage() {
            return new FloatWritable(Float.POSITIVE_INFINITY);
        }
    }
}
