// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.medium.Disk;

/** Tests a function of the program that changes the collection whose method calls it. That must be an error and change nothing. */
class ChangingFunctionsTest {
    private final Disk disk = new Disk();
    private final Heap heap = Heap.open(disk.path("test.heap"),
            HeapOptions.defaults().maxSize(64 << 20).durability(Durability.PROCESS));

    @AfterEach
    void close() {
        assertEquals(List.of(), heap.check());
        heap.close();
        disk.dispose();
    }

    @TestFactory
    Stream<DynamicTest> maps() {
        Map<String, Function<PersistentMap<Integer, String>, Map<Integer, String>>> views = new TreeMap<>(Map.of(
                "PersistentHashMap", map -> map, "PersistentTreeMap", map -> map, "PersistentSkipListMap", map -> map,
                "PersistentTreeMap, descending", map -> ((PersistentTreeMap<Integer, String>) map).descendingMap(),
                "PersistentSkipListMap, head", map -> ((PersistentSkipListMap<Integer, String>) map).headMap(1000)));
        return views.entrySet().stream().flatMap(view -> Stream.of(1, -1).map(added -> DynamicTest.dynamicTest(
                view.getKey() + (added > 0 ? ": adds" : ": removes"), () -> check(view.getKey(), view.getValue(), added > 0))));
    }

    private void check(String name, Function<PersistentMap<Integer, String>, Map<Integer, String>> view, boolean adds) {
        PersistentMap<Integer, String> all = heap.atomic(() -> name.startsWith("PersistentHashMap") ? new PersistentHashMap<>(heap)
                : name.startsWith("PersistentTreeMap") ? new PersistentTreeMap<>(heap) : new PersistentSkipListMap<>(heap));
        Map<Integer, String> map = view.apply(all);
        map.putAll(Map.of(1, "one", 2, "two"));
        BiFunction<Object, Object, String> changing = (key, value) -> {
            if (adds) {
                map.put(3, "three");
            } else {
                map.remove(2);
            }
            return "computed";
        };
        List<Consumer<Map<Integer, String>>> methods = List.of(
                m -> m.computeIfAbsent(4, key -> changing.apply(key, null)),
                m -> m.computeIfPresent(1, changing),
                m -> m.compute(1, changing),
                m -> m.compute(4, changing),
                m -> m.merge(1, "x", changing),
                m -> m.replaceAll(changing));
        for (Consumer<Map<Integer, String>> method : methods) {
            assertThrows(ConcurrentModificationException.class, () -> method.accept(map));
            assertEquals(Map.of(1, "one", 2, "two"), all);
        }
        map.compute(1, (key, value) -> value + map.get(2));
        assertEquals(Map.of(1, "onetwo", 2, "two"), all);
    }

    @TestFactory
    Stream<DynamicTest> sort() {
        return Stream.of(false, true).map(part -> DynamicTest.dynamicTest(part ? "part of a list" : "list", () -> {
            PersistentList<Integer> all = heap.atomic(() -> new PersistentList<>(heap));
            all.addAll(List.of(3, 1, 2));
            List<Integer> list = part ? all.subList(0, 3) : all;
            assertThrows(ConcurrentModificationException.class, () -> list.sort((a, b) -> {
                all.add(4);
                return a.compareTo(b);
            }));
            assertEquals(List.of(3, 1, 2), all);
            all.sort(null);
            assertEquals(List.of(1, 2, 3), all);
        }));
    }
}
