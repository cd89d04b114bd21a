// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.spark.storage.RDDBlockId;

/**
 * Predicts from the partitions in H2 that tasks read which ones to prefetch and which ones to dismiss. Spark starts tasks in the
 * order of partitions. While {@code slots} tasks run at a time, the next partition without a reader is therefore the one
 * {@code slots} after the one that a task begins to read. After the last partition comes the first, because programs that
 * cache read more than once. A partition is finished when as many later ones were begun as running tasks can read. We assume
 * that a task reads up to two.
 *
 * <p>Not thread-safe.
 */
final class ReadAhead {

    private static final int PARTITIONS_PER_TASK = 2;

    private final Consumer<Object> prefetch;
    private final Consumer<Object> dismiss;
    private final int slots;
    private final Map<Integer, TreeMap<Integer, Object>> rootsOfRdd = new HashMap<>();
    private final Set<RDDBlockId> begun = new LinkedHashSet<>();

    ReadAhead(Consumer<Object> prefetch, Consumer<Object> dismiss, int slots) {
        this.prefetch = prefetch;
        this.dismiss = dismiss;
        this.slots = slots;
    }

    void add(RDDBlockId id, Object root) {
        rootsOfRdd.computeIfAbsent(id.rddId(), rdd -> new TreeMap<>()).put(id.splitIndex(), root);
    }

    void remove(RDDBlockId id) {
        begun.remove(id);
        rootsOfRdd.computeIfPresent(id.rddId(), (rdd, roots) -> {
            roots.remove(id.splitIndex());
            return roots.isEmpty() ? null : roots;
        });
    }

    void clear() {
        begun.clear();
        rootsOfRdd.clear();
    }

    /** Records that a task begins to read a partition in H2, and prefetches and dismisses partitions accordingly. */
    void reading(RDDBlockId id) {
        begun.remove(id);
        begun.add(id);
        if (begun.size() > slots * PARTITIONS_PER_TASK) {
            Iterator<RDDBlockId> oldest = begun.iterator();
            dismiss.accept(root(oldest.next()));
            oldest.remove();
        }
        prefetch.accept(root(id));
        TreeMap<Integer, Object> roots = rootsOfRdd.get(id.rddId());
        if (roots.size() <= slots) {
            return; // each of the others has a reader already
        }
        int next = id.splitIndex();
        for (int i = 0; i < slots; i++) {
            Integer higher = roots.higherKey(next);
            next = higher != null ? higher : roots.firstKey();
        }
        prefetch.accept(roots.get(next));
    }

    private Object root(RDDBlockId id) {
        return rootsOfRdd.get(id.rddId()).get(id.splitIndex());
    }
}
