// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Iterator;
import java.util.Map;
import org.terrace.persist.Heap;

/** The keys of a map. Searches use the map's own search. */
final class MapKeys<K> extends ViewSet<K> {
    private final ViewMap<K, ?> map;

    MapKeys(ViewMap<K, ?> map) {
        this.map = map;
    }

    @Override
    Heap heap() {
        return map.heap();
    }

    @Override
    public int size() {
        return map.size();
    }

    @Override
    public boolean isEmpty() {
        return map.isEmpty();
    }

    @Override
    public boolean contains(Object o) {
        return map.containsKey(o);
    }

    @Override
    public boolean remove(Object o) {
        return removeKey(map, o);
    }

    /** Returns whether the key was present. */
    static boolean removeKey(ViewMap<?, ?> map, Object key) {
        return map.heap().atomic(() -> {
            boolean present = map.containsKey(key);
            if (present) {
                map.remove(key);
            }
            return present;
        });
    }

    @Override
    public void clear() {
        map.clear();
    }

    @Override
    public Iterator<K> iterator() {
        return of(map.entrySet().iterator());
    }

    static <K> Iterator<K> of(Iterator<? extends Map.Entry<K, ?>> entries) {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return entries.hasNext();
            }

            @Override
            public K next() {
                return entries.next().getKey();
            }

            @Override
            public void remove() {
                entries.remove();
            }
        };
    }
}
