// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.terrace.persist.Was;

/** The constants of an enumeration in this program, with their order and former names. */
public final class EnumConstants {
    private static final ClassValue<EnumConstants> OF = new ClassValue<>() {
        @Override
        protected EnumConstants computeValue(Class<?> type) {
            return new EnumConstants(type);
        }
    };
    /** Set before any renamed constant can be used. */
    private static volatile boolean renamed;

    private final Map<String, Enum<?>> byName = new HashMap<>();
    private final Map<String, List<String>> formerNames = new HashMap<>();

    private EnumConstants(Class<?> type) {
        for (Object constant : constants(type)) {
            byName.put(((Enum<?>) constant).name(), (Enum<?>) constant);
        }
        for (Field field : type.getDeclaredFields()) {
            Was was = field.isEnumConstant() ? field.getAnnotation(Was.class) : null;
            if (was != null) {
                renamed = true;
                formerNames.put(field.getName(), List.of(was.value()));
                Arrays.stream(was.value()).forEach(name -> byName.putIfAbsent(name, byName.get(field.getName())));
            }
        }
    }

    private static Object[] constants(Class<?> type) {
        ClassLookup.initialize(type);
        return type.getEnumConstants();
    }

    /** The constants of an enumeration, which is initialized. */
    public static EnumConstants of(Class<?> type) {
        return OF.get(type);
    }

    /** The names in the order of the class file, which compilers derive from the order of the constants. Initializes nothing. */
    public static List<String> namesInFile(Class<?> type) {
        return Arrays.stream(type.getDeclaredFields()).filter(Field::isEnumConstant).map(Field::getName).toList();
    }

    /** The names in their order. Initializes the enumeration. */
    public static List<String> names(Class<?> type) {
        return Arrays.stream(constants(type)).map(constant -> ((Enum<?>) constant).name()).toList();
    }

    /** The constant with this name, or otherwise the one that formerly had it. Null if this program has neither. */
    public Enum<?> constant(String name) {
        return byName.get(name);
    }

    /** False if no enumeration so far has constants with former names. */
    public static boolean areSomeRenamed() {
        return renamed;
    }

    /** Former names of the constant with this name. */
    public List<String> formerNames(String name) {
        return formerNames.getOrDefault(name, List.of());
    }
}
