// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.giraph;

import java.io.IOException;
import org.apache.giraph.combiner.MessageCombiner;
import org.apache.giraph.graph.BasicComputation;
import org.apache.giraph.graph.Vertex;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;

/** Connected components, which assigns to each vertex the least number in its component. Edges lead both ways. */
public final class Components extends BasicComputation<LongWritable, LongWritable, NullWritable, LongWritable> {

    @Override
    public void compute(Vertex<LongWritable, LongWritable, NullWritable> vertex, Iterable<LongWritable> messages)
            throws IOException {
        long least = getSuperstep() == 0 ? vertex.getId().get() : vertex.getValue().get();
        for (LongWritable message : messages) {
            least = Math.min(least, message.get());
        }
        if (getSuperstep() == 0 || least < vertex.getValue().get()) {
            vertex.setValue(new LongWritable(least));
            sendMessageToAllEdges(vertex, vertex.getValue());
        }
        vertex.voteToHalt();
    }

    /** A combiner that keeps the least message. */
    public static final class Least implements MessageCombiner<LongWritable, LongWritable> {
        @Override
        public void combine(LongWritable vertex, LongWritable kept, LongWritable message) {
            kept.set(Math.min(kept.get(), message.get()));
        }

        @Override
        public LongWritable createInitialMessage() {
            return new LongWritable(Long.MAX_VALUE);
        }
    }
}
