// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.nio.file.Path;
import java.util.List;
import org.terrace.persist.blocks.Blocks;
import org.terrace.persist.blocks.PageVersion;
import org.terrace.persist.events.HeapEvents;
import org.terrace.persist.heap.files.Store;
import org.terrace.persist.heap.liveness.Collector;
import org.terrace.persist.heap.liveness.HeapCheck;
import org.terrace.persist.heap.liveness.Reachable;
import org.terrace.persist.tools.CollectionCheck;

/** Operations on a whole open heap: collection, checkpoint, backup and checks. {@link Heap} has their contracts. */
final class Maintenance {
    private final Path path;
    private final Store store;
    private final HeapOptions options;
    private final Blocks blocks;
    private final ClassTable classes;
    private final RawObjects raw;
    private final KeyOrders keyOrders;
    private final PageVersion version;

    Maintenance(Store store, HeapOptions options, Blocks blocks, ClassTable classes, RawObjects raw, KeyOrders keyOrders,
            PageVersion version) {
        this.path = store.path();
        this.store = store;
        this.options = options;
        this.blocks = blocks;
        this.classes = classes;
        this.raw = raw;
        this.keyOrders = keyOrders;
        this.version = version;
    }

    CollectionResult collect() {
        blocks.lockExclusively("a collection");
        version.beginChange();
        try {
            blocks.checkOpen();
            HeapEvents.Collection event = HeapEvents.collection();
            Reachable marked = store.takeReachable();
            Reachable reachable = marked != null ? marked : Reachable.find(store.space(), classes.descriptors(), options.threads(),
                    options.isClearingLostReferences());
            Collector.Result result;
            try {
                result = new Collector(store.journal(), store.allocator(), store.logBytes()).collect(reachable);
            } finally {
                // On a full device, the collection may end before it is complete.
                raw.collected();
            }
            if (event != null) {
                event.live = result.live();
                event.freed = result.freed();
                event.cleared = result.cleared();
                event.end(path);
            }
            return new CollectionResult(result.live(), result.freed(), result.cleared());
        } finally {
            version.endChange();
            blocks.unlock();
        }
    }

    void checkpoint() {
        blocks.lockShared();
        try {
            blocks.checkOpen();
            store.checkpoint();
        } finally {
            blocks.unlock();
        }
    }

    List<String> check() {
        blocks.lockExclusively("a check");
        try {
            blocks.checkOpen();
            return HeapCheck.check(store.space(), options.threads());
        } finally {
            blocks.unlock();
        }
    }

    List<String> checkCollections() {
        blocks.lockExclusively("a check");
        try {
            blocks.checkOpen();
            List<String> problems = CollectionCheck.check(store.space(), options.threads());
            return problems.isEmpty() ? keyOrders.problems() : problems;
        } finally {
            blocks.unlock();
        }
    }

    void backup(Path to) {
        blocks.keepOpen(() -> store.backup(to));
    }
}
