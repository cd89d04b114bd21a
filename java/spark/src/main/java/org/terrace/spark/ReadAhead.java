package org.terrace.spark;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.spark.storage.RDDBlockId;

/**
 * What tasks will read next of the cached partitions in H2. Spark starts tasks in the order of partitions, so while
 * {@code slots} tasks run at a time, the partition that comes {@code slots} after the one that a task begins is the
 * first that nobody reads yet. After the last comes the first: programs that cache read more than once.
 *
 * <p>Not safe for use by several threads.
 */
final class ReadAhead {

    private final Consumer<Object> prefetch;
    private final int slots;
    private final Map<Integer, TreeMap<Integer, Object>> rootsOfRdd = new HashMap<>();

    ReadAhead(Consumer<Object> prefetch, int slots) {
        this.prefetch = prefetch;
        this.slots = slots;
    }

    void add(RDDBlockId id, Object root) {
        rootsOfRdd.computeIfAbsent(id.rddId(), rdd -> new TreeMap<>()).put(id.splitIndex(), root);
    }

    void remove(RDDBlockId id) {
        rootsOfRdd.computeIfPresent(id.rddId(), (rdd, roots) -> {
            roots.remove(id.splitIndex());
            return roots.isEmpty() ? null : roots;
        });
    }

    void clear() {
        rootsOfRdd.clear();
    }

    /** A task begins to read a partition in H2. */
    void reading(RDDBlockId id) {
        TreeMap<Integer, Object> roots = rootsOfRdd.get(id.rddId());
        prefetch.accept(roots.get(id.splitIndex()));
        if (roots.size() <= slots) {
            return; // somebody reads each of the others
        }
        int next = id.splitIndex();
        for (int i = 0; i < slots; i++) {
            Integer higher = roots.higherKey(next);
            next = higher != null ? higher : roots.firstKey();
        }
        prefetch.accept(roots.get(next));
    }
}
