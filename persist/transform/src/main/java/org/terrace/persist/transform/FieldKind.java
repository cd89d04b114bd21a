// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform;

import java.util.Map;
import java.util.Set;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;

/** How a field's value is stored, depending on its declared type. */
enum FieldKind {
    /** Stored in the object itself. */
    PRIMITIVE,
    /** Stored as a reference to another persistent object. */
    REFERENCE,
    /** Stored as a copy of an immutable value or as a reference. The store itself determines which, and whether the value is supported. */
    VALUE;

    private static final Set<String> VALUES = Set.of("java/lang/String", "java/lang/Boolean", "java/lang/Byte", "java/lang/Short",
            "java/lang/Character", "java/lang/Integer", "java/lang/Long", "java/lang/Float", "java/lang/Double",
            "java/time/Instant", "java/util/UUID", "java/math/BigInteger", "java/math/BigDecimal", "java/util/Optional",
            // Supertypes of these values or of persistent classes.
            Names.OBJECT, Names.RECORD, "java/lang/Number", "java/lang/Enum");

    private static final Map<String, String> ARRAYS = Map.of("[B", "PersistentByteArray", "[I", "PersistentIntArray", "[J",
            "PersistentLongArray", "[D", "PersistentDoubleArray");

    private static final Map<String, String> COLLECTIONS = Map.of("ArrayList", "List", "LinkedList", "List", "HashMap", "Map",
            "TreeMap", "NavigableMap", "HashSet", "Set", "TreeSet", "NavigableSet", "ArrayDeque", "Deque");

    /** @throws IllegalArgumentException if such a field cannot be persistent. The message suggests an alternative */
    static FieldKind of(String descriptor, Classes classes) {
        Type type = Type.getType(descriptor);
        if (type.getSort() == Type.ARRAY) {
            throw new IllegalArgumentException("a Java array cannot be stored in a heap: use "
                    + ARRAYS.getOrDefault(descriptor, "PersistentArray") + ", or make the field transient");
        }
        if (type.getSort() != Type.OBJECT) {
            return PRIMITIVE;
        }
        String name = type.getInternalName();
        if (VALUES.contains(name)) {
            return VALUE;
        }
        ClassInfo info = classes.find(name);
        if (info == null || info.is(Opcodes.ACC_INTERFACE) || classes.isEnum(info)) {
            return VALUE;
        }
        if (info.isRecord()) {
            if (!classes.isPersistent(info)) {
                throw new IllegalArgumentException("its record is not persistent: annotate it with @Persistent");
            }
            return VALUE;
        }
        if (classes.isPersistent(info) || classes.extendsPersistentObject(name)) {
            return REFERENCE;
        }
        String collection = name.startsWith("java/util/") ? COLLECTIONS.get(name.substring("java/util/".length())) : null;
        throw new IllegalArgumentException(collection != null
                ? "declare it as " + collection + ", and store a persistent collection"
                : "its class is not persistent: annotate it with @Persistent, or make the field transient");
    }

    /** The constant of {@code FieldType} for a field of this type. */
    static String storedAs(String descriptor) {
        return switch (Type.getType(descriptor).getSort()) {
            case Type.BOOLEAN -> "BOOLEAN";
            case Type.BYTE -> "BYTE";
            case Type.SHORT -> "SHORT";
            case Type.CHAR -> "CHAR";
            case Type.INT -> "INT";
            case Type.LONG -> "LONG";
            case Type.FLOAT -> "FLOAT";
            case Type.DOUBLE -> "DOUBLE";
            default -> "REFERENCE";
        };
    }

    /** The suffix after {@code get} or {@code set} in the name of {@code PersistentObject}'s accessor for a primitive type. */
    static String accessorSuffix(String descriptor) {
        String name = Type.getType(descriptor).getClassName();
        return Character.toUpperCase(name.charAt(0)) + name.substring(1);
    }
}
