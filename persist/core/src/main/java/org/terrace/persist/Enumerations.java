// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.terrace.persist.heap.ClassDescriptor;
import org.terrace.persist.heap.ClassLookup;
import org.terrace.persist.heap.EnumConstants;

/**
 * The enumerations of an open heap. For each enumeration whose constants are stored, the heap has a class descriptor. It lists the
 * constants in the order of the program that last opened the heap. {@link KeyOrders} compares the lists.
 */
final class Enumerations {
    /** Prefix of the descriptor's name. The name of the enumeration follows. */
    static final String PREFIX = "org.terrace.persist.types.Enum:";

    private final Heap heap;
    private final ClassTable classes;
    private final HeapOptions options;
    private final ClassLookup lookup;
    /** Enumerations by the names that the heap uses. */
    private final Map<String, Class<?>> used = new ConcurrentHashMap<>();
    private final Set<Class<?>> recorded = ConcurrentHashMap.newKeySet();

    Enumerations(Heap heap, ClassTable classes, HeapOptions options, ClassLookup lookup) {
        this.heap = heap;
        this.classes = classes;
        this.options = options;
        this.lookup = lookup;
        for (Class<?> type : options.classes()) {
            if (type.isEnum()) {
                used.put(type.getName(), type);
                Was was = type.getAnnotation(Was.class);
                for (String former : was == null ? new String[0] : was.value()) {
                    used.put(former, type);
                }
            }
        }
    }

    /** Notes that a constant of this enumeration is about to be stored. */
    void storing(Class<?> type) {
        if (!recorded.contains(type)) {
            record(type);
        }
    }

    private synchronized void record(Class<?> type) {
        Class<?> known = used.putIfAbsent(type.getName(), type);
        if (known != null && known != type) {
            throw new HeapException(heap.path() + ": constants of " + type.getName() + " are of the enumeration of "
                    + known.getClassLoader() + " since the heap was opened; they cannot be of that of this name of "
                    + type.getClassLoader() + " too: close the heap before, or use one class loader");
        }
        ClassDescriptor stored = classes.named(PREFIX + escape(type.getName()));
        if (stored == null) {
            classes.record(descriptor(type.getName(), EnumConstants.names(type)));
        } else {
            compare(stored, type);
        }
        recorded.add(type);
    }

    /** If the opening did not find the enumeration, sorted maps are still in the order of the previous program. */
    private void compare(ClassDescriptor stored, Class<?> type) {
        if (stored != null && !names(stored).equals(EnumConstants.names(type))) {
            heap.keyOrders().doubt();
        }
    }

    /**
     * The enumeration of a stored constant, or null if this program lacks it.
     *
     * @throws HeapException if {@link HeapOptions#classFilter} rejects the class, or it is not an enumeration
     */
    Class<?> loading(String typeName) {
        Class<?> type = used.get(typeName);
        return type == null ? find(typeName) : type;
    }

    private Class<?> find(String typeName) {
        List<Class<?>> others = new ArrayList<>();
        Class<?> type = find(typeName, others::add);
        if (type == null && !others.isEmpty()) {
            throw new HeapException(heap.path() + " holds a constant of " + typeName + ", which is no enumeration in "
                    + others.get(0).getClassLoader());
        }
        if (type == null) {
            return null;
        }
        compare(classes.named(PREFIX + escape(typeName)), type);
        used.putIfAbsent(typeName, type);
        return used.get(typeName);
    }

    /** The enumeration of this name, not initialized, or null. Other classes of the name are only reported. */
    private Class<?> find(String name, Consumer<Class<?>> others) {
        options.checkClass(heap.path(), name);
        return lookup.find(new ClassLookup.Wanted(name, List.of(), type -> {
            if (!type.isEnum()) {
                others.accept(type);
            }
            return type.isEnum();
        }, false));
    }

    /**
     * Names of the constants in this program, in their order, or null if it lacks the class. Initializes no class. The opening asks
     * this, and the enumeration holds from then on.
     */
    List<String> namesInProgram(String typeName) {
        try {
            Class<?> type = used.get(typeName);
            if (type == null) {
                type = find(typeName, other -> { });
            }
            if (type != null) {
                lookup.hold(List.of(typeName), type);
            }
            return type != null && type.isEnum() ? EnumConstants.namesInFile(type) : null;
        } catch (LinkageError e) {
            return null;
        } catch (HeapException e) {
            // The filter rejects the class. Loading a constant throws.
            return null;
        }
    }

    /** Descriptors of enumerations that the program has used and the heap has not recorded. */
    List<ClassDescriptor> unrecorded() {
        List<ClassDescriptor> unrecorded = new ArrayList<>();
        used.forEach((name, type) -> {
            if (classes.named(PREFIX + escape(name)) == null) {
                unrecorded.add(descriptor(name, EnumConstants.names(type)));
            }
        });
        return unrecorded;
    }

    static ClassDescriptor descriptor(String typeName, List<String> names) {
        List<ClassDescriptor.Field> fields = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            fields.add(new ClassDescriptor.Field(escape(names.get(i)), FieldType.BOOLEAN, i, List.of()));
        }
        return new ClassDescriptor(PREFIX + escape(typeName), List.of(), ClassDescriptor.Kind.OBJECT, names.size(),
                List.copyOf(fields));
    }

    /** The enumeration that a descriptor describes, or null if it describes another class. */
    static String typeName(ClassDescriptor descriptor) {
        return descriptor.name().startsWith(PREFIX) ? unescape(descriptor.name().substring(PREFIX.length())) : null;
    }

    static List<String> names(ClassDescriptor descriptor) {
        return descriptor.fields().stream().map(field -> unescape(field.name())).toList();
    }

    /** Descriptors separate words by white space, which identifiers of some languages may contain. */
    private static String escape(String name) {
        StringBuilder escaped = new StringBuilder();
        name.chars().forEach(c -> {
            if (c == '%' || c == '*' || Character.isWhitespace(c) || c == ' ') {
                escaped.append('%').append(String.format("%04x", c));
            } else {
                escaped.append((char) c);
            }
        });
        return escaped.toString();
    }

    private static String unescape(String escaped) {
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < escaped.length(); i++) {
            if (escaped.charAt(i) == '%') {
                name.append((char) Integer.parseInt(escaped, i + 1, i + 5, 16));
                i += 4;
            } else {
                name.append(escaped.charAt(i));
            }
        }
        return name.toString();
    }
}
