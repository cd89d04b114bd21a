// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import org.terrace.persist.HeapException;
import org.terrace.persist.OpaqueObject;

/** Stands for a value that this program cannot make. As a key it comes behind all others, and a search for it looks at all. */
abstract sealed class Opaque permits MissingConstant, OpaqueRecord {

    /** Why the program cannot make it, and what to do. */
    abstract String reason();

    /** Whether sorted maps have it behind the keys that can be made: {@code Heap.open} has seen to that. */
    abstract boolean isPlaced();

    /** The same for equal ones only, of the same class. */
    abstract String text();

    /** Of a value, or inside it; null if the program has all of it. */
    static Opaque in(Object value) {
        return value instanceof Opaque opaque ? opaque : value instanceof Optional<?> o && o.isPresent() ? in(o.get()) : null;
    }

    /** As a key it cannot be compared, as others are. */
    static boolean isOne(Object value) {
        return value instanceof Opaque || value instanceof OpaqueObject;
    }

    /** The value, or one inside it, of which the program cannot know the place among keys; null if there is none. */
    static Object unplacedIn(Object value) {
        if (value instanceof OpaqueObject) {
            return value;
        } else if (value instanceof OpaqueRecord r) {
            Object inside = unplacedIn(r.components().values());
            return inside != null ? inside : r.isPlaced() ? null : r;
        } else if (value instanceof Opaque opaque) {
            return opaque.isPlaced() ? null : opaque;
        } else if (value instanceof Optional<?> o) {
            return unplacedIn(o.orElse(null));
        }
        return value instanceof Record ? unplacedIn(Records.components(value)) : null;
    }

    private static Object unplacedIn(Collection<?> components) {
        return components.stream().map(Opaque::unplacedIn).filter(Objects::nonNull).findFirst().orElse(null);
    }

    private static int rank(Object value) {
        return value instanceof MissingConstant ? 1 : value instanceof OpaqueRecord ? 2 : value instanceof OpaqueObject ? 3 : 0;
    }

    /** Compares two keys. One at least is opaque. */
    static int compare(Object a, Object b) {
        int byRank = Integer.compare(rank(a), rank(b));
        return byRank != 0 ? byRank : textOf(a).compareTo(textOf(b));
    }

    private static String textOf(Object value) {
        return value instanceof Opaque opaque ? opaque.text() : value.toString();
    }

    /** @throws HeapException if a search does not know on which side of this key it is to go on */
    static void checkPlaced(String heap, Object key) {
        if (key instanceof Opaque opaque && !opaque.isPlaced()) {
            throw new HeapException(heap + ": a sorted map has the key " + key + ", which cannot be compared: " + opaque.reason()
                    + "; or remove the key, by an iterator");
        } else if (key instanceof OpaqueObject object) {
            throw new HeapException(heap + ": a sorted map has a key of class " + object.className() + ", which this program lacks:"
                    + " it cannot be compared. Give the class to HeapOptions.classes; or remove the key, by an iterator");
        }
    }
}
