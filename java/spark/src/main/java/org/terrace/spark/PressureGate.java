// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import org.apache.spark.SparkConf;
import org.apache.spark.memory.MemoryManager;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.memory.MemoryStore;
import scala.Option;

/**
 * A memory store that intercepts the memory manager's requests to evict, and frees memory by transfers first. The real store
 * evicts only as much as H2 cannot take. This class stores nothing, because the manager's pools call only the method that is
 * overridden here.
 */
final class PressureGate extends MemoryStore {

    private final MemoryStore store;
    private final BlockMover mover;

    PressureGate(SparkConf conf, MemoryManager memoryManager, MemoryStore store, BlockMover mover) {
        super(conf, null, null, memoryManager, null);
        this.store = store;
        this.mover = mover;
    }

    @Override
    public long evictBlocksToFreeSpace(Option<BlockId> blockId, long space, MemoryMode mode) {
        if (mode != MemoryMode.ON_HEAP) {
            return store.evictBlocksToFreeSpace(blockId, space, mode);
        }
        long freed = mover.makeRoom(space, blockId.isDefined());
        return freed == space ? freed : freed + store.evictBlocksToFreeSpace(blockId, space - freed, mode);
    }
}
