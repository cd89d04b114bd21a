// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Iterator;
import java.util.Map;
import java.util.Spliterator;
import java.util.Spliterators;
import org.terrace.persist.Heap;

/** The values of a map, in the order of its entries. */
final class MapValues<V> extends ViewCollection<V> {
    private final ViewMap<?, V> map;
    private final int characteristics;

    /** @param characteristics characteristics of its spliterators, besides the known size */
    MapValues(ViewMap<?, V> map, int characteristics) {
        this.map = map;
        this.characteristics = characteristics;
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
        return map.containsValue(o);
    }

    @Override
    public void clear() {
        map.clear();
    }

    @Override
    public Spliterator<V> spliterator() {
        return Spliterators.spliterator(this, characteristics);
    }

    @Override
    public Iterator<V> iterator() {
        Iterator<? extends Map.Entry<?, V>> entries = map.entrySet().iterator();
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return entries.hasNext();
            }

            @Override
            public V next() {
                return entries.next().getValue();
            }

            @Override
            public void remove() {
                entries.remove();
            }
        };
    }
}
