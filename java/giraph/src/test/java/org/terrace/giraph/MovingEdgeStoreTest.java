// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.giraph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.apache.giraph.conf.GiraphConfiguration;
import org.apache.giraph.conf.ImmutableClassesGiraphConfiguration;
import org.apache.giraph.edge.EdgeFactory;
import org.apache.giraph.edge.EdgeStore;
import org.apache.giraph.utils.ByteArrayVertexIdEdges;
import org.apache.giraph.utils.VertexIdEdgeIterator;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.NullWritable;
import org.junit.jupiter.api.Test;

/** Tests which input the edge store passes to Giraph's own store, and how much heap the input takes until then. */
class MovingEdgeStoreTest {

    private static final int PARTITION = 3;

    private final ImmutableClassesGiraphConfiguration<IntWritable, IntWritable, NullWritable> conf = configuration();
    private final List<ByteArrayVertexIdEdges<IntWritable, NullWritable>> given = new ArrayList<>();
    private final MovingEdgeStore<IntWritable, IntWritable, NullWritable> store =
            new MovingEdgeStore<>(giraphs(), new Workers().worker(), conf, () -> { });

    private static ImmutableClassesGiraphConfiguration<IntWritable, IntWritable, NullWritable> configuration() {
        GiraphConfiguration conf = new GiraphConfiguration();
        conf.setComputationClass(Labels.Spread.class);
        return new ImmutableClassesGiraphConfiguration<>(conf);
    }

    /** Returns a store that records the calls it receives. */
    @SuppressWarnings("unchecked")
    private EdgeStore<IntWritable, IntWritable, NullWritable> giraphs() {
        return (EdgeStore<IntWritable, IntWritable, NullWritable>) Proxy.newProxyInstance(getClass().getClassLoader(),
                new Class<?>[] {EdgeStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("addPartitionEdges")) {
                        assertEquals(PARTITION, arguments[0]);
                        given.add((ByteArrayVertexIdEdges<IntWritable, NullWritable>) arguments[1]);
                    } else {
                        assertEquals("moveEdgesToVertices", method.getName());
                    }
                    return null;
                });
    }

    private ByteArrayVertexIdEdges<IntWritable, NullWritable> block(int room, int edges) {
        ByteArrayVertexIdEdges<IntWritable, NullWritable> block = new ByteArrayVertexIdEdges<>();
        block.setConf(conf);
        block.initialize(room);
        for (int i = 0; i < edges; i++) {
            block.add(new IntWritable(i), EdgeFactory.create(new IntWritable(2 * i)));
        }
        return block;
    }

    @Test
    void blocksAreKeptWithoutTheRoomThatIsEmpty() {
        store.addPartitionEdges(PARTITION, block(1 << 15, 100));
        assertTrue(store.hasEdgesForPartition(PARTITION) && given.isEmpty());
        store.moveEdgesToVertices();
        assertFalse(given.isEmpty());

        assertEquals(100 * 2 * Integer.BYTES, given.get(0).getByteArray().length);
        VertexIdEdgeIterator<IntWritable, NullWritable> edges = given.get(0).getVertexIdEdgeIterator();
        for (int i = 0; i < 100; i++) {
            edges.next();
            assertEquals(i, edges.getCurrentVertexId().get());
            assertEquals(2 * i, edges.getCurrentEdge().getTargetVertexId().get());
        }
        assertFalse(edges.hasNext());
    }

    @Test
    void fullBlocksAreNotCopied() {
        ByteArrayVertexIdEdges<IntWritable, NullWritable> block = block(100 * 2 * Integer.BYTES, 100);
        store.addPartitionEdges(PARTITION, block);
        store.moveEdgesToVertices();
        assertSame(block, given.get(0));
    }
}
