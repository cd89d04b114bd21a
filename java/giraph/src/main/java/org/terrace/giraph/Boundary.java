// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.giraph;

import org.apache.giraph.comm.messages.MessageStore;
import org.apache.giraph.comm.messages.PartitionSplitInfo;
import org.apache.giraph.conf.ImmutableClassesGiraphConfiguration;

/**
 * Static references at which the closures of edges and messages end. Edges refer to the configuration. The maps of some message
 * stores refer to their store, and through it to the service worker and all vertices. The VM leaves objects that static fields
 * refer to in H1, and does not follow their references. Most fields of this class are never read and exist only for this.
 */
final class Boundary {

    // Written by the worker's main thread.
    private static volatile ImmutableClassesGiraphConfiguration<?, ?, ?> configuration;
    private static volatile PartitionSplitInfo<?> service;
    private static volatile MessageStore<?, ?> incoming;
    private static volatile MessageStore<?, ?> current;
    private static volatile TaggedEdges edges;

    private Boundary() {
    }

    /** Begins a job, and ends the previous one. */
    static void begin(PartitionSplitInfo<?> worker, ImmutableClassesGiraphConfiguration<?, ?, ?> conf) {
        service = worker;
        configuration = conf;
        incoming = null;
        current = null;
        edges = worker == null ? null : new TaggedEdges();
    }

    /** Whether a worker belongs to the job that began last. */
    static boolean isOf(PartitionSplitInfo<?> worker) {
        return service == worker;
    }

    static PartitionSplitInfo<?> worker() {
        return service;
    }

    static TaggedEdges edges() {
        return edges;
    }

    static void receives(MessageStore<?, ?> store) {
        incoming = store;
    }

    static void computes(MessageStore<?, ?> store) {
        current = store;
    }

    /** Ends a job, so that its data can be collected. */
    static void end() {
        begin(null, null);
    }
}
