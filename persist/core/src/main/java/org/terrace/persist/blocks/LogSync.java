// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.blocks;

import java.util.concurrent.CompletableFuture;
import org.terrace.persist.Durability;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapFullException;
import org.terrace.persist.NotDurableException;
import org.terrace.persist.heap.files.Store;
import org.terrace.persist.medium.Site;

/** Makes commits and fences in the log as durable as the heap's {@link Durability} promises. */
public final class LogSync {
    private final Store store;
    private final boolean syncsEachCommit;

    public LogSync(Store store, boolean syncsEachCommit) {
        this.store = store;
        this.syncsEachCommit = syncsEachCommit;
    }

    /**
     * Makes the log durable up to a position.
     *
     * @throws NotDurableException if the device has no space for it
     */
    public void makeDurable(long position) {
        try {
            if (syncsEachCommit) {
                store.log().sync(position, Site.COMMIT_SYNC);
            } else {
                store.log().write(position);
            }
        } catch (HeapFullException e) {
            throw new NotDurableException(e.getMessage() + ". The changes are made, so do not repeat them, but they are in memory only."
                    + " They become durable with the next block or psync() that returns. The end of the program before loses them", e);
        }
    }

    /**
     * The future that {@code Heap.whenDurable} returns.
     *
     * @param writable whether the heap can still be written
     */
    public CompletableFuture<Void> whenDurable(boolean writable) {
        if (syncsEachCommit && writable) {
            // No other thread waits for commits without a sync, such as an allocation outside of blocks.
            try {
                makeDurable(store.log().end());
            } catch (NotDurableException e) {
                // They become durable with the next commit for which there is space.
                return store.log().whenDurable();
            } catch (HeapException e) {
                return CompletableFuture.failedFuture(e);
            }
        }
        return store.log().whenDurable();
    }
}
