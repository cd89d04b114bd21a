// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.AbstractMap.SimpleEntry;
import java.util.Map;

/** An entry that an iteration returns. It is a copy whose {@code setValue} also changes the map. */
final class WriteThroughEntry<K, V> extends SimpleEntry<K, V> {
    private static final long serialVersionUID = 1;

    private final transient Map<K, V> map;

    WriteThroughEntry(Map<K, V> map, K key, V value) {
        super(key, value);
        this.map = map;
    }

    @Override
    public V setValue(V value) {
        map.replace(getKey(), value);
        return super.setValue(value);
    }
}
