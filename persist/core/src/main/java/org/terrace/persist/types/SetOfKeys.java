// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.AbstractSet;
import java.util.Iterator;
import java.util.Set;

/** The keys of a map, to which may be added: their values are null. */
final class SetOfKeys<E> extends AbstractSet<E> {
    private final Set<E> keys;
    private final PersistentMap<E, Object> map;

    SetOfKeys(Set<E> keys, PersistentMap<E, Object> map) {
        this.keys = keys;
        this.map = map;
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
        return keys.size();
    }

    @Override
    public boolean contains(Object o) {
        return map.containsKey(o);
    }

    @Override
    public boolean remove(Object o) {
        return keys.remove(o);
    }

    @Override
    public Iterator<E> iterator() {
        return keys.iterator();
    }

    @Override
    public void clear() {
        map.clear();
    }
}
