// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.medium.Disk;

/** Tests programs with random changes of an enumeration that use one heap alternately. No key may be lost or present twice. */
class EnumChangesTest {
    private static final int CHANGES = Integer.getInteger("persist.enumChanges",
            Boolean.getBoolean("persist.thorough") ? 1000 : Boolean.getBoolean("terrace.nightly") ? 200 : 100);
    private static final long SEED = Long.getLong("persist.seed", 44);
    private static final int NUMBERS = 3;

    @TempDir
    private Path directory;
    private final Disk disk = new Disk();
    private final Random random = new Random(SEED);
    private final ClassLoader context = Thread.currentThread().getContextClassLoader();

    /** Constants of the current program, and the former names of each. */
    private final List<String> now = new ArrayList<>(List.of("C0", "C1", "C2", "C3"));
    private final Map<String, List<String>> former = new HashMap<>();
    private final List<String> gone = new ArrayList<>();
    private int names = now.size();

    /** The contents of the heap, as values by the names with which keys were stored. Names of records end with a number. */
    private final Map<String, String> constants = new HashMap<>();
    private final Map<String, String> paints = new HashMap<>();

    @AfterEach
    void restoreContext() {
        Thread.currentThread().setContextClassLoader(context);
        disk.dispose();
    }

    private void change() {
        int kind = random.nextInt(5);
        if (kind == 0 || now.size() < 2) {
            boolean again = !gone.isEmpty() && random.nextBoolean();
            now.add(random.nextInt(now.size() + 1), again ? gone.remove(random.nextInt(gone.size())) : "C" + names++);
        } else if (kind == 1) {
            String removed = now.remove(random.nextInt(now.size()));
            // The former names of a removed constant are no longer used, because another constant may have had them.
            if (!former.containsKey(removed)) {
                gone.add(removed);
            }
            former.remove(removed);
        } else if (kind == 2) {
            Collections.shuffle(now, random);
        } else {
            int at = random.nextInt(now.size());
            String before = now.get(at);
            String after = "C" + names++;
            now.set(at, after);
            List<String> had = new ArrayList<>(former.getOrDefault(before, List.of()));
            former.remove(before);
            if (kind == 3) {
                had.add(before);
                former.put(after, had);
            } else if (had.isEmpty()) {
                gone.add(before);
            }
        }
    }

    private List<String> declarations() {
        return now.stream().map(name -> former.containsKey(name) ? former.get(name).stream()
                .collect(Collectors.joining("\", \"", "@Was({\"", "\"}) ")) + name : name).collect(Collectors.toList());
    }

    /** The current constant for a stored name, or null if it is missing. */
    private String present(String stored) {
        return now.contains(stored) ? stored : now.stream().filter(name -> former.getOrDefault(name, List.of()).contains(stored))
                .findFirst().orElse(null);
    }

    @Test
    void noKeyIsLost() throws Exception {
        try (EnumVersions versions = new EnumVersions(directory)) {
            for (int i = 0; i < CHANGES; i++) {
                try (EnumVersions.Version version = versions.version(declarations())) {
                    version.use();
                    use(version, i);
                } catch (Throwable e) {
                    throw new AssertionError("change " + i + ", -Dpersist.seed=" + SEED + ", constants " + declarations(), e);
                }
                change();
            }
        }
    }

    private void use(EnumVersions.Version version, int step) {
        try (Heap heap = Heap.open(disk.path("test.heap"),
                HeapOptions.defaults().maxSize(16 << 20).durability(Durability.PROCESS).classes(version.paintClass()))) {
            compare(heap, version);
            for (int i = 0; i < 3; i++) {
                changeSome(heap, version, step + "." + i);
            }
            compare(heap, version);
            assertEquals(List.of(), heap.check());
            assertEquals(List.of(), heap.checkCollections());
        }
    }

    @SuppressWarnings("unchecked")
    private static <T> T root(Heap heap, String name, Class<?> type) {
        return (T) heap.root(name, (Class<Object>) type, () -> {
            try {
                return type.getConstructor(Heap.class).newInstance(heap);
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        });
    }

    private static List<Map<Object, String>> maps(Heap heap, String keys) {
        return List.of(root(heap, keys + " hash", PersistentHashMap.class), root(heap, keys + " tree", PersistentTreeMap.class),
                root(heap, keys + " skip", PersistentSkipListMap.class));
    }

    private static List<Collection<Object>> sets(Heap heap) {
        return List.of(root(heap, "hash set", PersistentHashSet.class), root(heap, "tree set", PersistentTreeSet.class),
                root(heap, "skip set", PersistentSkipListSet.class));
    }

    private static List<Collection<Object>> sequences(Heap heap) {
        return List.of(root(heap, "list", PersistentList.class), root(heap, "deque", PersistentDeque.class));
    }

    /** The stored name of a key in a model, which is a name or a name, a slash and a number. */
    private String stored(Object key, Map<String, String> model) {
        if (key instanceof MissingConstant missing) {
            assertEquals(EnumVersions.ENUM, missing.enumeration());
            assertNull(present(missing.name()), missing::toString);
            return missing.name();
        } else if (key instanceof OpaqueRecord paint) {
            return stored(paint.components().get("color"), null) + "/" + paint.components().get("number");
        }
        String text = key instanceof Enum<?> constant ? constant.name()
                : key.toString().replaceAll("Paint\\[color=(.*), number=(.*)]", "$1/$2");
        return model == null ? text : model.keySet().stream().filter(s -> text.equals(present(s.split("/")[0])
                + (s.contains("/") ? "/" + s.split("/")[1] : ""))).findFirst().orElse(text);
    }

    private void compare(Heap heap, EnumVersions.Version version) {
        maps(heap, "constants").forEach(map -> {
            compare(map, constants);
            version.constants().values().forEach(c -> assertEquals(constants.get(stored(c, constants)), map.get(c)));
        });
        maps(heap, "paints").forEach(map -> {
            compare(map, paints);
            for (int i = 0; i < NUMBERS; i++) {
                for (String name : version.constants().keySet()) {
                    Object paint = version.paint(name, i);
                    assertEquals(paints.get(stored(paint, paints)), map.get(paint));
                }
            }
        });
        sets(heap).forEach(set -> assertEquals(new TreeSet<>(constants.keySet()),
                new TreeSet<>(set.stream().map(c -> stored(c, constants)).toList())));
        sequences(heap).forEach(sequence -> assertEquals(sorted(constants.keySet()),
                sorted(sequence.stream().map(c -> stored(c, constants)).toList())));
    }

    private static List<String> sorted(Collection<String> names) {
        return names.stream().sorted().toList();
    }

    private void compare(Map<Object, String> map, Map<String, String> model) {
        Map<String, String> found = new HashMap<>();
        map.forEach((key, value) -> assertNull(found.put(stored(key, model), value), () -> key + " is there twice"));
        assertEquals(model, found, map.getClass().getSimpleName());
        if (map instanceof NavigableMap<Object, String> sorted) {
            Object before = null;
            for (Object key : sorted.keySet()) {
                assertTrue(before == null || Boxed.compare(before, key) < 0, () -> sorted + " is out of order");
                before = key;
            }
        }
    }

    /** Puts and removes one key of each kind, and removes a missing one. */
    private void changeSome(Heap heap, EnumVersions.Version version, String value) {
        List<String> present = new ArrayList<>(version.constants().keySet());
        String name = present.get(random.nextInt(present.size()));
        Object constant = version.constants().get(name);
        String stored = stored(constant, constants);
        if (constants.put(stored, value) == null) {
            sets(heap).forEach(set -> set.add(constant));
            sequences(heap).forEach(sequence -> sequence.add(constant));
        }
        maps(heap, "constants").forEach(map -> map.put(constant, value));
        Object paint = version.paint(name, random.nextInt(NUMBERS));
        paints.put(stored(paint, paints), value);
        maps(heap, "paints").forEach(map -> map.put(paint, value));
        if (random.nextInt(4) == 0) {
            Object removed = version.constants().get(present.get(random.nextInt(present.size())));
            remove(heap, removed, random.nextBoolean());
            Object removedPaint = version.paint(((Enum<?>) removed).name(), random.nextInt(NUMBERS));
            String expected = paints.remove(stored(removedPaint, paints));
            maps(heap, "paints").forEach(map -> assertEquals(expected, map.remove(removedPaint)));
        }
        constants.keySet().stream().filter(s -> present(s) == null && random.nextInt(6) == 0).findFirst().ifPresent(
                missing -> remove(heap, new MissingConstant(EnumVersions.ENUM, missing), random.nextBoolean()));
        paints.keySet().stream().filter(s -> present(s.split("/")[0]) == null && random.nextInt(6) == 0).findFirst().ifPresent(
                missing -> removeOpaque(heap, missing));
    }

    private void remove(Heap heap, Object constant, boolean byIterator) {
        String expected = constants.remove(stored(constant, constants));
        List<Collection<Object>> all = new ArrayList<>(sets(heap));
        all.addAll(sequences(heap));
        maps(heap, "constants").forEach(map -> {
            if (byIterator) {
                all.add(map.keySet());
            } else {
                assertEquals(expected, map.remove(constant));
            }
        });
        for (Collection<Object> collection : all) {
            assertEquals(expected != null, byIterator ? collection.removeIf(constant::equals) : collection.remove(constant),
                    collection.getClass().getSimpleName());
        }
    }

    private void removeOpaque(Heap heap, String stored) {
        String expected = paints.remove(stored);
        maps(heap, "paints").forEach(map -> {
            Object key = map.keySet().stream().filter(k -> stored.equals(stored(k, paints))).findFirst().orElseThrow();
            assertEquals(expected, map.get(key));
            assertTrue(map.containsKey(key));
            assertEquals(expected, map.remove(key));
        });
    }
}
