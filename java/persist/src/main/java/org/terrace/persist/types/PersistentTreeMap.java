package org.terrace.persist.types;

import java.util.concurrent.ThreadLocalRandom;
import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;

/**
 * A search tree that random priorities keep balanced: a treap (Seidel and Aragon, Algorithmica 1996). An insertion or a removal
 * changes two references on average besides those of the entry.
 */
public final class PersistentTreeMap<K, V> extends PersistentSortedMap<K, V> {
    @SuppressWarnings("rawtypes")
    static final PersistentClass<PersistentTreeMap> CLASS = fields(PersistentTreeMap.class, PersistentTreeMap::new)
            .field("root", FieldType.REFERENCE).build();
    private static final int ROOT = CLASS.offset("root");

    /** An empty map in the current heap. Call it in a failure-atomic block. */
    public PersistentTreeMap() {
        this(Heap.current());
    }

    /** An empty map. Call it in a failure-atomic block. */
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

    private TreeEntry root() {
        return (TreeEntry) getReference(ROOT);
    }

    @Override
    MapEntry find(Object key) {
        TreeEntry e = root();
        while (e != null) {
            int order = compare(key, e.key());
            if (order == 0) {
                return e;
            }
            e = e.child(order > 0);
        }
        return null;
    }

    @Override
    MapEntry above(Object key, boolean orEqual) {
        TreeEntry best = null;
        for (TreeEntry e = root(); e != null;) {
            int order = compare(key, e.key());
            boolean fits = order < 0 || order == 0 && orEqual;
            best = fits ? e : best;
            e = e.child(!fits);
        }
        return best;
    }

    @Override
    MapEntry below(Object key, boolean orEqual) {
        TreeEntry best = null;
        for (TreeEntry e = root(); e != null;) {
            int order = compare(key, e.key());
            boolean fits = order > 0 || order == 0 && orEqual;
            best = fits ? e : best;
            e = e.child(fits);
        }
        return best;
    }

    @Override
    MapEntry first() {
        return outermost(false);
    }

    @Override
    MapEntry last() {
        return outermost(true);
    }

    private TreeEntry outermost(boolean right) {
        TreeEntry e = root();
        for (TreeEntry child = e; child != null; child = child.child(right)) {
            e = child;
        }
        return e;
    }

    private void link(TreeEntry parent, boolean right, TreeEntry child) {
        if (parent == null) {
            setReference(ROOT, child);
        } else {
            parent.child(right, child);
        }
    }

    @Override
    void insert(Object key, Object value) {
        int priority = ThreadLocalRandom.current().nextInt();
        TreeEntry parent = null;
        boolean right = false;
        TreeEntry e = root();
        while (e != null && e.priority() >= priority) {
            parent = e;
            right = compare(key, e.key()) > 0;
            e = e.child(right);
        }
        TreeEntry added = new TreeEntry(heap(), priority, Boxed.store(heap(), key), Boxed.store(heap(), value));
        link(parent, right, added);
        split(e, key, added);
        changeSize(1);
    }

    /** Distributes a subtree under the new entry: lesser keys to its left, greater ones to its right. */
    private static void split(TreeEntry subtree, Object key, TreeEntry added) {
        TreeEntry lesser = added;
        TreeEntry greater = added;
        for (TreeEntry next, e = subtree; e != null; e = next) {
            boolean below = compare(e.key(), key) < 0;
            next = e.child(below);
            if (below) {
                lesser.child(lesser != added, e);
                e.child(true, null);
                lesser = e;
            } else {
                greater.child(greater == added, e);
                e.child(false, null);
                greater = e;
            }
        }
    }

    @Override
    void delete(Object key) {
        TreeEntry parent = null;
        boolean right = false;
        TreeEntry e = root();
        for (int order = compare(key, e.key()); order != 0; order = compare(key, e.key())) {
            parent = e;
            right = order > 0;
            e = e.child(right);
        }
        merge(parent, right, e.child(false), e.child(true));
        e.destroy();
        changeSize(-1);
    }

    /** Hangs two subtrees, all keys of the one below those of the other, where one was. */
    private void merge(TreeEntry above, boolean side, TreeEntry lesser, TreeEntry greater) {
        TreeEntry parent = above;
        boolean right = side;
        TreeEntry a = lesser;
        TreeEntry b = greater;
        while (a != null && b != null) {
            boolean takeLesser = a.priority() >= b.priority();
            TreeEntry top = takeLesser ? a : b;
            link(parent, right, top);
            parent = top;
            right = takeLesser;
            if (takeLesser) {
                a = a.child(true);
            } else {
                b = b.child(false);
            }
        }
        link(parent, right, a == null ? b : a);
    }

    @Override
    void deleteAll() {
        java.util.ArrayDeque<TreeEntry> left = new java.util.ArrayDeque<>();
        for (TreeEntry e = root(); e != null; e = left.poll()) {
            for (boolean right : new boolean[] {false, true}) {
                if (e.child(right) != null) {
                    left.push(e.child(right));
                }
            }
            e.destroy();
        }
        setReference(ROOT, null);
        changeSize(-storedSize());
    }
}
