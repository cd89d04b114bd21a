// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.tools;

import java.util.Map;
import java.util.Set;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.heap.ClassDescriptor;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.LongStack;
import org.terrace.persist.heap.Space;
import org.terrace.persist.medium.Memory;

/**
 * Reads the library's collections by the fields of their structure, so that neither their elements nor the classes of these are
 * made. Nothing is visited more often than a collection says that it has elements, however damaged it is.
 */
final class CollectionReader {
    private static final String TYPES = "org.terrace.persist.types.Persistent";
    private static final Set<String> MAPS = Set.of("HashMap", "TreeMap", "SkipListMap");
    private static final Set<String> OTHERS = Set.of("List", "Array", "Deque", "HashSet", "TreeSet", "SkipListSet");
    private static final Set<String> KEY_AND_VALUE = Set.of("key", "value");
    private static final int FIRST_SEGMENT = 16;

    /** Sees the elements of a collection, in the order of its iterator; of a map, keys with their values. */
    @FunctionalInterface
    interface Visitor {
        /**
         * Each is a reference; or a value, if it stands in the entry of a map itself; or null.
         *
         * @param value null where the collection is no map
         */
        void element(Object element, Object value);
    }

    private final Space space;
    private final ObjectReader reader;

    CollectionReader(Space space, ObjectReader reader) {
        this.space = space;
        this.reader = reader;
    }

    private static String kind(String className) {
        return className.startsWith(TYPES) ? className.substring(TYPES.length()) : "";
    }

    static boolean isMap(String className) {
        return MAPS.contains(kind(className));
    }

    static boolean isCollection(String className) {
        return isMap(className) || OTHERS.contains(kind(className));
    }

    /** @throws CorruptHeapException if the collection has more or fewer elements than it says, or its structure is damaged */
    void visit(long collection, Visitor visitor) {
        switch (kind(reader.className(collection))) {
            case "List" -> list(collection, visitor);
            case "Array" -> array(reference(collection, "elements"), visitor);
            case "Deque" -> deque(collection, visitor);
            case "HashMap" -> hashMap(collection, visitor);
            case "TreeMap" -> treeMap(collection, visitor);
            case "SkipListMap" -> skipListMap(collection, visitor);
            default -> visit(reference(collection, "map"), (key, value) -> visitor.element(key, null));
        }
    }

    private long reference(long object, String field) {
        return Memory.getLong(address(object, field));
    }

    private int number(long object, String field) {
        return Memory.getInt(address(object, field));
    }

    private long address(long object, String name) {
        ClassDescriptor descriptor = reader.descriptor(object);
        for (ClassDescriptor.Field field : descriptor.fields()) {
            if (field.name().equals(name)) {
                return space.base() + object + Layout.HEADER_BYTES + field.offset();
            }
        }
        throw damaged(object, "is a " + descriptor.name() + ", which has no field " + name);
    }

    private CorruptHeapException damaged(long object, String what) {
        return new CorruptHeapException(space.file().path() + ": the object at offset " + object + " " + what
                + "; fsck says more");
    }

    private long element(long array, long index) {
        if (index >= reader.lengthOf(array)) {
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

    /** Of an array in segments of 16, 16, 32, 64 ... elements. */
    private long element(long directory, int index) {
        int segment = index < FIRST_SEGMENT ? 0 : Integer.SIZE - Integer.numberOfLeadingZeros(index / FIRST_SEGMENT);
        int first = segment == 0 ? 0 : FIRST_SEGMENT << segment - 1;
        return element(element(directory, (long) segment), (long) index - first);
    }

    private void list(long list, Visitor visitor) {
        long directory = reference(list, "elements");
        int size = number(list, "size");
        for (int i = 0; i < size; i++) {
            visitor.element(ObjectReader.reference(element(directory, i)), null);
        }
    }

    private void deque(long deque, Visitor visitor) {
        Count count = new Count(deque, visitor);
        for (long chunk = reference(deque, "first"); chunk != 0; chunk = reference(chunk, "next")) {
            long slots = reference(chunk, "slots");
            int to = number(chunk, "to");
            for (int i = number(chunk, "from"); i < to; i++) {
                count.element(ObjectReader.reference(element(slots, (long) i)), null);
            }
        }
        count.end();
    }

    private void hashMap(long map, Visitor visitor) {
        Count count = new Count(map, visitor);
        long table = reference(map, "table");
        int buckets = number(map, "buckets");
        for (int i = 0; i < buckets; i++) {
            long entry = element(table, i);
            for (; entry != 0; entry = reference(entry, "next")) {
                count.entry(entry);
            }
        }
        count.end();
    }

    private void treeMap(long map, Visitor visitor) {
        Count count = new Count(map, visitor);
        LongStack path = new LongStack();
        long entry = reference(map, "root");
        while (entry != 0 || !path.isEmpty()) {
            for (; entry != 0; entry = reference(entry, "left")) {
                count.checkRoom(path.size());
                path.push(entry);
            }
            entry = path.pop();
            count.entry(entry);
            entry = reference(entry, "right");
        }
        count.end();
    }

    private void skipListMap(long map, Visitor visitor) {
        Count count = new Count(map, visitor);
        long entry = reference(reference(map, "head"), "next");
        for (; entry != 0; entry = reference(entry, "next")) {
            count.entry(entry);
        }
        count.end();
    }

    /** Compares with the size that the collection has stored. */
    private final class Count {
        private final long collection;
        private final Visitor visitor;
        private final int size;
        private int seen;

        Count(long collection, Visitor visitor) {
            this.collection = collection;
            this.visitor = visitor;
            this.size = number(collection, "size");
        }

        void checkRoom(int waiting) {
            if (seen + waiting >= size) {
                throw damaged(collection, "says that it has " + size + " elements, and has more");
            }
        }

        void entry(long entry) {
            Map<String, Object> fields = reader.fields(entry);
            if (!fields.keySet().containsAll(KEY_AND_VALUE)) {
                throw damaged(entry, "is a " + reader.className(entry) + ", and no entry of a map");
            }
            element(fields.get("key"), fields.get("value"));
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
