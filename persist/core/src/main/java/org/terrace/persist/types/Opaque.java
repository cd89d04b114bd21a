// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import org.terrace.persist.HeapException;
import org.terrace.persist.OpaqueObject;

/** A placeholder for a value that this program cannot create. As a key it follows all others, and a search for it visits all keys. */
abstract sealed class Opaque permits MissingConstant, OpaqueRecord {

    /** Why the program cannot create the value, and what to do. */
    abstract String reason();

    /** Whether sorted maps store it after all keys that can be created. {@code Heap.open} ensures this order. */
    abstract boolean isPlaced();

    /** A text that is equal only for equal placeholders of the same class. */
    abstract String text();

    /** The placeholder that is the value or is contained in it, or null if there is none. */
    static Opaque in(Object value) {
        return value instanceof Opaque opaque ? opaque : value instanceof Optional<?> o && o.isPresent() ? in(o.get()) : null;
    }

    /** Whether a key cannot be compared with other keys. */
    static boolean isOne(Object value) {
        return value instanceof Opaque || value instanceof OpaqueObject;
    }

    /** The value, or a value contained in it, whose position among keys is unknown to the program. Null if there is none. */
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

    /** Compares two keys, at least one of which is opaque. */
    static int compare(Object a, Object b) {
        int byRank = Integer.compare(rank(a), rank(b));
        return byRank != 0 ? byRank : textOf(a).compareTo(textOf(b));
    }

    private static String textOf(Object value) {
        return value instanceof Opaque opaque ? opaque.text() : value.toString();
    }

    /** @throws HeapException if a search cannot determine the side of this key on which to continue */
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
