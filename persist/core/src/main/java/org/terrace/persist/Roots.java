// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.terrace.persist.blocks.Blocks;
import org.terrace.persist.fa.Transaction;
import org.terrace.persist.heap.ClassLookup;
import org.terrace.persist.heap.Directory;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.files.Store;

/** The named roots of an open heap. An entry is never removed. A root that was cleared has the value null. */
final class Roots {
    private final Heap heap;
    private final Store store;
    private final Blocks blocks;
    private final ClassTable classes;
    private final long first;
    private final Map<String, Long> entries;

    Roots(Heap heap, Store store, Blocks blocks, ClassTable classes) {
        this.heap = heap;
        this.store = store;
        this.blocks = blocks;
        this.classes = classes;
        this.first = Directory.payload(store.space().layout()) + Directory.FIRST_ROOT;
        this.entries = new ConcurrentHashMap<>(Directory.roots(store.space()));
    }

    <T> T get(String name, Class<T> type) {
        return blocks.read(() -> {
            blocks.checkOpen();
            return value(name, type);
        });
    }

    /** The object that a root name refers to. If there is none, it is created in a block. */
    <T> T get(String name, Class<T> type, Supplier<? extends T> absent) {
        T found = get(name, type);
        if (found != null) {
            return found;
        }
        return blocks.atomic(true, () -> {
            T again = get(name, type);
            if (again != null) {
                return again;
            }
            T made = absent.get();
            heap.setRoot(name, made);
            return made;
        });
    }

    private <T> T value(String name, Class<T> type) {
        use(type);
        long entry = find(name);
        PersistentObject value = entry == 0 ? null : value(entry);
        if (value != null && !type.isInstance(value)) {
            String actual = value instanceof OpaqueObject o ? "one of the objects of " + classes.missing(classes.named(o.className()))
                    : "a " + ClassTable.nameBeside(value.getClass(), type);
            throw new HeapException("root " + name + " of " + heap.path() + " is not a " + type.getName() + " but " + actual);
        }
        return type.cast(value);
    }

    /** Makes this class the one for objects of its name, unless the heap already uses the class of another loader. */
    private void use(Class<?> type) {
        ClassLookup.use(type);
        classes.prefer(PersistentClass.of(type));
    }

    private PersistentObject value(long entry) {
        return heap.objects().resurrect(heap.fields().getLong(payload(entry) + Directory.ROOT_VALUE));
    }

    void set(String name, PersistentObject value) {
        long entry = find(name);
        if (entry == 0) {
            if (value == null) {
                return;
            }
            entry = add(name);
        }
        heap.fields().putLong(payload(entry) + Directory.ROOT_VALUE, heap.objects().referenceTo(value));
    }

    private static long payload(long entry) {
        return entry + Layout.HEADER_BYTES;
    }

    private long find(String name) {
        return entries.getOrDefault(name, 0L);
    }

    /** Adds an entry without a value by a separate commit, so that blocks that add different roots change no common data. */
    private synchronized long add(String name) {
        long known = find(name);
        if (known != 0) {
            return known;
        }
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        try (Transaction transaction = blocks.newTransaction()) {
            long entry = transaction.allocate(Layout.CLASS_ROOT, Directory.ROOT_NAME + bytes.length);
            long payload = payload(entry);
            transaction.putInt(payload + Directory.ROOT_LENGTH, bytes.length);
            transaction.putInt(payload + Directory.ROOT_CRC, Directory.crc(bytes));
            transaction.putBytes(payload + Directory.ROOT_NAME, bytes, 0, bytes.length);
            transaction.putLong(payload + Directory.NEXT, transaction.getLong(first));
            transaction.putLong(first, entry);
            transaction.commitOrAbort();
            entries.put(name, entry);
            return entry;
        }
    }
}
