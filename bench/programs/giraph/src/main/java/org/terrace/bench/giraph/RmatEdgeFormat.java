// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.giraph;

import java.util.ArrayList;
import java.util.List;
import org.apache.giraph.bsp.BspInputSplit;
import org.apache.giraph.edge.Edge;
import org.apache.giraph.edge.EdgeFactory;
import org.apache.giraph.io.EdgeInputFormat;
import org.apache.giraph.io.EdgeReader;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.FloatWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/** An input format that generates the graph while it is loaded. */
public abstract class RmatEdgeFormat<E extends Writable> extends EdgeInputFormat<LongWritable, E> {

    static final String SCALE = "rmat.scale";
    static final String DEGREE = "rmat.degree";
    static final String SEED = "rmat.seed";
    static final String BOTH_WAYS = "rmat.bothWays";

    /** Number of streams in a graph, which does not depend on the number of loading threads. */
    static final int PARTS = 16;

    /** Edges without a value. */
    public static final class Plain extends RmatEdgeFormat<NullWritable> {
        @Override
        NullWritable value(long source, long target) {
            return NullWritable.get();
        }
    }

    /** Edges with a length. */
    public static final class Weighted extends RmatEdgeFormat<FloatWritable> {
        @Override
        FloatWritable value(long source, long target) {
            return new FloatWritable(Rmat.weight(source, target));
        }
    }

    abstract E value(long source, long target);

    /** Returns the number of edges that each part generates. With {@link #BOTH_WAYS} Giraph gets twice as many. */
    static long edgesOfPart(int scale, int degree) {
        return ((long) degree << scale) / PARTS;
    }

    @Override
    public void checkInputSpecs(Configuration conf) {
        // There is no file.
    }

    @Override
    public List<InputSplit> getSplits(JobContext context, int minSplitCountHint) {
        List<InputSplit> splits = new ArrayList<>();
        for (int part = 0; part < PARTS; part++) {
            splits.add(new BspInputSplit(part, PARTS));
        }
        return splits;
    }

    @Override
    public EdgeReader<LongWritable, E> createEdgeReader(InputSplit split, TaskAttemptContext context) {
        return new Reader();
    }

    private final class Reader extends EdgeReader<LongWritable, E> {

        private Rmat rmat;
        private boolean bothWays;
        private long left;
        private long all;
        private boolean back;

        @Override
        public void initialize(InputSplit split, TaskAttemptContext context) {
            int scale = getConf().getInt(SCALE, 0);
            rmat = new Rmat(scale, getConf().getLong(SEED, 0), ((BspInputSplit) split).getSplitIndex());
            bothWays = getConf().getBoolean(BOTH_WAYS, false);
            all = edgesOfPart(scale, getConf().getInt(DEGREE, 0));
            left = all;
        }

        @Override
        public boolean nextEdge() {
            if (bothWays && !back && left < all) {
                back = true;
                return true;
            }
            back = false;
            if (left == 0) {
                return false;
            }
            left--;
            rmat.next();
            return true;
        }

        @Override
        public LongWritable getCurrentSourceId() {
            return new LongWritable(back ? rmat.target() : rmat.source());
        }

        @Override
        public Edge<LongWritable, E> getCurrentEdge() {
            return EdgeFactory.create(new LongWritable(back ? rmat.source() : rmat.target()),
                    value(rmat.source(), rmat.target()));
        }

        @Override
        public void close() {
            // There is no file.
        }

        @Override
        public float getProgress() {
            return (all - left) / (float) all;
        }
    }
}
