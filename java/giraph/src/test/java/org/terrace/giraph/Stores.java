// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.giraph;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.giraph.combiner.DoubleSumMessageCombiner;
import org.apache.giraph.combiner.FloatSumMessageCombiner;
import org.apache.giraph.combiner.MessageCombiner;
import org.apache.giraph.comm.messages.InMemoryMessageStoreFactory;
import org.apache.giraph.comm.messages.MessageStore;
import org.apache.giraph.conf.GiraphConfiguration;
import org.apache.giraph.conf.ImmutableClassesGiraphConfiguration;
import org.apache.giraph.graph.BasicComputation;
import org.apache.giraph.graph.Vertex;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.FloatWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableComparable;

/** The kinds of message stores that Giraph chooses from, each with some messages. */
@SuppressWarnings({"rawtypes", "unchecked"})
enum Stores {
    LONG_DOUBLE(Longs.class, DoubleSumMessageCombiner.class, LongWritable::new, i -> new DoubleWritable(i)),
    INT_FLOAT(Ints.class, FloatSumMessageCombiner.class, IntWritable::new, i -> new FloatWritable(i)),
    ID_ONE_MESSAGE(LongsToFloats.class, FloatSumMessageCombiner.class, LongWritable::new, i -> new FloatWritable(i)),
    ID_BYTE_ARRAY(Longs.class, null, LongWritable::new, i -> new DoubleWritable(i)),
    ONE_MESSAGE(Texts.class, DoubleSumMessageCombiner.class, i -> new Text("v" + i), i -> new DoubleWritable(i)),
    BYTE_ARRAYS(Texts.class, null, i -> new Text("v" + i), i -> new DoubleWritable(i));

    static final int VERTICES = 1000;

    /** Messages per vertex. A vertex receives its number and twice its number. */
    static final int MESSAGES = 2;

    abstract static class Nothing<I extends WritableComparable, M extends Writable>
            extends BasicComputation<I, NullWritable, NullWritable, M> {
        @Override
        public void compute(Vertex<I, NullWritable, NullWritable> vertex, Iterable<M> messages) {
            vertex.voteToHalt();
        }
    }

    static final class Longs extends Nothing<LongWritable, DoubleWritable> {
    }

    static final class LongsToFloats extends Nothing<LongWritable, FloatWritable> {
    }

    static final class Ints extends Nothing<IntWritable, FloatWritable> {
    }

    static final class Texts extends Nothing<Text, DoubleWritable> {
    }

    private final Class<? extends BasicComputation> computation;
    private final Class<? extends MessageCombiner> combiner;
    private final IntFunction<WritableComparable> vertex;
    private final IntFunction<Writable> message;

    Stores(Class<? extends BasicComputation> computation, Class<? extends MessageCombiner> combiner,
            IntFunction<WritableComparable> vertex, IntFunction<Writable> message) {
        this.computation = computation;
        this.combiner = combiner;
        this.vertex = vertex;
        this.message = message;
    }

    ImmutableClassesGiraphConfiguration conf() {
        GiraphConfiguration conf = new GiraphConfiguration();
        conf.setComputationClass(computation);
        if (combiner != null) {
            conf.setMessageCombinerClass(combiner);
        }
        return new ImmutableClassesGiraphConfiguration(conf);
    }

    /** Returns a filled store that is not finalized yet. */
    MessageStore fill(InMemoryMessageStoreFactory factory, Workers workers, ImmutableClassesGiraphConfiguration conf)
            throws IOException {
        factory.initialize(workers.worker(), conf);
        MessageStore store = factory.newStore(conf.getOutgoingMessageClasses());
        for (int copy = 1; copy <= MESSAGES; copy++) {
            for (int i = 0; i < VERTICES; i++) {
                store.addMessage(vertex(i), message.apply(copy * i));
            }
        }
        return store;
    }

    WritableComparable vertex(int i) {
        return vertex.apply(i);
    }

    int partition(int i) {
        return Workers.partitionOf(vertex(i));
    }

    /** Returns the messages of a vertex as numbers, in order. */
    static List<Double> messages(MessageStore store, WritableComparable vertex) {
        List<Double> numbers = new ArrayList<>();
        for (Object message : (Iterable<?>) store.getVertexMessages(vertex)) {
            numbers.add(Double.parseDouble(message.toString()));
        }
        Collections.sort(numbers);
        return numbers;
    }

    List<Double> expected(int i) {
        return combiner != null ? List.of(3.0 * i) : List.of(1.0 * i, 2.0 * i);
    }
}
