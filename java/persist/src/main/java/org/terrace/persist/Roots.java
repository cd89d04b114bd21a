package org.terrace.persist;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.terrace.persist.heap.Directory;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.Store;

/** The named roots of an open heap. An entry is never removed; a root that is taken away has the value null. */
final class Roots {
    private final Heap heap;
    private final long first;
    /** Entries by name, of those that were committed before anybody looked. */
    private final Map<String, Long> entries;

    Roots(Heap heap, Store store) {
        this.heap = heap;
        this.first = Directory.payload(store.space().layout()) + Directory.FIRST_ROOT;
        this.entries = new ConcurrentHashMap<>(Directory.roots(store.space()));
    }

    <T extends PersistentObject> T get(String name, Class<T> type) {
        long entry = find(name);
        PersistentObject value = entry == 0 ? null : heap.resurrect(heap.fields().getLong(payload(entry) + Directory.ROOT_VALUE));
        if (value != null && !type.isInstance(value)) {
            String actual = value instanceof OpaqueObject o ? o.className() + ", which this program lacks"
                    : value.getClass().getName();
            throw new HeapException("root " + name + " of " + heap.path() + " is not a " + type.getName() + " but a " + actual);
        }
        return type.cast(value);
    }

    void set(String name, PersistentObject value) {
        long entry = find(name);
        if (entry == 0) {
            if (value == null) {
                return;
            }
            entry = add(name.getBytes(StandardCharsets.UTF_8));
        }
        heap.fields().putLong(payload(entry) + Directory.ROOT_VALUE, heap.referenceTo(value));
    }

    private static long payload(long entry) {
        return entry + Layout.HEADER_BYTES;
    }

    private long find(String name) {
        Long known = entries.get(name);
        if (known != null) {
            return known;
        }
        byte[] wanted = name.getBytes(StandardCharsets.UTF_8);
        Fields fields = heap.fields();
        for (long entry = fields.getLong(first); entry != 0; entry = fields.getLong(payload(entry) + Directory.NEXT)) {
            if (java.util.Arrays.equals(nameOf(entry), wanted)) {
                if (!heap.isInBlock()) {
                    entries.put(name, entry);
                }
                return entry;
            }
        }
        return 0;
    }

    private byte[] nameOf(long entry) {
        byte[] name = new byte[heap.fields().getInt(payload(entry) + Directory.ROOT_LENGTH)];
        heap.fields().getBytes(payload(entry) + Directory.ROOT_NAME, name, 0, name.length);
        return name;
    }

    private long add(byte[] name) {
        long entry = heap.allocate(Layout.CLASS_ROOT, Directory.ROOT_NAME + name.length);
        long payload = payload(entry);
        heap.fields().putInt(payload + Directory.ROOT_LENGTH, name.length);
        heap.fields().putInt(payload + Directory.ROOT_CRC, Directory.crc(name));
        heap.fields().putBytes(payload + Directory.ROOT_NAME, name, 0, name.length);
        heap.fields().putLong(payload + Directory.NEXT, heap.fields().getLong(first));
        heap.fields().putLong(first, entry);
        return entry;
    }
}
