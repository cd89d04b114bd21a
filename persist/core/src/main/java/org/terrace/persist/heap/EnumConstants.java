// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.terrace.persist.Was;

/** What this program says of the constants of an enumeration: their order, and what they were called before. */
public final class EnumConstants {
    private static final ClassValue<EnumConstants> OF = new ClassValue<>() {
        @Override
        protected EnumConstants computeValue(Class<?> type) {
            return new EnumConstants(type);
        }
    };
    /** Set before any constant that was renamed can be met. */
    private static volatile boolean renamed;

    private final Map<String, Enum<?>> byName = new HashMap<>();
    private final Map<String, List<String>> formerNames = new HashMap<>();

    private EnumConstants(Class<?> type) {
        for (Object constant : type.getEnumConstants()) {
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

    /** Initializes the enumeration. */
    public static EnumConstants of(Class<?> type) {
        return OF.get(type);
    }

    /** In the order of the class file, which compilers make that of the constants. Nothing is initialized. */
    public static List<String> namesInFile(Class<?> type) {
        return Arrays.stream(type.getDeclaredFields()).filter(Field::isEnumConstant).map(Field::getName).toList();
    }

    /** In their order. Initializes the enumeration. */
    public static List<String> names(Class<?> type) {
        return Arrays.stream(type.getEnumConstants()).map(constant -> ((Enum<?>) constant).name()).toList();
    }

    /** The constant of this name, or the one that had it, if there is none now; null if this program has neither. */
    public Enum<?> constant(String name) {
        return byName.get(name);
    }

    /** False if no enumeration that was met has constants with former names. */
    public static boolean areSomeRenamed() {
        return renamed;
    }

    /** Names that a constant of this name had. */
    public List<String> formerNames(String name) {
        return formerNames.getOrDefault(name, List.of());
    }
}
