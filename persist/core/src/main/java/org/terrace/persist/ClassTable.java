// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.terrace.persist.heap.ClassDescriptor;
import org.terrace.persist.heap.ClassEntries;
import org.terrace.persist.heap.ClassLookup;
import org.terrace.persist.heap.Directory;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.ObjectHeader;
import org.terrace.persist.heap.StackRoom;
import org.terrace.persist.heap.files.Store;
import org.terrace.persist.medium.Site;

/** The classes of an open heap. Maps class numbers of the heap to definitions in the program. */
final class ClassTable {

    /**
     * A class of the program that was checked against the heap.
     *
     * @param payloadBytes size of an object of fixed layout, including fields that only the heap defines
     */
    record Known(int number, int payloadBytes) {
    }

    private static final System.Logger LOGGER = System.getLogger("org.terrace.persist");

    private final Heap heap;
    private final Store store;
    private final HeapOptions options;
    private final ClassLookup lookup;
    private final Map<Integer, ClassDescriptor> descriptors;
    private final Map<PersistentClass<?>, Known> checked = new ConcurrentHashMap<>();
    /** Classes that were preferred already. The heap may use none of them, so it keeps none in memory. */
    private final Set<PersistentClass<?>> preferred = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
    /** Definitions by class number. The array is replaced, never modified. */
    private volatile PersistentClass<?>[] definitions = new PersistentClass<?>[Layout.FIRST_USER_CLASS];
    /** Minimum payload bytes of the objects, by class number. Written before {@link #definitions}. */
    private int[] needed = new int[Layout.FIRST_USER_CLASS];
    /** Numbers of missing classes that were already reported to the program. */
    private final Set<Integer> told = ConcurrentHashMap.newKeySet();
    /** Offset of the identity field, for each class whose objects may have been moved. */
    private final Map<Integer, Integer> identityOffsets = new HashMap<>();

    ClassTable(Heap heap, Store store, HeapOptions options, ClassLookup lookup) {
        this.heap = heap;
        this.options = options;
        this.lookup = lookup;
        this.store = store;
        this.descriptors = new ConcurrentHashMap<>(Directory.classes(store.space()));
        descriptors.forEach((number, descriptor) -> {
            if (descriptor.identityOffset() >= 0) {
                identityOffsets.put(number, descriptor.identityOffset());
            }
        });
    }

    Map<Integer, ClassDescriptor> descriptors() {
        return descriptors;
    }

    /** Number and size of a class in the heap. A class that is new to the heap is recorded first. */
    Known of(PersistentClass<?> type) {
        Known known = checked.get(type);
        return known != null ? known : check(type);
    }

    /** Where objects of this class store their original offset, or -1 if they have not been moved. */
    int identityOffset(int number) {
        return identityOffsets.isEmpty() ? -1 : identityOffsets.getOrDefault(number, -1);
    }

    /** Numbers of the classes whose objects override {@code recover()}. */
    Set<Integer> recovering() {
        Set<Integer> numbers = new HashSet<>();
        descriptors.forEach((number, descriptor) -> {
            PersistentClass<?> definition = Evolution.find(heap.path(), descriptor, lookup);
            if (definition != null && definition.isRecovering()) {
                numbers.add(number);
            }
        });
        return numbers;
    }

    /** Names of the classes that have failed, so that it is not known whether their objects override {@code recover()}. */
    List<String> failed() {
        return descriptors.values().stream().filter(inHeap -> lookup.hasFailed(inHeap.names())).map(ClassDescriptor::name).sorted()
                .toList();
    }

    private synchronized Known check(PersistentClass<?> type) {
        // This object must also note each class that is recorded in the heap, so no stack overflow may come between.
        StackRoom.ensure();
        int number = find(type);
        refuseOther(type, chosen(number, type));
        if (number == 0) {
            number = record(type.descriptor());
        } else {
            check(type, number);
        }
        Known known = new Known(number, descriptors.get(number).payloadBytes());
        checked.put(type, known);
        define(number, type);
        return known;
    }

    /** Makes this class the one of its name, if the heap has that name and uses no other class of the same name. */
    void prefer(PersistentClass<?> type) {
        // The search visits all classes, so it is done once for each type.
        if (type != null && preferred.add(type)) {
            preferAtFirst(type);
        }
    }

    private synchronized void preferAtFirst(PersistentClass<?> type) {
        int number = find(type);
        if (number != 0 && defined(number) == null && !isOther(type, chosen(number, type))) {
            check(type, number);
            define(number, type);
        }
    }

    /** The name of a class in a message that also names another one. If both names are equal, the text identifies the class loaders. */
    static String nameBeside(Class<?> type, Class<?> other) {
        return type.getName().equals(other.getName()) ? "class of the same name of another class loader: " + type.getClassLoader()
                + ", not " + other.getClassLoader() : type.getName();
    }

    private PersistentClass<?> defined(int number) {
        PersistentClass<?>[] known = definitions;
        return number < known.length ? known[number] : null;
    }

    private synchronized void define(int number, PersistentClass<?> type) {
        PersistentClass<?>[] more = Arrays.copyOf(definitions, Math.max(definitions.length, number + 1));
        more[number] = type;
        int[] bytes = Arrays.copyOf(needed, more.length);
        bytes[number] = descriptors.get(number).payloadBytes();
        needed = bytes;
        definitions = more;
    }

    /** The number of the class by its current or a former name, or 0 if there is none. */
    private int find(PersistentClass<?> type) {
        int exact = number(type.descriptor().name());
        return exact != 0 ? exact : descriptors.entrySet().stream().filter(entry -> isFormer(entry.getValue(), type))
                .mapToInt(Map.Entry::getKey).findFirst().orElse(0);
    }

    /** Whether a class of the heap, which has another name, is this one in the program of this one. */
    private static boolean isFormer(ClassDescriptor inHeap, PersistentClass<?> type) {
        ClassDescriptor inProgram = type.descriptor();
        return (inProgram.formerNames().contains(inHeap.name()) || inHeap.formerNames().contains(inProgram.name()))
                && ClassLookup.isMeant(PersistentClass.wanted(inHeap, false), type.type());
    }

    /** The class that the heap was opened with for this name or number. The number is 0 if the heap has no such class yet. */
    private Class<?> chosen(int number, PersistentClass<?> type) {
        Class<?> sameName = lookup.chosen(type.type().getName());
        ClassDescriptor inHeap = number == 0 ? type.descriptor() : descriptors.get(number);
        return sameName != null ? sameName : lookup.chosen(PersistentClass.wanted(inHeap, false));
    }

    /** Whether this heap uses another class. The used class can be null. */
    private static boolean isOther(PersistentClass<?> type, Class<?> used) {
        return used != null && used != type.type();
    }

    private void refuseOther(PersistentClass<?> type, Class<?> used) {
        if (isOther(type, used)) {
            throw new HeapException(heap.path() + ": the objects of " + used.getName() + " are of the class of "
                    + used.getClassLoader() + " since the heap was opened; they cannot be of "
                    + (used.getName().equals(type.type().getName()) ? "the class of this name" : type.type().getName()) + " of "
                    + type.type().getClassLoader() + " too: close the heap before, or use one class loader");
        }
    }

    private void check(PersistentClass<?> type, int number) {
        PersistentClass<?> used = defined(number);
        refuseOther(type, used == null ? null : used.type());
        ClassDescriptor inHeap = descriptors.get(number);
        if (Evolution.changeOf(heap.path(), inHeap, type, lookup).keepsObjects()) {
            return;
        }
        boolean isOfProgram = lookup.isOfProgram(type.type(), inHeap.names());
        if (isOfProgram && options.isReadOnly()) {
            throw Evolution.unconverted(heap.path(), List.of(type.descriptor().name()));
        }
        throw new HeapException(heap.path() + ": class " + type.descriptor().name() + " of " + type.type().getClassLoader()
                + " has other fields than in the heap" + (isOfProgram ? ", and was not found when the heap was opened: open it with"
                + " HeapOptions.classes(" + type.type().getSimpleName() + ".class)" : Evolution.ofAnotherProgram(type.type()))
                + ", and its objects are converted. Program:\n" + type.descriptor().encode() + "heap:\n" + inHeap.encode());
    }

    /** Records a class by a separate commit, which remains if the block that first uses the class is rolled back. */
    synchronized int record(ClassDescriptor descriptor) {
        descriptor.names().forEach(name -> options.checkClass(heap.path(), name));
        List<ClassDescriptor> added = new ArrayList<>(List.of(descriptor));
        added.addAll(KeyOrders.recordedWith(descriptor, this));
        change(Set.of(), added);
        return number(descriptor.name());
    }

    /** Removes some descriptors and adds others in one commit. No object may be of these classes. */
    synchronized void replace(Set<Integer> removed, List<ClassDescriptor> added) {
        store.log().sync(change(removed, added), Site.COMMIT_SYNC);
    }

    private long change(Set<Integer> removed, List<ClassDescriptor> added) {
        Map<Integer, ClassDescriptor> numbered = new HashMap<>();
        int number = Layout.FIRST_USER_CLASS;
        for (ClassDescriptor descriptor : added) {
            while (descriptors.containsKey(number) || numbered.containsKey(number)) {
                number++;
            }
            if (number > Layout.MAX_CLASS) {
                throw new HeapException(heap.path() + " has " + Layout.MAX_CLASS + " classes, and cannot have more");
            }
            numbered.put(number, descriptor);
        }
        long position = new ClassEntries(store.journal(), store.allocator()).change(removed, numbered);
        descriptors.keySet().removeAll(removed);
        descriptors.putAll(numbered);
        return position;
    }

    private int number(String name) {
        return descriptors.entrySet().stream().filter(e -> e.getValue().name().equals(name)).mapToInt(Map.Entry::getKey)
                .findFirst().orElse(0);
    }

    /** The descriptor of this name, or null if the heap has none. */
    ClassDescriptor named(String name) {
        return descriptors.get(number(name));
    }

    /** A proxy of the class that the header names. */
    PersistentObject resurrect(long header, long offset) {
        int number = ObjectHeader.classId(header);
        PersistentClass<?> definition = definition(number, offset);
        if (definition == null) {
            if (told.add(number)) {
                LOGGER.log(System.Logger.Level.WARNING, heap.path() + " has objects of class " + missing(descriptors.get(number)));
            }
            return new OpaqueObject(heap, offset, descriptors.get(number).name());
        }
        if (RawObjects.payloadBytes(header) < needed[number]) {
            throw heap.objects().damaged(offset, "has " + ObjectHeader.footprint(header) + " bytes, too few for its class "
                    + definition.descriptor().name());
        }
        return definition.resurrect(heap, offset);
    }

    /** The name of a class without a definition, the reason, and what can be done about it. */
    String missing(ClassDescriptor inHeap) {
        String name = inHeap.name();
        return name + ", which this program lacks (" + lookup.reason(PersistentClass.wanted(inHeap, false)) + "): they are OpaqueObject."
                + " If the class was renamed, its definition says formerly(\"" + name + "\"), and HeapOptions.classes names it when the"
                + " heap is opened (docs/use/persist-changes.md, Classes that change)";
    }

    /** The definition for the object at this offset, by class number, or null if the program lacks the class. */
    PersistentClass<?> definition(int number, long offset) {
        PersistentClass<?> definition = defined(number);
        return definition != null ? definition : find(number, offset);
    }

    private PersistentClass<?> find(int number, long offset) {
        ClassDescriptor descriptor = descriptors.get(number);
        if (descriptor == null) {
            throw heap.objects().damaged(offset, "has unknown class " + number);
        }
        // Not while this object is locked, because it can initialize classes of the program.
        PersistentClass<?> definition = PersistentClass.find(descriptor, lookup);
        return definition == null ? null : defineOnce(number, definition);
    }

    /** Another thread may have found another class of the same name meanwhile. */
    private synchronized PersistentClass<?> defineOnce(int number, PersistentClass<?> definition) {
        if (defined(number) == null) {
            check(definition, number);
            define(number, definition);
        }
        return defined(number);
    }
}
