// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.RawObjects;
import org.terrace.persist.heap.Circle;
import org.terrace.persist.heap.LongStack;

/**
 * A treap (Seidel and Aragon, Algorithmica 1996), which is a search tree that is balanced by random priorities. Besides the
 * references of the entry itself, an insertion or a removal changes two references on average.
 */
public final class PersistentTreeMap<K, V> extends PersistentSortedMap<K, V> {
    @SuppressWarnings("rawtypes")
    static final PersistentClass<PersistentTreeMap> CLASS = fields(PersistentTreeMap.class, PersistentTreeMap::new)
            .field("root", FieldType.REFERENCE).build();
    private static final int ROOT = CLASS.offset("root");

    static {
        RawObjects.define(CLASS, new KeyOrder());
    }

    /** Creates an empty map in the current heap. Must be called in a failure-atomic block. */
    public PersistentTreeMap() {
        this(Heap.current());
    }

    /** Creates an empty map. Must be called in a failure-atomic block. */
    public PersistentTreeMap(Heap heap) {
        super(CLASS, heap);
    }

    private PersistentTreeMap(Heap heap, long offset) {
        super(heap, offset);
    }

    @Override
    void freeStructure() {
        // An empty tree has no entries.
    }

    private long root() {
        return TreeEntry.checked(raw(), getLong(ROOT));
    }

    private Circle circle() {
        return new Circle(heap().path());
    }

    private long child(long entry, boolean right) {
        return TreeEntry.child(raw(), entry, right);
    }

    private int priority(long entry) {
        return TreeEntry.priority(raw(), entry);
    }

    private void link(long parent, boolean right, long child) {
        if (parent == 0) {
            setLong(ROOT, child);
        } else {
            TreeEntry.child(raw(), parent, right, child);
        }
    }

    @Override
    long find(Object key) {
        long e = root();
        Circle circle = circle();
        while (e != 0) {
            int order = compare(key, e);
            if (order == 0) {
                return e;
            }
            e = circle.step(child(e, order > 0));
        }
        return 0;
    }

    @Override
    long nearest(Object from, boolean orEqual, boolean down) {
        return walk(from, orEqual, down).entry();
    }

    @Override
    Walk walk(Object from, boolean orEqual, boolean down) {
        return new TreeWalk(from, orEqual, down);
    }

    /** An in-order walk with a stack of the ancestors still to visit. */
    private final class TreeWalk implements Walk {
        private final LongStack ahead = new LongStack();
        private final boolean down;
        /** Upper limit of the entries still to visit, so that the walk ends even in a damaged tree. */
        private int left = storedSize();

        TreeWalk(Object from, boolean orEqual, boolean down) {
            this.down = down;
            Circle circle = circle();
            for (long e = root(); e != 0;) {
                int order = from == null ? 0 : compare(from, e);
                boolean isAhead = order == 0 ? orEqual || from == null : order < 0 != down;
                if (isAhead) {
                    push(e);
                }
                e = circle.step(child(e, isAhead == down));
            }
        }

        @Override
        public long entry() {
            return ahead.isEmpty() ? 0 : TreeEntry.checked(raw(), ahead.get(ahead.size() - 1));
        }

        @Override
        public void step() {
            for (long e = child(ahead.pop(), !down); e != 0; e = child(e, down)) {
                push(e);
            }
        }

        private void push(long entry) {
            if (--left < 0) {
                throw raw().damaged(raw().referenceTo(PersistentTreeMap.this), "has more entries than it says, or they lead back"
                        + " to themselves");
            }
            ahead.push(entry);
        }
    }

    @Override
    void insert(Object key, Object value) {
        int priority = RandomShape.next();
        long parent = 0;
        boolean right = false;
        long e = root();
        Circle circle = circle();
        while (e != 0 && priority(e) >= priority) {
            parent = e;
            right = compare(key, e) > 0;
            e = circle.step(child(e, right));
        }
        long added = TreeEntry.make(raw(), priority, key, value);
        link(parent, right, added);
        split(e, key, added);
        changeSize(1);
    }

    /** Distributes a subtree below the new entry, with lesser keys to its left and greater keys to its right. */
    private void split(long subtree, Object key, long added) {
        long lesser = added;
        long greater = added;
        Circle circle = circle();
        for (long next, e = subtree; e != 0; e = next) {
            boolean below = compare(key, e) > 0;
            next = circle.step(child(e, below));
            if (below) {
                link(lesser, lesser != added, e);
                link(e, true, 0);
                lesser = e;
            } else {
                link(greater, greater == added, e);
                link(e, false, 0);
                greater = e;
            }
        }
    }

    @Override
    boolean delete(Object key) {
        long parent = 0;
        boolean right = false;
        Circle circle = circle();
        for (long e = root(); e != 0; e = circle.step(child(e, right))) {
            int order = compare(key, e);
            if (order == 0) {
                merge(parent, right, child(e, false), child(e, true));
                TreeEntry.destroy(raw(), e);
                changeSize(-1);
                return true;
            }
            parent = e;
            right = order > 0;
        }
        return false;
    }

    @Override
    void deleteEntry(long entry) {
        LongStack left = new LongStack();
        left.push(0);
        Circle circle = circle();
        while (!left.isEmpty()) {
            long parent = left.pop();
            for (boolean right : new boolean[] {false, true}) {
                long child = parent == 0 ? root() : child(parent, right);
                if (child == entry) {
                    merge(parent, right, child(entry, false), child(entry, true));
                    TreeEntry.destroy(raw(), entry);
                    changeSize(-1);
                    return;
                } else if (child != 0 && (parent != 0 || !right)) {
                    left.push(circle.step(child));
                }
            }
        }
        throw raw().damaged(entry, "is in no tree that leads to it");
    }

    @Override
    void relink(long[] entries) {
        int[] left = new int[entries.length];
        int[] right = new int[entries.length];
        // Indexes of the entries whose right subtree is incomplete. Each has a lower priority than the one before.
        int[] spine = new int[entries.length];
        int depth = 0;
        for (int i = 0; i < entries.length; i++) {
            int below = -1;
            while (depth > 0 && priority(entries[spine[depth - 1]]) < priority(entries[i])) {
                below = spine[--depth];
            }
            left[i] = below;
            right[i] = -1;
            if (depth > 0) {
                right[spine[depth - 1]] = i;
            }
            spine[depth++] = i;
        }
        for (int i = 0; i < entries.length; i++) {
            relink(entries[i], false, left[i] < 0 ? 0 : entries[left[i]]);
            relink(entries[i], true, right[i] < 0 ? 0 : entries[right[i]]);
        }
        setLong(ROOT, depth == 0 ? 0 : entries[spine[0]]);
    }

    /** An unchanged link is not stored, so it adds nothing to the log. */
    private void relink(long entry, boolean right, long child) {
        if (child(entry, right) != child) {
            link(entry, right, child);
        }
    }

    @Override
    void destroy(long entry) {
        TreeEntry.destroy(raw(), entry);
    }

    /** Merges two subtrees into one and links it below an entry. All keys of the first are less than those in the second. */
    private void merge(long above, boolean side, long lesser, long greater) {
        long parent = above;
        boolean right = side;
        long a = lesser;
        long b = greater;
        Circle circle = circle();
        while (a != 0 && b != 0) {
            boolean takeLesser = priority(a) >= priority(b);
            long top = takeLesser ? a : b;
            link(parent, right, top);
            parent = top;
            right = takeLesser;
            circle.step(top);
            if (takeLesser) {
                a = child(a, true);
            } else {
                b = child(b, false);
            }
        }
        link(parent, right, a == 0 ? b : a);
    }

    @Override
    void deleteAll() {
        LongStack left = new LongStack();
        left.push(root());
        while (!left.isEmpty()) {
            // In a damaged tree, two links may lead to one entry, which is freed by now.
            long e = TreeEntry.checked(raw(), left.pop());
            if (e != 0) {
                left.push(child(e, false));
                left.push(child(e, true));
                TreeEntry.destroy(raw(), e);
            }
        }
        setLong(ROOT, 0);
        changeSize(-storedSize());
    }
}
