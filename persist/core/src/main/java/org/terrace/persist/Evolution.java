// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.terrace.persist.heap.ClassChange;
import org.terrace.persist.heap.ClassDescriptor;
import org.terrace.persist.heap.ClassEntries;
import org.terrace.persist.heap.ClassLookup;
import org.terrace.persist.heap.Directory;
import org.terrace.persist.heap.files.Conversion;
import org.terrace.persist.heap.files.Store;
import org.terrace.persist.heap.files.Superblock;
import org.terrace.persist.medium.Site;

/**
 * Opens heaps that were written by programs with other fields. The opening looks up the definitions of all classes of the heap. If
 * the fields differ, it converts the objects. If only names differ, it updates the directory.
 */
final class Evolution {
    private static final System.Logger LOGGER = System.getLogger("org.terrace.persist");

    private Evolution() {
    }

    static Store open(Path named, HeapOptions options, ClassLookup lookup) {
        options.classes().forEach(ClassLookup::use);
        Store store = Store.open(named, options);
        Path path = store.path();
        try {
            Map<Integer, ClassChange> changes = changes(path, store, options, lookup);
            boolean namesOnly = changes.values().stream().allMatch(ClassChange::keepsObjects);
            if (changes.isEmpty() || namesOnly && options.isReadOnly()) {
                return store;
            }
            if (options.isReadOnly()) {
                throw unconverted(path, changes.values().stream().map(change -> change.after().name()).toList());
            }
            // Otherwise the next opening would refuse the heap.
            changes.values().forEach(change -> change.after().names().forEach(name -> options.checkClass(path, name)));
            if (namesOnly) {
                rename(store, changes);
                return store;
            }
            store.close();
            Superblock closed = store.superblock();
            Conversion.run(path, closed, changes, options);
        } catch (RuntimeException | Error e) {
            store.abandon(new HeapException("the heap could not be opened", e));
            throw e;
        }
        return Store.open(path, options);
    }

    static HeapException unconverted(Path path, List<String> changed) {
        return new HeapException(path + " was written by a program whose classes had other fields, and cannot be converted"
                + " read-only: open it once for writing. Changed: " + changed);
    }

    /**
     * Changes by class number. The classes of the program hold until the heap is closed. A heap opened read-only needs no class
     * before its objects are used, so none is initialized for it. Nothing is changed for a class that may be of another program,
     * because the program of the heap may want something else, such as an added field with another type.
     */
    private static Map<Integer, ClassChange> changes(Path path, Store store, HeapOptions options, ClassLookup lookup) {
        Map<Integer, ClassChange> changes = new HashMap<>();
        Directory.classes(store.space()).forEach((number, inHeap) -> {
            PersistentClass<?> definition = options.isReadOnly() ? PersistentClass.known(inHeap, lookup)
                    : find(path, inHeap, lookup);
            if (definition == null) {
                return;
            }
            if (!lookup.isOfProgram(definition.type(), inHeap.names())) {
                if (definition.fits(inHeap)) {
                    lookup.hold(inHeap.names(), definition.type());
                }
                return;
            }
            ClassChange change = changeOf(path, inHeap, definition, lookup);
            if (!change.isNone()) {
                changes.put(number, change);
            }
            lookup.hold((change.isNone() || options.isReadOnly() ? inHeap : change.after()).names(), definition.type());
        });
        return changes;
    }

    /** The end of the message that refuses a class which may be of another program. */
    static String ofAnotherProgram(Class<?> type) {
        return ", and may be of another program, because the context class loader of this thread lacks the class or has failed: open"
                + " the heap with HeapOptions.classes(" + type.getSimpleName() + ".class) of the program that uses it";
    }

    /** The definition, or null if the class cannot be initialized. Such a class fails when it is used and must not affect others. */
    static PersistentClass<?> find(Path path, ClassDescriptor inHeap, ClassLookup lookup) {
        try {
            return PersistentClass.find(inHeap, lookup);
        } catch (LinkageError e) {
            lookup.fail(inHeap.names());
            LOGGER.log(System.Logger.Level.WARNING, path + ": the program's class for objects of " + inHeap.name() + " cannot be"
                    + " initialized. The opening neither converts nor recovers these objects, and their use throws. Cause: "
                    + ClassLookup.rootCause(e), e);
            return null;
        }
    }

    static ClassChange changeOf(Path path, ClassDescriptor inHeap, PersistentClass<?> definition, ClassLookup lookup) {
        try {
            return definition.changeOf(inHeap);
        } catch (HeapException e) {
            Class<?> type = definition.type();
            throw new HeapException(path + ": " + e.getMessage() + (lookup.isOfProgram(type, inHeap.names()) ? "" : ". The class is of "
                    + type.getClassLoader() + ofAnotherProgram(type)), e);
        }
    }

    private static void rename(Store store, Map<Integer, ClassChange> changes) {
        Map<Integer, ClassDescriptor> renamed = new HashMap<>();
        changes.forEach((number, change) -> renamed.put(number, change.after()));
        long position = new ClassEntries(store.journal(), store.allocator()).change(changes.keySet(), renamed);
        store.log().sync(position, Site.COMMIT_SYNC);
    }
}
