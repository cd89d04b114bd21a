// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Iterator;
import org.terrace.persist.Heap;

/** The keys of a map with null values, as a set to which elements can be added. */
final class SetOfKeys<E> extends ViewSet<E> {
    private final PersistentMap<E, Object> map;

    SetOfKeys(PersistentMap<E, Object> map) {
        this.map = map;
    }

    @Override
    Heap heap() {
        return map.heap();
    }

    @Override
    public boolean add(E e) {
        return map.changing(() -> {
            boolean absent = !map.containsKey(e);
            if (absent) {
                map.put(e, null);
            }
            return absent;
        });
    }

    @Override
    public int size() {
        return map.size();
    }

    @Override
    public boolean contains(Object o) {
        return map.containsKey(o);
    }

    @Override
    public boolean remove(Object o) {
        return MapKeys.removeKey(map.view(), o);
    }

    @Override
    public Iterator<E> iterator() {
        return MapKeys.of(map.view().entrySet().iterator());
    }

    @Override
    public void clear() {
        map.clear();
    }
}
