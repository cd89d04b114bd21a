// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.terrace.persist.FieldType;
import org.terrace.persist.FreedObjectException;
import org.terrace.persist.Heap;
import org.terrace.persist.OpaqueObject;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.fa.Transaction;
import org.terrace.persist.heap.Circle;

/**
 * A hash map with chains. It grows by linear hashing (Litwin, VLDB 1980). Each insertion above the load factor splits one bucket,
 * so no block ever rehashes the whole map. It shrinks only in {@code clear}. Null keys and values are allowed.
 *
 * <p>The map follows references without proxies, and checks each object that it visits ({@link #checked}). A get of a plain value
 * takes no lock either, unless a commit happens meanwhile.
 */
public final class PersistentHashMap<K, V> extends PersistentMap<K, V> {
    @SuppressWarnings("rawtypes")
    static final PersistentClass<PersistentHashMap> CLASS = fields(PersistentHashMap.class, PersistentHashMap::new)
            .field("buckets", FieldType.INT).field("table", FieldType.REFERENCE).build();
    static final int BUCKETS = CLASS.offset("buckets");
    static final int TABLE = CLASS.offset("table");
    private static final int MIN_BUCKETS = 16;
    private static final int MAX_BUCKETS = 1 << 30;

    private final View view = new View();

    /** Creates an empty map in the current heap. Must be called in a failure-atomic block. */
    public PersistentHashMap() {
        this(Heap.current());
    }

    /** Creates an empty map. Must be called in a failure-atomic block. */
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
        first(0, 0);
    }

    @Override
    void freeStructure() {
        ReferenceVector.trim(raw(), getLong(TABLE), 0);
        heap().free(getReference(TABLE));
    }

    private int bucketOf(int hash) {
        return bucketOf(hash, buckets());
    }

    private int buckets() {
        int buckets = getInt(BUCKETS);
        if (buckets < MIN_BUCKETS || buckets > MAX_BUCKETS) {
            throw raw().damaged(raw().referenceTo(this), "says that it has " + buckets + " buckets");
        }
        return buckets;
    }

    private Circle circle() {
        return new Circle(heap().path());
    }

    static int bucketOf(int hash, int buckets) {
        int whole = Integer.highestOneBit(buckets);
        int bucket = hash & 2 * whole - 1;
        return bucket < buckets ? bucket : hash & whole - 1;
    }

    /** The first entry of a bucket, or 0. */
    private long first(int bucket) {
        return checked(ReferenceVector.get(raw(), getLong(TABLE), bucket));
    }

    private void first(int bucket, long entry) {
        ReferenceVector.set(raw(), getLong(TABLE), bucket, entry);
    }

    private long next(long entry) {
        return checked(raw().getLong(entry, HashEntry.NEXT));
    }

    private void next(long entry, long next) {
        raw().putLong(entry, HashEntry.NEXT, next);
    }

    private long checked(long entry) {
        return HashEntry.checked(raw(), entry);
    }

    private int hashOf(long entry) {
        return HashEntry.hash(raw(), entry);
    }

    private <T> T keyOf(long entry) {
        return cast(HashEntry.key(raw(), entry));
    }

    private <T> T valueOf(long entry) {
        return cast(HashEntry.value(raw(), entry));
    }

    private boolean has(long entry, int hash, Object key) {
        return HashEntry.hasKey(raw(), entry, hash, key);
    }

    private long find(int hash, Object key) {
        long e = first(bucketOf(hash));
        Circle circle = circle();
        while (e != 0 && !has(e, hash, key)) {
            e = circle.step(next(e));
        }
        return e;
    }

    private long find(Object key) {
        if (key instanceof OpaqueObject object) {
            return find(object);
        }
        long entry = find(StableHash.of(key), key);
        if (entry == 0) {
            for (int hash : StableHash.former(key)) {
                entry = entry == 0 ? find(hash, key) : entry;
            }
        }
        return entry;
    }

    /** Searches all entries, because the program lacks the class that computes the hash of such a key. */
    private long find(OpaqueObject key) {
        for (int i = 0; i < buckets(); i++) {
            Circle circle = circle();
            for (long e = first(i); e != 0; e = circle.step(next(e))) {
                if (key.equals(keyIfOpaque(e))) {
                    return e;
                }
            }
        }
        return 0;
    }

    private Object keyIfOpaque(long entry) {
        try {
            return keyOf(entry) instanceof OpaqueObject object ? object : null;
        } catch (FreedObjectException e) {
            return null;
        }
    }

    private V lookUp(Object key) {
        long entry = find(key);
        return entry == 0 ? null : valueOf(entry);
    }

    private V putKey(K key, V value) {
        changed(key);
        long entry = find(key);
        if (entry == 0) {
            insert(StableHash.of(key), key, value);
            return null;
        }
        int hash = hashOf(entry);
        V old = cast(HashEntry.valueToDrop(raw(), entry));
        long replaced = HashEntry.replaceValue(raw(), entry, value);
        if (replaced != entry) {
            relink(bucketOf(hash), entry, replaced);
        }
        return old;
    }

    /** Replaces an entry in its chain. The old entry is being removed or was freed. Iterations continue. */
    private void relink(int bucket, long entry, long replacement) {
        long head = ReferenceVector.get(raw(), getLong(TABLE), bucket);
        if (head == entry) {
            first(bucket, replacement);
            return;
        }
        // The search has followed this chain to the entry.
        long previous = checked(head);
        for (long n = raw().getLong(previous, HashEntry.NEXT); n != entry; n = raw().getLong(previous, HashEntry.NEXT)) {
            previous = checked(n);
        }
        next(previous, replacement);
    }

    /** Adds a key that is not present. */
    private void insert(int hash, K key, V value) {
        int bucket = bucketOf(hash);
        long entry = HashEntry.make(raw(), hash, key, value, first(bucket));
        first(bucket, entry);
        changeSize(1);
        int buckets = buckets();
        if (storedSize() > buckets && buckets < MAX_BUCKETS) {
            split();
        }
    }

    /** Adds a bucket and moves entries there from the one bucket that contained them. */
    private void split() {
        int added = buckets();
        Circle circle = circle();
        int from = added - Integer.highestOneBit(added);
        setInt(BUCKETS, added + 1);
        long stay = 0;
        long move = 0;
        for (long next, e = first(from); e != 0; e = next) {
            next = circle.step(next(e));
            if (bucketOf(hashOf(e), added + 1) == added) {
                next(e, move);
                move = e;
            } else {
                next(e, stay);
                stay = e;
            }
        }
        first(from, stay);
        first(added, move);
    }

    private V removeKey(Object key) {
        changed(key);
        long entry = find(key);
        return entry == 0 ? null : removeEntry(bucketOf(hashOf(entry)), entry);
    }

    private V removeEntry(int bucket, long entry) {
        relink(bucket, entry, next(entry));
        V old = cast(HashEntry.valueToDrop(raw(), entry));
        HashEntry.destroy(raw(), entry);
        changeSize(-1);
        return old;
    }

    private void removeAll() {
        changedAll();
        for (int i = buckets() - 1; i >= 0; i--) {
            for (long next, e = first(i); e != 0; e = next) {
                next = next(e);
                HashEntry.destroy(raw(), e);
            }
        }
        // Clears only the remaining part of the table, so the log records of a large table stay small.
        for (int i = 0; i < MIN_BUCKETS; i++) {
            first(i, 0);
        }
        ReferenceVector.trim(raw(), getLong(TABLE), MIN_BUCKETS);
        changeSize(-storedSize());
        reset();
    }

    /** Starts a traversal. */
    public Scan scan() {
        return new Scan();
    }

    @SuppressWarnings("unchecked")
    private static <T> T cast(Object value) {
        return (T) value;
    }

    @Override
    ViewMap<K, V> view() {
        return view;
    }

    private final class View extends ViewMap<K, V> {
        @Override
        Heap heap() {
            return PersistentHashMap.this.heap();
        }

        @Override
        int modifications() {
            return PersistentHashMap.this.modifications();
        }

        @Override
        public int size() {
            return storedSize();
        }

        @Override
        public V get(Object key) {
            Object value = UnlockedGet.get(raw(), PersistentHashMap.this, key);
            return value != Boxed.NOT_PLAIN ? cast(value) : reading(() -> lookUp(key));
        }

        @Override
        public boolean containsKey(Object key) {
            return reading(() -> find(key) != 0);
        }

        @Override
        public V put(K key, V value) {
            return changing(() -> putKey(key, value));
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

    private final class Entries extends ViewSet<java.util.Map.Entry<K, V>> {
        @Override
        Heap heap() {
            return PersistentHashMap.this.heap();
        }

        @Override
        public int size() {
            return storedSize();
        }

        @Override
        public boolean contains(Object o) {
            return o instanceof java.util.Map.Entry<?, ?> e && reading(() -> {
                long entry = find(e.getKey());
                return entry != 0 && Objects.equals(valueOf(entry), e.getValue());
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

    /**
     * Iterates over positions, which are pairs of a bucket and a place in its chain. Positions stay the same while nothing is
     * inserted or removed. When a value is replaced, another entry may take the same position.
     */
    private final class EntryIterator implements Iterator<java.util.Map.Entry<K, V>> {
        private int expected;
        private Transaction.Outcome learntIn;
        private int bucket;
        private int place;
        private boolean more;
        private K last;
        private int lastBucket;
        private int lastPlace;
        private boolean removable;

        EntryIterator() {
            reading(() -> {
                learn();
                return findNext();
            });
        }

        private void learn() {
            expected = modifications();
            learntIn = raw().outcome();
        }

        private long entry(int bucket, int place) {
            long e = first(bucket);
            Circle circle = circle();
            for (int i = 0; i < place && e != 0; i++) {
                e = circle.step(PersistentHashMap.this.next(e));
            }
            return e;
        }

        private boolean findNext() {
            int buckets = buckets();
            more = entry(bucket, place) != 0;
            while (!more && bucket < buckets - 1) {
                bucket++;
                place = 0;
                more = first(bucket) != 0;
            }
            return more;
        }

        private void checkUnchanged() {
            if (modifications() != expected || learntIn != null && learntIn.isRolledBack()) {
                throw new ConcurrentModificationException();
            }
        }

        @Override
        public boolean hasNext() {
            return more;
        }

        @Override
        public java.util.Map.Entry<K, V> next() {
            if (!more) {
                throw new NoSuchElementException();
            }
            return reading(() -> {
                checkUnchanged();
                long current = entry(bucket, place);
                lastBucket = bucket;
                lastPlace = place++;
                findNext();
                last = keyOf(current);
                removable = true;
                return new WriteThroughEntry<>(PersistentHashMap.this, last, PersistentHashMap.this.<V>valueOf(current));
            });
        }

        @Override
        public void remove() {
            if (!removable) {
                throw new IllegalStateException();
            }
            heap().atomic(() -> {
                checkUnchanged();
                // Removes by position, because this program may be unable to search for the key.
                changed(last);
                removeEntry(lastBucket, entry(lastBucket, lastPlace));
                learn();
            });
            place -= lastBucket == bucket ? 1 : 0;
            removable = false;
        }
    }

    /**
     * A traversal in steps that tolerates changes by any thread between the steps. A mapping that exists from the first step to the
     * last is visited exactly once, any other at most once. The traversal itself is not thread-safe.
     */
    public final class Scan {
        private int initial;
        private int next;

        private Scan() {
        }

        /**
         * Passes the next mappings to a function, in one {@link Heap#read}. The function must not change the map. An entry is valid
         * only until the function returns, and loads key and value on demand.
         *
         * @param count the minimum number of mappings, unless the end is reached
         * @return false at the end
         */
        public boolean next(int count, Consumer<? super Entry<K, V>> function) {
            return reading(() -> {
                if (initial == 0) {
                    initial = buckets();
                }
                for (int given = 0; given < count && next < initial; next++) {
                    given += give(next, function);
                }
                return next < initial;
            });
        }

        /**
         * Visits the entries that belonged to a bucket when the scan began. They are now in that bucket and in buckets split from
         * it, which have the same low bits. After a clear, they may be in a bucket that has merged several.
         */
        private int give(int bucket, Consumer<? super Entry<K, V>> function) {
            int now = buckets();
            if (now < initial) {
                return giveChain(bucketOf(bucket, now), bucket, function);
            }
            long whole = Integer.highestOneBit(initial);
            long stride = bucket >= whole || bucket < initial - whole ? 2 * whole : whole;
            int given = 0;
            for (long i = bucket; i < now; i += stride) {
                given += giveChain((int) i, bucket, function);
            }
            return given;
        }

        private int giveChain(int at, int bucket, Consumer<? super Entry<K, V>> function) {
            int given = 0;
            Circle circle = circle();
            for (long e = first(at); e != 0; e = circle.step(PersistentHashMap.this.next(e))) {
                if (bucketOf(hashOf(e), initial) == bucket) {
                    function.accept(new Stored(e));
                    given++;
                }
            }
            return given;
        }
    }

    private final class Stored implements Entry<K, V> {
        private final long entry;

        Stored(long entry) {
            this.entry = entry;
        }

        @Override
        public K getKey() {
            return keyOf(checked(entry));
        }

        @Override
        public V getValue() {
            return valueOf(checked(entry));
        }

        @Override
        public V setValue(V value) {
            throw new UnsupportedOperationException("a scan changes nothing");
        }
    }
}
