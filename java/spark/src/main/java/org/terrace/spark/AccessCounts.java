// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.spark.storage.RDDBlockId;

/**
 * Counts how often the tasks of an executor read cached partitions, by RDD. The counts go to the driver's {@link AccessProfile}.
 *
 * <p>The task that caches a partition also reads it once. This read is not counted, because the partition has not moved yet.
 */
final class AccessCounts {

    /** The numbers of an RDD in a message, after its id. */
    enum Count {
        PARTITIONS, BYTES, REMOVED_BYTES, READS, READ_BYTES
    }

    private static final StackWalker STACK = StackWalker.getInstance();

    private final Map<Integer, long[]> counts = new HashMap<>(); // since the last message
    private final Set<RDDBlockId> unread = new HashSet<>();
    private long fastBytes;

    /** @param fastBytes size of this executor's fast memory; 0 without tiers */
    AccessCounts(long fastBytes) {
        this.fastBytes = fastBytes;
    }

    synchronized void cached(RDDBlockId id, long bytes) {
        unread.add(id);
        count(id, Count.PARTITIONS, 1);
        count(id, Count.BYTES, bytes);
    }

    synchronized void removed(RDDBlockId id, long bytes) {
        unread.remove(id);
        count(id, Count.REMOVED_BYTES, bytes);
    }

    synchronized void read(RDDBlockId id, long bytes) {
        if (!unread.remove(id)) {
            count(id, Count.READS, 1);
            count(id, Count.READ_BYTES, bytes);
        }
    }

    private void count(RDDBlockId id, Count count, long number) {
        counts.computeIfAbsent(id.rddId(), rdd -> new long[Count.values().length])[count.ordinal()] += number;
    }

    /** Whether the store asks for the size of an entry only. It calls the same method of its map as for a read. */
    static boolean isQueryOfSize() {
        return STACK.walk(frames -> frames.limit(4).anyMatch(frame -> frame.getMethodName().equals("getSize")));
    }

    /**
     * Returns the counts since the last call as a message: the size of fast memory in the first one, then for each RDD its id and
     * its counts. Null if there are none. The message is an array, because Spark reads it with a class loader that does not know a plugin
     * from {@code --jars}.
     */
    synchronized long[] take() {
        if (counts.isEmpty() && fastBytes == 0) {
            return null;
        }
        int width = 1 + Count.values().length;
        long[] message = new long[1 + counts.size() * width];
        message[0] = fastBytes;
        int next = 1;
        for (Map.Entry<Integer, long[]> rdd : counts.entrySet()) {
            message[next] = rdd.getKey();
            System.arraycopy(rdd.getValue(), 0, message, next + 1, width - 1);
            next += width;
        }
        fastBytes = 0;
        counts.clear();
        return message;
    }
}
