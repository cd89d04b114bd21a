// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.giraph;

import org.apache.giraph.comm.messages.MessageStore;
import org.apache.giraph.comm.messages.PartitionSplitInfo;
import org.apache.giraph.conf.ImmutableClassesGiraphConfiguration;

/**
 * Where the closures of edges and messages end. Edges refer to the configuration; the maps of some message stores refer to
 * their store, and so to the service worker and all vertices. The VM leaves in H1 what static fields refer to, and does not
 * follow it; most of these fields are there for nothing else.
 */
final class Boundary {

    // By the worker's main thread.
    private static volatile ImmutableClassesGiraphConfiguration<?, ?, ?> configuration;
    private static volatile PartitionSplitInfo<?> service;
    private static volatile MessageStore<?, ?> incoming;
    private static volatile MessageStore<?, ?> current;
    private static volatile TaggedEdges edges;

    private Boundary() {
    }

    /** Begins a job; that of another ends. */
    static void begin(PartitionSplitInfo<?> worker, ImmutableClassesGiraphConfiguration<?, ?, ?> conf) {
        service = worker;
        configuration = conf;
        incoming = null;
        current = null;
        edges = worker == null ? null : new TaggedEdges();
    }

    /** Whether a job is the one that began last. */
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
