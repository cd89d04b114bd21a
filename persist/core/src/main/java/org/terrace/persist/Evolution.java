// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
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
     * before its objects are used, so none is initialized for it.
     */
    private static Map<Integer, ClassChange> changes(Path path, Store store, HeapOptions options, ClassLookup lookup) {
        Map<Integer, ClassChange> changes = new HashMap<>();
        Map<Integer, ClassDescriptor> classes = Directory.classes(store.space());
        Set<String> names = classes.values().stream().map(ClassDescriptor::name).collect(Collectors.toSet());
        classes.forEach((number, inHeap) -> {
            PersistentClass<?> definition = options.isReadOnly() ? PersistentClass.known(inHeap, lookup)
                    : find(path, inHeap, lookup);
            ClassChange change = definition == null ? null : changeOf(path, inHeap, definition, lookup);
            if (change == null || !change.isNone() && !lookup.isOfProgram(definition.type(), inHeap.name())
                    && !isAllowedToOthers(path, change, definition, names)) {
                return;
            }
            lookup.hold(options.isReadOnly() ? inHeap.name() : change.after().name(), definition.type());
            if (!change.isNone()) {
                changes.put(number, change);
            }
        });
        return changes;
    }

    /**
     * Whether a heap can be changed for a class that may be of another program. The program of the heap must be able to undo the
     * change. The class must not take the name of another class of the heap.
     *
     * @throws HeapException if the change discards values or changes the types of fields
     */
    private static boolean isAllowedToOthers(Path path, ClassChange change, PersistentClass<?> definition, Set<String> names) {
        if (!change.discarded().isEmpty() || !change.retyped().isEmpty()) {
            Class<?> type = definition.type();
            throw new HeapException(path + ": class " + type.getName() + " of " + type.getClassLoader()
                    + (change.discarded().isEmpty() ? " changes the types of the fields " + change.retyped()
                    : " drops the fields " + change.discarded()) + ofAnotherProgram(type));
        }
        return !change.isRenaming() || !names.contains(change.after().name());
    }

    /** The end of the message that refuses a class which may be of another program. */
    private static String ofAnotherProgram(Class<?> type) {
        return ", and may be of another program, because the context class loader of this thread lacks the class or has failed: open"
                + " the heap with HeapOptions.classes(" + type.getSimpleName() + ".class) of the program that uses it";
    }

    /** The definition, or null if the class cannot be initialized. Such a class fails when it is used and must not affect others. */
    static PersistentClass<?> find(Path path, ClassDescriptor inHeap, ClassLookup lookup) {
        try {
            return PersistentClass.find(inHeap, lookup);
        } catch (LinkageError e) {
            Throwable cause = e;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            LOGGER.log(System.Logger.Level.WARNING, path + ": the program's class for objects of " + inHeap.name() + " cannot be"
                    + " initialized. The opening neither converts nor recovers these objects, and their use throws. Cause: " + cause, e);
            return null;
        }
    }

    static ClassChange changeOf(Path path, ClassDescriptor inHeap, PersistentClass<?> definition, ClassLookup lookup) {
        try {
            return definition.changeOf(inHeap);
        } catch (HeapException e) {
            Class<?> type = definition.type();
            throw new HeapException(path + ": " + e.getMessage() + (lookup.isOfProgram(type, inHeap.name()) ? "" : ". The class is of "
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
