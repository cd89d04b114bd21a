// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Arrays;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.RawObjects;

/** Checks whether sorted maps are in the order of this program's keys, and sorts them again. */
final class KeyOrder implements RawObjects.KeyOrder {
    /**
     * Compares each key with the next.
     *
     * @throws org.terrace.persist.HeapException if a key cannot be compared because this program does not know its class yet
     */
    @Override
    public String problem(PersistentObject sorted) {
        return problem((PersistentSortedMap<?, ?>) sorted);
    }

    private static String problem(PersistentSortedMap<?, ?> map) {
        Object before = null;
        for (Walk walk = map.walk(null, true, false); walk.entry() != 0; walk.step()) {
            Object key = map.keyUnlessFreed(walk.entry());
            checkComparable(map, key);
            if (before != null && key != null && Boxed.compare(before, key) >= 0) {
                return "the sorted map at offset " + map.raw().referenceTo(map) + " is out of the order that its keys have in this"
                        + " program: " + key + " comes after " + before;
            }
            before = key == null ? before : key;
        }
        return null;
    }

    /** @throws org.terrace.persist.HeapException if a key cannot be compared. The map is not changed */
    @Override
    public boolean restore(PersistentObject sorted) {
        PersistentSortedMap<?, ?> map = (PersistentSortedMap<?, ?>) sorted;
        return problem(map) == null || map.changing(() -> {
            long[] entries = map.entriesInOrder();
            boolean unique = !hasEqual(map, entries);
            if (unique) {
                map.relink(entries);
                map.changeSize(0);
            }
            return unique;
        });
    }

    private static boolean hasEqual(PersistentSortedMap<?, ?> map, long[] entries) {
        for (int i = 1; i < entries.length; i++) {
            if (areEqual(map, entries[i - 1], entries[i])) {
                return true;
            }
        }
        return false;
    }

    /** Rejects a placeholder for a key of unknown class. Its position among other keys cannot be computed, so sorting would lose it. */
    static void checkComparable(PersistentSortedMap<?, ?> map, Object key) {
        Object unplaced = Opaque.unplacedIn(key);
        if (unplaced != null) {
            Opaque.checkPlaced(map.heap().path().toString(), unplaced);
        }
    }

    static boolean areEqual(PersistentSortedMap<?, ?> map, long a, long b) {
        return Boxed.compare(SortedEntry.key(map.raw(), a), SortedEntry.key(map.raw(), b)) == 0;
    }

    /** Indexes of the keys in sorted order. The sort is stable. */
    static Integer[] order(Object[] keys) {
        Integer[] order = new Integer[keys.length];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, (a, b) -> Boxed.compare(keys[a], keys[b]));
        return order;
    }
}
