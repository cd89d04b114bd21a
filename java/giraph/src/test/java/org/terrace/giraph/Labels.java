// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.giraph;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.TreeMap;
import org.apache.giraph.conf.GiraphConfiguration;
import org.apache.giraph.conf.GiraphConstants;
import org.apache.giraph.graph.BasicComputation;
import org.apache.giraph.graph.MapperObserver;
import org.apache.giraph.graph.Vertex;
import org.apache.giraph.io.formats.IdWithValueTextOutputFormat;
import org.apache.giraph.io.formats.IntNullTextEdgeInputFormat;
import org.apache.giraph.utils.InternalVertexRunner;
import org.apache.giraph.worker.WorkerObserver;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.NullWritable;

/**
 * A job in which labels spread over a random graph, and the label of a vertex depends on all of its messages. It can be computed
 * with and without Giraph.
 */
final class Labels {

    static final String SUPERSTEPS = "labels.supersteps";
    private static final int DEGREE = 8;
    private static final int PARTITIONS = 8;

    /** The program of a user, which does not know the plugin. */
    public static final class Spread extends BasicComputation<IntWritable, IntWritable, NullWritable, IntWritable> {
        @Override
        public void compute(Vertex<IntWritable, IntWritable, NullWritable> vertex, Iterable<IntWritable> messages)
                throws IOException {
            int label = vertex.getId().get();
            if (getSuperstep() > 0) {
                label = vertex.getValue().get();
                for (IntWritable message : messages) {
                    label += mixed(message.get());
                }
            }
            vertex.setValue(new IntWritable(label));
            if (getSuperstep() == getConf().getInt(SUPERSTEPS, 0)) {
                vertex.voteToHalt();
            } else {
                sendMessageToAllEdges(vertex, vertex.getValue());
            }
        }
    }

    private final int vertices;
    private final int supersteps;
    private final int[][] edges;

    Labels(int vertices, int supersteps) {
        this.vertices = vertices;
        this.supersteps = supersteps;
        Random random = new Random(42);
        edges = new int[vertices][DEGREE];
        for (int[] targets : edges) {
            Arrays.setAll(targets, i -> random.nextInt(vertices));
        }
    }

    static int mixed(int label) {
        return (label ^ label >>> 15) * 0x2c1b3c6d;
    }

    TreeMap<Integer, Integer> expected() {
        int[] labels = new int[vertices];
        Arrays.setAll(labels, i -> i);
        for (int step = 0; step < supersteps; step++) {
            int[] next = labels.clone();
            for (int vertex = 0; vertex < vertices; vertex++) {
                for (int target : edges[vertex]) {
                    next[target] += mixed(labels[vertex]);
                }
            }
            labels = next;
        }
        TreeMap<Integer, Integer> result = new TreeMap<>();
        for (int vertex = 0; vertex < vertices; vertex++) {
            result.put(vertex, labels[vertex]);
        }
        return result;
    }

    @SafeVarargs
    final TreeMap<Integer, Integer> run(Class<? extends MapperObserver> plugin, Class<? extends WorkerObserver>... more)
            throws Exception {
        return run(job(plugin, more), null);
    }

    @SafeVarargs
    final GiraphConfiguration job(Class<? extends MapperObserver> plugin, Class<? extends WorkerObserver>... more) {
        GiraphConfiguration conf = new GiraphConfiguration();
        conf.setComputationClass(Spread.class);
        conf.setEdgeInputFormatClass(IntNullTextEdgeInputFormat.class);
        conf.setVertexOutputFormatClass(IdWithValueTextOutputFormat.class);
        conf.setInt(SUPERSTEPS, supersteps);
        GiraphConstants.USER_PARTITION_COUNT.set(conf, PARTITIONS);
        GiraphConstants.NUM_COMPUTE_THREADS.set(conf, 2);
        conf.addMapperObserverClass(plugin);
        for (Class<? extends WorkerObserver> observer : more) {
            conf.addWorkerObserverClass(observer);
        }
        return conf;
    }

    /** Returns the input, with one line per edge. */
    String[] lines() {
        String[] lines = new String[vertices * DEGREE];
        for (int i = 0; i < lines.length; i++) {
            lines[i] = i / DEGREE + "\t" + edges[i / DEGREE][i % DEGREE];
        }
        return lines;
    }

    static void read(Iterable<String> output, TreeMap<Integer, Integer> result) {
        output.forEach(line -> result.put(Integer.valueOf(line.split("\t")[0]), Integer.valueOf(line.split("\t")[1])));
    }

    /** Runs a job. Its checkpoints go to a folder, which may be null. */
    TreeMap<Integer, Integer> run(GiraphConfiguration conf, Path checkpoints) throws Exception {
        String[] lines = lines();
        Iterable<String> output = checkpoints == null ? InternalVertexRunner.run(conf, null, lines)
                : InternalVertexRunner.run(conf, null, lines, checkpoints.toString(),
                        Files.createTempDirectory(checkpoints.getParent(), "job").toFile());
        if (output == null) {
            throw new AssertionError("the job failed; its log says why");
        }
        TreeMap<Integer, Integer> result = new TreeMap<>();
        read(output, result);
        return result;
    }
}
