// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.giraph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import org.apache.giraph.comm.messages.MessageEncodeAndStoreType;
import org.apache.giraph.comm.messages.MessageStore;
import org.apache.giraph.conf.GiraphConstants;
import org.apache.giraph.conf.ImmutableClassesGiraphConfiguration;
import org.apache.hadoop.io.WritableComparable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that a message store contains and drops the same messages as Giraph's own store, whether or not they move. */
@SuppressWarnings({"rawtypes", "unchecked"})
class MovingMessageStoreTest {

    private final Workers workers = new Workers();

    private MessageStore filled(Stores kind) throws IOException {
        return kind.fill(new TerraceMessageStoreFactory(), workers, kind.conf());
    }

    private MessageStore empty(ImmutableClassesGiraphConfiguration conf) {
        TerraceMessageStoreFactory factory = new TerraceMessageStoreFactory();
        factory.initialize(workers.worker(), conf);
        return factory.newStore(conf.getOutgoingMessageClasses());
    }

    @ParameterizedTest
    @EnumSource
    void messagesStayUntilTheirPartitionWasComputed(Stores kind) throws IOException {
        MessageStore store = filled(kind);
        assertInstanceOf(MovingMessageStore.class, store);
        store.finalizeStore();
        for (int partition : Workers.PARTITIONS) {
            for (int i = 0; i < Stores.VERTICES; i++) {
                if (kind.partition(i) == partition) {
                    WritableComparable vertex = kind.vertex(i);
                    assertTrue(store.hasMessagesForVertex(vertex));
                    assertEquals(kind.expected(i), Stores.messages(store, vertex));
                    store.clearVertexMessages(vertex);
                }
            }
            assertTrue(store.hasMessagesForPartition(partition));
            store.clearPartition(partition);
            assertFalse(store.hasMessagesForPartition(partition));
            assertFalse(store.getPartitionDestinationVertices(partition).iterator().hasNext());
        }
        for (int i = 0; i < Stores.VERTICES; i++) {
            assertEquals(List.of(), Stores.messages(store, kind.vertex(i)));
        }
        store.clearAll();
    }

    /** Giraph clears a removed vertex before its partition is computed. Otherwise the messages would create the vertex again. */
    @ParameterizedTest
    @EnumSource
    void thoseOfAVertexThatWasRemovedAreDropped(Stores kind) throws IOException {
        MessageStore store = filled(kind);
        store.finalizeStore();
        Stores.messages(store, kind.vertex(1));
        store.clearVertexMessages(kind.vertex(2));
        assertFalse(store.hasMessagesForVertex(kind.vertex(2)));
        assertTrue(store.hasMessagesForVertex(kind.vertex(1)));
    }

    @ParameterizedTest
    @EnumSource
    void aPartitionIsReadFromACheckpoint(Stores kind) throws IOException {
        MessageStore store = filled(kind);
        store.finalizeStore();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int partition : Workers.PARTITIONS) {
            store.writePartition(new DataOutputStream(bytes), partition);
        }
        MessageStore restored = empty(kind.conf());
        restored.finalizeStore();
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()));
        for (int partition : Workers.PARTITIONS) {
            restored.readFieldsForPartition(in, partition);
        }
        for (int i = 0; i < Stores.VERTICES; i++) {
            assertEquals(kind.expected(i), Stores.messages(restored, kind.vertex(i)));
        }
    }

    @Test
    void listsOfPointersAreLeftAlone() throws IOException {
        var conf = Stores.ID_BYTE_ARRAY.conf();
        GiraphConstants.MESSAGE_ENCODE_AND_STORE_TYPE.set(conf, MessageEncodeAndStoreType.POINTER_LIST_PER_VERTEX);
        assertFalse(empty(new ImmutableClassesGiraphConfiguration(conf)) instanceof MovingMessageStore);
    }
}
