// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Classes by name. It keeps no class in memory, and no name whose classes have been unloaded. Thread-safe. */
final class ClassesByName {
    private final Map<String, List<Entry>> entries = new ConcurrentHashMap<>();
    private final ReferenceQueue<Class<?>> unloaded = new ReferenceQueue<>();

    private static final class Entry extends WeakReference<Class<?>> {
        private final String name;

        Entry(String name, Class<?> type, ReferenceQueue<Class<?>> unloaded) {
            super(type, unloaded);
            this.name = name;
        }
    }

    /** Adds a class, or makes it the newest one of this name. */
    void add(String name, Class<?> type) {
        removeUnloaded();
        Entry entry = new Entry(name, type, unloaded);
        entries.compute(name, (key, present) -> Stream.concat(Stream.of(entry),
                Stream.ofNullable(present).flatMap(List::stream).filter(other -> !other.refersTo(type))).toList());
    }

    private void removeUnloaded() {
        for (Reference<?> next = unloaded.poll(); next != null; next = unloaded.poll()) {
            Entry gone = (Entry) next;
            entries.computeIfPresent(gone.name, (name, present) -> {
                List<Entry> others = present.stream().filter(entry -> entry != gone).toList();
                return others.isEmpty() ? null : others;
            });
        }
    }

    boolean contains(String name, Class<?> type) {
        return entries.getOrDefault(name, List.of()).stream().anyMatch(entry -> entry.refersTo(type));
    }

    /** The classes of a name, the newest first. */
    Stream<Class<?>> named(String name) {
        return entries.getOrDefault(name, List.of()).stream().<Class<?>>map(Reference::get).filter(Objects::nonNull);
    }

    /** Number of names. */
    int size() {
        return entries.size();
    }
}
