// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.giraph;

import org.apache.giraph.bsp.ImmutableOutputCommitter;
import org.apache.giraph.graph.Vertex;
import org.apache.giraph.io.VertexOutputFormat;
import org.apache.giraph.io.VertexWriter;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/** An output format that passes the values of all vertices to an object of this process instead of a file. */
public final class ResultFormat extends VertexOutputFormat<LongWritable, Writable, Writable> {

    /** Receives values from several threads. */
    interface Sink {
        void accept(long vertex, Writable value);

        /** Called when a part of the vertices is complete. */
        void close();
    }

    private static volatile Sink sink;

    static void into(Sink wanted) {
        sink = wanted;
    }

    @Override
    public VertexWriter<LongWritable, Writable, Writable> createVertexWriter(TaskAttemptContext context) {
        return new VertexWriter<>() {
            @Override
            public void initialize(TaskAttemptContext context) {
                // There is no file.
            }

            @Override
            public void writeVertex(Vertex<LongWritable, Writable, Writable> vertex) {
                sink.accept(vertex.getId().get(), vertex.getValue());
            }

            @Override
            public void close(TaskAttemptContext context) {
                sink.close();
            }
        };
    }

    @Override
    public void checkOutputSpecs(JobContext context) {
        // There is no file.
    }

    @Override
    public OutputCommitter getOutputCommitter(TaskAttemptContext context) {
        return new ImmutableOutputCommitter();
    }
}
