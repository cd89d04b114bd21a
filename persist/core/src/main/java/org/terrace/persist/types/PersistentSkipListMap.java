// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Arrays;
import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.RawObjects;
import org.terrace.persist.heap.Circle;

/**
 * A skip list (Pugh, CACM 1990). It consists of a list of all entries in key order and of higher lists, each with about every
 * fourth entry of the one below.
 */
public final class PersistentSkipListMap<K, V> extends PersistentSortedMap<K, V> {
    @SuppressWarnings("rawtypes")
    static final PersistentClass<PersistentSkipListMap> CLASS = fields(PersistentSkipListMap.class, PersistentSkipListMap::new)
            .field("head", FieldType.REFERENCE).build();
    private static final int HEAD = CLASS.offset("head");
    private static final int LEVELS = 16;

    static {
        RawObjects.define(CLASS, new KeyOrder());
    }

    /** Creates an empty map in the current heap. Must be called in a failure-atomic block. */
    public PersistentSkipListMap() {
        this(Heap.current());
    }

    /** Creates an empty map. Must be called in a failure-atomic block. */
    public PersistentSkipListMap(Heap heap) {
        super(CLASS, heap);
        setLong(HEAD, SkipEntry.make(raw(), LEVELS, null, null));
    }

    private PersistentSkipListMap(Heap heap, long offset) {
        super(heap, offset);
    }

    @Override
    void freeStructure() {
        SkipEntry.destroy(raw(), head());
    }

    private long head() {
        long head = getLong(HEAD);
        raw().header(head, SkipEntry.CLASS);
        return head;
    }

    private long next(long entry, int level) {
        return SkipEntry.next(raw(), entry, level);
    }

    private void next(long entry, int level, long next) {
        SkipEntry.next(raw(), entry, level, next);
    }

    /** The level at which a search begins. It is expected to have about one to four entries, and higher levels have fewer. */
    private int searchLevel() {
        return Math.min(LEVELS - 1, (Integer.SIZE - Integer.numberOfLeadingZeros(storedSize())) / 2);
    }

    /**
     * The last entry before the key, or at most equal to it, or the last of all if the key is null. The head if there is none.
     *
     * @param path receives the last such entry for as many levels as the array has elements
     */
    private long before(Object key, boolean orEqual, long... path) {
        long e = head();
        long behind = 0;
        Circle circle = new Circle(heap().path());
        for (int level = Math.max(searchLevel(), path.length - 1); level >= 0; level--) {
            // An entry behind the key on one level is also behind it on the next, and need not be compared again.
            for (long next = next(e, level); next != 0 && next != behind; next = next(e, level)) {
                int order = key == null ? 1 : compare(key, next);
                if (order < 0 || order == 0 && !orEqual) {
                    behind = next;
                    break;
                }
                e = circle.step(next);
            }
            if (level < path.length) {
                path[level] = e;
            }
        }
        return e;
    }

    @Override
    long find(Object key) {
        long e = nearest(key, true, false);
        return e != 0 && compare(key, e) == 0 ? e : 0;
    }

    @Override
    long nearest(Object from, boolean orEqual, boolean down) {
        if (down) {
            long e = before(from, orEqual);
            return e == head() ? 0 : e;
        }
        return next(from == null ? head() : before(from, !orEqual), 0);
    }

    @Override
    Walk walk(Object from, boolean orEqual, boolean down) {
        return new SkipWalk(nearest(from, orEqual, down), down);
    }

    /**
     * Walks forwards along the list of all entries. Backwards, it searches for each entry, because entries have no link to their
     * predecessor.
     */
    private final class SkipWalk implements Walk {
        private final boolean down;
        private final Circle circle = new Circle(heap().path());
        private long entry;

        SkipWalk(long entry, boolean down) {
            this.entry = entry;
            this.down = down;
        }

        @Override
        public long entry() {
            return SkipEntry.checked(raw(), entry);
        }

        @Override
        public void step() {
            entry = circle.step(down ? before(entry) : next(entry, 0));
        }

        private long before(long entry) {
            Object key = Boxed.load(raw(), SortedEntry.keyReference(raw(), entry));
            long before = Opaque.isOne(key) ? previous(entry, 0) : nearest(key, false, true);
            return before == head() ? 0 : before;
        }
    }

    @Override
    void insert(Object key, Object value) {
        int levels = Math.min(LEVELS, 1 + Integer.numberOfTrailingZeros(RandomShape.next() | 1 << 30) / 2);
        long[] path = new long[levels];
        before(key, false, path);
        long added = SkipEntry.make(raw(), levels, key, value);
        for (int level = 0; level < levels; level++) {
            next(added, level, next(path[level], level));
            next(path[level], level, added);
        }
        changeSize(1);
    }

    @Override
    boolean delete(Object key) {
        long[] path = new long[LEVELS];
        long gone = next(before(key, false, path), 0);
        if (gone == 0 || compare(key, gone) != 0) {
            return false;
        }
        int levels = SkipEntry.levels(raw(), gone);
        if (levels < 1 || levels > LEVELS) {
            throw raw().damaged(gone, "is on " + levels + " levels");
        }
        for (int level = 0; level < levels; level++) {
            next(path[level], level, next(gone, level));
        }
        SkipEntry.destroy(raw(), gone);
        changeSize(-1);
        return true;
    }

    @Override
    void deleteEntry(long entry) {
        for (int level = SkipEntry.levels(raw(), entry) - 1; level >= 0; level--) {
            next(previous(entry, level), level, next(entry, level));
        }
        SkipEntry.destroy(raw(), entry);
        changeSize(-1);
    }

    /** The predecessor of an entry whose key cannot be compared, found by a linear search. */
    private long previous(long entry, int level) {
        Circle circle = new Circle(heap().path());
        long e = head();
        while (next(e, level) != entry) {
            e = circle.step(next(e, level));
            if (e == 0) {
                throw raw().damaged(entry, "is in no list that leads to it");
            }
        }
        return e;
    }

    @Override
    void relink(long[] entries) {
        long[] last = new long[LEVELS];
        Arrays.fill(last, head());
        for (long entry : entries) {
            int levels = SkipEntry.levels(raw(), entry);
            for (int level = 0; level < levels; level++) {
                relink(last[level], level, entry);
                last[level] = entry;
            }
        }
        for (int level = 0; level < LEVELS; level++) {
            relink(last[level], level, 0);
        }
    }

    /** An unchanged link is not stored, so it adds nothing to the log. */
    private void relink(long entry, int level, long next) {
        if (next(entry, level) != next) {
            next(entry, level, next);
        }
    }

    @Override
    void destroy(long entry) {
        SkipEntry.destroy(raw(), entry);
    }

    @Override
    void deleteAll() {
        long head = head();
        for (long next, e = next(head, 0); e != 0; e = next) {
            next = next(e, 0);
            SkipEntry.destroy(raw(), e);
        }
        for (int level = 0; level < LEVELS; level++) {
            next(head, level, 0);
        }
        changeSize(-storedSize());
    }
}
