package org.terrace.persist.types;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;

/**
 * A hash map with chains. It grows by linear hashing (Litwin, VLDB 1980): each insertion above the load splits one bucket, so no
 * block ever
 * rehashes the whole map. It does not shrink, except by {@code clear}. Holds null keys and values.
 */
public final class PersistentHashMap<K, V> extends PersistentMap<K, V> {
    @SuppressWarnings("rawtypes")
    static final PersistentClass<PersistentHashMap> CLASS = fields(PersistentHashMap.class, PersistentHashMap::new)
            .field("buckets", FieldType.INT).field("table", FieldType.REFERENCE).build();
    private static final int BUCKETS = CLASS.offset("buckets");
    private static final int TABLE = CLASS.offset("table");
    private static final int MIN_BUCKETS = 16;
    private static final int MAX_BUCKETS = 1 << 30;

    private final View view = new View();

    /** An empty map. Call it in a failure-atomic block. */
    public PersistentHashMap(Heap heap) {
        super(CLASS, heap);
        setReference(TABLE, ReferenceVector.create(heap));
        reset();
    }

    private PersistentHashMap(Heap heap, long offset) {
        super(heap, offset);
    }

    private void reset() {
        setInt(BUCKETS, MIN_BUCKETS);
        table().set(0, null);
    }

    private ReferenceVector table() {
        return new ReferenceVector((References) getReference(TABLE));
    }

    @Override
    void freeStructure() {
        table().trim(0);
        heap().free(getReference(TABLE));
    }

    private int bucketOf(int hash) {
        return bucketOf(hash, getInt(BUCKETS));
    }

    private static int bucketOf(int hash, int buckets) {
        int whole = Integer.highestOneBit(buckets);
        int bucket = hash & 2 * whole - 1;
        return bucket < buckets ? bucket : hash & whole - 1;
    }

    private HashEntry find(Object key) {
        int hash = StableHash.of(key);
        for (HashEntry e = (HashEntry) table().get(bucketOf(hash)); e != null; e = e.next()) {
            if (e.hash() == hash && Objects.equals(e.key(), key)) {
                return e;
            }
        }
        return null;
    }

    /** Adds a key that is not there. */
    private void insert(K key, V value) {
        int hash = StableHash.of(key);
        HashEntry entry = new HashEntry(heap(), hash, Boxed.store(heap(), key), Boxed.store(heap(), value));
        ReferenceVector table = table();
        int bucket = bucketOf(hash);
        entry.next((HashEntry) table.get(bucket));
        table.set(bucket, entry);
        changeSize(1);
        if (storedSize() > getInt(BUCKETS) && getInt(BUCKETS) < MAX_BUCKETS) {
            split(table);
        }
    }

    /** Adds a bucket, and moves there what belongs there of the one bucket that had it. */
    private void split(ReferenceVector table) {
        int added = getInt(BUCKETS);
        int from = added - Integer.highestOneBit(added);
        setInt(BUCKETS, added + 1);
        HashEntry stay = null;
        HashEntry move = null;
        for (HashEntry next, e = (HashEntry) table.get(from); e != null; e = next) {
            next = e.next();
            if (bucketOf(e.hash(), added + 1) == added) {
                e.next(move);
                move = e;
            } else {
                e.next(stay);
                stay = e;
            }
        }
        table.set(from, stay);
        table.set(added, move);
    }

    private V removeKey(Object key) {
        int hash = StableHash.of(key);
        ReferenceVector table = table();
        int bucket = bucketOf(hash);
        HashEntry previous = null;
        for (HashEntry e = (HashEntry) table.get(bucket); e != null; previous = e, e = e.next()) {
            if (e.hash() == hash && Objects.equals(e.key(), key)) {
                if (previous == null) {
                    table.set(bucket, e.next());
                } else {
                    previous.next(e.next());
                }
                V old = cast(e.value());
                e.destroy();
                changeSize(-1);
                return old;
            }
        }
        return null;
    }

    private void removeAll() {
        ReferenceVector table = table();
        for (int i = getInt(BUCKETS) - 1; i >= 0; i--) {
            for (HashEntry next, e = (HashEntry) table.get(i); e != null; e = next) {
                next = e.next();
                e.destroy();
            }
            table.set(i, null);
        }
        table.trim(MIN_BUCKETS);
        changeSize(-storedSize());
        reset();
    }

    @SuppressWarnings("unchecked")
    private static <T> T cast(Object value) {
        return (T) value;
    }

    @Override
    AbstractMap<K, V> view() {
        return view;
    }

    private final class View extends AbstractMap<K, V> {
        @Override
        public int size() {
            return storedSize();
        }

        @Override
        public V get(Object key) {
            return reading(() -> {
                HashEntry entry = find(key);
                return entry == null ? null : cast(entry.value());
            });
        }

        @Override
        public boolean containsKey(Object key) {
            return reading(() -> find(key) != null);
        }

        @Override
        public V put(K key, V value) {
            return changing(() -> {
                HashEntry entry = find(key);
                if (entry != null) {
                    return cast(entry.replaceValue(value));
                }
                insert(key, value);
                return null;
            });
        }

        @Override
        public V remove(Object key) {
            return changing(() -> removeKey(key));
        }

        @Override
        public void clear() {
            heap().atomic(PersistentHashMap.this::removeAll);
        }

        @Override
        public Set<Entry<K, V>> entrySet() {
            return new Entries();
        }
    }

    private final class Entries extends AbstractSet<java.util.Map.Entry<K, V>> {
        @Override
        public int size() {
            return storedSize();
        }

        @Override
        public boolean contains(Object o) {
            return o instanceof java.util.Map.Entry<?, ?> e && reading(() -> {
                HashEntry entry = find(e.getKey());
                return entry != null && Objects.equals(entry.value(), e.getValue());
            });
        }

        @Override
        public boolean remove(Object o) {
            return changing(() -> {
                boolean present = contains(o);
                if (present) {
                    removeKey(((java.util.Map.Entry<?, ?>) o).getKey());
                }
                return present;
            });
        }

        @Override
        public void clear() {
            view.clear();
        }

        @Override
        public Iterator<java.util.Map.Entry<K, V>> iterator() {
            return new EntryIterator();
        }
    }

    /** By buckets, as those do not move while nothing is inserted. */
    private final class EntryIterator implements Iterator<java.util.Map.Entry<K, V>> {
        private int expected = modifications();
        private int bucket;
        private HashEntry next;
        private K last;
        private boolean removable;

        EntryIterator() {
            reading(this::findNext);
        }

        private HashEntry findNext() {
            ReferenceVector table = table();
            while (next == null && bucket < getInt(BUCKETS)) {
                next = (HashEntry) table.get(bucket++);
            }
            return next;
        }

        private void checkUnchanged() {
            if (modifications() != expected) {
                throw new ConcurrentModificationException();
            }
        }

        @Override
        public boolean hasNext() {
            return next != null;
        }

        @Override
        public java.util.Map.Entry<K, V> next() {
            if (next == null) {
                throw new NoSuchElementException();
            }
            return reading(() -> {
                checkUnchanged();
                HashEntry current = next;
                next = current.next();
                findNext();
                last = cast(current.key());
                removable = true;
                return new WriteThroughEntry<>(PersistentHashMap.this, last, PersistentHashMap.<V>cast(current.value()));
            });
        }

        @Override
        public void remove() {
            if (!removable) {
                throw new IllegalStateException();
            }
            heap().atomic(() -> {
                checkUnchanged();
                removeKey(last);
            });
            expected = modifications();
            removable = false;
        }
    }
}
