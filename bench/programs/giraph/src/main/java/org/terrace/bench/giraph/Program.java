// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.giraph;

import org.apache.giraph.combiner.DoubleSumMessageCombiner;
import org.apache.giraph.combiner.MessageCombiner;
import org.apache.giraph.combiner.MinimumIntMessageCombiner;
import org.apache.giraph.conf.GiraphConfiguration;
import org.apache.giraph.graph.BasicComputation;

/** The programs, each with the form of the graph that it needs. */
enum Program {
    PAGERANK(PageRank.class, DoubleSumMessageCombiner.class, RmatEdgeFormat.Plain.class, false),
    WCC(Components.class, Components.Least.class, RmatEdgeFormat.Plain.class, true),
    BFS(BreadthFirst.class, MinimumIntMessageCombiner.class, RmatEdgeFormat.Plain.class, false),
    SSSP(ShortestPaths.class, ShortestPaths.Least.class, RmatEdgeFormat.Weighted.class, false),
    CDLP(Communities.class, null, RmatEdgeFormat.Plain.class, true);

    /** The option with the number of supersteps, for programs that do not terminate by themselves. */
    static final String ITERATIONS = "program.iterations";

    private final Class<? extends BasicComputation<?, ?, ?, ?>> computation;
    private final Class<? extends MessageCombiner<?, ?>> combiner;
    private final Class<? extends RmatEdgeFormat<?>> edges;
    private final boolean bothWays;

    Program(Class<? extends BasicComputation<?, ?, ?, ?>> computation, Class<? extends MessageCombiner<?, ?>> combiner,
            Class<? extends RmatEdgeFormat<?>> edges, boolean bothWays) {
        this.computation = computation;
        this.combiner = combiner;
        this.edges = edges;
        this.bothWays = bothWays;
    }

    boolean bothWays() {
        return bothWays;
    }

    /** Returns a job on the graph that these parameters define. It passes its result to {@link ResultFormat}. */
    GiraphConfiguration on(int scale, int degree, long seed, int iterations) {
        GiraphConfiguration conf = new GiraphConfiguration();
        conf.setComputationClass(computation);
        if (combiner != null) {
            conf.setMessageCombinerClass(combiner);
        }
        conf.setEdgeInputFormatClass(edges);
        conf.setVertexOutputFormatClass(ResultFormat.class);
        conf.setInt(RmatEdgeFormat.SCALE, scale);
        conf.setInt(RmatEdgeFormat.DEGREE, degree);
        conf.setLong(RmatEdgeFormat.SEED, seed);
        conf.setBoolean(RmatEdgeFormat.BOTH_WAYS, bothWays);
        conf.setInt(ITERATIONS, iterations);
        return conf;
    }
}
