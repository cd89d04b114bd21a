// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Heap;
import org.terrace.persist.types.EnumVersions;
import org.terrace.persist.types.PersistentSkipListMap;
import org.terrace.persist.types.PersistentSortedMap;
import org.terrace.persist.types.PersistentTreeMap;

/** Tests crashes of the machine at every moment of an opening that sorts maps again in the order of another program. */
class KeyOrderCrashTest {
    private static final List<String> NAMES = List.of("A", "B", "C", "D", "E", "F");

    @TempDir
    private Path directory;
    private final ClassLoader context = Thread.currentThread().getContextClassLoader();
    private EnumVersions.Version version;

    @AfterEach
    void restoreContext() {
        Thread.currentThread().setContextClassLoader(context);
    }

    @SuppressWarnings("unchecked")
    private static List<PersistentSortedMap<Object, String>> maps(Heap heap) {
        return List.of(heap.root("tree", PersistentTreeMap.class, () -> new PersistentTreeMap<Object, String>(heap)),
                heap.root("skip", PersistentSkipListMap.class, () -> new PersistentSkipListMap<Object, String>(heap)));
    }

    private String dump(Heap heap) {
        for (Map<Object, String> map : maps(heap)) {
            version.constants().forEach((name, constant) -> assertTrue(map.get(constant).startsWith(name), name));
        }
        assertEquals(List.of(), heap.checkCollections());
        return maps(heap).toString();
    }

    private CrashScenario scenario(EnumVersions versions) {
        CrashScenario scenario = new CrashScenario(CrashScenario.TINY, this::dump).describe("other enumeration").prepare(heap -> {
            version = versions.version(NAMES);
            version.use();
            maps(heap).forEach(map -> version.constants().forEach((name, constant) -> map.put(constant, name)));
            version = versions.version(List.of("F", "C", "A", "E"));
            version.use();
        });
        return scenario.then(heap -> heap.atomic(() -> {
            maps(heap).forEach(map -> map.put(version.constants().get("E"), "E again"));
        }));
    }

    @Test
    void aCrashLosesNoKey() throws Exception {
        try (EnumVersions versions = new EnumVersions(directory)) {
            System.out.println("crash states opened, other enumeration: " + scenario(versions).run());
        }
    }

    @Test
    void soOnMemoryThatPersists() throws Exception {
        try (EnumVersions versions = new EnumVersions(directory)) {
            System.out.println("crash states opened, lines, other enumeration: " + scenario(versions).onLines().run());
        }
    }
}
