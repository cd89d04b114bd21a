package org.terrace.persist;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.terrace.persist.fa.Transaction;
import org.terrace.persist.heap.ClassDescriptor;
import org.terrace.persist.heap.Directory;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.Store;

/** The classes of an open heap: numbers in the heap, definitions in the program. */
final class ClassTable {
    private final Heap heap;
    private final Store store;
    private final Map<Integer, ClassDescriptor> descriptors;
    private final Map<String, Integer> numbers = new ConcurrentHashMap<>();
    private final Map<PersistentClass<?>, Integer> checked = new ConcurrentHashMap<>();
    private final Map<Integer, PersistentClass<?>> definitions = new ConcurrentHashMap<>();

    ClassTable(Heap heap, Store store) {
        this.heap = heap;
        this.store = store;
        this.descriptors = new ConcurrentHashMap<>(Directory.classes(store.space()));
        descriptors.forEach((number, descriptor) -> numbers.put(descriptor.name(), number));
    }

    Map<Integer, ClassDescriptor> descriptors() {
        return descriptors;
    }

    /** The number of a class, which is recorded in the heap if it is new there. */
    int numberOf(PersistentClass<?> type) {
        Integer number = checked.get(type);
        return number != null ? number : check(type);
    }

    private synchronized int check(PersistentClass<?> type) {
        ClassDescriptor wanted = type.descriptor();
        Integer number = numbers.get(wanted.name());
        if (number == null) {
            number = record(wanted);
            descriptors.put(number, wanted);
            numbers.put(wanted.name(), number);
        }
        ClassDescriptor found = descriptors.get(number);
        if (!found.equals(wanted)) {
            throw new HeapException(heap.path() + ": class " + wanted.name() + " has other fields than in the heap. Program:\n"
                    + wanted.encode() + "heap:\n" + found.encode() + "Use the fields of the heap, or another class name");
        }
        checked.put(type, number);
        definitions.put(number, type);
        return number;
    }

    /** By a commit of its own: it stays when the block that first uses the class is rolled back. */
    private int record(ClassDescriptor descriptor) {
        int number = descriptors.keySet().stream().mapToInt(n -> n + 1).max().orElse(Layout.FIRST_USER_CLASS);
        if (number > Layout.MAX_CLASS) {
            throw new HeapException(heap.path() + " has " + Layout.MAX_CLASS + " classes, and cannot have more");
        }
        byte[] text = descriptor.encode().getBytes(StandardCharsets.UTF_8);
        long first = Directory.payload(store.space().layout()) + Directory.FIRST_CLASS;
        try (Transaction transaction = new Transaction(store.journal(), store.allocator())) {
            long entry = transaction.allocate(Layout.CLASS_DESCRIPTOR, Directory.CLASS_TEXT + text.length);
            long payload = entry + Layout.HEADER_BYTES;
            transaction.putLong(payload + Directory.NEXT, transaction.getLong(first));
            transaction.putInt(payload + Directory.CLASS_NUMBER, number);
            transaction.putInt(payload + Directory.CLASS_LENGTH, text.length);
            transaction.putInt(payload + Directory.CLASS_CRC, Directory.crc(text));
            transaction.putBytes(payload + Directory.CLASS_TEXT, text, 0, text.length);
            transaction.putLong(first, entry);
            transaction.commitOrAbort();
        }
        return number;
    }

    /** A proxy of the class that the number stands for. */
    PersistentObject resurrect(int number, long offset) {
        PersistentClass<?> definition = definitions.get(number);
        if (definition == null) {
            ClassDescriptor descriptor = descriptors.get(number);
            if (descriptor == null) {
                throw new CorruptHeapException(heap.path() + ": the object at offset " + offset + " has unknown class " + number);
            }
            definition = PersistentClass.find(descriptor.name());
            if (definition == null) {
                return new OpaqueObject(heap, offset, descriptor.name());
            }
            check(definition);
        }
        return definition.resurrect(heap, offset);
    }
}
