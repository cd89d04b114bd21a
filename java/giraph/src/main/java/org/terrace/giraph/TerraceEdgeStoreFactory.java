// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.giraph;

import org.apache.giraph.edge.EdgeStore;
import org.apache.giraph.edge.InMemoryEdgeStoreFactory;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableComparable;

/**
 * Factory of edge stores whose input may move to H2 while it is loaded. {@link TerracePlugin} installs it.
 *
 * @param <I> vertex id
 * @param <V> vertex value
 * @param <E> edge value
 */
@SuppressWarnings("rawtypes")
public final class TerraceEdgeStoreFactory<I extends WritableComparable, V extends Writable, E extends Writable>
        extends InMemoryEdgeStoreFactory<I, V, E> {

    @Override
    public EdgeStore<I, V, E> newStore() {
        return new MovingEdgeStore<>(super.newStore(), service, conf, progressable);
    }
}
