package org.terrace.persist.types;

import java.util.concurrent.ThreadLocalRandom;
import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;

/** A skip list (Pugh, CACM 1990): a list in the order of keys, with lists of every fourth entry or so above it. */
public final class PersistentSkipListMap<K, V> extends PersistentSortedMap<K, V> {
    @SuppressWarnings("rawtypes")
    static final PersistentClass<PersistentSkipListMap> CLASS = fields(PersistentSkipListMap.class, PersistentSkipListMap::new)
            .field("head", FieldType.REFERENCE).build();
    private static final int HEAD = CLASS.offset("head");
    private static final int LEVELS = 16;

    /** An empty map in the current heap. Call it in a failure-atomic block. */
    public PersistentSkipListMap() {
        this(Heap.current());
    }

    /** An empty map. Call it in a failure-atomic block. */
    public PersistentSkipListMap(Heap heap) {
        super(CLASS, heap);
        setReference(HEAD, new SkipEntry(heap, LEVELS, null, null));
    }

    private PersistentSkipListMap(Heap heap, long offset) {
        super(heap, offset);
    }

    @Override
    void freeStructure() {
        head().destroy();
    }

    private SkipEntry head() {
        return (SkipEntry) getReference(HEAD);
    }

    /** The last entry of each level before the key, or at most equal to it; the head where there is none. */
    private SkipEntry[] before(Object key, boolean orEqual) {
        SkipEntry[] path = new SkipEntry[LEVELS];
        SkipEntry e = head();
        for (int level = LEVELS - 1; level >= 0; level--) {
            for (SkipEntry next = e.next(level); next != null; next = e.next(level)) {
                int order = compare(next.key(), key);
                if (order > 0 || order == 0 && !orEqual) {
                    break;
                }
                e = next;
            }
            path[level] = e;
        }
        return path;
    }

    private SkipEntry orNull(SkipEntry entry) {
        return entry.equals(head()) ? null : entry;
    }

    @Override
    MapEntry find(Object key) {
        SkipEntry e = before(key, false)[0].next(0);
        return e != null && compare(e.key(), key) == 0 ? e : null;
    }

    @Override
    MapEntry above(Object key, boolean orEqual) {
        return before(key, !orEqual)[0].next(0);
    }

    @Override
    MapEntry below(Object key, boolean orEqual) {
        return orNull(before(key, orEqual)[0]);
    }

    @Override
    MapEntry first() {
        return head().next(0);
    }

    @Override
    MapEntry last() {
        SkipEntry e = head();
        for (int level = LEVELS - 1; level >= 0; level--) {
            for (SkipEntry next = e.next(level); next != null; next = e.next(level)) {
                e = next;
            }
        }
        return orNull(e);
    }

    @Override
    void insert(Object key, Object value) {
        int levels = Math.min(LEVELS, 1 + Integer.numberOfTrailingZeros(ThreadLocalRandom.current().nextInt() | 1 << 30) / 2);
        SkipEntry[] path = before(key, false);
        SkipEntry added = new SkipEntry(heap(), levels, Boxed.store(heap(), key), Boxed.store(heap(), value));
        for (int level = 0; level < levels; level++) {
            added.next(level, path[level].next(level));
            path[level].next(level, added);
        }
        changeSize(1);
    }

    @Override
    void delete(Object key) {
        SkipEntry[] path = before(key, false);
        SkipEntry gone = path[0].next(0);
        for (int level = 0; level < gone.levels(); level++) {
            path[level].next(level, gone.next(level));
        }
        gone.destroy();
        changeSize(-1);
    }

    @Override
    void deleteAll() {
        SkipEntry head = head();
        for (SkipEntry next, e = head.next(0); e != null; e = next) {
            next = e.next(0);
            e.destroy();
        }
        for (int level = 0; level < LEVELS; level++) {
            head.next(level, null);
        }
        changeSize(-storedSize());
    }
}
