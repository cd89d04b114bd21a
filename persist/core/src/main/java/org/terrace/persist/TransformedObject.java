// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.util.function.Supplier;
import org.terrace.persist.types.Values;

/**
 * The superclass of a {@link Persistent} class after transformation. Only generated code calls its methods. They are static,
 * because methods of the class itself may have any name.
 */
public abstract class TransformedObject extends PersistentObject {
    /**
     * Marker parameter of the constructor for proxies of existing objects. It distinguishes that constructor from the class's own
     * ones, and is always null.
     */
    public static final class Existing {
        private Existing() {
        }
    }

    /**
     * Allocates an object.
     *
     * @param heap the constructor's parameter, or null for the thread's current heap
     * @throws HeapException if there is no current heap
     */
    protected TransformedObject(Heap heap) {
        super(heap);
    }

    protected TransformedObject(Heap heap, long offset, Existing existing) {
        super(heap, offset);
    }

    /** The definition of the class itself, not of a superclass. */
    protected abstract PersistentClass<?> terrace$class();

    @Override
    final PersistentClass<?> persistentClass() {
        return terrace$class();
    }

    /**
     * Does nothing. Classes that were transformed by an earlier version call it at the end of their constructors. In that version,
     * an object created outside of blocks became valid there.
     */
    protected static void constructed(TransformedObject object, Class<?> type) {
    }

    /** Checks that the heap passed to the constructor of a subclass is the one that contains the object. */
    protected static void checkHeap(TransformedObject object, Heap given) {
        if (given != null && object.heap() != given) {
            throw new HeapException("the constructor of " + object.getClass().getName() + " was given heap " + given.path()
                    + ", but the constructor that it calls made the object in the current heap " + object.heap().path()
                    + ": pass the heap on to it");
        }
    }

    /** Runs a method that is declared failure-atomic. */
    protected static <T> T atomically(TransformedObject object, Supplier<T> method) {
        return object.heap().blocks().method(method);
    }

    protected static void atomically(TransformedObject object, Runnable method) {
        object.heap().blocks().method(() -> {
            method.run();
            return null;
        });
    }

    protected static void reading(TransformedObject object, Runnable method) {
        reading(object, () -> {
            method.run();
            return null;
        });
    }

    /** Runs a method that changes nothing. */
    protected static <T> T reading(TransformedObject object, Supplier<T> method) {
        Heap heap = object.heap();
        return heap.isInBlock() ? method.get() : heap.read(method);
    }

    /** The value of a field that may hold a persistent object or a copy of a value. */
    protected static Object getValue(TransformedObject object, long field) {
        Heap heap = object.heap();
        if (heap.isInBlock()) {
            return Values.loadWhole(object.getReference(field), object);
        }
        // A block may free the copy at any time.
        return heap.read(() -> Values.loadWhole(object.getReference(field), object));
    }

    /**
     * Stores a reference to a persistent object or a copy of a value, and frees the previous copy. Outside of a block, it runs in a
     * new one.
     *
     * @param name name of the field, for the message
     */
    protected static void setValue(TransformedObject object, long field, Object value, String name) {
        Heap heap = object.heap();
        if (heap.isInBlock()) {
            replace(object, field, value, name);
        } else {
            heap.atomic(() -> replace(object, field, value, name));
        }
    }

    private static void replace(TransformedObject object, long field, Object value, String name) {
        PersistentObject former = object.getReferenceUnlessFreed(field);
        PersistentObject stored;
        try {
            stored = Values.store(object.heap(), value);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(name + " cannot hold a " + value.getClass().getName() + ": " + e.getMessage(), e);
        }
        object.setReference(field, stored);
        Values.free(former);
    }

    /** Frees the copy that a field holds, before the field's object is freed. */
    protected static void freeValue(TransformedObject object, long field) {
        Values.free(object.getReferenceUnlessFreed(field));
    }
}
