// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.heap.files.HeapImage;
import org.terrace.persist.types.PersistentArray;
import org.terrace.persist.types.PersistentDeque;
import org.terrace.persist.types.PersistentHashMap;
import org.terrace.persist.types.PersistentHashSet;
import org.terrace.persist.types.PersistentList;
import org.terrace.persist.types.PersistentSkipListSet;
import org.terrace.persist.types.PersistentTreeSet;

/** Compares the rules for the library's references with the library's classes. */
class StructureTest {
    /** Fields that programs set. */
    private static final Set<String> OF_PROGRAMS = Set.of("key", "value");

    @TempDir
    Path directory;

    private static void fill(Heap heap) {
        PersistentHashMap<Object, Object> map = new PersistentHashMap<>(heap);
        PersistentDeque<Object> deque = new PersistentDeque<>(heap);
        PersistentTreeSet<Integer> sorted = new PersistentTreeSet<>(heap);
        PersistentSkipListSet<Integer> skip = new PersistentSkipListSet<>(heap);
        for (Object key : new Object[] {1, "a key that is too long for an entry"}) {
            map.put(key, 1);
            map.put(key + "!", "a value that is too long for an entry");
        }
        map.put(2, "a value that is too long for an entry");
        deque.add(1);
        sorted.add(1);
        skip.add(1);
        new PersistentList<>(heap);
        new PersistentArray<>(heap, 1);
        new PersistentHashSet<>(heap);
    }

    @Test
    void everyReferenceOfTheLibrarysOwnLeadsToWhatIsSaid() {
        Path file = directory.resolve("test.heap");
        try (Heap heap = Heap.open(file, HeapOptions.defaults().maxSize(8 << 20))) {
            heap.atomic(() -> fill(heap));
        }
        Map<String, Set<String>> stored = new TreeMap<>();
        try (HeapImage image = HeapImage.openIntact(file)) {
            Stream.concat(Directory.classes(image.space()).values().stream(), ClassDescriptor.OF_THE_HEAP.values().stream())
                    .forEach(type -> stored.put(type.name(), type.fields().stream()
                            .filter(field -> field.type() == FieldType.REFERENCE).map(ClassDescriptor.Field::name)
                            .filter(name -> !OF_PROGRAMS.contains(name)).collect(Collectors.toCollection(TreeSet::new))));
        }
        Map<String, Set<String>> said = new TreeMap<>();
        Structure.targets().forEach((type, fields) -> said.put(type, new TreeSet<>(fields.keySet())));
        stored.values().removeIf(Set::isEmpty);
        assertEquals(said, stored);
        assertTrue(Structure.Elements.values().length <= Long.BYTES, "it is told by three bits");
    }
}
