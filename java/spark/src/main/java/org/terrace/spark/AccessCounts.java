// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.storage.RDDBlockId;

/**
 * Counts how often the tasks of an executor read cached partitions, by RDD. The counts go to the driver's {@link AccessProfile}.
 *
 * <p>The task that caches a partition also reads it once. This read is not counted, because the partition has not moved yet.
 *
 * <p>An RDD may be cached and removed between two messages. A message therefore has its records in an order in which the driver sees
 * the most bytes at a time, also of several RDDs of one creation site.
 */
final class AccessCounts {

    /** The numbers of a record, after the id of its RDD. */
    enum Count {
        PARTITIONS, BYTES, REMOVED_BYTES, READS, READ_BYTES
    }

    /** Length of a record in a message. */
    static final int WIDTH = 1 + Count.values().length;

    private static final StackWalker STACK = StackWalker.getInstance();

    private final String executorId;
    private final long fastBytes;
    private final List<long[]> records = new ArrayList<>(); // since the last message
    // Since the last record. Each partition in cached was cached before the first one in removed was removed.
    private final Map<Integer, long[]> cached = new HashMap<>();
    private final Map<Integer, long[]> removed = new HashMap<>();
    private final Set<RDDBlockId> unread = new HashSet<>();
    private boolean introduced;

    /** @param fastBytes size of this executor's fast memory; 0 without tiers */
    AccessCounts(String executorId, long fastBytes) {
        this.executorId = executorId;
        this.fastBytes = fastBytes;
    }

    synchronized void cached(RDDBlockId id, long bytes) {
        if (!removed.isEmpty()) {
            record();
        }
        unread.add(id);
        count(cached, id, Count.PARTITIONS, 1);
        count(cached, id, Count.BYTES, bytes);
    }

    synchronized void removed(RDDBlockId id, long bytes) {
        unread.remove(id);
        count(removed, id, Count.REMOVED_BYTES, bytes);
    }

    synchronized void read(RDDBlockId id, long bytes) {
        if (!unread.remove(id)) {
            count(cached, id, Count.READS, 1);
            count(cached, id, Count.READ_BYTES, bytes);
        }
    }

    private static void count(Map<Integer, long[]> counts, RDDBlockId id, Count count, long number) {
        long[] record = counts.computeIfAbsent(id.rddId(), rdd -> new long[WIDTH]);
        record[0] = id.rddId();
        record[1 + count.ordinal()] += number;
    }

    private void record() {
        records.addAll(cached.values());
        records.addAll(removed.values());
        cached.clear();
        removed.clear();
    }

    /** Whether the store reads an entry. It calls the same method of its map to ask for the size of one, and to evict one. */
    static boolean isRead() {
        return STACK.walk(frames -> frames.limit(4).anyMatch(frame -> frame.getMethodName().equals("getValues")));
    }

    /**
     * Returns the counts since the last call as a message: the executor's id, and an array of the size of its fast memory and the records.
     * Null if there are none, except at the first call. The message has JDK classes only, because Spark reads it with a class loader that
     * does not know a plugin from {@code --jars}.
     */
    synchronized Map.Entry<String, long[]> take() {
        record();
        if (records.isEmpty() && introduced) {
            return null;
        }
        long[] numbers = new long[1 + records.size() * WIDTH];
        numbers[0] = fastBytes;
        for (int i = 0; i < records.size(); i++) {
            System.arraycopy(records.get(i), 0, numbers, 1 + i * WIDTH, WIDTH);
        }
        introduced = true;
        records.clear();
        return new SimpleImmutableEntry<>(executorId, numbers);
    }
}
