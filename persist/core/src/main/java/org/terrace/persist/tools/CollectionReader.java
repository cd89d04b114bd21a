// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.tools;

import java.util.Map;
import java.util.Set;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.FieldType;
import org.terrace.persist.heap.Circle;
import org.terrace.persist.heap.ClassDescriptor;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.LongStack;
import org.terrace.persist.heap.Space;
import org.terrace.persist.medium.Memory;
import org.terrace.persist.types.Bytes;
import org.terrace.persist.types.InlineValues;

/**
 * Reads the library's collections by the fields of their structure. Creates neither their elements nor classes of elements. It
 * visits at most as many elements as the collection's stored size, even in a damaged heap. {@link #check} also checks structures
 * that only gets and removals need.
 */
final class CollectionReader {
    private static final String TYPES = "org.terrace.persist.types.";
    private static final String COLLECTIONS = TYPES + "Persistent";
    private static final Set<String> MAPS = Set.of("HashMap", "TreeMap", "SkipListMap");
    private static final Set<String> OTHERS = Set.of("List", "Array", "Deque", "HashSet", "TreeSet", "SkipListSet");
    private static final Set<String> MAP_CLASSES =
            Set.of(COLLECTIONS + "HashMap", COLLECTIONS + "TreeMap", COLLECTIONS + "SkipListMap");
    private static final Set<String> HASH_ENTRIES =
            Set.of(TYPES + "HashEntry", TYPES + "InlineKeyEntry", TYPES + "InlineValueEntry", TYPES + "InlineEntry");
    private static final Set<String> TREE_ENTRIES = Set.of(TYPES + "TreeEntry");
    private static final Set<String> SKIP_ENTRIES = Set.of(TYPES + "SkipEntry");
    private static final Set<String> CHUNKS = Set.of(TYPES + "DequeChunk");
    private static final Set<String> ARRAYS = Set.of(TYPES + "References");
    private static final String BOXED = TYPES + "Boxed";
    private static final int MIN_BUCKETS = 16;
    private static final int MAX_LEVELS = 16;
    private static final int FIRST_SEGMENT = 16;

    /** Receives the elements of a collection in the order of its iterator. For a map, receives keys with their values. */
    @FunctionalInterface
    interface Visitor {
        /**
         * Receives an element. Keys and values are references, inline values of a map's entry, or null.
         *
         * @param value null if the collection is not a map
         */
        void element(Object element, Object value);
    }

    private final Space space;
    private final ObjectReader reader;
    private boolean checking;

    CollectionReader(Space space, ObjectReader reader) {
        this.space = space;
        this.reader = reader;
    }

    /** @throws CorruptHeapException if some method of the collection would fail or miss elements */
    void check(long collection) {
        checking = true;
        try {
            visit(collection, (element, value) -> { });
        } finally {
            checking = false;
        }
    }

    private static String kind(String className) {
        return className.startsWith(COLLECTIONS) ? className.substring(COLLECTIONS.length()) : "";
    }

    static boolean isMap(String className) {
        return MAPS.contains(kind(className));
    }

    static boolean isCollection(String className) {
        return isMap(className) || OTHERS.contains(kind(className));
    }

    /** @throws CorruptHeapException if the number of elements differs from the stored size, or the structure is damaged */
    void visit(long collection, Visitor visitor) {
        switch (kind(reader.className(collection))) {
            case "List" -> list(collection, visitor);
            case "Array" -> array(checked(reference(collection, "elements"), ARRAYS), visitor);
            case "Deque" -> deque(collection, visitor);
            case "HashMap" -> hashMap(collection, visitor);
            case "TreeMap" -> treeMap(collection, visitor);
            case "SkipListMap" -> skipListMap(collection, visitor);
            default -> visit(checked(reference(collection, "map"), MAP_CLASSES), (key, value) -> visitor.element(key, null));
        }
    }

    private long reference(long object, String field) {
        return Memory.getLong(address(object, field, FieldType.REFERENCE));
    }

    private int number(long object, String field) {
        return Memory.getInt(address(object, field, FieldType.INT));
    }

    /** The stored size of a collection. Each element takes at least one word of the heap. */
    private int size(long collection) {
        int size = number(collection, "size");
        if (size < 0 || size > space.size() / Long.BYTES) {
            throw damaged(collection, "says that it has " + size + " elements, more than the heap has space for");
        }
        return size;
    }

    private long address(long object, String name, FieldType type) {
        ClassDescriptor descriptor = reader.descriptor(object);
        for (ClassDescriptor.Field field : descriptor.fields()) {
            if (field.name().equals(name) && field.type() == type) {
                return space.base() + object + Layout.HEADER_BYTES + field.offset();
            }
        }
        throw damaged(object, "is a " + descriptor.name() + ", which has no field " + name + " of type " + type);
    }

    private CorruptHeapException damaged(long object, String what) {
        String name = reader.className(object);
        return new CorruptHeapException(space.file().path() + ": the " + name.substring(name.lastIndexOf('.') + 1)
                + " at offset " + object + " " + what + CorruptHeapException.REMEDY);
    }

    /** Checks that an object is of one of these classes. */
    private long checked(long object, Set<String> classes) {
        if (!classes.contains(reader.className(object))) {
            throw damaged(object, "should be one of " + classes);
        }
        return object;
    }

    private long element(long array, long index) {
        if (index < 0 || index >= reader.lengthOf(checked(array, ARRAYS))) {
            throw damaged(array, "has no element " + index);
        }
        return Memory.getLong(space.base() + array + Layout.HEADER_BYTES + (1 + index) * Long.BYTES);
    }

    private void array(long array, Visitor visitor) {
        long length = reader.lengthOf(array);
        for (long i = 0; i < length; i++) {
            visitor.element(ObjectReader.reference(element(array, i)), null);
        }
    }

    /** An element of an array in segments of 16, 16, 32, 64 ... elements. */
    private long element(long directory, int index) {
        int segment = index < FIRST_SEGMENT ? 0 : Integer.SIZE - Integer.numberOfLeadingZeros(index / FIRST_SEGMENT);
        int first = segment == 0 ? 0 : FIRST_SEGMENT << segment - 1;
        return element(element(directory, (long) segment), (long) index - first);
    }

    private void list(long list, Visitor visitor) {
        long directory = reference(list, "elements");
        int size = size(list);
        for (int i = 0; i < size; i++) {
            visitor.element(ObjectReader.reference(element(directory, i)), null);
        }
        if (checking) {
            checkNothingBehind(list, directory, size);
        }
    }

    /** Checks the unused places, because a removed element leaves null. */
    private void checkNothingBehind(long list, long directory, int size) {
        int capacity = capacity(directory);
        for (int i = size; i < capacity; i++) {
            if (element(directory, i) != 0) {
                throw damaged(list, "says that it has " + size + " elements, and has more");
            }
        }
    }

    /** The total length of the existing segments. */
    private int capacity(long directory) {
        int capacity = 0;
        for (long i = 0; i < reader.lengthOf(directory) && element(directory, i) != 0; i++) {
            capacity += (int) reader.lengthOf(element(directory, i));
        }
        return capacity;
    }

    private void deque(long deque, Visitor visitor) {
        Count count = new Count(deque, visitor);
        Circle circle = new Circle(space.file().path());
        long before = 0;
        for (long chunk = reference(deque, "first"); chunk != 0; chunk = circle.step(reference(chunk, "next"))) {
            long slots = reference(checked(chunk, CHUNKS), "slots");
            int from = number(chunk, "from");
            int to = number(chunk, "to");
            if (from >= to || checking && reference(chunk, "previous") != before) {
                throw damaged(chunk, "is empty, or refers to another chunk as the one before it");
            }
            for (int i = from; i < to; i++) {
                count.element(ObjectReader.reference(element(slots, (long) i)), null);
            }
            before = chunk;
        }
        count.end();
        if (checking && reference(deque, "last") != before) {
            throw damaged(deque, "refers to another chunk than the last one as its last");
        }
    }

    private void hashMap(long map, Visitor visitor) {
        Count count = new Count(map, visitor);
        long table = reference(map, "table");
        int buckets = number(map, "buckets");
        if (checking && buckets < MIN_BUCKETS) {
            throw damaged(map, "says that it has " + buckets + " buckets");
        }
        for (int i = 0; i < buckets; i++) {
            long entry = element(table, i);
            Circle circle = new Circle(space.file().path());
            for (; entry != 0; entry = circle.step(reference(entry, "next"))) {
                Object key = count.entry(checked(entry, HASH_ENTRIES));
                if (checking) {
                    checkHash(entry, key, i, buckets);
                }
            }
        }
        count.end();
    }

    private void checkHash(long entry, Object key, int bucket, int buckets) {
        int hash = number(entry, "hash");
        Object value = valueOf(key);
        boolean isKnown = value != null && !(value instanceof ObjectReader.Reference);
        if (isKnown && hashOf(value) != hash || InlineValues.bucketOf(hash, buckets) != bucket) {
            throw damaged(entry, "has hash " + hash + " and is in bucket " + bucket + " of " + buckets
                    + ", where a search for its key does not find it");
        }
    }

    /** The value of a key that is a copy of a value. Other references are returned unchanged. */
    private Object valueOf(Object key) {
        return key instanceof ObjectReader.Reference reference && reader.className(reference.offset()).equals(BOXED)
                ? reader.content(BOXED, reference.offset()) : key;
    }

    private static int hashOf(Object value) {
        return InlineValues.hashOf(value instanceof ObjectReader.EnumConstant constant ? constant.name()
                : value instanceof ObjectReader.Content content ? Bytes.copyOf(content.bytes()) : value);
    }

    private void treeMap(long map, Visitor visitor) {
        Count count = new Count(map, visitor);
        LongStack path = new LongStack();
        long entry = reference(map, "root");
        while (entry != 0 || !path.isEmpty()) {
            for (; entry != 0; entry = reference(entry, "left")) {
                count.checkRoom(path.size());
                path.push(checked(entry, TREE_ENTRIES));
            }
            entry = path.pop();
            count.sortedEntry(entry);
            entry = reference(entry, "right");
        }
        count.end();
    }

    private void skipListMap(long map, Visitor visitor) {
        Count count = new Count(map, visitor);
        long head = checked(reference(map, "head"), SKIP_ENTRIES);
        long[] expected = new long[MAX_LEVELS];
        checkLevels(head, head, expected);
        Circle circle = new Circle(space.file().path());
        for (long entry = reference(head, "next"); entry != 0; entry = circle.step(reference(entry, "next"))) {
            count.sortedEntry(checked(entry, SKIP_ENTRIES));
            checkLevels(head, entry, expected);
        }
        count.end();
        checkLevels(head, 0, expected);
    }

    /**
     * Checks the lists above the lowest level, which searches follow. They must contain the entries of the lowest level in the same
     * order.
     *
     * @param entry the current entry, or 0 behind the last one
     * @param expected for each level, the successor of the last entry there. Updated with this entry's successors
     */
    private void checkLevels(long head, long entry, long[] expected) {
        if (!checking) {
            return;
        }
        int levels = entry == 0 ? MAX_LEVELS : number(entry, "levels");
        if (levels < 1 || levels > MAX_LEVELS
                || entry != 0 && levels > 1 && reader.lengthOf(checked(reference(entry, "tower"), ARRAYS)) != levels - 1) {
            throw damaged(entry, "has " + levels + " levels, and not as many references");
        }
        for (int i = 0; i < levels - 1; i++) {
            if (entry != head && expected[i] != entry) {
                throw damaged(head, "leads to offset " + expected[i] + " above the lowest level, out of order");
            }
            expected[i] = entry == 0 ? 0 : element(reference(entry, "tower"), (long) i);
        }
    }

    /** Compares the number of elements with the stored size of the collection. */
    private final class Count {
        private final long collection;
        private final Visitor visitor;
        private final int size;
        private int seen;
        private Object keyBefore;

        Count(long collection, Visitor visitor) {
            this.collection = collection;
            this.visitor = visitor;
            this.size = size(collection);
        }

        void checkRoom(int waiting) {
            if (seen + waiting >= size) {
                throw damaged(collection, "says that it has " + size + " elements, and has more");
            }
        }

        /** Passes an entry to the visitor and returns its key. */
        Object entry(long entry) {
            Map<String, Object> fields = reader.fields(entry);
            element(fields.get("key"), fields.get("value"));
            return fields.get("key");
        }

        /** Checks an entry of a sorted map. A key is null if the program has freed it. */
        void sortedEntry(long entry) {
            Object key = entry(entry);
            if (!checking || key == null) {
                return;
            }
            Object value = valueOf(key);
            if (keyBefore != null && !isLess(keyBefore, value)) {
                throw damaged(entry, "has a key that is out of order");
            }
            keyBefore = value;
        }

        /** Keys whose order only the program knows are assumed to be in order. */
        @SuppressWarnings("unchecked")
        private boolean isLess(Object before, Object key) {
            if (before.getClass() != key.getClass()) {
                return true;
            } else if (before instanceof ObjectReader.Content a) {
                return Bytes.copyOf(a.bytes()).compareTo(Bytes.copyOf(((ObjectReader.Content) key).bytes())) < 0;
            }
            return !(before instanceof Comparable<?>) || ((Comparable<Object>) before).compareTo(key) < 0;
        }

        void element(Object element, Object value) {
            checkRoom(0);
            seen++;
            visitor.element(element, value);
        }

        void end() {
            if (seen != size) {
                throw damaged(collection, "says that it has " + size + " elements, and has " + seen);
            }
        }
    }
}
