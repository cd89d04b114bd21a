// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.log;

import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.terrace.persist.HeapException;

/**
 * Futures for log positions that are not durable yet. Dependent stages run in other threads, because the completing thread may hold
 * locks of the heap. A future that could not be completed for lack of memory is kept and completed later.
 */
final class Awaited {
    private final TreeMap<Long, CompletableFuture<Void>> byPosition = new TreeMap<>();

    /** Threads that wait for the same position share a future, so the log size limits the number of futures. */
    synchronized CompletableFuture<Void> add(long position) {
        return byPosition.computeIfAbsent(position, p -> new CompletableFuture<>()).copy();
    }

    /** Completes the futures up to this position, which is on stable storage. */
    synchronized void durable(long position) {
        while (!byPosition.isEmpty() && byPosition.firstKey() <= position && isCompleted(() -> null)) {
            byPosition.pollFirstEntry();
        }
    }

    synchronized void fail(HeapException reason) {
        while (!byPosition.isEmpty() && isCompleted(() -> {
            throw reason;
        })) {
            byPosition.pollFirstEntry();
        }
    }

    private boolean isCompleted(Supplier<Void> result) {
        try {
            byPosition.firstEntry().getValue().completeAsync(result);
            return true;
        } catch (OutOfMemoryError e) {
            // The future is kept.
            return false;
        }
    }
}
