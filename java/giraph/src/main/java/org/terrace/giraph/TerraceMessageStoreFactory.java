// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.giraph;

import org.apache.giraph.bsp.CentralizedServiceWorker;
import org.apache.giraph.comm.messages.InMemoryMessageStoreFactory;
import org.apache.giraph.comm.messages.MessageStore;
import org.apache.giraph.comm.messages.PartitionSplitInfo;
import org.apache.giraph.conf.ImmutableClassesGiraphConfiguration;
import org.apache.giraph.conf.MessageClasses;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableComparable;

/**
 * Factory of message stores whose messages may move to H2. {@link TerracePlugin} installs it.
 *
 * @param <I> vertex id
 * @param <M> message
 */
@SuppressWarnings("rawtypes")
public final class TerraceMessageStoreFactory<I extends WritableComparable, M extends Writable>
        extends InMemoryMessageStoreFactory<I, M> {

    @Override
    public void initialize(PartitionSplitInfo<I> worker, ImmutableClassesGiraphConfiguration<I, ?, ?> conf) {
        super.initialize(worker, conf);
        Boundary.begin(worker, conf);
    }

    @Override
    public MessageStore<I, M> newStore(MessageClasses<I, M> messageClasses) {
        MessageStore<I, M> store = super.newStore(messageClasses);
        // A list of pointers does not identify the memory of its messages, so these stores stay as they are.
        return store.isPointerListEncoding() ? store
                : new MovingMessageStore<>(store, (CentralizedServiceWorker<I, ?, ?>) partitionInfo);
    }
}
