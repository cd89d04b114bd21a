// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.log;

import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.terrace.persist.HeapException;

/**
 * Futures of what is not durable yet. What depends on them runs in threads of its own: the one that completes them may hold locks
 * of the heap. One that could not be completed, for want of memory, is kept for the next time.
 */
final class Awaited {
    private final TreeMap<Long, CompletableFuture<Void>> byPosition = new TreeMap<>();

    /** Those that wait for one position get the same, so that their number is bounded by the log. */
    synchronized CompletableFuture<Void> add(long position) {
        return byPosition.computeIfAbsent(position, p -> new CompletableFuture<>()).copy();
    }

    /** All before the position is on stable storage. */
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
            // It is kept.
            return false;
        }
    }
}
